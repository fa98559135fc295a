-- name: open_tasks
-- One for each step that has just begun to wait; its run is held FOR UPDATE. It is due so long after it is asked.
WITH clock AS MATERIALIZED (SELECT coalesce(%(now)s::timestamptz, clock_timestamp()) AS now),
n AS (
    INSERT INTO tasks_inbox_manualtask (id, tenant_id, shard, workflow_id, run_id, step_id, node, kind, title, instructions,
                                        facts, outcomes, form, candidates, audience, exclude, priority, due_at, created_at)
    SELECT t.id, r.tenant_id, r.shard, r.workflow_id, r.id, t.step_id, t.node, t.kind, t.title, t.instructions, t.facts,
           t.outcomes, t.form, t.candidates, t.audience, t.exclude, t.priority,
           clock.now + t.due_seconds * interval '1 second', clock.now
      FROM jsonb_to_recordset(%(tasks)s::jsonb)
        AS t(id uuid, run_id uuid, step_id uuid, node text, kind text, title text, instructions text, facts jsonb,
             outcomes jsonb, form jsonb, candidates jsonb, audience text[], exclude text[], priority smallint,
             due_seconds double precision)
      JOIN runs_run r ON r.id = t.run_id
     CROSS JOIN clock
     ORDER BY t.id
    RETURNING id, tenant_id, shard, run_id, node, due_at
)
INSERT INTO runs_historyevent (tenant_id, run_id, shard, ordinal, type, node, xid, payload, created_at)
SELECT n.tenant_id, n.run_id, n.shard, 1, 'TASK_OPENED', n.node, pg_current_xact_id()::text::bigint,
       jsonb_strip_nulls(jsonb_build_object('task', n.id, 'due_at', n.due_at)), clock.now
  FROM n CROSS JOIN clock
 ORDER BY n.run_id, n.id

-- name: cancel_tasks
-- Those whose step waits no more, of runs that are held FOR UPDATE; who ended the step has said so in its history.
WITH l AS MATERIALIZED (
    SELECT t.id
      FROM tasks_inbox_manualtask t
     WHERE t.run_id = ANY (%(runs)s::uuid[]) AND t.status = 'OPEN' AND NOT EXISTS (
           SELECT 1 FROM runs_stepexecution s WHERE s.id = t.step_id AND s.status = 'WAITING')
     ORDER BY t.id
       FOR NO KEY UPDATE
)
UPDATE tasks_inbox_manualtask t SET status = 'CANCELLED' WHERE t.id = ANY (ARRAY(SELECT id FROM l)) AND t.status = 'OPEN'

-- name: complete_task
-- The one decision: whoever comes second finds the task no longer OPEN, or claimed by somebody else.
WITH clock AS MATERIALIZED (SELECT coalesce(%(now)s::timestamptz, clock_timestamp()) AS now),
u AS (
    UPDATE tasks_inbox_manualtask t
       SET status = 'COMPLETED', outcome = %(outcome)s, data = %(data)s::jsonb, comment = %(comment)s, decided_by = %(by)s,
           decided_at = clock.now
      FROM clock
     WHERE t.id = %(task)s AND t.status = 'OPEN' AND (t.assignee IS NULL OR t.assignee = %(by)s)
    RETURNING t.id, t.tenant_id, t.shard, t.run_id, t.node, t.decided_at
),
h AS (
    INSERT INTO runs_historyevent (tenant_id, run_id, shard, ordinal, type, node, xid, payload, created_at)
    SELECT u.tenant_id, u.run_id, u.shard, 0, 'TASK_COMPLETED', u.node, pg_current_xact_id()::text::bigint,
           jsonb_strip_nulls(jsonb_build_object(
               'task', u.id, 'outcome', %(outcome)s::text, 'by', %(by)s::text,
               'digest', encode(sha256(convert_to(%(data)s::jsonb::text, 'UTF8')), 'hex'))), u.decided_at
      FROM u
)
SELECT json_build_object('at', u.decided_at) FROM u

-- name: give_task
-- To somebody or, where `assignee` is null, to nobody; only as long as it is whose it was when that was decided.
UPDATE tasks_inbox_manualtask t
   SET assignee = %(assignee)s
 WHERE t.id = %(task)s AND t.status = 'OPEN' AND t.assignee IS NOT DISTINCT FROM %(before)s
RETURNING true
