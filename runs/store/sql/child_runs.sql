-- name: parents_of
-- What child runs, and the runs that follow others, take over from the runs that begin them.
SELECT coalesce(json_agg(json_build_array(r.id, r.tenant_id, r.shard, r.priority, r.created_by, r.is_test, r.depth,
                                          r.chained, r.status, r.undo, r.tree_id, coalesce(r.place, '[]'), r.business_key, r.workflow_id, r.acts_for, r.counted_in, r.output)), '[]')
  FROM (SELECT r.id, r.tenant_id, r.shard, r.priority, r.created_by, r.is_test, r.depth, r.chained, r.status, r.undo,
               coalesce(r.tree_id, r.root_id) AS tree_id, r.place, r.business_key, r.workflow_id, r.acts_for, r.counted_in,
               CASE WHEN %(with_output)s THEN r.output END AS output
          FROM runs_run r
         WHERE r.id = ANY (%(runs)s::uuid[])) r

-- name: child_states
-- How the runs stand that steps wait for: of one that was continued as another run, the newest. Those that are not there
-- are left out, and outputs of over `most` bytes. What has been told to go on has not ended.
SELECT coalesce(json_agg(json_build_array(w.step_id, r.id, r.status, r.completed_at IS NOT NULL
               AND NOT (r.status IN ('FAILED', 'CANCELLED') AND r.id IN (SELECT m.run_id FROM runs_runmessage m WHERE m.kind = 'resume')),
           CASE WHEN pg_column_size(r.output) <= %(most)s THEN r.output END,
           r.output IS NOT NULL AND pg_column_size(r.output) > %(most)s, r.error,
           -- What the steps of a container set is its run's to have; another workflow keeps its variables to itself.
           CASE WHEN r.is_part THEN /* include current_variables */ END)), '[]')
  FROM jsonb_to_recordset(%(waits)s::jsonb) AS w(step_id uuid, chain uuid)
 CROSS JOIN LATERAL (
           SELECT r.*
             FROM ((SELECT a.id, a.status, a.completed_at, a.output, a.error, a.is_part FROM runs_run a WHERE a.id = w.chain)
                   UNION ALL
                   (SELECT b.id, b.status, b.completed_at, b.output, b.error, b.is_part FROM runs_run b
                     WHERE b.root_id = w.chain AND b.root_id <> b.id ORDER BY b.id DESC LIMIT 1)) r
            ORDER BY r.id DESC
            LIMIT 1) r

-- name: runs_with_former_children
-- Those of these runs in which a step that begins to wait may have had a child run before: they were resumed, or a child
-- was stopped or failed.
SELECT r.id::text
  FROM runs_run r
 WHERE r.id = ANY (%(runs)s::uuid[])
   AND (r.life > 1 OR EXISTS (
            SELECT 1 FROM runs_run c
             WHERE c.parent_id = r.id AND c.status <> 'COMPLETED'
               AND (c.completed_at IS NOT NULL OR c.status IN ('FAILING', 'CANCELLING'))))

-- name: former_children
-- For steps that begin to wait for a run: the run that the same step, or the same item, had before with the same input,
-- the newest of its chain. It goes on where it is, with the keys that it has, unless something of it was undone. What a
-- part is given of the time when it was given it doesn't count.
WITH w AS MATERIALIZED (
    SELECT * FROM jsonb_to_recordset(%(waits)s::jsonb)
        AS w(step_id uuid, run_id uuid, node text, index int, input jsonb, part boolean, workflow text, version int)
),
c AS MATERIALIZED (
    SELECT DISTINCT ON (w.step_id) w.step_id, w.workflow, w.version, w.part, c.id, c.root_id, c.workflow_id, c.version_id,
           CASE WHEN w.part THEN w.input #- '{run,now}' ELSE coalesce(w.input, 'null') END
           = CASE WHEN w.part THEN c.input #- '{run,now}' ELSE c.input END AS is_same
      FROM w
      JOIN runs_run c ON c.parent_id = w.run_id AND (c.place -> -1) = jsonb_build_array(w.node, w.index)
                     AND c.is_part = w.part
     WHERE c.status IN ('RUNNING', 'PAUSED', 'COMPLETED', 'FAILING', 'FAILED', 'CANCELLING', 'CANCELLED')
       AND NOT EXISTS (SELECT 1 FROM runs_stepexecution u WHERE u.run_id = c.id AND u.undoes IS NOT NULL)
       AND NOT EXISTS (SELECT 1 FROM runs_undoentry e WHERE e.target_id = c.id)
       AND NOT EXISTS (SELECT 1 FROM runs_undoentry e WHERE e.run_id = c.id)
       AND NOT (c.status = 'FAILED' AND c.cancelled)
     ORDER BY w.step_id, c.id DESC
)
SELECT coalesce(json_agg(json_build_array(c.step_id, c.id, c.root_id, c.version_id)), '[]')
  FROM c
 WHERE c.is_same
   AND (c.part OR EXISTS (
        SELECT 1 FROM workflows_workflow k WHERE k.id = c.workflow_id AND k.name = c.workflow))
   AND (c.version IS NULL OR EXISTS (
        SELECT 1 FROM workflows_workflowversion v WHERE v.id = c.version_id AND v.number = c.version))

-- name: resume_children
-- What runs that are held FOR UPDATE tell runs for which steps of theirs wait once more: to go on, for this step.
WITH clock AS MATERIALIZED (SELECT clock() AS now),
w AS MATERIALIZED (SELECT * FROM jsonb_to_recordset(%(waits)s::jsonb) AS w(step_id uuid, child uuid))
INSERT INTO runs_runmessage (tenant_id, run_id, shard, kind, from_id, payload, due_at)
SELECT c.tenant_id, c.id, c.shard, 'resume', c.parent_id, jsonb_build_object('step', w.step_id), clock.now
  FROM w JOIN runs_run c ON c.id = w.child CROSS JOIN clock
 ORDER BY c.id

-- name: resume_later
-- A run that is closing goes on for this step when it has ended.
INSERT INTO runs_runmessage (tenant_id, run_id, shard, kind, from_id, payload, due_at)
SELECT c.tenant_id, c.id, c.shard, 'resume', c.parent_id, jsonb_build_object('step', %(step)s::text),
       clock() + interval '1 second'
  FROM runs_run c
 WHERE c.id = %(run)s::uuid

-- name: belong_to_step
-- The run, which is held FOR UPDATE, belongs to the step that waits for it now; gives nothing if that waits no more.
UPDATE runs_run c
   SET parent_step_id = s.id
  FROM runs_stepexecution s
 WHERE c.id = %(run)s::uuid AND s.id = %(step)s::uuid AND s.run_id = c.parent_id AND s.status = 'WAITING'
RETURNING c.id

-- name: tell_parent
-- A run that has ended, or can't go on, says so to the step that waits for it.
INSERT INTO runs_runmessage (tenant_id, run_id, shard, kind, from_id, step_id, due_at)
SELECT c.tenant_id, c.parent_id, c.shard, 'child_ended', c.id, %(step)s::uuid, clock()
  FROM runs_run c
 WHERE c.id = %(run)s::uuid

-- name: tell_children
-- What runs that are held FOR UPDATE tell their open children: to pause, or to go on. Who is resumed at this moment has to
-- hear of a pause, too.
WITH clock AS MATERIALIZED (SELECT clock() AS now),
m AS (
    INSERT INTO runs_runmessage (tenant_id, run_id, shard, kind, from_id, payload, due_at)
    SELECT c.tenant_id, c.id, c.shard, %(kind)s, c.parent_id, %(payload)s::jsonb, clock.now
      FROM runs_run c CROSS JOIN clock
     WHERE c.parent_id = ANY (%(runs)s::uuid[])
       AND (c.completed_at IS NULL OR %(kind)s = 'pause' AND c.status IN ('FAILED', 'CANCELLED'))
     ORDER BY c.id
    RETURNING 1
)
SELECT count(*) FROM m

-- name: end_children
-- What runs that are held FOR UPDATE tell the children for which no step of theirs waits any more: to end.
WITH clock AS MATERIALIZED (SELECT clock() AS now),
m AS (
    INSERT INTO runs_runmessage (tenant_id, run_id, shard, kind, from_id, due_at)
    SELECT c.tenant_id, c.id, c.shard, 'cancel', c.parent_id, clock.now
      FROM runs_run c CROSS JOIN clock
     WHERE c.parent_id = ANY (%(runs)s::uuid[])
       -- One that was told to go on may do so at this moment.
       AND (c.status IN ('RUNNING', 'PAUSED')
            OR c.status IN ('FAILED', 'CANCELLED') AND c.id IN (SELECT g.run_id FROM runs_runmessage g WHERE g.kind = 'resume'))
       AND NOT EXISTS (
           SELECT 1 FROM runs_stepexecution s
            WHERE s.id = c.parent_step_id AND s.status = 'WAITING' AND s.waiting ->> 'kind' = 'run')
     ORDER BY c.id
    RETURNING 1
)
SELECT count(*) FROM m

-- name: steps_without_child
-- Steps of these runs that wait for a run of which nothing will be heard: it is not there, or it has ended and its
-- message is gone.
SELECT coalesce(json_agg(json_build_array(r.id, r.tenant_id, r.life, s.node, s.index)
                         ORDER BY r.id, s.node, s.index), '[]')
  FROM runs_run r
  JOIN runs_stepexecution s ON s.run_id = r.id AND s.tenant_id = r.tenant_id AND s.status = 'WAITING'
 WHERE r.id = ANY (%(runs)s::uuid[]) AND s.waiting ->> 'kind' = 'run'
   AND NOT EXISTS (SELECT 1 FROM runs_run c
                    WHERE c.parent_id = r.id AND c.parent_step_id = s.id AND c.completed_at IS NULL)
   AND NOT EXISTS (SELECT 1 FROM runs_runmessage m WHERE m.run_id = r.id AND m.step_id = s.id)
   AND NOT EXISTS (SELECT 1 FROM runs_runmessage m
                    WHERE m.from_id = r.id AND m.kind = 'resume' AND m.payload ->> 'step' = s.id::text)

-- name: due_messages
-- Read without locks; whoever delivers one asks again.
SELECT coalesce(json_agg(json_build_array(m.id, m.kind) ORDER BY m.due_at, m.id), '[]')
  FROM (SELECT m.id, m.kind, m.due_at FROM runs_runmessage m
         WHERE m.due_at <= statement_clock()
         ORDER BY m.due_at, m.id
         LIMIT %(limit)s) m

-- name: take_messages
-- The messages are gone when what they say is done: one transaction. What somebody else has in hand is left to them.
WITH m AS MATERIALIZED (
    SELECT m.id FROM runs_runmessage m WHERE m.id = ANY (%(messages)s::bigint[]) ORDER BY m.id FOR UPDATE SKIP LOCKED
),
d AS (
    DELETE FROM runs_runmessage m USING m AS l WHERE m.id = l.id
    RETURNING m.id, m.tenant_id, m.run_id, m.kind, m.from_id, m.step_id, m.payload
)
SELECT coalesce(json_agg(json_build_array(d.id, d.tenant_id, d.run_id, d.kind, d.from_id, d.step_id, d.payload)
                         ORDER BY d.id), '[]') FROM d

-- name: postpone_message
-- It could not be delivered: again later, each time after twice as long, at most after five minutes.
UPDATE runs_runmessage m
   SET tries = least(m.tries + 1, 100),
       due_at = clock() + least(300, 2 ^ least(m.tries, 10)) * interval '1 second'
 WHERE m.id = %(message)s

-- name: note_no_follower
-- Why no run follows this one, though its workflow says so.
/* include write_history */
SELECT r.tenant_id, r.id, r.shard, 32001, 'NEXT_NOT_STARTED', NULL, NULL, %(payload)s::jsonb,
       clock()
  FROM runs_run r
 WHERE r.id = %(run)s::uuid
