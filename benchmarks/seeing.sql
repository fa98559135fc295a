-- name: many_runs
-- Runs of a workflow like the one that is over: `many` from `first` on, of `total`, made evenly over 90 days, or at random where
-- `spread`. One in 30 has failed at its last step and has a dead letter, one in 200 waits for a signal at its fifth.
WITH n AS MATERIALIZED (
    SELECT i, m.at, uuidv7(m.at - clock_timestamp()) AS id, i %% 30 = 7 AS fails, i %% 200 = 11 AS waits
      FROM generate_series(%(first)s::bigint, %(first)s::bigint + %(many)s::bigint - 1) i
     CROSS JOIN LATERAL (SELECT now() - interval '90 days' * CASE WHEN %(spread)s THEN random()
                                                             ELSE 1 - i::float8 / %(total)s END AS at) m
),
f AS MATERIALIZED (
    SELECT s.*, row_number() OVER (ORDER BY s.id) AS place, count(*) OVER () AS places
      FROM runs_stepexecution s WHERE s.run_id = %(like)s
),
r AS (
    INSERT INTO runs_run (id, tenant_id, workflow_id, version_id, shard, business_key, status, sealed_life, priority, input, output,
                          open_sinks, root_id, created_by, created_at, completed_at)
    SELECT n.id, r.tenant_id, r.workflow_id, r.version_id, n.i %% 16, 'ORDER-' || n.i,
           CASE WHEN n.fails THEN 'FAILED' WHEN n.waits THEN 'RUNNING' ELSE 'COMPLETED' END, 1, 0,
           jsonb_build_object('order_id', n.i, 'country', (ARRAY['DE', 'FR', 'NL', 'PL'])[1 + n.i %% 4],
                              'amount', (n.i * 7919) %% 100000),
           CASE WHEN NOT n.fails AND NOT n.waits THEN '{"ok": true}'::jsonb END, CASE WHEN n.waits THEN 1 ELSE 0 END, n.id,
           'user' || n.i %% 40, n.at, CASE WHEN NOT n.waits THEN n.at + interval '40 seconds' END
      FROM n CROSS JOIN runs_run r
     WHERE r.id = %(like)s
),
s AS MATERIALIZED (
    SELECT uuidv7(n.at + f.place * interval '4 seconds' - clock_timestamp()) AS id, n.id AS run_id, n.i, n.at, f.place, n.waits,
           CASE WHEN n.fails AND f.place = f.places THEN 'FAILED' WHEN n.waits AND f.place = 5 THEN 'WAITING' ELSE 'COMPLETED' END AS status,
           n.at + f.place * interval '4 seconds' AS began, f.tenant_id, f.version_id, f.node, f.type, f.queue, f.lease_seconds
      FROM n JOIN f ON NOT n.waits OR f.place <= 5
),
inserted AS (
    INSERT INTO runs_stepexecution (id, tenant_id, run_id, version_id, shard, node, type, queue, priority, status, attempt, epoch,
                                    worker, lease_seconds, available_at, output, error, waiting, queued_at, started_at, completed_at)
    SELECT s.id, s.tenant_id, s.run_id, s.version_id, s.i %% 16, s.node, s.type, s.queue, 0, s.status, 1, 1,
           CASE WHEN s.status <> 'WAITING' THEN 'bench' END, s.lease_seconds, s.began,
           CASE WHEN s.status = 'COMPLETED' THEN '{"ok": true}'::jsonb END,
           CASE WHEN s.status = 'FAILED' THEN '{"code": "Declined", "message": "The bank declined the card."}'::jsonb END,
           CASE WHEN s.status = 'WAITING' THEN '{"kind": "signal", "name": "paid"}'::jsonb END, s.began, s.began,
           CASE WHEN s.status <> 'WAITING' THEN s.began + interval '3 seconds' END
      FROM s ORDER BY s.id
),
letters AS (
    INSERT INTO runs_deadletter (id, tenant_id, run_id, step_id, node, error, attempts, created_at)
    SELECT uuidv7(s.began - clock_timestamp()), s.tenant_id, s.run_id, s.id, s.node,
           '{"code": "Declined", "message": "The bank declined the card."}'::jsonb, 1, s.began
      FROM s WHERE s.status = 'FAILED'
)
INSERT INTO runs_historyevent (tenant_id, run_id, shard, ordinal, type, node, attempt, payload, created_at)
SELECT h.tenant_id, h.run_id, h.i %% 16, 0, h.type, h.node, h.attempt, h.payload, h.at
  FROM (SELECT s.tenant_id, s.run_id, s.i, 'STEP_' || s.status AS type, s.node, 1 AS attempt,
               jsonb_build_object('started_at', s.began) AS payload, s.began + interval '3 seconds' AS at
          FROM s WHERE s.status <> 'WAITING'
        UNION ALL
        SELECT s.tenant_id, s.run_id, s.i, 'RUN_STARTED', NULL, NULL, '{"by": "bench"}', s.at FROM s WHERE s.place = 1
        UNION ALL
        SELECT s.tenant_id, s.run_id, s.i, 'RUN_' || s.status, NULL, NULL, '{}', s.at + interval '40 seconds'
          FROM s JOIN f ON f.place = s.place WHERE s.place = f.places AND NOT s.waits) h
 ORDER BY h.at

-- name: skip_telemetry
-- As if all that has happened were counted: what is measured is how it is read.
UPDATE runs_telemetrycursor SET after = x.last, upto = x.last, ahead = x.last, seen = x.last
  FROM (SELECT coalesce(max(id), 0) AS last FROM runs_historyevent) x
