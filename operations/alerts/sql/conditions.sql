-- name: alert_rules (fragment)
rules AS MATERIALIZED (
    SELECT a.id, a.tenant_id, a.kind, a.params FROM runs_alertrule a WHERE a.enabled AND a.kind = ANY (%(kinds)s::text[])
)

-- name: alerts_of_queues
-- Queues with more ready steps than a rule says, with older ones, or with some that nobody serves; each is counted up to
-- a bound, so that a backlog of millions costs no more than one of so many. `cut`: there are more queues, or steps that
-- come later have hidden some that are ready.
WITH RECURSIVE clock AS MATERIALIZED (SELECT clock() AS now),
/* include alert_rules */,
tenants AS MATERIALIZED (SELECT DISTINCT tenant_id FROM rules),
/* include queues_found */,
/* include queues_served */,
ready AS MATERIALIZED (
    SELECT q.tenant_id, q.queue, q.ready AS many, extract(epoch FROM clock.now - q.oldest)::float8 AS age
      FROM queued q CROSS JOIN clock WHERE q.ready > 0
),
cut AS (
    SELECT a.id FROM rules a WHERE (SELECT count(*) FROM found WHERE queue IS NOT NULL) >= %(most_queues)s
    UNION
    SELECT a.id FROM rules a JOIN queued q USING (tenant_id)
     WHERE q.later > 0 AND q.ready + q.later >= %(most)s AND coalesce(a.params ->> 'queue', '') IN ('', q.queue)
)
(SELECT json_build_object('rule', c.id, 'cut', true)::text FROM cut c ORDER BY c.id LIMIT %(limit)s)
UNION ALL
(SELECT json_build_object('rule', a.id, 'kind', a.kind, 'key', r.queue, 'workflow', NULL, 'run', NULL,
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
 LIMIT %(limit)s)

-- name: alerts_of_failures
-- How many of the newest runs, of its workflow where a rule names one, have failed, of those that were started lately and
-- are over. Only where one has failed at all the newest ones are read; tests and parts of others take no place of theirs.
WITH clock AS MATERIALIZED (SELECT clock() AS now),
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
             FROM (SELECT r.status, r.created_at, r.completed_at
                     FROM (-- Apart, so that each is walked by its index.
                           (SELECT o.id, o.status, o.created_at, o.completed_at, o.is_test, o.is_part FROM runs_run o
                             WHERE coalesce(a.params ->> 'workflow', '') = '' AND o.tenant_id = a.tenant_id
                             ORDER BY o.id DESC LIMIT %(most_read)s)
                           UNION ALL
                           (SELECT o.id, o.status, o.created_at, o.completed_at, o.is_test, o.is_part FROM runs_run o
                             WHERE coalesce(a.params ->> 'workflow', '') <> '' AND o.workflow_id = w.id
                             ORDER BY o.id DESC LIMIT %(most_read)s)) r
                    WHERE NOT r.is_test AND NOT r.is_part
                    ORDER BY r.id DESC
                    LIMIT %(most)s) x
            WHERE x.created_at > clock.now - make_interval(mins => (a.params ->> 'minutes')::int)
              AND x.completed_at IS NOT NULL) c
 WHERE last.created_at > clock.now - make_interval(mins => (a.params ->> 'minutes')::int)
   AND c.ended >= (a.params ->> 'least')::int
   AND 100.0 * c.failed >= c.ended * (a.params ->> 'percent')::int
   AND c.failed > 0
 ORDER BY a.id
 LIMIT %(limit)s

-- name: alerts_of_steps
-- Steps that failed for good and that nobody has seen to, by workflow and step: a thousand that fail of one cause are one
-- alert. Where a tenant has more open letters than the newest that are read, alerts of steps that are not among these are
-- looked at one by one, those first that were seen longest ago: `over` is one where all letters of its step were read.
WITH /* include alert_rules */,
tenants AS (SELECT DISTINCT tenant_id FROM rules),
newest AS MATERIALIZED (
    SELECT t.tenant_id, x.id, x.run_id, x.node, x.attempts, x.code
      FROM tenants t CROSS JOIN LATERAL (
           SELECT l.id, l.run_id, l.node, l.attempts, l.error ->> 'code' AS code
             FROM runs_deadletter l
            WHERE l.tenant_id = t.tenant_id AND l.resolution IS NULL
            ORDER BY l.id DESC
            LIMIT %(most)s) x
),
cut AS MATERIALIZED (SELECT n.tenant_id FROM newest n GROUP BY n.tenant_id HAVING count(*) >= %(most)s),
failed AS MATERIALIZED (
    SELECT n.tenant_id, r.workflow_id, n.node, count(*) AS many, (array_agg(n.run_id ORDER BY n.id DESC))[1] AS run_id,
           (array_agg(r.version_id ORDER BY n.id DESC))[1] AS version_id,
           (array_agg(n.attempts ORDER BY n.id DESC))[1] AS attempts, (array_agg(n.code ORDER BY n.id DESC))[1] AS code
      FROM newest n
     CROSS JOIN LATERAL (SELECT o.workflow_id, o.version_id FROM runs_run o WHERE o.id = n.run_id LIMIT 1) r
     GROUP BY n.tenant_id, r.workflow_id, n.node
),
standing AS MATERIALIZED (
    SELECT a.id, a.tenant_id, o.key, split_part(o.key, '/', 1)::bigint AS workflow_id, substr(o.key, strpos(o.key, '/') + 1) AS node
      FROM cut c JOIN rules a USING (tenant_id) JOIN runs_alert o ON o.rule_id = a.id AND o.status <> 'resolved'
     WHERE NOT EXISTS (SELECT 1 FROM failed f WHERE f.tenant_id = a.tenant_id AND f.workflow_id || '/' || f.node = o.key)
     ORDER BY o.last_seen_at, o.id
     LIMIT %(most_standing)s
),
older AS MATERIALIZED (
    SELECT s.id, s.key, s.workflow_id, s.node, l.looked, l.many, l.run_id, l.version_id, l.attempts, l.code
      FROM standing s CROSS JOIN LATERAL (
           SELECT count(*) AS looked, count(*) FILTER (WHERE r.workflow_id = s.workflow_id) AS many,
                  (array_agg(x.run_id ORDER BY x.id DESC) FILTER (WHERE r.workflow_id = s.workflow_id))[1] AS run_id,
                  (array_agg(r.version_id ORDER BY x.id DESC) FILTER (WHERE r.workflow_id = s.workflow_id))[1] AS version_id,
                  (array_agg(x.attempts ORDER BY x.id DESC) FILTER (WHERE r.workflow_id = s.workflow_id))[1] AS attempts,
                  (array_agg(x.code ORDER BY x.id DESC) FILTER (WHERE r.workflow_id = s.workflow_id))[1] AS code
             FROM (SELECT d.id, d.run_id, d.attempts, d.error ->> 'code' AS code
                     FROM runs_deadletter d
                    WHERE d.tenant_id = s.tenant_id AND d.node = s.node AND d.resolution IS NULL
                    ORDER BY d.id DESC
                    LIMIT %(most)s) x
             LEFT JOIN LATERAL (SELECT o.workflow_id, o.version_id FROM runs_run o WHERE o.id = x.run_id LIMIT 1) r ON true) l
),
told AS (
    SELECT a.id, f.workflow_id, f.node, f.many, f.run_id, f.version_id, f.attempts, f.code FROM rules a JOIN failed f USING (tenant_id)
    UNION ALL
    SELECT o.id, o.workflow_id, o.node, o.many, o.run_id, o.version_id, o.attempts, o.code FROM older o WHERE o.many > 0
)
(SELECT json_build_object('rule', a.id, 'cut', true)::text FROM cut c JOIN rules a USING (tenant_id) ORDER BY a.id LIMIT %(limit)s)
UNION ALL
(SELECT json_build_object('rule', o.id, 'key', o.key, 'over', true)::text FROM older o WHERE o.many = 0 AND o.looked < %(most)s)
UNION ALL
(SELECT json_build_object('rule', a.id, 'kind', a.kind, 'key', l.workflow_id || '/' || l.node, 'workflow', l.workflow_id, 'run', l.run_id,
           'value', l.many, 'facts', json_build_object('workflow', coalesce(nullif(w.title, ''), w.name), 'node', l.node, 'version', l.version_id, 'many', l.many,
                                      'attempts', l.attempts, 'code', l.code))::text
  FROM told l JOIN rules a USING (id) JOIN workflows_workflow w ON w.id = l.workflow_id
 WHERE coalesce(a.params ->> 'workflow', '') IN ('', w.name)
 ORDER BY a.id, l.workflow_id, l.node
 LIMIT %(limit)s)

-- name: alerts_of_history
-- Ended runs that were not as their history says when they were checked last, by workflow; those that are gone are of none
-- that is known (0), so they are told of whatever workflow a rule is about.
WITH /* include alert_rules */,
d AS (
    SELECT h.tenant_id, h.workflow_id, count(*) AS many, min(h.id) AS first_id
      FROM runs_historydifference h
     GROUP BY h.tenant_id, h.workflow_id
)
SELECT json_build_object('rule', a.id, 'kind', a.kind, 'key', d.workflow_id, 'workflow', nullif(d.workflow_id, 0), 'run', h.run_id, 'value', d.many,
           'facts', json_build_object('workflow', coalesce(nullif(w.title, ''), w.name, 'a workflow that is not known'),
                                      'many', d.many, 'detail', h.detail))::text
  FROM rules a
  JOIN d ON d.tenant_id = a.tenant_id
  JOIN runs_historydifference h ON h.id = d.first_id
  LEFT JOIN workflows_workflow w ON w.id = d.workflow_id
 WHERE w.id IS NULL OR coalesce(a.params ->> 'workflow', '') IN ('', w.name)
 ORDER BY a.id, d.workflow_id
 LIMIT %(limit)s

-- name: alerts_of_compensations
-- Runs that wait for a person since what they did could not be undone; the oldest first, so that newer ones take no
-- place from those that are told of already. `cut`: there are more, perhaps of the workflow that a rule is about.
WITH /* include alert_rules */,
read AS MATERIALIZED (
    SELECT a.id AS rule_id, r.id, r.workflow_id, r.business_key
      FROM rules a CROSS JOIN LATERAL (
           SELECT r.id, r.workflow_id, r.business_key
             FROM runs_run r
            WHERE r.tenant_id = a.tenant_id AND r.status = 'WAITING_FOR_MANUAL_ACTION' AND NOT r.is_test
              -- Of a tree the topmost that waits, which waits because of those below.
              AND NOT EXISTS (SELECT 1 FROM runs_run p
                               WHERE p.id = r.parent_id AND p.status = 'WAITING_FOR_MANUAL_ACTION')
            ORDER BY r.id
            LIMIT %(most)s) r
)
(SELECT json_build_object('rule', r.rule_id, 'cut', true)::text FROM read r
  GROUP BY r.rule_id HAVING count(*) >= %(most)s ORDER BY r.rule_id LIMIT %(limit)s)
UNION ALL
(SELECT json_build_object('rule', a.id, 'kind', a.kind, 'key', r.id, 'workflow', r.workflow_id, 'run', r.id, 'value', NULL,
           'facts', json_build_object('workflow', coalesce(nullif(w.title, ''), w.name), 'business_key', r.business_key))::text
  FROM rules a JOIN read r ON r.rule_id = a.id
  JOIN workflows_workflow w ON w.id = r.workflow_id
 WHERE coalesce(a.params ->> 'workflow', '') IN ('', w.name)
 ORDER BY a.id, r.id
 LIMIT %(limit)s)

-- name: alerts_of_timers
-- The timers that should have fired, the latest first; those of a run that is closing are nobody's any more. `cut`: where
-- there are more than so many, a tenant of which none was found may have some that are less late.
WITH clock AS MATERIALIZED (SELECT clock() AS now),
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
(SELECT json_build_object('rule', a.id, 'cut', true)::text
  FROM rules a
 WHERE (SELECT count(*) FROM late) >= %(most)s
 ORDER BY a.id
 LIMIT %(limit)s)
UNION ALL
(SELECT json_build_object('rule', a.id, 'kind', a.kind, 'key', 'timers', 'workflow', NULL, 'run', NULL, 'value', t.seconds,
           'facts', json_build_object('many', t.many, 'seconds', t.seconds))::text
  FROM rules a JOIN by_tenant t ON t.tenant_id = a.tenant_id AND t.seconds > (a.params ->> 'seconds')::int
 ORDER BY a.id
 LIMIT %(limit)s)

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

-- name: alerts_of_owners
-- Schedules that were stopped, and webhooks in use that refuse what they are sent, because whoever they act for may not
-- do that any more.
WITH /* include alert_rules */,
orphans AS (
    SELECT s.tenant_id, s.workflow_id, 'schedule' AS what, s.id, s.name, s.acts_for, s.off_reason AS why
      FROM runs_schedule s
     WHERE NOT s.enabled AND s.off_reason <> ''
    UNION ALL
    SELECT s.tenant_id, s.workflow_id, 'webhook', s.id, s.name, s.acts_for, ''
      FROM runs_inboundwebhook s
      JOIN workflows_workflow w ON w.id = s.workflow_id
      LEFT JOIN LATERAL (/* include owner_of */) o ON true
     WHERE s.enabled AND s.acts_for IS NOT NULL
       AND NOT coalesce(((s.action <> 'start' AND coalesce(s.mapping ->> 'start_if_missing', 'false') <> 'true')
                          OR o.role = ANY (%(starters)s) AND (o.role = 'admin' OR 'start' = ANY (o.verbs)))
                        AND (s.action <> 'signal'
                             OR o.role = ANY (%(signallers)s) AND (o.role = 'admin' OR 'operate' = ANY (o.verbs)))
                        AND o.role IS NOT NULL, false)
)
SELECT json_build_object('rule', a.id, 'kind', a.kind, 'key', o.what || ':' || o.id, 'workflow', o.workflow_id, 'run', NULL,
           'value', NULL, 'facts', json_build_object('workflow', coalesce(nullif(w.title, ''), w.name), 'what', o.what, 'id', o.id,
           'name', o.name, 'acts_for', o.acts_for, 'why', o.why))::text
  FROM rules a
  JOIN orphans o USING (tenant_id)
  JOIN workflows_workflow w ON w.id = o.workflow_id
 WHERE coalesce(a.params ->> 'workflow', '') IN ('', w.name)
 ORDER BY a.id, o.what, o.id
 LIMIT %(limit)s

-- name: alerts_of_mails
-- Tenants of which at least so many `mails` were tried in vain; whoever sends them says how many.
WITH /* include alert_rules */
SELECT json_build_object('rule', a.id, 'kind', a.kind, 'key', 'mail', 'workflow', NULL, 'run', NULL, 'value', m.many,
           'facts', json_build_object('many', m.many, 'error', m.error))::text
  FROM rules a JOIN jsonb_to_recordset(%(mails)s::jsonb) AS m(tenant_id bigint, many bigint, error text) USING (tenant_id)
 WHERE m.many >= (a.params ->> 'least')::int
 ORDER BY a.id
 LIMIT %(limit)s

-- name: alerts_of_versions
-- `versions` in which a refusal goes on as an approval would, one alert for each; whoever judges definitions says which.
WITH /* include alert_rules */
SELECT json_build_object('rule', a.id, 'kind', a.kind, 'key', v.workflow_id || ':' || v.version, 'workflow', v.workflow_id,
           'run', NULL, 'value', v.open, 'facts', json_build_object('workflow', v.workflow, 'called', v.called, 'number', v.version,
           'steps', v.steps, 'open', v.open))::text
  FROM rules a
  JOIN jsonb_to_recordset(%(versions)s::jsonb)
       AS v(tenant_id bigint, workflow_id bigint, workflow text, called text, version int, steps jsonb, open bigint) USING (tenant_id)
 WHERE coalesce(a.params ->> 'workflow', '') IN ('', v.workflow)
 ORDER BY a.id, v.workflow_id, v.version
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
WITH clock AS MATERIALIZED (SELECT clock() AS now),
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
           SELECT r.workflow_id, r.business_key, w.name, coalesce(nullif(w.title, ''), w.name) AS called,
                  extract(epoch FROM coalesce(r.sla_paused_at, x.since, clock.now) - (r.sla_deadline + x.before))::float8 AS late
             FROM runs_run r JOIN workflows_workflow w ON w.id = r.workflow_id
            CROSS JOIN LATERAL (/* include sla_waited */) x
            WHERE r.id = t.run_id AND r.completed_at IS NULL
            LIMIT 1) r ON true
 ORDER BY a.id, t.run_id

-- name: alerts_of_schedules
-- Schedules that are on and start nothing: skipped so often in a row, or late.
WITH clock AS MATERIALIZED (SELECT clock() AS now),
/* include alert_rules */,
on_now AS MATERIALIZED (
    SELECT s.*
      FROM (SELECT DISTINCT tenant_id FROM rules) t
     CROSS JOIN LATERAL (
           SELECT s.id, s.tenant_id, s.workflow_id, s.name, s.fire_at
             FROM runs_schedule s
            WHERE s.tenant_id = t.tenant_id AND s.enabled
            ORDER BY s.id
            LIMIT %(most)s) s
),
silent AS MATERIALIZED (
    SELECT s.*, k.skips, k.why, greatest(extract(epoch FROM clock.now - s.fire_at), 0) AS late
      FROM on_now s CROSS JOIN clock
     CROSS JOIN LATERAL (
           SELECT coalesce(sum(e.due_count), 0) AS skips, (array_agg(e.message ORDER BY e.id DESC))[1] AS why
             FROM (SELECT e.id, e.due_count, e.message
                     FROM runs_scheduleentry e
                    WHERE e.schedule_id = s.id AND e.status = 'SKIPPED' AND NOT e.is_manual
                      AND e.id > coalesce((SELECT f.id FROM runs_scheduleentry f
                                            WHERE f.schedule_id = s.id AND f.status = 'STARTED'
                                            ORDER BY f.id DESC LIMIT 1), 0)
                    ORDER BY e.id DESC
                    LIMIT 100) e) k
)
SELECT json_build_object('rule', a.id, 'kind', a.kind, 'key', s.id, 'workflow', s.workflow_id, 'run', NULL, 'value', s.skips,
           'facts', json_build_object('workflow', coalesce(nullif(w.title, ''), w.name), 'id', s.id, 'name', s.name,
                                      'skips', CASE WHEN s.skips >= (a.params ->> 'skips')::int THEN s.skips ELSE 0 END,
                                      'why', coalesce(s.why, ''), 'late', s.late))::text
  FROM rules a
  JOIN silent s USING (tenant_id)
  JOIN workflows_workflow w ON w.id = s.workflow_id
 WHERE (s.skips >= (a.params ->> 'skips')::int OR s.late > %(late)s)
   AND coalesce(a.params ->> 'workflow', '') IN ('', w.name)
 ORDER BY a.id, s.id
 LIMIT %(limit)s

-- name: alerts_of_undecidable_tasks
-- Open tasks that nobody can decide, by workflow; of many the oldest are counted.
WITH clock AS MATERIALIZED (SELECT clock() AS now),
/* include alert_rules */,
read AS MATERIALIZED (
    SELECT t.*
      FROM (SELECT DISTINCT tenant_id FROM rules) o
     CROSS JOIN LATERAL (
           SELECT t.tenant_id, t.workflow_id, t.undecidable_since AS since
             FROM tasks_inbox_manualtask t
            WHERE t.tenant_id = o.tenant_id AND t.status = 'OPEN' AND t.undecidable_since IS NOT NULL AND NOT t.is_test
            ORDER BY t.id
            LIMIT %(most)s) t
),
/* include alerts_by_workflow */

-- name: alerts_of_overdue_tasks
-- Open tasks that are overdue, by workflow; of many open tasks the oldest are looked at.
WITH clock AS MATERIALIZED (SELECT clock() AS now),
/* include alert_rules */,
read AS MATERIALIZED (
    SELECT t.*
      FROM (SELECT DISTINCT tenant_id FROM rules) o
     CROSS JOIN LATERAL (
           SELECT t.tenant_id, t.workflow_id, t.due_at AS since
             FROM tasks_inbox_manualtask t
            WHERE t.tenant_id = o.tenant_id AND t.status = 'OPEN' AND NOT t.is_test
            ORDER BY t.id
            LIMIT %(most)s) t
),
/* include alerts_by_workflow */

-- name: full_tenants (fragment)
-- Of these not all rows were read: what was found for their rules is a bound, and nothing that was not found is over.
full_tenants AS MATERIALIZED (
    SELECT r.tenant_id FROM read r GROUP BY r.tenant_id HAVING count(*) >= %(most)s
)

-- name: cut_rules (fragment)
(SELECT json_build_object('rule', a.id, 'cut', true)::text
  FROM rules a JOIN full_tenants USING (tenant_id)
 ORDER BY a.id
 LIMIT %(limit)s)

-- name: alerts_by_workflow (fragment)
/* include full_tenants */
/* include cut_rules */
UNION ALL
(SELECT json_build_object('rule', a.id, 'kind', a.kind, 'key', w.id, 'workflow', w.id, 'run', NULL, 'value', count(*),
           'facts', json_build_object('workflow', coalesce(nullif(w.title, ''), w.name), 'name', w.name, 'many', count(*),
                                      'is_bound', a.tenant_id IN (SELECT tenant_id FROM full_tenants),
                                      'seconds', extract(epoch FROM max(clock.now - r.since))))::text
  FROM rules a
  JOIN read r USING (tenant_id)
  JOIN workflows_workflow w ON w.id = r.workflow_id
 CROSS JOIN clock
 WHERE r.since < clock.now - (a.params ->> 'seconds')::int * interval '1 second'
   AND coalesce(a.params ->> 'workflow', '') IN ('', w.name)
 GROUP BY a.id, a.kind, a.tenant_id, w.id
 ORDER BY a.id, w.id
 LIMIT %(limit)s)

-- name: alerts_of_dead_letters
-- Tenants, or workflows where a rule names one, with more open dead letters than a rule says; so many are counted.
WITH /* include alert_rules */,
read AS MATERIALIZED (
    SELECT l.tenant_id, r.workflow_id
      FROM (SELECT DISTINCT tenant_id FROM rules) o
     CROSS JOIN LATERAL (
           SELECT l.tenant_id, l.run_id
             FROM runs_deadletter l
            WHERE l.tenant_id = o.tenant_id AND l.resolution IS NULL
            ORDER BY l.id DESC
            LIMIT %(most)s) l
      JOIN runs_run r ON r.id = l.run_id
),
/* include full_tenants */
/* include cut_rules */
UNION ALL
(SELECT json_build_object('rule', a.id, 'kind', a.kind, 'key', 'dead letters', 'workflow', w.id, 'run', NULL, 'value', count(*),
           'facts', json_build_object('many', count(*), 'is_bound', a.tenant_id IN (SELECT tenant_id FROM full_tenants),
                                      'workflow', coalesce(nullif(w.title, ''), w.name)))::text
  FROM rules a
  JOIN read r USING (tenant_id)
  LEFT JOIN workflows_workflow w ON w.tenant_id = a.tenant_id AND w.name = a.params ->> 'workflow'
 WHERE coalesce(a.params ->> 'workflow', '') = '' OR r.workflow_id = w.id
 GROUP BY a.id, a.kind, a.params, a.tenant_id, w.id
HAVING count(*) > (a.params ->> 'above')::int
 ORDER BY a.id
 LIMIT %(limit)s)

-- name: outbox_waiting (fragment)
waiting AS MATERIALIZED (
    SELECT o.tenant_id, count(*) AS many, extract(epoch FROM max(clock.now - o.due_at)) AS age, max(o.error) AS error
      FROM (SELECT o.tenant_id, o.due_at, o.error
              FROM dispatch_outbox o
             WHERE o.published_at IS NULL AND o.due_at <= clock()
             ORDER BY o.due_at, o.id
             LIMIT %(most)s) o
     CROSS JOIN clock
     GROUP BY o.tenant_id
)

-- name: alerts_of_outbox
WITH clock AS MATERIALIZED (SELECT clock() AS now),
/* include alert_rules */,
/* include outbox_waiting */
SELECT json_build_object('rule', a.id, 'kind', a.kind, 'key', 'outbox', 'workflow', NULL, 'run', NULL, 'value', o.age,
           'facts', json_build_object('many', o.many, 'seconds', o.age, 'error', coalesce(o.error, '')))::text
  FROM rules a
  JOIN waiting o USING (tenant_id)
 WHERE o.age > (a.params ->> 'seconds')::int
 ORDER BY a.id
 LIMIT %(limit)s

-- name: alerts_of_relay
-- The relay leads for the whole installation: each tenant whose jobs wait learns of it.
WITH clock AS MATERIALIZED (SELECT clock() AS now),
/* include alert_rules */,
/* include outbox_waiting */,
lead AS (
    SELECT max(l.expires_at) AS until FROM runs_dispatchleader l WHERE l.name = 'relay'
)
SELECT json_build_object('rule', a.id, 'kind', a.kind, 'key', 'relay', 'workflow', NULL, 'run', NULL, 'value', o.many,
           'facts', json_build_object('many', o.many,
                                      'seconds', least(o.age, extract(epoch FROM clock.now - coalesce(lead.until, 'epoch')))))::text
  FROM rules a
  JOIN waiting o USING (tenant_id)
 CROSS JOIN lead CROSS JOIN clock
 WHERE o.age > (a.params ->> 'seconds')::int
   AND coalesce(lead.until, 'epoch') < clock.now - (a.params ->> 'seconds')::int * interval '1 second'
 ORDER BY a.id
 LIMIT %(limit)s
