-- name: hold_forecasts
-- Nobody else makes forecasts from now on.
INSERT INTO runs_duty (name, begun_at, begun_by, done_at) VALUES ('forecasts', 'infinity', 'bench', now())
ON CONFLICT (name) DO UPDATE SET begun_at = excluded.begun_at, begun_by = excluded.begun_by

-- name: waiting_runs
-- Runs like the one that waits at its only open step: `many`, begun at random within so many days.
WITH n AS MATERIALIZED (
    SELECT uuidv7(m.at - clock_timestamp()) AS id, uuidv7(m.at - clock_timestamp()) AS step_id, m.at
      FROM generate_series(1, %(many)s::int) i
     CROSS JOIN LATERAL (SELECT now() - interval '1 day' * %(days)s * i / %(many)s AS at) m
),
r AS (
    INSERT INTO runs_run (id, root_id, tenant_id, workflow_id, version_id, shard, status, priority, input, open_sinks, created_by,
                          created_at, sla_deadline)
    SELECT n.id, n.id, r.tenant_id, r.workflow_id, r.version_id, r.shard, r.status, r.priority, r.input, r.open_sinks, r.created_by, n.at,
           n.at + interval '1 day' * %(days)s
      FROM n JOIN runs_run r ON r.id = %(like)s
)
INSERT INTO runs_stepexecution (id, tenant_id, run_id, version_id, shard, node, type, queue, priority, status, attempt, epoch,
                                lease_seconds, waiting, available_at, queued_at, started_at)
SELECT n.step_id, s.tenant_id, n.id, s.version_id, s.shard, s.node, s.type, s.queue, s.priority, s.status, 1, 1, s.lease_seconds,
       s.waiting, n.at, n.at, n.at
  FROM n JOIN runs_stepexecution s ON s.run_id = %(like)s AND s.status = 'WAITING'
