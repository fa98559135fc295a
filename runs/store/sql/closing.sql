-- name: cancel_open_steps
-- The caller holds the runs FOR UPDATE. The epoch rises, so whoever still works on one of them finds it gone.
WITH clock AS MATERIALIZED (SELECT clock() AS now),
locked AS MATERIALIZED (
    SELECT s.id FROM runs_stepexecution s
     WHERE s.run_id = ANY (%(runs)s::uuid[]) AND s.status = ANY (%(statuses)s::text[])
     ORDER BY s.id FOR NO KEY UPDATE
),
/* include cancel_locked */

-- name: cancel_timers
-- Of runs that close or have ended: no step of theirs is interrupted, and nothing of them goes on by itself.
UPDATE runs_timer t
   SET status = 'CANCELLED', settled_at = clock()
 WHERE t.run_id = ANY (%(runs)s::uuid[]) AND t.status = 'PENDING'

-- name: close_runs
-- From here on nothing new starts in these runs; their running steps are awaited.
WITH clock AS MATERIALIZED (SELECT clock() AS now),
closings AS MATERIALIZED (
    SELECT * FROM jsonb_to_recordset(%(runs)s::jsonb) AS w(run_id uuid, status text, error jsonb, undo boolean, payload jsonb)
),
closed_runs AS (
    UPDATE runs_run r
       SET status = w.status, error = coalesce(r.error, w.error), undo = coalesce(w.undo, false),
           cancelled = w.status = 'CANCELLING',
           sla_look_at = coalesce(r.sla_look_at, r.sla_kept_look_at + (clock.now - r.sla_paused_at)),
           sla_kept_look_at = NULL, sla_paused_at = NULL,
           /* include sla_goes_on */
      FROM closings w CROSS JOIN clock
     WHERE r.id = w.run_id AND r.id = ANY (ARRAY(SELECT run_id FROM closings))
       AND (r.status IN ('RUNNING', 'PAUSED') OR r.status = 'FAILING' AND w.status = 'CANCELLING')
    RETURNING r.id, r.tenant_id, r.shard, r.status, coalesce(w.payload, '{}') AS payload, w.error
),
history AS (
    /* include write_history */
    SELECT r.tenant_id, r.id, r.shard, 90, 'RUN_' || r.status, NULL, NULL,
           jsonb_strip_nulls(r.payload || jsonb_build_object('error', r.error)), clock.now
      FROM closed_runs r CROSS JOIN clock
     ORDER BY r.id
)
SELECT coalesce(json_agg(r.id), '[]') FROM closed_runs r

-- name: note_failures
-- A step of these runs has failed for good, and their other branches go on: what failed first is why they will fail.
UPDATE runs_run r
   SET error = w.error
  FROM jsonb_to_recordset(%(runs)s::jsonb) AS w(run_id uuid, error jsonb)
 WHERE r.id = w.run_id AND r.status IN ('RUNNING', 'PAUSED') AND r.error IS NULL

-- name: runs_at_their_end
-- Of runs that go on beside a failure those in which nothing does any more, or whose sinks are resolved all the same.
SELECT coalesce(json_agg(json_build_array(r.id, r.error)), '[]')
  FROM runs_run r
 WHERE r.id = ANY (%(runs)s::uuid[]) AND r.status IN ('RUNNING', 'PAUSED') AND r.error IS NOT NULL
   AND (r.open_sinks <= 0 OR NOT EXISTS (
            SELECT 1 FROM runs_stepexecution s
             WHERE s.run_id = r.id AND s.status IN ('QUEUED', 'RUNNING', 'WAITING')))

-- name: joins_never_fired
-- Of runs whose sinks are resolved those in which no sink has run, and the join of each that was skipped although an edge
-- into it was taken.
SELECT coalesce(json_agg(json_build_array(w.run_id, j.node)), '[]')
  FROM jsonb_to_recordset(%(runs)s::jsonb) AS w(run_id uuid, joins jsonb, sinks jsonb)
 CROSS JOIN LATERAL (
           SELECT t.node
             FROM runs_stepjoin t
             JOIN runs_stepexecution s ON s.run_id = t.run_id AND s.node = t.node AND s.index IS NULL
            WHERE t.run_id = w.run_id AND w.joins ? t.node AND cardinality(t.taken) > 0
              AND s.status = 'SKIPPED' AND s.cancel_cause IS DISTINCT FROM 'operator'
            ORDER BY t.id
            LIMIT 1) j
 WHERE NOT EXISTS (
           SELECT 1 FROM runs_stepexecution s
            WHERE s.run_id = w.run_id AND w.sinks ? s.node AND s.index IS NULL
              AND (s.status IN ('COMPLETED', 'FAILED') OR s.status = 'SKIPPED' AND s.cancel_cause = 'operator'))

-- name: closed_runs
-- Closing runs in which nothing runs any more: whether what they did is to be undone, and whether a child run is still open,
-- or was told to go on. Those that have begun to undo because only children were left, which undid what they did, too.
SELECT coalesce(json_agg(json_build_array(
           r.id, r.version_id, r.status, r.undo,
           EXISTS (SELECT 1 FROM runs_run c
                    WHERE c.parent_id = r.id AND c.status <> 'COMPLETED' AND c.completed_at IS NULL)
           OR EXISTS (SELECT 1 FROM runs_runmessage m WHERE m.kind = 'resume' AND m.from_id = r.id))), '[]')
  FROM runs_run r
 WHERE r.id = ANY (%(runs)s::uuid[])
   AND CASE WHEN r.status IN ('FAILING', 'CANCELLING')
            THEN NOT EXISTS (SELECT 1 FROM runs_stepexecution s WHERE s.run_id = r.id AND s.status = 'RUNNING')
            WHEN r.status IN ('COMPENSATING', 'WAITING_FOR_MANUAL_ACTION')
            THEN NOT EXISTS (SELECT 1 FROM runs_stepexecution s WHERE s.run_id = r.id AND s.undoes IS NOT NULL)
                 AND NOT EXISTS (SELECT 1 FROM runs_undoentry e WHERE e.run_id = r.id)
                 AND NOT EXISTS (SELECT 1 FROM runs_undoentry e WHERE e.target_id = r.id)
       END

-- name: end_closing_runs
-- The transaction that sees no running step and no open child of a closing run ends it. Gives how many parents are told.
WITH clock AS MATERIALIZED (SELECT clock() AS now),
ended_runs AS (
    UPDATE runs_run r
       SET status = CASE r.status WHEN 'FAILING' THEN 'FAILED' ELSE 'CANCELLED' END, completed_at = clock.now
      FROM clock
     WHERE r.id = ANY (%(runs)s::uuid[]) AND r.status IN ('FAILING', 'CANCELLING')
       AND NOT EXISTS (SELECT 1 FROM runs_stepexecution s WHERE s.run_id = r.id AND s.status = 'RUNNING')
    RETURNING r.id, r.tenant_id, r.shard, r.status, r.parent_id, r.parent_step_id
),
history AS (
    /* include write_history */
    SELECT r.tenant_id, r.id, r.shard, 32000, 'RUN_' || r.status, NULL, NULL, '{}', clock.now
      FROM ended_runs r CROSS JOIN clock
     ORDER BY r.id
),
/* include tell_parents */
SELECT count(*) FROM messages

-- name: insert_dead_letters
-- Dead letters of steps that failed their run for good: by their own error, or by edges that can't be resolved (then the
-- run, which is closed already, has the error). Nobody has to see to what a test run could not do; what becomes of
-- the part of a container is the container's to judge.
INSERT INTO runs_deadletter (id, tenant_id, run_id, step_id, node, error, attempts)
SELECT w.id, s.tenant_id, s.run_id, s.id, s.node,
       coalesce(s.error, (SELECT r.error - 'node' FROM runs_run r WHERE r.id = s.run_id)), s.attempt
  FROM jsonb_to_recordset(%(letters)s::jsonb) AS w(id uuid, step_id uuid)
 CROSS JOIN LATERAL (SELECT * FROM runs_stepexecution s
                      WHERE s.id = w.step_id AND (s.status IN ('FAILED', 'WAITING') OR s.edges_pending) LIMIT 1) s
 WHERE NOT (SELECT r.is_test OR r.is_part FROM runs_run r WHERE r.id = s.run_id)

-- name: reopen_runs
-- A new life: whatever failed or was cancelled by the failure is queued again with a fresh budget. In a run that goes on
-- beside its failure it is the same life.
WITH clock AS MATERIALIZED (SELECT clock() AS now),
reopened_runs AS (
    UPDATE runs_run r
       SET status = CASE WHEN r.completed_at IS NOT NULL THEN 'RUNNING' ELSE r.status END,
           life = r.life + (r.completed_at IS NOT NULL)::int, error = NULL, completed_at = NULL, undo = false, cancelled = false,
           -- It may have been looked at while it stood still, and nothing was told then.
           sla_look_at = CASE WHEN r.sla_paused_at IS NULL AND r.sla_kept_look_at IS NOT NULL THEN r.sla_kept_look_at
                              WHEN coalesce(r.sla_look_at, r.sla_paused_at) IS NOT NULL OR r.sla_deadline IS NULL OR EXISTS (
                                   SELECT 1 FROM runs_historyevent e
                                    WHERE e.run_id = r.id AND e.type = 'SLA_BREACHED')
                              THEN r.sla_look_at ELSE clock.now END,
           sla_kept_look_at = CASE WHEN r.sla_paused_at IS NOT NULL THEN r.sla_kept_look_at END
      FROM clock
     WHERE r.id = ANY (%(runs)s::uuid[])
       -- A child run that was cancelled goes on where its parent does.
       AND (r.status = 'FAILED' OR r.status = 'CANCELLED' AND r.parent_id IS NOT NULL
            OR r.status IN ('RUNNING', 'PAUSED') AND r.error IS NOT NULL)
    RETURNING r.id, r.tenant_id, r.shard, r.version_id, r.priority, r.life, r.open_sinks, r.status,
              old.completed_at IS NOT NULL AS had_ended, old.status = 'CANCELLED' AS was_cancelled, old.cancelled AS ended_cancelled
),
-- What failed before any worker had it (its input could not be made, or the engine does it itself) begins anew.
withdrawn_steps AS (
    DELETE FROM runs_stepexecution s
     USING reopened_runs r
     WHERE s.run_id = r.id AND s.run_id = ANY (%(runs)s::uuid[])
       AND s.status = 'FAILED' AND s.output IS NULL AND s.epoch = 0
    RETURNING s.run_id, s.node, s.input, s.input_from, s.queued_at, r.tenant_id, r.shard, r.had_ended
),
-- A join among them is decided anew: outputs that meet may be too much to be kept as an input.
reset_joins AS (
    UPDATE runs_stepjoin t
       SET fired = false
      FROM withdrawn_steps e
     WHERE t.run_id = e.run_id AND t.run_id = ANY (%(runs)s::uuid[]) AND t.node = e.node
    RETURNING t.run_id, t.node, t.arrived, t.taken
),
queued_steps AS (
    UPDATE runs_stepexecution s
       SET status = 'QUEUED', epoch = s.epoch + 1, attempt = 0, solo = false, error = NULL, cancel_cause = NULL,
           worker = NULL, started_at = NULL, completed_at = NULL, edges_pending = false, available_at = clock.now,
           lease_token_hash = NULL, held = r.status = 'PAUSED'
      FROM reopened_runs r CROSS JOIN clock
     WHERE s.run_id = r.id AND s.run_id = ANY (%(runs)s::uuid[]) AND (s.status, s.epoch) <> ('FAILED', 0)
       -- Children are seen to by their container, which begins anew.
       AND s.index IS NULL
       AND (s.status = 'FAILED' AND (s.output IS NULL OR s.edges_pending)
            OR s.status = 'CANCELLED' AND s.cancel_cause IN ('failure', 'unknown')
            OR s.status = 'CANCELLED' AND s.cancel_cause = 'cancelled' AND r.was_cancelled)
    RETURNING s.id, s.run_id, s.tenant_id, s.shard, s.node, s.epoch, s.queue, s.fired, r.had_ended
),
letters AS (
    UPDATE runs_deadletter l
       SET resolution = 'redriven', resolved_at = clock.now
      FROM reopened_runs r CROSS JOIN clock
     WHERE l.run_id = r.id AND l.run_id = ANY (%(runs)s::uuid[]) AND l.resolution IS NULL
       -- A step that asks an operator goes on asking.
       AND NOT EXISTS (SELECT 1 FROM runs_stepexecution s
                        WHERE s.id = l.step_id AND s.status = 'WAITING' AND s.waiting ->> 'kind' = 'operator')
),
history AS (
    /* include write_history */
    SELECT e.tenant_id, e.run_id, e.shard, e.ordinal, e.type, e.node, NULL, e.payload,
           clock.now
      FROM (SELECT r.tenant_id, r.id AS run_id, r.shard, 0 AS ordinal, 'RUN_REOPENED' AS type, NULL AS node,
                   %(payload)s::jsonb || jsonb_build_object('life', r.life)
                   || CASE WHEN r.ended_cancelled THEN '{"was": "CANCELLED"}'::jsonb ELSE '{}' END AS payload
              FROM reopened_runs r
             WHERE r.had_ended
            UNION ALL
            SELECT e.tenant_id, e.run_id, e.shard, 1, 'STEP_WITHDRAWN', e.node,
                   %(payload)s::jsonb || jsonb_build_object('was', 'FAILED', 'queued_at', e.queued_at)
              FROM withdrawn_steps e
             WHERE NOT e.had_ended
            UNION ALL
            SELECT s.tenant_id, s.run_id, s.shard, 1, 'STEP_REQUEUED', s.node,
                   CASE WHEN s.had_ended THEN '{}' ELSE %(payload)s::jsonb END || jsonb_build_object('epoch', s.epoch)
              FROM queued_steps s) e CROSS JOIN clock
     ORDER BY e.run_id, e.ordinal, e.node
)
SELECT json_build_object('runs', (SELECT coalesce(json_agg(json_build_array(
                             r.id, r.tenant_id, r.shard, r.version_id, r.priority, r.open_sinks)), '[]') FROM reopened_runs r),
                         'queues', (SELECT coalesce(json_agg(DISTINCT s.queue), '[]') FROM queued_steps s),
                         'queued', (SELECT coalesce(json_agg(json_build_array(
                             s.id, s.run_id, s.node, coalesce(s.fired, '{}')) ORDER BY s.id), '[]') FROM queued_steps s),
                         'entered', (SELECT coalesce(json_agg(json_build_array(e.run_id, e.node,
                             CASE WHEN e.input_from IS NULL THEN e.input
                                  ELSE coalesce((SELECT p.output FROM runs_stepexecution p WHERE p.id = e.input_from),
                                                (SELECT i.input FROM runs_run i WHERE i.id = e.input_from)) END)
                             ORDER BY e.run_id, e.node), '[]')
                                       FROM withdrawn_steps e WHERE (e.run_id, e.node) NOT IN (SELECT t.run_id, t.node FROM reset_joins t)),
                         'joins', (SELECT coalesce(json_agg(json_build_array(t.run_id, t.node, t.arrived, t.taken)
                             ORDER BY t.run_id, t.node), '[]') FROM reset_joins t))

-- name: pending_edges
-- Steps that completed while their run was failing: their edges are resolved when the run is reopened.
SELECT coalesce(json_agg(json_build_array(
           /* include held */, /* include given_input */,
           coalesce(s.fired, '{}'), s.output)
       ORDER BY s.completed_at, s.id), '[]')
  FROM runs_stepexecution s
 WHERE s.run_id = ANY (%(runs)s::uuid[]) AND s.edges_pending AND s.status = 'COMPLETED'

-- name: pause_runs
-- Pausing holds what is queued, and lets it go again; what runs already runs on. The caller holds the runs FOR UPDATE. A
-- claim that was first has the step: it is not QUEUED any more when its row can be had. Where the version says so the
-- deadline stands still, too.
WITH clock AS MATERIALIZED (SELECT clock() AS now),
pausing_runs AS MATERIALIZED (
    SELECT r.id
      FROM runs_run r JOIN workflows_workflowversion v ON v.id = r.version_id
     WHERE r.id = ANY (%(runs)s::uuid[]) AND %(pause)s AND r.sla_deadline IS NOT NULL AND v.definition -> 'sla_pauses' IN ('true', '"waiting"')
),
changed_runs AS (
    UPDATE runs_run r
       SET status = CASE WHEN %(pause)s THEN 'PAUSED' ELSE 'RUNNING' END,
           sla_paused_at = CASE WHEN r.id IN (SELECT id FROM pausing_runs) THEN clock.now END,
           sla_kept_look_at = CASE WHEN r.id IN (SELECT id FROM pausing_runs) THEN r.sla_look_at END,
           sla_look_at = CASE WHEN r.id NOT IN (SELECT id FROM pausing_runs)
                              THEN coalesce(r.sla_look_at, r.sla_kept_look_at + (clock.now - r.sla_paused_at)) END,
           /* include sla_goes_on */
      FROM clock
     WHERE r.id = ANY (%(runs)s::uuid[]) AND r.status = CASE WHEN %(pause)s THEN 'RUNNING' ELSE 'PAUSED' END
    RETURNING r.id, r.tenant_id, r.shard, r.status
),
locked AS MATERIALIZED (
    SELECT s.id FROM runs_stepexecution s
     WHERE s.run_id = ANY (%(runs)s::uuid[]) AND s.status = 'QUEUED' AND s.held <> %(pause)s
       -- An item that was paused by itself stays so.
       AND (%(pause)s OR s.waiting IS NULL)
     ORDER BY s.id FOR NO KEY UPDATE
),
held_steps AS (
    UPDATE runs_stepexecution s
       SET held = %(pause)s
      FROM changed_runs r
     WHERE s.id = ANY (ARRAY(SELECT id FROM locked)) AND s.run_id = r.id AND s.status = 'QUEUED'
    RETURNING s.queue
),
history AS (
    /* include write_history */
    SELECT r.tenant_id, r.id, r.shard, 0, CASE WHEN %(pause)s THEN 'RUN_PAUSED' ELSE 'RUN_UNPAUSED' END, NULL, NULL,
           %(payload)s::jsonb, clock.now
      FROM changed_runs r CROSS JOIN clock
     ORDER BY r.id
)
SELECT coalesce(json_agg(DISTINCT s.queue), '[]') FROM held_steps s

-- name: settle_questions
-- These steps have failed and asked what becomes of that: by now it is decided, and their dead letters are resolved.
UPDATE runs_deadletter l
   SET resolution = %(resolution)s, resolved_at = clock()
 WHERE l.run_id = ANY (%(runs)s::uuid[]) AND l.step_id = ANY (%(steps)s::uuid[]) AND l.resolution IS NULL

-- name: discard_letters
-- Somebody has seen to these failures, or will not.
WITH clock AS MATERIALIZED (SELECT clock() AS now)
UPDATE runs_deadletter l
   SET resolution = 'discarded', resolved_at = clock.now, resolved_by_id = %(by)s, reason = %(reason)s
  FROM clock,
       (SELECT l.id FROM runs_deadletter l
         WHERE l.tenant_id = %(tenant)s AND l.resolution IS NULL AND l.id = ANY (%(letters)s::uuid[])
         ORDER BY l.id FOR UPDATE) o
 WHERE l.id = o.id
RETURNING to_json(l.id)
