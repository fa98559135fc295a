-- name: to_be_undone (fragment)
-- What was done of `w` and is not undone yet. A step whose outcome nobody knows, because its worker was lost or it was
-- stopped in the middle, counts as done unless it says otherwise (H-24). One of which an error says that it was done was
-- done, whatever became of it later.
FROM w
JOIN runs_stepexecution s ON s.run_id = w.run_id AND s.run_id = ANY (%(runs)s::uuid[]) AND s.node = w.node
                         AND s.index IS NULL
-- What is kept from another run is that run's to undo.
WHERE s.kept_from IS NULL
 AND (s.status = 'COMPLETED'
      OR s.status IN ('FAILED', 'CANCELLED', 'SKIPPED')
         AND (SELECT true FROM runs_historyevent e
               WHERE e.run_id = s.run_id AND e.node = s.node AND e.payload ->> 'index' IS NULL
                 AND e.type IN ('ATTEMPT_FAILED', 'STEP_WAITING', 'STEP_FAILED')
                 AND e.payload -> 'error' -> 'details' ->> 'outcome' = 'done'
               LIMIT 1)
      OR w.unknown AND s.status = 'CANCELLED' AND s.attempt > 0 AND s.cancel_cause IN ('unknown', 'timer')
      OR w.unknown AND s.status = 'FAILED'
         AND (s.error ->> 'code' IN ('LeaseLost', 'Timeout')
              OR s.error -> 'details' ->> 'outcome' = 'unknown')
      -- It was to be tried again when the run closed, or when a timer ended it.
      OR w.unknown AND s.status = 'CANCELLED' AND s.cancel_cause IN ('failure', 'cancelled', 'timer')
         AND (SELECT true FROM runs_historyevent e
               WHERE e.run_id = s.run_id AND e.node = s.node AND e.payload ->> 'index' IS NULL
                 AND (e.type = 'LEASE_LOST'
                      OR e.type IN ('ATTEMPT_FAILED', 'STEP_WAITING')
                         AND (e.payload -> 'error' ->> 'code' IN ('LeaseLost', 'Timeout')
                              OR e.payload -> 'error' -> 'details' ->> 'outcome' = 'unknown'))
               LIMIT 1))
 AND NOT EXISTS (SELECT 1 FROM runs_stepexecution u
                  WHERE u.run_id = s.run_id AND u.undoes = s.node)

-- name: hold_tree
-- Nobody plans what is undone in these trees while somebody else reopens a child run of them, and the other way round.
SELECT count(l.held)
  FROM (SELECT pg_advisory_xact_lock(hashtextextended(t.tree::text, 53)) AS held
          FROM (SELECT DISTINCT coalesce(r.tree_id, r.root_id) AS tree FROM runs_run r
                 WHERE r.id = ANY (%(runs)s::uuid[]) AND (%(roots)s OR r.tree_id IS NOT NULL) ORDER BY 1) t) l

-- name: versions_of_trees
-- The versions of the child runs in the trees of these runs, and of the roots if they are asked for.
WITH t AS (SELECT DISTINCT coalesce(r.tree_id, r.root_id) AS id FROM runs_run r WHERE r.id = ANY (%(runs)s::uuid[]))
SELECT coalesce(json_agg(DISTINCT v.version_id), '[]')
  FROM (SELECT c.version_id FROM t JOIN runs_run c ON c.tree_id = t.id
        UNION ALL
        SELECT c.version_id FROM t JOIN runs_run c ON c.id = t.id WHERE %(roots)s) v

-- name: versions_of_runs
SELECT coalesce(json_agg(json_build_array(r.id, r.version_id)), '[]') FROM runs_run r WHERE r.id = ANY (%(runs)s::uuid[])

-- name: runs_below
-- All child runs below these runs, with the step that each was begun for: node and index.
WITH RECURSIVE t AS (
    SELECT d.id AS driver, c.id, c.parent_id, c.place -> -1 AS place, c.version_id, c.completed_at IS NULL AS is_open
      FROM unnest(%(runs)s::uuid[]) AS d(id) JOIN runs_run c ON c.parent_id = d.id
    UNION ALL
    SELECT t.driver, c.id, c.parent_id, c.place -> -1, c.version_id, c.completed_at IS NULL
      FROM t JOIN runs_run c ON c.parent_id = t.id
)
SELECT coalesce(json_agg(json_build_array(t.driver, t.id, t.parent_id, t.place -> 0, t.place -> 1, t.version_id, t.is_open)
                         ORDER BY t.parent_id, (t.place ->> 1)::int, t.id), '[]') FROM t

-- name: undoable_steps
-- What is to be undone of these nodes of runs, when it was done, and whether it completed.
WITH w AS MATERIALIZED (
    SELECT * FROM jsonb_to_recordset(%(nodes)s::jsonb) AS w(run_id uuid, node text, unknown boolean)
)
SELECT coalesce(json_agg(json_build_array(
           s.run_id, s.node, extract(epoch FROM s.completed_at)::float8, s.status = 'COMPLETED')), '[]')
  /* include to_be_undone */

-- name: completed_containers
-- When these containers completed; those that did not are left out.
SELECT coalesce(json_agg(json_build_array(s.run_id, s.node, extract(epoch FROM s.completed_at)::float8)), '[]')
  FROM jsonb_to_recordset(%(nodes)s::jsonb) AS w(run_id uuid, node text)
  JOIN runs_stepexecution s ON s.run_id = w.run_id AND s.node = w.node AND s.index IS NULL AND s.status = 'COMPLETED'

-- name: insert_undo_entries
INSERT INTO runs_undoentry (tenant_id, run_id, shard, seq, target_id, node, blocked, releases, state)
SELECT r.tenant_id, r.id, r.shard, w.seq, w.target_id, w.node, w.blocked,
       ARRAY(SELECT x::int FROM jsonb_array_elements_text(w.releases) AS x), w.state
  FROM jsonb_to_recordset(%(entries)s::jsonb)
    AS w(run_id uuid, seq int, target_id uuid, node text, blocked int, releases jsonb, state text)
  JOIN runs_run r ON r.id = w.run_id
 ORDER BY w.run_id, w.seq

-- name: release_undo_entries
-- These entries are settled: what waited for them waits for that many fewer. The caller holds the runs FOR UPDATE.
WITH n AS MATERIALIZED (
    SELECT e.run_id, x.seq, count(*)::int AS n
      FROM jsonb_to_recordset(%(entries)s::jsonb) AS w(run_id uuid, seq int)
      JOIN runs_undoentry e ON e.run_id = w.run_id AND e.seq = w.seq
     CROSS JOIN LATERAL unnest(e.releases) AS x(seq)
     GROUP BY e.run_id, x.seq
)
UPDATE runs_undoentry e SET blocked = e.blocked - n.n FROM n WHERE e.run_id = n.run_id AND e.seq = n.seq

-- name: begin_undo_entries
-- The entries of these runs that nothing blocks any more begin; barriers are settled by that.
WITH e AS (
    UPDATE runs_undoentry e
       SET state = CASE WHEN e.target_id IS NULL THEN 'undone' ELSE 'begun' END
     WHERE e.run_id = ANY (%(runs)s::uuid[]) AND e.state = 'planned' AND e.blocked = 0
    RETURNING e.run_id, e.seq, e.target_id, e.node
)
SELECT coalesce(json_agg(json_build_array(e.run_id, e.seq, e.target_id, e.node) ORDER BY e.run_id, e.seq), '[]') FROM e

-- name: settle_undo_entries
-- Entries whose compensations, in these runs, are over. The caller holds the runs FOR UPDATE.
WITH e AS (
    UPDATE runs_undoentry e
       SET state = CASE WHEN s.cancel_cause = 'abandoned' THEN 'abandoned' ELSE 'undone' END
      FROM runs_stepexecution s
     WHERE e.target_id = ANY (%(runs)s::uuid[]) AND e.state = 'begun' AND s.run_id = e.target_id
       AND s.node = e.node || ':compensate' AND s.undoes = e.node AND s.index IS NULL
       AND s.status IN ('COMPLETED', 'SKIPPED')
    RETURNING e.run_id, e.seq, e.target_id
)
SELECT coalesce(json_agg(json_build_array(e.run_id, e.seq, e.target_id)), '[]') FROM e

-- name: end_undo_entries
-- These entries are settled: there was nothing to undo any more, or the run has ended its undoing.
UPDATE runs_undoentry e
   SET state = 'undone'
  FROM jsonb_to_recordset(%(entries)s::jsonb) AS w(run_id uuid, seq int)
 WHERE e.run_id = w.run_id AND e.seq = w.seq AND e.state = 'begun'

-- name: entries_without_step
-- Entries that have begun in these runs, and whose compensations are gone.
SELECT coalesce(json_agg(json_build_array(e.run_id, e.seq, e.target_id, e.node)), '[]')
  FROM runs_undoentry e
 WHERE e.target_id = ANY (%(runs)s::uuid[]) AND e.state = 'begun' AND e.node IS NOT NULL
   AND NOT EXISTS (SELECT 1 FROM runs_stepexecution s
                    WHERE s.run_id = e.target_id AND s.node = e.node || ':compensate' AND s.index IS NULL)

-- name: without_undo_entries
-- Those of these runs that undo what they did, but by no plan: they began before there were any.
SELECT coalesce(json_agg(r.id), '[]')
  FROM runs_run r
 WHERE r.id = ANY (%(runs)s::uuid[]) AND r.status = 'COMPENSATING'
   AND NOT EXISTS (SELECT 1 FROM runs_undoentry e WHERE e.run_id = r.id)
   AND NOT EXISTS (SELECT 1 FROM runs_undoentry e WHERE e.target_id = r.id)

-- name: undoes_below
-- Whether a run that a step, or an item of it, waits for undoes what it did.
SELECT to_json(EXISTS (
           SELECT 1 FROM runs_run c
            WHERE c.parent_id = %(run)s::uuid AND c.place -> -1 ->> 0 = %(node)s
              AND c.status IN ('COMPENSATING', 'WAITING_FOR_MANUAL_ACTION')))

-- name: undoing_below
-- Those of these runs below which a run has failed and not ended yet: it undoes what it did. Only open runs can have such
-- a run below them: no run ends before the runs below it that undo.
WITH RECURSIVE t AS (
    SELECT r.id AS top, r.id, r.status FROM runs_run r WHERE r.id = ANY (%(runs)s::uuid[])
    UNION ALL
    SELECT t.top, c.id, c.status
      FROM t JOIN runs_run c ON c.parent_id = t.id
     WHERE c.completed_at IS NULL AND c.status <> 'COMPLETED'
)
SELECT coalesce(json_agg(DISTINCT t.top), '[]')
  FROM t
 WHERE t.id <> t.top AND t.status IN ('FAILING', 'COMPENSATING', 'WAITING_FOR_MANUAL_ACTION')

-- name: sunk_runs
-- Open runs whose sinks are resolved: they wait for what is being undone below them.
SELECT coalesce(json_agg(json_build_array(r.id, r.tenant_id, r.shard, r.version_id, r.priority) ORDER BY r.id), '[]')
  FROM runs_run r
 WHERE r.id = ANY (%(runs)s::uuid[]) AND r.status IN ('RUNNING', 'PAUSED') AND r.open_sinks <= 0

-- name: undo_progress
-- How many steps the plan of a run undoes, and how many of those are settled.
SELECT json_build_array(count(*) FILTER (WHERE e.state IN ('undone', 'abandoned')), count(*))
  FROM runs_undoentry e
 WHERE e.run_id = %(run)s::uuid AND e.node IS NOT NULL

-- name: with_undo_entries
-- Those of these runs that drive plans.
SELECT coalesce(json_agg(DISTINCT e.run_id), '[]') FROM runs_undoentry e WHERE e.run_id = ANY (%(runs)s::uuid[])

-- name: tell_to_undo
-- Drivers, which are held FOR UPDATE, tell runs below them what to undo; those that go on are told again `later`.
INSERT INTO runs_runmessage (tenant_id, run_id, shard, kind, from_id, payload, due_at)
SELECT r.tenant_id, r.id, r.shard, 'undo', w.run_id,
       jsonb_strip_nulls(jsonb_build_object('seq', w.seq, 'node', w.node)),
       clock() + %(later)s * interval '1 second'
  FROM jsonb_to_recordset(%(entries)s::jsonb) AS w(run_id uuid, seq int, target_id uuid, node text)
  JOIN runs_run r ON r.id = w.target_id
 ORDER BY w.run_id, w.seq

-- name: tell_drivers
-- Runs, which are held FOR UPDATE, tell their drivers which entries are settled.
INSERT INTO runs_runmessage (tenant_id, run_id, shard, kind, from_id, payload, due_at)
SELECT r.tenant_id, r.id, r.shard, 'undone', w.target_id, jsonb_build_object('seq', w.seq),
       clock()
  FROM jsonb_to_recordset(%(entries)s::jsonb) AS w(run_id uuid, seq int, target_id uuid)
  JOIN runs_run r ON r.id = w.run_id
 ORDER BY w.run_id, w.seq

-- name: close_later
-- A run below is open again: these runs look once more, later.
INSERT INTO runs_runmessage (tenant_id, run_id, shard, kind, from_id, due_at)
SELECT r.tenant_id, r.id, r.shard, 'close', r.id, clock() + interval '1 second'
  FROM runs_run r
 WHERE r.id = ANY (%(runs)s::uuid[])

-- name: begin_undoing
-- These runs begin to undo: they have closed, or had ended and are undone with a run above them (then it is a new life).
WITH clock AS MATERIALIZED (SELECT clock() AS now),
changed_runs AS (
    UPDATE runs_run r
       SET status = 'COMPENSATING', completed_at = NULL, life = r.life + (r.completed_at IS NOT NULL)::int
     WHERE r.id = ANY (%(runs)s::uuid[])
       AND r.status IN ('FAILING', 'CANCELLING', 'COMPLETED', 'CONTINUED', 'FAILED', 'CANCELLED')
    RETURNING r.id, r.tenant_id, r.shard, r.status, r.parent_id,
              CASE WHEN old.completed_at IS NOT NULL THEN r.life END AS new_life
),
/* include tell_parents_of_undoing */,
history AS (
    /* include write_history */
    SELECT r.tenant_id, r.id, r.shard, 200, 'RUN_COMPENSATING', NULL, NULL,
           jsonb_strip_nulls(jsonb_build_object('life', r.new_life)), clock.now
      FROM changed_runs r CROSS JOIN clock
     ORDER BY r.id
)
SELECT count(*) FROM messages

-- name: restate
-- How runs that undo stand by what their child runs do: WAITING_FOR_MANUAL_ACTION while a compensation of theirs, or of a
-- child, waits for a person. A closing run in which only children go on, which undo what they did, undoes; so does a run
-- that had ended, while it is undone with a run above it.
WITH clock AS MATERIALIZED (SELECT clock() AS now),
standings AS MATERIALIZED (
    SELECT r.id,
           CASE WHEN (SELECT true FROM runs_stepexecution s
                       WHERE s.run_id = r.id AND s.undoes IS NOT NULL AND s.status = 'FAILED' LIMIT 1)
                  OR EXISTS (SELECT 1 FROM runs_run c
                              WHERE c.parent_id = r.id AND c.status = 'WAITING_FOR_MANUAL_ACTION')
                THEN 'WAITING_FOR_MANUAL_ACTION' ELSE 'COMPENSATING' END AS status
      FROM runs_run r
     WHERE r.id = ANY (%(runs)s::uuid[])
       AND CASE WHEN r.status IN ('COMPENSATING', 'WAITING_FOR_MANUAL_ACTION') THEN true
                WHEN r.status IN ('FAILING', 'CANCELLING')
                THEN (SELECT true FROM runs_stepexecution s WHERE s.run_id = r.id AND s.status = 'RUNNING' LIMIT 1) IS NULL
                     AND (SELECT bool_and(c.status IN ('COMPENSATING', 'WAITING_FOR_MANUAL_ACTION')) FROM runs_run c
                           WHERE c.parent_id = r.id AND c.status <> 'COMPLETED' AND c.completed_at IS NULL)
                WHEN r.completed_at IS NOT NULL AND r.status <> 'COMPENSATED'
                THEN EXISTS (SELECT 1 FROM runs_undoentry e
                              WHERE e.target_id = r.id AND e.run_id <> r.id AND e.state IN ('planned', 'begun'))
                     AND EXISTS (SELECT 1 FROM runs_run c
                                  WHERE c.parent_id = r.id AND c.status IN ('COMPENSATING', 'WAITING_FOR_MANUAL_ACTION'))
           END
),
changed_runs AS (
    UPDATE runs_run r
       SET status = w.status, completed_at = NULL, life = r.life + (r.completed_at IS NOT NULL)::int
      FROM standings w
     WHERE r.id = w.id AND r.id = ANY (%(runs)s::uuid[]) AND r.status <> w.status
    RETURNING r.id, r.tenant_id, r.shard, r.status, r.parent_id,
              CASE WHEN old.completed_at IS NOT NULL THEN r.life END AS new_life,
              old.status NOT IN ('COMPENSATING', 'WAITING_FOR_MANUAL_ACTION') AS begins
),
/* include tell_parents_of_undoing */,
history AS (
    /* include write_history */
    SELECT e.tenant_id, e.id, e.shard, e.ordinal, e.type, NULL, NULL, e.payload, clock.now
      FROM (SELECT r.tenant_id, r.id, r.shard, 200 AS ordinal, 'RUN_COMPENSATING' AS type,
                   jsonb_strip_nulls(jsonb_build_object('life', r.new_life)) AS payload
              FROM changed_runs r
             WHERE r.begins OR r.status = 'COMPENSATING'
            UNION ALL
            SELECT r.tenant_id, r.id, r.shard, 300, 'RUN_WAITING_FOR_MANUAL_ACTION', '{}'::jsonb
              FROM changed_runs r
             WHERE r.status = 'WAITING_FOR_MANUAL_ACTION') e CROSS JOIN clock
     ORDER BY e.id, e.ordinal
)
SELECT count(*) FROM messages

-- name: next_compensations
-- The steps that undo nodes of runs, which are held FOR UPDATE; of what needs no undoing any more there is none.
WITH clock AS MATERIALIZED (SELECT clock() AS now),
w AS MATERIALIZED (
    SELECT * FROM jsonb_to_recordset(%(nodes)s::jsonb) AS w(
        run_id uuid, id uuid, node text, undo text, unknown boolean, type text, queue text,
        priority smallint, lease_seconds int, timeout_seconds int)
),
c AS MATERIALIZED (
    SELECT s.run_id, s.tenant_id, s.shard, s.version_id, s.output, s.error, s.revision, w.id, w.undo, w.type, w.queue,
           coalesce(w.priority, s.priority) AS priority, w.lease_seconds, w.timeout_seconds, s.node, s.status,
           /* include given_input */ AS given
      /* include to_be_undone */
),
n AS (
    INSERT INTO runs_stepexecution (
        id, run_id, tenant_id, shard, version_id, node, undoes, type, queue, priority, status, lease_seconds,
        timeout_seconds, input, available_at, queued_at)
    SELECT c.id, c.run_id, c.tenant_id, c.shard, c.version_id, c.undo, c.node, c.type, c.queue, c.priority, 'QUEUED',
           c.lease_seconds, c.timeout_seconds,
           jsonb_build_object('input', c.given, 'output', c.output,
                              'idempotency_key', k.keys ->> -1, 'idempotency_keys', k.keys), clock.now, clock.now
      FROM c CROSS JOIN clock
      -- What was done with each input that it was given.
     CROSS JOIN LATERAL (SELECT jsonb_agg(c.run_id || '/' || c.node || CASE WHEN n > 0 THEN '~' || n ELSE '' END ORDER BY n) AS keys
                           FROM generate_series(0, c.revision) n) k
    RETURNING run_id, undoes, queue
),
h AS (
    /* include write_history */
    SELECT c.tenant_id, c.run_id, c.shard, 201, 'COMPENSATE_RUN', c.undo, NULL,
           jsonb_build_object('of', c.node, 'was', c.status), clock.now
      FROM c CROSS JOIN clock
     ORDER BY c.run_id, c.undo
)
SELECT coalesce(json_agg(json_build_array(n.run_id, n.undoes, n.queue)), '[]') FROM n

-- name: end_compensating
-- Everything is undone. What was cancelled is CANCELLED then; where somebody gave a compensation up, in the run or in a run
-- below it, the run has FAILED, and so it has where only its children undid what they did. Gives how many parents are told.
WITH RECURSIVE clock AS MATERIALIZED (SELECT clock() AS now),
descendants AS (
    SELECT r.id AS driver, r.id FROM runs_run r WHERE r.id = ANY (%(runs)s::uuid[]) AND r.status = 'COMPENSATING'
    UNION ALL
    SELECT d.driver, c.id FROM descendants d JOIN runs_run c ON c.parent_id = d.id
),
abandoning AS MATERIALIZED (
    SELECT DISTINCT d.driver
      FROM descendants d
      JOIN runs_stepexecution s ON s.run_id = d.id AND s.status = 'SKIPPED' AND s.cancel_cause = 'abandoned'
    UNION
    SELECT e.run_id FROM runs_undoentry e WHERE e.run_id = ANY (%(runs)s::uuid[]) AND e.state = 'abandoned'
),
ended_runs AS (
    UPDATE runs_run r
       SET status = CASE WHEN r.id IN (SELECT g.driver FROM abandoning g) THEN 'FAILED'
                         WHEN r.cancelled THEN 'CANCELLED'
                         WHEN EXISTS (SELECT 1 FROM runs_undoentry e WHERE e.run_id = r.id) THEN 'COMPENSATED'
                         WHEN EXISTS (SELECT 1 FROM runs_undoentry e WHERE e.target_id = r.id) THEN 'COMPENSATED'
                         WHEN EXISTS (SELECT 1 FROM runs_stepexecution s WHERE s.run_id = r.id AND s.undoes IS NOT NULL)
                         THEN 'COMPENSATED' ELSE 'FAILED' END,
           error = CASE WHEN r.id IN (SELECT g.driver FROM abandoning g)
                        THEN coalesce(r.error, jsonb_build_object(
                            'code', 'CompensationAbandoned', 'message', 'Something that the run did is not undone: it was given up.'))
                        ELSE r.error END,
           completed_at = clock.now
      FROM clock
     WHERE r.id = ANY (%(runs)s::uuid[]) AND r.status = 'COMPENSATING'
       -- Of branches that are undone at the same time others may go on, or wait for a person.
       AND NOT EXISTS (SELECT 1 FROM runs_stepexecution s
                        WHERE s.run_id = r.id AND s.undoes IS NOT NULL
                          AND s.status IN ('QUEUED', 'RUNNING', 'WAITING', 'FAILED'))
       AND NOT EXISTS (SELECT 1 FROM runs_undoentry e
                        WHERE e.run_id = r.id AND e.state IN ('planned', 'begun'))
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

-- name: await_operator
-- Compensations failed for good: before a person has seen to them nothing more is undone of what comes before. History
-- says so, and alerts.
WITH clock AS MATERIALIZED (SELECT clock() AS now),
changed_runs AS (
    UPDATE runs_run r
       SET status = 'WAITING_FOR_MANUAL_ACTION'
     WHERE r.id = ANY (%(runs)s::uuid[]) AND r.status = 'COMPENSATING'
    RETURNING r.id, r.tenant_id, r.shard, r.status, r.parent_id
),
/* include tell_parents_of_undoing */,
failed_steps AS MATERIALIZED (
    SELECT s.tenant_id, s.shard, r.is_test, s.run_id, s.id, s.node, s.version_id, s.attempt, s.error ->> 'code' AS code
      FROM runs_run r
      JOIN runs_stepexecution s ON s.run_id = r.id AND s.run_id = ANY (%(runs)s::uuid[])
                               AND s.status = 'FAILED' AND s.undoes IS NOT NULL
     WHERE r.id = ANY (%(runs)s::uuid[]) AND (%(steps)s::uuid[] IS NULL OR s.id = ANY (%(steps)s::uuid[]))
       AND r.status IN ('COMPENSATING', 'WAITING_FOR_MANUAL_ACTION')
),
history AS (
    /* include write_history */
    SELECT e.tenant_id, e.run_id, e.shard, e.ordinal, e.type, e.node, e.attempt,
           e.payload, clock.now
      FROM (SELECT r.tenant_id, r.id AS run_id, r.shard, 300 AS ordinal, 'RUN_WAITING_FOR_MANUAL_ACTION' AS type,
                   NULL AS node, NULL::int AS attempt, '{}'::jsonb AS payload
              FROM changed_runs r
            UNION ALL
            SELECT s.tenant_id, s.run_id, s.shard, 301, 'ALERT', s.node, s.attempt,
                   jsonb_strip_nulls(jsonb_build_object('kind', 'compensation_failed', 'code', s.code))
              FROM failed_steps s
             WHERE NOT s.is_test) e CROSS JOIN clock
     ORDER BY e.run_id, e.ordinal, e.node
)
SELECT coalesce(json_agg(json_build_array(s.run_id, s.tenant_id, s.id, s.node, s.version_id, s.attempt, s.code, s.is_test)
                         ORDER BY s.run_id, s.node), '[]') FROM failed_steps s

-- name: resolve_compensation
-- What a person decided about a compensation that failed, or that waits: tried again, done by hand, or given up.
WITH clock AS MATERIALIZED (SELECT clock() AS now),
settled_steps AS (
    UPDATE runs_stepexecution s
       SET status = CASE %(how)s WHEN 'retry' THEN 'QUEUED' ELSE 'SKIPPED' END, epoch = s.epoch + 1, solo = false,
           attempt = CASE %(how)s WHEN 'retry' THEN 0 ELSE s.attempt END,
           cancel_cause = CASE %(how)s WHEN 'done' THEN 'done by hand' WHEN 'abandon' THEN 'abandoned' END,
           completed_at = CASE %(how)s WHEN 'retry' THEN NULL ELSE clock.now END,
           error = CASE %(how)s WHEN 'retry' THEN NULL ELSE s.error END,
           output = CASE %(how)s WHEN 'done' THEN %(output)s::jsonb END, waiting = NULL,
           available_at = clock.now, worker = NULL, lease_token_hash = NULL
      FROM clock
     WHERE s.run_id = %(run)s::uuid AND s.undoes = %(node)s AND s.status = ANY (%(statuses)s::text[])
    RETURNING s.id, s.run_id, s.tenant_id, s.shard, s.node, s.status, s.epoch, s.queue, s.output
),
changed_runs AS (
    UPDATE runs_run r
       SET status = 'COMPENSATING'
      FROM settled_steps s
     WHERE r.id = s.run_id AND r.status = 'WAITING_FOR_MANUAL_ACTION'
       AND NOT EXISTS (SELECT 1 FROM runs_stepexecution u
                        WHERE u.run_id = s.run_id AND u.undoes IS NOT NULL AND u.status = 'FAILED' AND u.id <> s.id)
    RETURNING r.id, r.tenant_id, r.shard, r.status, r.parent_id
),
/* include tell_parents_of_undoing */,
letters AS (
    UPDATE runs_deadletter l
       SET resolution = CASE %(how)s WHEN 'retry' THEN 'redriven' ELSE 'discarded' END, resolved_at = clock.now
      FROM settled_steps s CROSS JOIN clock
     WHERE l.step_id = s.id AND l.run_id = s.run_id AND l.resolution IS NULL
),
history AS (
    /* include write_history */
    SELECT s.tenant_id, s.run_id, s.shard, 0, CASE s.status WHEN 'QUEUED' THEN 'STEP_REQUEUED' ELSE 'STEP_SKIPPED' END,
           s.node, NULL,
           %(payload)s::jsonb || jsonb_strip_nulls(jsonb_build_object(
               'epoch', s.epoch, 'resolution', %(how)s::text,
               'digest', encode(sha256(convert_to(s.output::text, 'UTF8')), 'hex'))), clock.now
      FROM settled_steps s CROSS JOIN clock
)
SELECT json_build_array(s.status, s.queue, s.id) FROM settled_steps s

-- name: began_compensating
-- Those of these runs that undid something because they failed or were cancelled, or are undone with a run above them;
-- and those that were cancelled, and have FAILED because something below them was given up.
SELECT coalesce(json_agg(r.id), '[]')
  FROM runs_run r
 WHERE r.id = ANY (%(runs)s::uuid[])
   AND (EXISTS (SELECT 1 FROM runs_stepexecution s WHERE s.run_id = r.id AND s.undoes IS NOT NULL)
        OR EXISTS (SELECT 1 FROM runs_undoentry e WHERE e.run_id = r.id)
        OR EXISTS (SELECT 1 FROM runs_undoentry e WHERE e.target_id = r.id)
        OR r.status = 'FAILED' AND r.cancelled)

-- name: standing_above
-- Those of these runs above which a run closes, undoes what it did or has done so, or is paused; the topmost that is paused.
WITH RECURSIVE a AS (
    SELECT r.id, r.parent_id, false AS closes, NULL::json AS paused, 0 AS up
      FROM runs_run r WHERE r.id = ANY (%(runs)s::uuid[]) AND r.parent_id IS NOT NULL
    UNION ALL
    SELECT a.id, p.parent_id,
           p.status IN ('FAILING', 'CANCELLING', 'COMPENSATING', 'WAITING_FOR_MANUAL_ACTION', 'COMPENSATED')
           OR p.cancelled AND p.undo
           OR p.status = 'FAILED' AND (EXISTS (SELECT 1 FROM runs_undoentry e WHERE e.run_id = p.id)
                                    OR EXISTS (SELECT 1 FROM runs_undoentry e WHERE e.target_id = p.id)),
           CASE WHEN p.status = 'PAUSED' THEN json_build_array(p.id, coalesce(p.place, '[]')) END, a.up + 1
      FROM a JOIN runs_run p ON p.id = a.parent_id
),
t AS (
    SELECT a.id, bool_or(a.closes) AS closes,
           (array_agg(a.paused ORDER BY a.up DESC) FILTER (WHERE a.paused IS NOT NULL))[1] AS paused
      FROM a GROUP BY a.id
)
SELECT coalesce(json_agg(json_build_array(t.id, t.closes, t.paused)), '[]') FROM t WHERE t.closes OR t.paused IS NOT NULL
