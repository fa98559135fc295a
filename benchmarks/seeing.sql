-- name: many_runs
-- Runs of a workflow like the one that is over: `many` from `first` on, of `total`, made evenly over 90 days, or at random where
-- `spread`. One in 30 has failed at its last step and has a dead letter, one in 200 waits at its fifth, every second one of these for a person.
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
           CASE WHEN s.status = 'WAITING' AND s.i %% 400 = 11 THEN '{"kind": "task", "source": "person", "task": {"title": "Approve the order?", "kind": "approval", "candidates": {"roles": ["admin"]}}}'::jsonb
                WHEN s.status = 'WAITING' THEN '{"kind": "signal", "name": "paid"}'::jsonb END, s.began, s.began,
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

-- name: many_keys
-- The business keys of all these runs.
INSERT INTO runs_runkey (tenant_id, workflow_id, business_key, run_id, generation)
SELECT r.tenant_id, r.workflow_id, r.business_key, r.id, 0
  FROM runs_run r JOIN runs_run l ON l.id = %(like)s AND r.workflow_id = l.workflow_id
 WHERE r.business_key IS NOT NULL AND r.id <> l.id

-- name: many_signals
-- One in 20 runs was sent a signal, and one in three of these was read by no step.
INSERT INTO runs_signal (id, root_id, run_id, tenant_id, shard, signal_id, name, payload, sent_by, created_at, consumed_at)
SELECT uuidv7(x.created_at - clock_timestamp()), x.id, x.id, x.tenant_id, 0, 'signal-' || x.n, CASE WHEN x.n %% 3 = 0 THEN 'payed' ELSE 'paid' END,
       '{"amount": 7}', 'shop', x.created_at, CASE WHEN x.n %% 3 > 0 THEN x.created_at END
  FROM (SELECT r.*, row_number() OVER (ORDER BY r.id) AS n
          FROM runs_run r JOIN runs_run l ON l.id = %(like)s AND r.workflow_id = l.workflow_id) x
 WHERE x.n %% 20 = 0
 ORDER BY x.id

-- name: many_waits
-- What open runs have: timers, of which 50 are overdue, forecasts, and tasks of those that wait for people. Nobody fires a
-- timer whose step is not there.
WITH w AS MATERIALIZED (
    SELECT s.*, s.waiting ->> 'source' AS source, row_number() OVER (ORDER BY s.id) AS n, l.workflow_id
      FROM runs_stepexecution s JOIN runs_run l ON l.id = %(like)s AND s.version_id = l.version_id
     WHERE s.status = 'WAITING' AND s.tenant_id = l.tenant_id
),
t AS (
    INSERT INTO runs_timer (id, tenant_id, run_id, shard, step_id, node, kind, fire_at, status)
    SELECT uuidv7(), w.tenant_id, w.run_id, 0, CASE WHEN w.n <= 50 THEN gen_random_uuid() ELSE w.id END, w.node, 'timeout',
           CASE WHEN w.n <= 50 THEN now() - w.n * interval '1 minute' ELSE now() + interval '1 day' + w.n * interval '1 second' END, 'PENDING'
      FROM w
),
f AS (
    INSERT INTO runs_forecast (tenant_id, run_id, p50, p90, risk, made_at)
    SELECT w.tenant_id, w.run_id, now() + w.n %% 100 * interval '1 hour', now() + w.n %% 100 * interval '3 hours', (w.n %% 100) / 100.0, now()
      FROM w
    ON CONFLICT DO NOTHING
)
INSERT INTO tasks_inbox_manualtask (id, tenant_id, shard, workflow_id, run_id, step_id, node, kind, title, outcomes, facts, candidates,
                                    audience, exclude, status, due_at)
SELECT uuidv7(), w.tenant_id, 0, w.workflow_id, w.run_id, w.id, w.node, 'approval', 'Approve order ' || w.n || '?',
       '[{"name": "approved", "label": "Approve"}]', '[]', '{"roles": ["admin"]}', ARRAY['role:admin'], '{}', 'OPEN',
       now() + w.n * interval '1 minute'
  FROM w WHERE w.source = 'person'

-- name: many_bulk_jobs
-- 200 bulk jobs that are over, the last one with the newest `most` runs.
WITH j AS (
    INSERT INTO runs_bulkjob (id, tenant_id, verb, query, workflow_id, dry_run, total, reason, created_by, created_at, finished_at)
    SELECT uuidv7(n * interval '1 millisecond'), l.tenant_id, 'pause', 'status:open', l.workflow_id, n %% 2 = 0,
           CASE WHEN n = 200 THEN %(most)s ELSE 0 END, 'a benchmark', 'user' || n %% 40, now(), now()
      FROM generate_series(1, 200) n JOIN runs_run l ON l.id = %(like)s
    RETURNING id, total, tenant_id
)
INSERT INTO runs_bulkitem (tenant_id, job_id, run_id, result, code, message, done_at)
SELECT j.tenant_id, j.id, r.id, CASE WHEN r.n %% 7 = 0 THEN 'refused' ELSE 'done' END,
       CASE WHEN r.n %% 7 = 0 THEN 'not_running' ELSE '' END,
       CASE WHEN r.n %% 7 = 0 THEN 'Only a RUNNING run can be paused; this one is COMPLETED.' ELSE '' END, now()
  FROM j CROSS JOIN LATERAL (
       SELECT o.id, row_number() OVER (ORDER BY o.id DESC) AS n FROM runs_run o WHERE o.tenant_id = j.tenant_id ORDER BY o.id DESC LIMIT %(most)s) r
 WHERE j.total > 0

-- name: many_alerts
-- So many alerts that are over; those that are open come of the dead letters by themselves.
INSERT INTO runs_alert (tenant_id, rule_id, kind, key, status, severity, subject, message, advice, link, workflow_id, first_seen_at, last_seen_at,
                        resolved_at)
SELECT a.tenant_id, a.id, a.kind, 'bench-' || n, 'resolved', 'warning', 'Alert ' || n, 'Something was wrong.', 'Look at it.', '', NULL,
       now() - n * interval '1 minute', now() - n * interval '1 minute', now() - n * interval '1 minute'
  FROM (SELECT a.* FROM runs_alertrule a JOIN runs_run l ON l.id = %(like)s AND a.tenant_id = l.tenant_id
         WHERE a.kind = 'queue_age' ORDER BY a.id LIMIT 1) a
 CROSS JOIN generate_series(1, %(most)s::bigint) n

-- name: many_messages
-- A webhook that goes out and is off, with so many deliveries, and as many mails of tasks, of which one in ten was given up.
WITH l AS MATERIALIZED (SELECT r.tenant_id, r.id FROM runs_run r WHERE r.id = %(like)s),
h AS (
    INSERT INTO runs_outgoingwebhook (id, tenant_id, url, description, all_events, types, enabled, off_reason, made_by)
    SELECT uuidv7(), l.tenant_id, 'https://receiver.example/in', 'bench', true, '{}', false, 'by hand', 'admin' FROM l
    RETURNING id, tenant_id
),
d AS (
    INSERT INTO runs_outgoingdelivery (tenant_id, webhook_id, type, state, attempts, tried_at, status, took_ms, created_at)
    SELECT h.tenant_id, h.id, 'run.completed', 'delivered', 1, now(), 200, 40, now() - n * interval '1 second'
      FROM h CROSS JOIN generate_series(%(most)s::bigint, 1, -1) n
)
INSERT INTO tasks_inbox_notification (id, tenant_id, task_id, run_id, kind, username, created_at, next_at, attempts, error, sent_at)
SELECT uuidv7(), l.tenant_id, gen_random_uuid(), l.id, 'assigned', 'user' || n %% 40, now() - n * interval '1 second', NULL, 1,
       CASE WHEN n %% 10 = 0 THEN '550 No such user' ELSE '' END, CASE WHEN n %% 10 > 0 THEN now() END
  FROM l CROSS JOIN generate_series(%(most)s::bigint, 1, -1) n
