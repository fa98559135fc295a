-- name: new_incidents
-- Dead letters that are open, and repairs, of the last day that have no task; `wanted` says of which of them there are any.
-- What a task is about stands where others have their step, which may have an open task of its own: the letter, or the run.
SELECT coalesce(json_agg(i ORDER BY i.at), '[]') FROM (
    SELECT l.run_id, l.id AS step_id, l.node, r.version_id, w.name AS workflow, l.error, l.attempts, NULL AS what, NULL AS done,
           NULL AS detail, r.business_key, l.created_at AS at
      FROM runs_deadletter l
      JOIN runs_run r ON r.id = l.run_id
      JOIN workflows_workflow w ON w.id = r.workflow_id
     WHERE 'dead_letters' = ANY (%(wanted)s::text[]) AND l.id > %(since)s::uuid AND l.resolution IS NULL
       -- What could not be undone has a task of its own.
       AND NOT EXISTS (SELECT 1 FROM runs_stepexecution s WHERE s.id = l.step_id AND s.undoes IS NOT NULL)
       AND NOT r.is_test AND NOT EXISTS (
           SELECT 1 FROM tasks_inbox_manualtask t
            WHERE t.run_id = l.run_id AND t.step_id = l.id AND t.kind = 'incident')
    UNION ALL
    SELECT p.run_id, p.run_id, coalesce(p.node, ''), r.version_id, w.name, NULL, NULL, p.what, p.done, p.detail,
           r.business_key, p.created_at
      FROM (SELECT DISTINCT ON (run_id) * FROM runs_repair
             WHERE created_at > clock() - interval '1 day'
             ORDER BY run_id, created_at DESC) p
      JOIN runs_run r ON r.id = p.run_id
      JOIN workflows_workflow w ON w.id = r.workflow_id
     WHERE 'repairs' = ANY (%(wanted)s::text[]) AND NOT r.is_test AND NOT EXISTS (
           SELECT 1 FROM tasks_inbox_manualtask t
            WHERE t.run_id = p.run_id AND t.step_id = p.run_id AND t.kind = 'incident' AND t.created_at >= p.created_at)
     ORDER BY at
     LIMIT %(limit)s) i

-- name: open_incidents
-- History says nothing of them: what a run's history holds ends with the run. Operators are mailed of the first that waits,
-- not of a thousand that follow.
WITH clock AS MATERIALIZED (SELECT clock() AS now),
n AS (
    INSERT INTO tasks_inbox_manualtask (id, tenant_id, shard, workflow_id, run_id, step_id, node, kind, title, instructions,
                                        facts, outcomes, candidates, audience, exclude, priority, created_at)
    SELECT i.id, r.tenant_id, r.shard, r.workflow_id, r.id, i.step_id, i.node, 'incident', i.title, i.instructions, i.facts,
           i.outcomes, i.candidates, i.audience, '{}', 1, clock.now
      FROM jsonb_to_recordset(%(tasks)s::jsonb)
        AS i(id uuid, run_id uuid, step_id uuid, node text, title text, instructions text, facts jsonb, outcomes jsonb,
             candidates jsonb, audience text[])
      JOIN runs_run r ON r.id = i.run_id
     CROSS JOIN clock
     ORDER BY i.id
        ON CONFLICT (step_id) WHERE status = 'OPEN' DO NOTHING
    RETURNING id, tenant_id, run_id
),
o AS (
    INSERT INTO tasks_inbox_notification (id, tenant_id, task_id, run_id, kind, created_at, next_at)
    SELECT DISTINCT ON (n.tenant_id) uuidv7(), n.tenant_id, n.id, n.run_id, 'asked', clock.now, clock.now
      FROM n CROSS JOIN clock
     WHERE NOT EXISTS (SELECT 1 FROM tasks_inbox_manualtask t
                        WHERE t.tenant_id = n.tenant_id AND t.status = 'OPEN' AND t.kind = 'incident')
     ORDER BY n.tenant_id, n.id
)
SELECT coalesce(json_agg(DISTINCT n.tenant_id), '[]') FROM n

-- name: close_incidents
-- Their dead letter was seen to elsewhere. What is about a task that nobody can decide stays.
WITH u AS (
    UPDATE tasks_inbox_manualtask t SET status = 'CANCELLED'
     WHERE t.status = 'OPEN' AND t.kind = 'incident' AND t.step_id <> t.run_id AND NOT EXISTS (
           SELECT 1 FROM runs_deadletter l
            WHERE l.id = t.step_id AND l.resolution IS NULL)
       AND NOT EXISTS (SELECT 1 FROM tasks_inbox_manualtask o WHERE o.id = t.step_id)
    RETURNING t.tenant_id
)
SELECT coalesce(json_agg(DISTINCT u.tenant_id), '[]') FROM u

-- name: settle_incident
-- Once, by who has it or where nobody has.
UPDATE tasks_inbox_manualtask t
   SET status = 'COMPLETED', outcome = %(outcome)s, comment = %(comment)s, decided_by = %(by)s,
       decided_at = clock()
 WHERE t.id = %(task)s AND t.status = 'OPEN' AND t.kind = 'incident' AND (t.assignee IS NULL OR t.assignee = %(by)s)
RETURNING true

-- name: next_open_tasks
-- Behind the last one that was looked at; once round, it begins from the first.
WITH n AS MATERIALIZED (
    SELECT t.tenant_id, t.id
      FROM tasks_inbox_manualtask t
     WHERE t.status = 'OPEN' AND t.kind NOT IN ('compensation', 'incident')
       AND (t.tenant_id, t.id) > (SELECT coalesce(max(o.tenant_id), 0), coalesce((array_agg(o.id))[1],
                                         '00000000-0000-0000-0000-000000000000')
                                    FROM runs_dutycursor c
                                    JOIN tasks_inbox_manualtask o ON o.id = c.after
                                   WHERE c.duty = 'undecidable tasks')
     ORDER BY t.tenant_id, t.id
     LIMIT %(limit)s
),
c AS (
    INSERT INTO runs_dutycursor (duty, after)
    SELECT 'undecidable tasks', CASE WHEN count(*) < %(limit)s THEN '00000000-0000-0000-0000-000000000000'
                                     ELSE (array_agg(n.id ORDER BY n.tenant_id DESC, n.id DESC))[1] END
      FROM n
        ON CONFLICT (duty) DO UPDATE SET after = excluded.after
)
SELECT coalesce(json_agg(json_build_array(n.tenant_id, n.id)), '[]') FROM n

-- name: note_undecidable
-- Only what was not noted so already: of two processes that look at once, one tells.
WITH u AS (
    UPDATE tasks_inbox_manualtask t SET undecidable_since = %(since)s::timestamptz
     WHERE t.id = ANY (%(tasks)s::uuid[]) AND t.status = 'OPEN'
       AND (t.undecidable_since IS NULL) = (%(since)s::timestamptz IS NOT NULL)
    RETURNING t.id
)
SELECT coalesce(json_agg(u.id), '[]') FROM u

-- name: close_undecidable_incidents
-- Somebody can decide the task that they are about now, or it is open no more.
WITH u AS (
    UPDATE tasks_inbox_manualtask t SET status = 'CANCELLED'
      FROM tasks_inbox_manualtask o
     WHERE t.status = 'OPEN' AND t.kind = 'incident' AND o.id = t.step_id
       AND (o.status <> 'OPEN' OR o.undecidable_since IS NULL)
    RETURNING t.tenant_id
)
SELECT coalesce(json_agg(DISTINCT u.tenant_id), '[]') FROM u
