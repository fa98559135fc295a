-- name: alert_rules (fragment)
rules AS MATERIALIZED (
    SELECT a.id, a.tenant_id, a.kind, a.params FROM runs_alertrule a WHERE a.enabled AND a.kind = ANY (%(kinds)s::text[])
)

-- name: alerts_of_queues
-- Queues with more ready steps than a rule says, with older ones, or with some that nobody serves; each is counted up to
-- a bound, so that a backlog of millions costs no more than one of so many.
WITH RECURSIVE clock AS MATERIALIZED (SELECT coalesce(%(now)s::timestamptz, clock_timestamp()) AS now),
/* include alert_rules */,
tenants AS MATERIALIZED (SELECT DISTINCT tenant_id FROM rules),
/* include queues_found */,
/* include queues_served */,
ready AS MATERIALIZED (
    SELECT q.tenant_id, q.queue, q.ready AS many, extract(epoch FROM clock.now - q.oldest)::float8 AS age
      FROM queued q CROSS JOIN clock WHERE q.ready > 0
)
SELECT json_build_object('rule', a.id, 'kind', a.kind, 'key', r.queue, 'workflow', NULL, 'run', NULL,
           'value', CASE a.kind WHEN 'queue_depth' THEN r.many ELSE r.age END,
           'facts', json_build_object('queue', r.queue, 'ready', r.many, 'seconds', r.age))::text
  FROM rules a JOIN ready r ON r.tenant_id = a.tenant_id AND coalesce(a.params ->> 'queue', '') IN ('', r.queue)
 WHERE CASE a.kind
            WHEN 'queue_depth' THEN r.many > (a.params ->> 'above')::int
            WHEN 'queue_age' THEN r.age > (a.params ->> 'seconds')::int
            ELSE r.age > (a.params ->> 'seconds')::int
                 AND NOT EXISTS (SELECT 1 FROM heard h WHERE h.tenant_id = r.tenant_id AND h.queue = r.queue)
       END
 ORDER BY a.id, r.queue
 LIMIT %(limit)s

-- name: alerts_of_failures
-- How many of the newest runs have failed, of those that were started lately and are over. Only where one has failed at
-- all the newest ones are read.
WITH clock AS MATERIALIZED (SELECT coalesce(%(now)s::timestamptz, clock_timestamp()) AS now),
/* include alert_rules */
SELECT json_build_object('rule', a.id, 'kind', a.kind, 'key', 'runs', 'workflow', w.id, 'run', NULL, 'value', 100.0 * c.failed / c.ended,
           'facts', json_build_object('failed', c.failed, 'ended', c.ended, 'workflow', coalesce(nullif(w.title, ''), w.name),
                                      'minutes', (a.params ->> 'minutes')::int))::text
  FROM rules a CROSS JOIN clock
  LEFT JOIN workflows_workflow w ON w.tenant_id = a.tenant_id AND w.name = a.params ->> 'workflow'
 CROSS JOIN LATERAL (
           SELECT r.created_at FROM runs_run r
            WHERE r.tenant_id = a.tenant_id AND r.status = 'FAILED' ORDER BY r.id DESC LIMIT 1) last
 CROSS JOIN LATERAL (
           SELECT count(*) AS ended, count(*) FILTER (WHERE x.status = 'FAILED') AS failed
             FROM (SELECT r.status, r.created_at, r.completed_at, r.workflow_id, r.is_test, r.is_part
                     FROM runs_run r WHERE r.tenant_id = a.tenant_id ORDER BY r.id DESC LIMIT %(most)s) x
            WHERE x.created_at > clock.now - make_interval(mins => (a.params ->> 'minutes')::int)
              AND x.completed_at IS NOT NULL AND NOT x.is_test AND NOT x.is_part
              AND (coalesce(a.params ->> 'workflow', '') = '' OR x.workflow_id = w.id)) c
 WHERE last.created_at > clock.now - make_interval(mins => (a.params ->> 'minutes')::int)
   AND c.ended >= (a.params ->> 'least')::int
   AND 100.0 * c.failed >= c.ended * (a.params ->> 'percent')::int
   AND c.failed > 0
 ORDER BY a.id
 LIMIT %(limit)s

-- name: alerts_of_steps
-- Steps that failed for good and that nobody has seen to, by workflow and step: a thousand that fail of one cause are one
-- alert.
WITH /* include alert_rules */
SELECT json_build_object('rule', a.id, 'kind', a.kind, 'key', l.workflow_id || '/' || l.node, 'workflow', l.workflow_id, 'run', l.run_id,
           'value', l.many, 'facts', json_build_object('workflow', coalesce(nullif(w.title, ''), w.name), 'node', l.node, 'version', l.version_id, 'many', l.many,
                                      'attempts', l.attempts, 'code', l.code))::text
  FROM rules a CROSS JOIN LATERAL (
           SELECT r.workflow_id, x.node, count(*) AS many, (array_agg(x.run_id ORDER BY x.id DESC))[1] AS run_id,
                  (array_agg(r.version_id ORDER BY x.id DESC))[1] AS version_id,
                  (array_agg(x.attempts ORDER BY x.id DESC))[1] AS attempts, (array_agg(x.code ORDER BY x.id DESC))[1] AS code
             FROM (SELECT l.id, l.run_id, l.node, l.attempts, l.error ->> 'code' AS code
                     FROM runs_deadletter l
                    WHERE l.tenant_id = a.tenant_id AND l.resolution IS NULL
                    ORDER BY l.id DESC
                    LIMIT %(most)s) x
            CROSS JOIN LATERAL (SELECT o.workflow_id, o.version_id FROM runs_run o WHERE o.id = x.run_id LIMIT 1) r
            GROUP BY r.workflow_id, x.node) l
  JOIN workflows_workflow w ON w.id = l.workflow_id
 WHERE coalesce(a.params ->> 'workflow', '') IN ('', w.name)
 ORDER BY a.id, l.workflow_id, l.node
 LIMIT %(limit)s

-- name: alerts_of_compensations
-- Runs that wait for a person since what they did could not be undone; the oldest first, so that newer ones take no
-- place from those that are told of already.
WITH /* include alert_rules */
SELECT json_build_object('rule', a.id, 'kind', a.kind, 'key', r.id, 'workflow', r.workflow_id, 'run', r.id, 'value', NULL,
           'facts', json_build_object('workflow', coalesce(nullif(w.title, ''), w.name), 'business_key', r.business_key))::text
  FROM rules a CROSS JOIN LATERAL (
           SELECT r.id, r.workflow_id, r.business_key
             FROM runs_run r
            WHERE r.tenant_id = a.tenant_id AND r.status = 'WAITING_FOR_MANUAL_ACTION' AND NOT r.is_test
            ORDER BY r.id
            LIMIT %(most)s) r
  JOIN workflows_workflow w ON w.id = r.workflow_id
 WHERE coalesce(a.params ->> 'workflow', '') IN ('', w.name)
 ORDER BY a.id, r.id
 LIMIT %(limit)s

-- name: alerts_of_timers
-- The timers that should have fired, the latest first; those of a run that is closing are nobody's any more.
WITH clock AS MATERIALIZED (SELECT coalesce(%(now)s::timestamptz, clock_timestamp()) AS now),
/* include alert_rules */,
late AS MATERIALIZED (
    SELECT t.tenant_id, t.run_id, t.fire_at
      FROM runs_timer t CROSS JOIN clock
     WHERE t.status = 'PENDING' AND t.fire_at <= clock.now
     ORDER BY t.fire_at
     LIMIT %(most)s
),
by_tenant AS (
    SELECT t.tenant_id, count(*) AS many, extract(epoch FROM clock.now - min(t.fire_at))::float8 AS seconds
      FROM late t CROSS JOIN clock
     CROSS JOIN LATERAL (SELECT r.status FROM runs_run r WHERE r.id = t.run_id LIMIT 1) r
     WHERE r.status IN ('RUNNING', 'COMPENSATING')
     GROUP BY t.tenant_id, clock.now
)
SELECT json_build_object('rule', a.id, 'kind', a.kind, 'key', 'timers', 'workflow', NULL, 'run', NULL, 'value', t.seconds,
           'facts', json_build_object('many', t.many, 'seconds', t.seconds))::text
  FROM rules a JOIN by_tenant t ON t.tenant_id = a.tenant_id AND t.seconds > (a.params ->> 'seconds')::int
 ORDER BY a.id
 LIMIT %(limit)s

-- name: alerts_of_repairs
-- Open runs that nothing would move any more, and that could not be repaired.
WITH /* include alert_rules */
SELECT json_build_object('rule', a.id, 'kind', a.kind, 'key', p.run_id, 'workflow', r.workflow_id, 'run', p.run_id, 'value', NULL,
           'facts', json_build_object('workflow', coalesce(nullif(w.title, ''), w.name), 'what', min(p.what)))::text
  FROM rules a
  JOIN runs_repair p ON p.tenant_id = a.tenant_id AND NOT p.done
 CROSS JOIN LATERAL (SELECT o.workflow_id FROM runs_run o
                      WHERE o.id = p.run_id AND o.life = p.life AND o.completed_at IS NULL LIMIT 1) r
  JOIN workflows_workflow w ON w.id = r.workflow_id
 WHERE coalesce(a.params ->> 'workflow', '') IN ('', w.name)
 GROUP BY a.id, a.kind, p.run_id, r.workflow_id, w.name, w.title
 ORDER BY a.id, p.run_id
 LIMIT %(limit)s

-- name: alerts_of_webhooks
-- Webhooks that go out and were switched off, but by hand.
WITH /* include alert_rules */
SELECT json_build_object('rule', a.id, 'kind', a.kind, 'key', h.id, 'workflow', h.workflow_id, 'run', NULL, 'value', NULL,
           'facts', json_build_object('description', h.description, 'url', h.url, 'reason', h.off_reason))::text
  FROM rules a JOIN runs_outgoingwebhook h ON h.tenant_id = a.tenant_id
 WHERE NOT h.enabled AND h.off_reason <> 'by hand'
 ORDER BY a.id, h.id
 LIMIT %(limit)s

-- name: alerts_of_mails
-- Mails that were tried in vain: those that wait for another attempt, and those given up lately. Those about accounts
-- are found here; of `others` whoever sends them says so.
WITH clock AS MATERIALIZED (SELECT coalesce(%(now)s::timestamptz, clock_timestamp()) AS now),
/* include alert_rules */,
unsent AS MATERIALIZED (
    (SELECT m.tenant_id, m.error, m.created_at FROM accounts_accountmail m
      WHERE m.next_at IS NOT NULL AND m.attempts > 0 AND m.error <> ''
      ORDER BY m.next_at LIMIT %(most)s)
    UNION ALL
    (SELECT m.tenant_id, m.error, m.created_at FROM accounts_accountmail m CROSS JOIN clock
      WHERE m.next_at IS NULL AND m.sent_at IS NULL AND m.attempts > 0 AND m.error <> ''
        AND m.created_at > clock.now - interval '1 hour'
      ORDER BY m.created_at DESC LIMIT %(most)s)
    UNION ALL
    SELECT o.tenant_id, o.error, o.created_at
      FROM jsonb_to_recordset(%(others)s::jsonb) AS o(tenant_id bigint, error text, created_at timestamptz)
)
SELECT json_build_object('rule', a.id, 'kind', a.kind, 'key', 'mail', 'workflow', NULL, 'run', NULL, 'value', m.many,
           'facts', json_build_object('many', m.many, 'error', m.error))::text
  FROM rules a JOIN (SELECT tenant_id, count(*) AS many, (array_agg(error ORDER BY created_at DESC))[1] AS error
                       FROM unsent GROUP BY tenant_id) m USING (tenant_id)
 WHERE m.many >= (a.params ->> 'least')::int
 ORDER BY a.id
 LIMIT %(limit)s

-- name: alerts_of_disk
-- Rules for which less is free than they say.
WITH /* include alert_rules */
SELECT json_build_object('rule', a.id, 'kind', a.kind, 'key', 'disk', 'workflow', NULL, 'run', NULL, 'value', %(free)s::float8,
           'facts', json_build_object('free', %(free)s::float8))::text
  FROM rules a
 WHERE %(free)s::float8 < (a.params ->> 'percent')::int
 ORDER BY a.id
 LIMIT %(limit)s

-- name: alerts_of_deadlines
-- Runs that have just neared or passed their deadline, each taken once, and of those already told of the ones that were
-- looked at longest ago: whatever their number, each has its turn. `over`: it is so no more.
WITH clock AS MATERIALIZED (SELECT coalesce(%(now)s::timestamptz, clock_timestamp()) AS now),
/* include alert_rules */,
taken AS (
    DELETE FROM runs_alertcause
     WHERE id = ANY (ARRAY(SELECT c.id FROM runs_alertcause c ORDER BY c.id LIMIT %(most)s FOR UPDATE SKIP LOCKED))
    RETURNING tenant_id, kind, run_id
),
standing AS MATERIALIZED (
    SELECT a.id, o.run_id
      FROM rules a JOIN runs_alert o ON o.rule_id = a.id AND o.status <> 'resolved'
     ORDER BY o.last_seen_at, o.id
     LIMIT %(limit)s
),
told AS (
    SELECT a.id, t.run_id FROM taken t JOIN rules a ON a.tenant_id = t.tenant_id AND a.kind = t.kind
    UNION
    SELECT s.id, s.run_id FROM standing s
)
SELECT json_build_object('rule', a.id, 'kind', a.kind, 'key', t.run_id, 'workflow', r.workflow_id, 'run', t.run_id,
           'over', NOT coalesce((a.kind = 'sla_breached') = (r.late >= 0)
                                AND coalesce(a.params ->> 'workflow', '') IN ('', r.name), false),
           'value', r.late, 'facts', json_build_object('workflow', r.called, 'business_key', r.business_key, 'late', r.late))::text
  FROM told t CROSS JOIN clock
  JOIN rules a ON a.id = t.id
  LEFT JOIN LATERAL (
           SELECT o.workflow_id, o.business_key, w.name, coalesce(nullif(w.title, ''), w.name) AS called,
                  extract(epoch FROM coalesce(o.sla_paused_at, clock.now) - o.sla_deadline)::float8 AS late
             FROM runs_run o JOIN workflows_workflow w ON w.id = o.workflow_id
            WHERE o.id = t.run_id AND o.completed_at IS NULL
            LIMIT 1) r ON true
 ORDER BY a.id, t.run_id
