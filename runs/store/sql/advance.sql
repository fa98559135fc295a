-- name: lock_light
-- Everybody who moves a run forward shares it; who closes it takes FOR UPDATE and so waits for them, and they for him.
-- This replaces foreign keys among the hot tables. Where a step has failed and the others go on it says so: whoever ends
-- one there must see whether it was the last.
SELECT json_agg(json_build_array(l.id, l.status, l.priority, l.has_failed))
  FROM (SELECT id, status, priority, error IS NOT NULL AND status IN ('RUNNING', 'PAUSED') AS has_failed
          FROM runs_run WHERE id = ANY (%(runs)s::uuid[]) ORDER BY id FOR KEY SHARE) l

-- name: lock_sinks
-- Before a sink may fall: in order of id, so that two batches which end the same runs never wait for each other.
SELECT count(*) FROM (SELECT 1 FROM runs_run WHERE id = ANY (%(runs)s::uuid[]) ORDER BY id FOR NO KEY UPDATE) l

-- name: lock_heavy
SELECT json_agg(json_build_array(l.id, l.status, l.priority, l.has_failed, l.tree_id))
  FROM (SELECT id, status, priority, error IS NOT NULL AND status IN ('RUNNING', 'PAUSED') AS has_failed, tree_id
          FROM runs_run WHERE id = ANY (%(runs)s::uuid[]) ORDER BY id FOR UPDATE) l

-- name: advance
-- The heart. `ended` completes steps that their holder still holds; all that hangs on a row that drops out there drops
-- out with it, because everything else joins the survivors (`anchors`). Every delta is counted here, grouped: counting in
-- the client would count dropped outcomes, and decrements row by row lose one when two sinks end in one batch.
-- A join is counted up in a row of its own: on its step row a late edge in the batch that ends it would raise 21000.
WITH clock AS MATERIALIZED (SELECT clock() AS now),
outcomes AS MATERIALIZED (
    SELECT * FROM jsonb_to_recordset(%(ended)s::jsonb) AS x(
        id uuid, epoch int, status text, output jsonb, error jsonb, taken jsonb, sinks int, final boolean,
        delay double precision, held boolean, pending boolean, cause text, by text, said jsonb, usage jsonb, waiting jsonb,
        anchor uuid)
),
locked AS MATERIALIZED (
    -- In order of id, as heartbeats and sweeps lock them: the plan of an UPDATE promises no order.
    SELECT s.id FROM runs_stepexecution s WHERE s.id = ANY (ARRAY(SELECT id FROM outcomes)) ORDER BY s.id FOR NO KEY UPDATE
),
ended_steps AS (
    UPDATE runs_stepexecution s
       SET status = x.status,
           output = x.output,
           error = x.error,
           available_at = coalesce(clock.now + x.delay * interval '1 second', s.available_at),
           held = coalesce(x.held, false),
           -- A worker that could report a failure was not taken down by the step. One that computes behind its hard
           -- deadline will take its worker down: nobody else shall be beside it the next time.
           solo = CASE WHEN x.status = 'QUEUED' THEN x.by IS NOT DISTINCT FROM 'lease' AND (s.solo OR s.queue = 'default')
                       ELSE s.solo END,
           -- A step that a timer ends before anybody had it was never begun: nothing of it is to be undone.
           attempt = CASE WHEN x.status = 'CANCELLED' THEN s.attempt ELSE greatest(s.attempt, 1) END,
           -- Who reported a failure can't complete the job after all; who only lost the lease may, while nobody else has it.
           lease_token_hash = CASE WHEN x.status = 'QUEUED' AND x.by IS DISTINCT FROM 'lease' THEN NULL ELSE s.lease_token_hash END,
           edges_pending = coalesce(x.pending, false),
           cancel_cause = x.cause,
           completed_at = CASE WHEN x.status IN ('QUEUED', 'WAITING') THEN NULL
                               WHEN x.by = 'reopening' THEN s.completed_at ELSE clock.now END,
           -- Of a failure that a timer says nobody had the step, either.
           epoch = CASE WHEN x.status IN ('CANCELLED', 'SKIPPED', 'WAITING') OR x.by = 'timer' THEN s.epoch + 1
                        ELSE s.epoch END,
           waiting = x.waiting
      FROM outcomes x CROSS JOIN clock
     WHERE s.id = x.id AND s.id = ANY (ARRAY(SELECT id FROM locked)) AND s.epoch = x.epoch
       AND CASE x.by WHEN 'timer' THEN s.status IN ('QUEUED', 'RUNNING', 'WAITING')
                     WHEN 'wait' THEN s.status = 'WAITING'
                     WHEN 'operator' THEN s.status IN ('QUEUED', 'WAITING')
                     WHEN 'reopening' THEN s.edges_pending
                     ELSE s.status = 'RUNNING' OR s.status = 'QUEUED' AND x.status = 'COMPLETED' END
       AND (x.by IS DISTINCT FROM 'lease' OR s.lease_expires_at <= clock.now)
    RETURNING s.id, s.run_id, s.tenant_id, s.shard, s.version_id, s.node, s.index, s.attempt, s.epoch, s.worker, s.status,
              s.started_at, s.output, s.error, s.cancel_cause, s.edges_pending, s.waiting, x.taken, x.sinks, x.final, x.delay,
              x.usage, x.said, x.by, coalesce(x.anchor, s.id) AS anchor
),
anchors AS (
    -- By its own anchor and not by its step: two endings of a step, one of an epoch that was lost, may share a batch.
    SELECT anchor AS id, run_id, tenant_id, shard, version_id, sinks, final, output FROM ended_steps
    UNION ALL
    SELECT f.id, f.run_id, f.tenant_id, f.shard, f.version_id, f.sinks, false, NULL
      FROM jsonb_to_recordset(%(anchors)s::jsonb)
        AS f(id uuid, run_id uuid, tenant_id bigint, shard smallint, version_id bigint, sinks int)
),
next_steps AS MATERIALIZED (
    SELECT y.*, a.run_id, a.tenant_id, a.shard, a.version_id
      FROM jsonb_to_recordset(%(steps)s::jsonb) AS y(
               after uuid, ordinal smallint, id uuid, node text, type text, queue text, priority smallint,
               status text, held boolean, lease_seconds int, timeout_seconds int,
               input jsonb, input_from uuid, output jsonb, error jsonb, taken jsonb, cause text, said jsonb,
               fired text[], revision smallint)
      JOIN anchors a ON a.id = y.after
),
inserted_steps AS (
    INSERT INTO runs_stepexecution (
        id, run_id, tenant_id, shard, version_id, node, type, queue, priority, status, held, lease_seconds,
        timeout_seconds, input, input_from, output, error, attempt, epoch, worker, available_at, queued_at,
        started_at, completed_at, hard_deadline, lease_expires_at, cancel_cause, kept_from,
        fired, revision)
    SELECT y.id, y.run_id, y.tenant_id, y.shard, y.version_id, y.node, y.type, y.queue, y.priority, y.status,
           coalesce(y.held, false), y.lease_seconds, y.timeout_seconds, y.input, y.input_from, y.output, y.error,
           kept.n, kept.n, CASE WHEN kept.n = 1 THEN %(worker)s END, clock.now, clock.now,
           CASE WHEN y.status NOT IN ('QUEUED', 'SKIPPED') THEN clock.now END,
           CASE WHEN y.status NOT IN ('QUEUED', 'RUNNING') THEN clock.now END,
           CASE WHEN kept.n = 1 THEN clock.now + y.timeout_seconds * interval '1 second' END,
           CASE WHEN kept.n = 1 THEN clock.now + least(y.lease_seconds, y.timeout_seconds) * interval '1 second' END,
           y.cause, (y.said ->> 'kept_from')::uuid, y.fired, coalesce(y.revision, 0)
      FROM next_steps y CROSS JOIN clock CROSS JOIN LATERAL (SELECT CASE WHEN y.status = 'RUNNING' THEN 1 ELSE 0 END) kept(n)
),
counted_joins AS (
    INSERT INTO runs_stepjoin AS t (tenant_id, run_id, shard, node, arrived, taken)
    SELECT a.tenant_id, a.run_id, a.shard, e.node, count(*),
           coalesce(array_agg(e.source ORDER BY e.ordinal) FILTER (WHERE e.taken), '{}')
      FROM jsonb_to_recordset(%(arrivals)s::jsonb)
        AS e(after uuid, ordinal int, node text, source text, taken boolean)
      JOIN anchors a ON a.id = e.after
     GROUP BY a.tenant_id, a.run_id, a.shard, e.node
     ORDER BY a.run_id, e.node
    ON CONFLICT (run_id, node) DO UPDATE
       SET arrived = t.arrived + excluded.arrived, taken = t.taken || excluded.taken
     WHERE NOT t.fired
    RETURNING t.run_id, t.node, t.arrived, t.taken
),
reached_sinks AS (
    SELECT run_id, tenant_id, shard, sum(sinks) AS fallen, coalesce(bool_or(final), false) AS final,
           (array_agg(output) FILTER (WHERE final))[1] AS output
      FROM anchors
     WHERE sinks > 0
     GROUP BY run_id, tenant_id, shard
     ORDER BY run_id
),
counted_runs AS (
    UPDATE runs_run r
       -- A step that ends the run resolves all of them, those that have fallen before, too.
       SET open_sinks = greatest(r.open_sinks - z.fallen, 0),
           status = CASE WHEN z.final THEN 'COMPLETED' ELSE r.status END,
           output = CASE WHEN z.final THEN z.output ELSE r.output END,
           completed_at = CASE WHEN z.final THEN clock.now END
      FROM reached_sinks z CROSS JOIN clock
     WHERE r.id = z.run_id AND r.id = ANY (ARRAY(SELECT run_id FROM reached_sinks))
    RETURNING r.id, r.tenant_id, r.shard, r.open_sinks, r.status, r.parent_id, r.parent_step_id
),
ended_runs AS (SELECT * FROM counted_runs k WHERE k.status = 'COMPLETED'),
/* include tell_parents */,
history AS (
    /* include write_history */
    SELECT e.tenant_id, e.run_id, e.shard, e.ordinal, e.type, e.node, e.attempt, jsonb_strip_nulls(e.payload), clock.now
      FROM (
            SELECT d.tenant_id, d.run_id, d.shard, 0 AS ordinal,
                   CASE WHEN d.by = 'reopening' AND d.status = 'COMPLETED' THEN 'EDGES_RESOLVED'
                        WHEN d.status = 'QUEUED' THEN 'ATTEMPT_FAILED' ELSE 'STEP_' || d.status END AS type,
                   d.node, CASE WHEN d.by IS DISTINCT FROM 'reopening' THEN d.attempt END AS attempt,
                   jsonb_build_object('index', d.index, 'epoch', d.epoch, 'worker', d.worker, 'started_at', d.started_at,
                                      'error', d.error, 'retry_in', d.delay, 'taken', d.taken,
                                      'cause', d.cancel_cause, 'usage', d.usage, 'kind', d.waiting -> 'kind',
                                      'edges_pending', nullif(d.edges_pending, false),
                                      'digest', encode(sha256(convert_to(d.output::text, 'UTF8')), 'hex'))
                   || coalesce(d.said, '{}') AS payload
              FROM ended_steps d
            UNION ALL
            SELECT y.tenant_id, y.run_id, y.shard, y.ordinal, 'STEP_' || y.status, y.node, NULL,
                   jsonb_build_object('error', y.error, 'taken', y.taken, 'cause', y.cause,
                                      'digest', encode(sha256(convert_to(y.output::text, 'UTF8')), 'hex'))
                   || coalesce(y.said, '{}')
              FROM next_steps y
             WHERE y.status NOT IN ('QUEUED', 'RUNNING')
            UNION ALL
            SELECT z.tenant_id, z.run_id, z.shard, 32000, 'RUN_COMPLETED', NULL, NULL,
                   jsonb_build_object('digest', encode(sha256(convert_to(z.output::text, 'UTF8')), 'hex'))
              FROM reached_sinks z
             WHERE z.final
           ) e CROSS JOIN clock
     ORDER BY e.run_id, e.ordinal
)
SELECT json_build_object(
    'ended', (SELECT coalesce(json_object_agg(d.anchor, d.id), '{}') FROM ended_steps d),
    'joins', (SELECT coalesce(json_agg(json_build_array(j.run_id, j.node, j.arrived, j.taken)), '[]') FROM counted_joins j),
    'sunk', (SELECT coalesce(json_agg(k.id), '[]') FROM counted_runs k WHERE k.open_sinks <= 0 AND k.status <> 'COMPLETED'),
    'completed', (SELECT coalesce(json_agg(r.id), '[]') FROM ended_runs r),
    'told', (SELECT count(*) FROM messages))

-- name: fire_joins
-- A statement of its own, so that its snapshot sees the outputs of the sources whose edges were just counted. An edge
-- that a timer took carries its moment, whatever the step has given since.
WITH joins AS MATERIALIZED (
    SELECT * FROM jsonb_to_recordset(%(joins)s::jsonb) AS w(run_id uuid, node text, sources jsonb)
),
fired_joins AS (
    UPDATE runs_stepjoin t
       SET fired = true
      FROM joins w
     WHERE t.run_id = w.run_id AND t.run_id = ANY (ARRAY(SELECT run_id FROM joins)) AND t.node = w.node AND NOT t.fired
    RETURNING t.run_id, t.node, w.sources
)
SELECT coalesce(json_agg(json_build_array(f.run_id, f.node, coalesce(o.outputs, '{}'))), '[]')
  FROM fired_joins f
  LEFT JOIN LATERAL (
           SELECT json_object_agg(s.node, CASE WHEN f.node = ANY (s.fired) THEN (
                      SELECT jsonb_build_object('timer_of', s.node, 'fired_at',
                                 coalesce(e.payload -> 'fired' -> f.node, to_jsonb(e.created_at)))
                        FROM runs_historyevent e
                       WHERE e.run_id = s.run_id AND e.node = s.node
                         AND (e.type = 'TIMER_FIRED' AND e.payload -> 'taken' ->> 0 = f.node
                              OR e.payload -> 'fired' ? f.node)
                       ORDER BY e.id DESC
                       LIMIT 1) ELSE s.output END) AS outputs
             FROM runs_stepexecution s
            WHERE s.run_id = f.run_id AND s.index IS NULL
              AND s.node = ANY (ARRAY(SELECT jsonb_array_elements_text(f.sources)))
       ) o ON true

-- name: finish_runs
-- Runs whose sinks are all resolved end with the output that was computed for them. Gives how many messages that made.
WITH clock AS MATERIALIZED (SELECT clock() AS now),
outputs AS MATERIALIZED (SELECT * FROM jsonb_to_recordset(%(runs)s::jsonb) AS w(run_id uuid, output jsonb, next text)),
ended_runs AS (
    UPDATE runs_run r
       SET status = 'COMPLETED', output = w.output, completed_at = clock.now
      FROM outputs w CROSS JOIN clock
     WHERE r.id = w.run_id AND r.id = ANY (ARRAY(SELECT run_id FROM outputs)) AND r.status IN ('RUNNING', 'PAUSED') AND r.open_sinks <= 0
    RETURNING r.id, r.tenant_id, r.shard, r.output, r.parent_id, r.parent_step_id, r.is_test, w.next
),
history AS (
    /* include write_history */
    SELECT r.tenant_id, r.id, r.shard, 32000, 'RUN_COMPLETED', NULL, NULL,
           jsonb_strip_nulls(jsonb_build_object('digest', encode(sha256(convert_to(r.output::text, 'UTF8')), 'hex'))),
           clock.now
      FROM ended_runs r CROSS JOIN clock
     ORDER BY r.id
),
/* include tell_parents */,
next_starts AS (
    INSERT INTO runs_runmessage (tenant_id, run_id, shard, kind, payload, due_at)
    SELECT r.tenant_id, r.id, r.shard, 'start_next', jsonb_build_object('workflow', r.next), clock.now
      FROM ended_runs r CROSS JOIN clock
     WHERE r.next IS NOT NULL AND NOT r.is_test
     ORDER BY r.id
    RETURNING 1
)
SELECT (SELECT count(*) FROM messages) + (SELECT count(*) FROM next_starts)
