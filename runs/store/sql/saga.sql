-- name: to_be_undone (fragment)
-- What was done of `w` and is not undone yet. A step whose outcome nobody knows, because its worker was lost or it was
-- stopped in the middle, counts as done unless it says otherwise (H-24).
FROM w
JOIN runs_stepexecution s ON s.run_id = w.run_id AND s.run_id = ANY (%(runs)s::uuid[]) AND s.node = w.node
                         AND s.index IS NULL
-- What is kept from another run is that run's to undo.
WHERE s.kept_from IS NULL
 AND (s.status = 'COMPLETED'
      OR w.unknown AND s.status = 'CANCELLED' AND s.attempt > 0 AND s.cancel_cause IN ('unknown', 'timer')
      OR w.unknown AND s.status = 'FAILED'
         AND (s.error ->> 'code' IN ('LeaseLost', 'Timeout')
              OR s.error -> 'details' ->> 'outcome' = 'unknown')
      -- It was to be tried again when the run closed.
      OR w.unknown AND s.status = 'CANCELLED' AND s.cancel_cause IN ('failure', 'cancelled')
         AND (SELECT true FROM runs_historyevent e
               WHERE e.run_id = s.run_id AND e.node = s.node
                 AND (e.type = 'LEASE_LOST'
                      OR e.type IN ('ATTEMPT_FAILED', 'STEP_WAITING')
                         AND (e.payload -> 'error' ->> 'code' IN ('LeaseLost', 'Timeout')
                              OR e.payload -> 'error' -> 'details' ->> 'outcome' = 'unknown'))
               LIMIT 1))
 AND NOT EXISTS (SELECT 1 FROM runs_stepexecution u
                  WHERE u.run_id = s.run_id AND u.undoes = s.node)

-- name: left_to_undo
-- Of runs whose branches are undone at the same time: what is to be undone yet, and what has begun to be and is not
-- settled. The caller holds the runs FOR UPDATE.
WITH w AS MATERIALIZED (
    SELECT * FROM jsonb_to_recordset(%(nodes)s::jsonb) AS w(run_id uuid, node text, unknown boolean)
)
SELECT json_build_object(
    'left', (SELECT coalesce(json_agg(json_build_array(s.run_id, s.node)), '[]') /* include to_be_undone */),
    'undoing', (SELECT coalesce(json_agg(json_build_array(u.run_id, u.undoes)), '[]')
                  FROM runs_stepexecution u
                 WHERE u.run_id = ANY (%(runs)s::uuid[]) AND u.undoes IS NOT NULL
                   AND u.status IN ('QUEUED', 'RUNNING', 'WAITING', 'FAILED')))

-- name: next_compensations
-- For each run the step that is undone next: the one completed last that can be and was not yet; or all those of `w`
-- that are undone `together`. The caller holds the runs FOR UPDATE.
WITH clock AS MATERIALIZED (SELECT coalesce(%(now)s::timestamptz, clock_timestamp()) AS now),
w AS MATERIALIZED (
    SELECT * FROM jsonb_to_recordset(%(nodes)s::jsonb) AS w(
        run_id uuid, id uuid, node text, undo text, rank int, unknown boolean, together boolean, type text, queue text,
        priority smallint, lease_seconds int, timeout_seconds int)
),
c AS MATERIALIZED (
    SELECT DISTINCT ON (s.run_id, CASE WHEN w.together THEN s.node END)
           s.run_id, s.tenant_id, s.shard, s.version_id, s.output, s.error, w.id, w.undo, w.type, w.queue,
           coalesce(w.priority, s.priority) AS priority, w.lease_seconds, w.timeout_seconds, s.node, s.status,
           /* include given_input */ AS given
      /* include to_be_undone */
     ORDER BY s.run_id, CASE WHEN w.together THEN s.node END, s.completed_at DESC, w.rank DESC
),
n AS (
    INSERT INTO runs_stepexecution (
        id, run_id, tenant_id, shard, version_id, node, undoes, type, queue, priority, status, lease_seconds,
        timeout_seconds, input, available_at, queued_at)
    SELECT c.id, c.run_id, c.tenant_id, c.shard, c.version_id, c.undo, c.node, c.type, c.queue, c.priority, 'QUEUED',
           c.lease_seconds, c.timeout_seconds,
           jsonb_build_object('input', c.given, 'output', c.output,
                              'idempotency_key', c.run_id || '/' || c.node), clock.now, clock.now
      FROM c CROSS JOIN clock
    RETURNING run_id, queue
),
r AS (
    UPDATE runs_run r
       SET status = 'COMPENSATING'
      FROM n
     WHERE r.id = n.run_id AND r.status IN ('FAILING', 'CANCELLING')
    RETURNING r.id, r.tenant_id, r.shard
),
h AS (
    /* include write_history */
    SELECT e.tenant_id, e.run_id, e.shard, e.ordinal, e.type, e.node, NULL, e.payload,
           clock.now
      FROM (SELECT r.tenant_id, r.id AS run_id, r.shard, 200 AS ordinal, 'RUN_COMPENSATING' AS type, NULL AS node,
                   '{}'::jsonb AS payload
              FROM r
            UNION ALL
            SELECT c.tenant_id, c.run_id, c.shard, 201, 'COMPENSATE_RUN', c.undo,
                   jsonb_build_object('of', c.node, 'was', c.status)
              FROM c) e CROSS JOIN clock
     ORDER BY e.run_id, e.ordinal, e.node
)
SELECT coalesce(json_agg(json_build_array(n.run_id, n.queue)), '[]') FROM n

-- name: end_compensating
-- Everything is undone. What was cancelled is CANCELLED then; where somebody gave a compensation up, the run has FAILED.
-- Gives how many parents are to be told.
WITH clock AS MATERIALIZED (SELECT coalesce(%(now)s::timestamptz, clock_timestamp()) AS now),
r AS (
    UPDATE runs_run r
       SET status = CASE WHEN EXISTS (SELECT 1 FROM runs_stepexecution s
                                       WHERE s.run_id = r.id AND s.status = 'SKIPPED' AND s.cancel_cause = 'abandoned')
                         THEN 'FAILED'
                         WHEN r.cancelled THEN 'CANCELLED' ELSE 'COMPENSATED' END,
           completed_at = clock.now
      FROM clock
     WHERE r.id = ANY (%(runs)s::uuid[]) AND r.status = 'COMPENSATING'
       -- Of branches that are undone at the same time others may go on, or wait for a person.
       AND NOT EXISTS (SELECT 1 FROM runs_stepexecution s
                        WHERE s.run_id = r.id AND s.undoes IS NOT NULL
                          AND s.status IN ('QUEUED', 'RUNNING', 'WAITING', 'FAILED'))
    RETURNING r.id, r.tenant_id, r.shard, r.status, r.parent_id, r.parent_step_id
),
h AS (
    /* include write_history */
    SELECT r.tenant_id, r.id, r.shard, 32000, 'RUN_' || r.status, NULL, NULL, '{}', clock.now
      FROM r CROSS JOIN clock
     ORDER BY r.id
),
/* include tell_parents */
SELECT count(*) FROM t

-- name: await_operator
-- Compensations failed for good: before a person has seen to them nothing more is undone of what comes before. History
-- says so, and alerts.
WITH clock AS MATERIALIZED (SELECT coalesce(%(now)s::timestamptz, clock_timestamp()) AS now),
r AS (
    UPDATE runs_run r
       SET status = 'WAITING_FOR_MANUAL_ACTION'
     WHERE r.id = ANY (%(runs)s::uuid[]) AND r.status = 'COMPENSATING'
    RETURNING r.id, r.tenant_id, r.shard
),
s AS MATERIALIZED (
    SELECT s.tenant_id, s.shard, r.is_test, s.run_id, s.id, s.node, s.version_id, s.attempt, s.error ->> 'code' AS code
      FROM runs_run r
      JOIN runs_stepexecution s ON s.run_id = r.id AND s.run_id = ANY (%(runs)s::uuid[])
                               AND s.status = 'FAILED' AND s.undoes IS NOT NULL
     WHERE r.id = ANY (%(runs)s::uuid[]) AND (%(steps)s::uuid[] IS NULL OR s.id = ANY (%(steps)s::uuid[]))
       AND r.status IN ('COMPENSATING', 'WAITING_FOR_MANUAL_ACTION')
),
h AS (
    /* include write_history */
    SELECT e.tenant_id, e.run_id, e.shard, e.ordinal, e.type, e.node, e.attempt,
           e.payload, clock.now
      FROM (SELECT r.tenant_id, r.id AS run_id, r.shard, 300 AS ordinal, 'RUN_WAITING_FOR_MANUAL_ACTION' AS type,
                   NULL AS node, NULL::int AS attempt, '{}'::jsonb AS payload
              FROM r
            UNION ALL
            SELECT s.tenant_id, s.run_id, s.shard, 301, 'ALERT', s.node, s.attempt,
                   jsonb_strip_nulls(jsonb_build_object('kind', 'compensation_failed', 'code', s.code))
              FROM s
             WHERE NOT s.is_test) e CROSS JOIN clock
     ORDER BY e.run_id, e.ordinal, e.node
)
SELECT coalesce(json_agg(json_build_array(s.run_id, s.tenant_id, s.id, s.node, s.version_id, s.attempt, s.code, s.is_test)
                         ORDER BY s.run_id, s.node), '[]') FROM s

-- name: resolve_compensation
-- What a person decided about a compensation that failed, or that waits: tried again, done by hand, or given up.
WITH clock AS MATERIALIZED (SELECT coalesce(%(now)s::timestamptz, clock_timestamp()) AS now),
s AS (
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
r AS (
    UPDATE runs_run r
       SET status = 'COMPENSATING'
      FROM s
     WHERE r.id = s.run_id AND r.status = 'WAITING_FOR_MANUAL_ACTION'
       AND NOT EXISTS (SELECT 1 FROM runs_stepexecution u
                        WHERE u.run_id = s.run_id AND u.undoes IS NOT NULL AND u.status = 'FAILED' AND u.id <> s.id)
),
l AS (
    UPDATE runs_deadletter l
       SET resolution = CASE %(how)s WHEN 'retry' THEN 'redriven' ELSE 'discarded' END, resolved_at = clock.now
      FROM s CROSS JOIN clock
     WHERE l.step_id = s.id AND l.run_id = s.run_id AND l.resolution IS NULL
),
h AS (
    /* include write_history */
    SELECT s.tenant_id, s.run_id, s.shard, 0, CASE s.status WHEN 'QUEUED' THEN 'STEP_REQUEUED' ELSE 'STEP_SKIPPED' END,
           s.node, NULL,
           %(payload)s::jsonb || jsonb_strip_nulls(jsonb_build_object(
               'epoch', s.epoch, 'resolution', %(how)s::text,
               'digest', encode(sha256(convert_to(s.output::text, 'UTF8')), 'hex'))), clock.now
      FROM s CROSS JOIN clock
)
SELECT json_build_array(s.status, s.queue, s.id) FROM s

-- name: began_compensating
SELECT coalesce(json_agg(DISTINCT s.run_id), '[]')
  FROM runs_stepexecution s
 WHERE s.run_id = ANY (%(runs)s::uuid[]) AND s.undoes IS NOT NULL
