-- name: open_runs
-- The next open runs behind the duty's cursor; the index has open runs only.
SELECT coalesce(json_agg(o.id), '[]')
  FROM (SELECT r.id
          FROM runs_run r
         WHERE r.completed_at IS NULL AND r.id > coalesce((SELECT c.after FROM runs_dutycursor c WHERE c.duty = 'stuck'),
                                                         '00000000-0000-0000-0000-000000000000')
         ORDER BY r.id
         LIMIT %(limit)s) o

-- name: move_cursor
INSERT INTO runs_dutycursor (duty, after) VALUES ('stuck', %(after)s::uuid)
ON CONFLICT (duty) DO UPDATE SET after = excluded.after

-- name: stuck_among
-- What has no wake source among these runs, and the joins that have not fired with the steps that are open: whether one
-- of those is before a join only the graph can say. One statement, so one snapshot: a transaction half-way is not seen.
-- Each part is walked from the steps or timers of these runs by index: a plan for any number of runs must do for a thousand.
WITH o AS MATERIALIZED (
    SELECT r.id AS run_id, r.tenant_id, r.version_id, r.status, r.life, s.running, s.nodes, s.given_up,
           -- Beside a failure others go on, and joins behind it wait for somebody to mend it.
           CASE WHEN r.error IS NULL THEN s.nodes ELSE s.nodes || s.failed END AS before_joins
      FROM runs_run r
     CROSS JOIN LATERAL (
               SELECT bool_or(s.status = 'RUNNING') AS running,
                      array_agg(DISTINCT s.node) FILTER (WHERE s.status IN ('QUEUED', 'RUNNING', 'WAITING')) AS nodes,
                      array_agg(s.node) FILTER (WHERE s.status = 'FAILED' AND s.output IS NULL
                                                      AND s.index IS NULL) AS failed,
                      bool_or(s.status = 'FAILED' AND s.undoes IS NOT NULL) AS given_up
                 FROM runs_stepexecution s
                WHERE s.run_id = r.id) s
     WHERE r.id = ANY (%(runs)s::uuid[]) AND r.completed_at IS NULL
),
f AS (
    SELECT o.run_id, o.tenant_id, o.life, NULL::text AS node, NULL::int AS index,
           CASE WHEN o.status IN ('RUNNING', 'PAUSED') AND o.nodes IS NULL AND NOT (b.is_told OR b.has_children) THEN 'nothing open'
                WHEN o.status IN ('FAILING', 'CANCELLING') AND o.running IS NOT TRUE AND NOT (
                         b.is_told OR b.resumes OR b.ends_children) THEN 'nothing to await'
                WHEN o.status = 'COMPENSATING' AND o.nodes IS NULL AND NOT (
                         b.is_told OR b.tells OR b.undoes_below OR b.is_planned OR b.undoing_children)
                THEN 'nothing being undone'
                WHEN o.status = 'WAITING_FOR_MANUAL_ACTION' AND o.given_up IS NOT TRUE AND NOT (b.is_told OR b.waiting_children)
                THEN 'nothing for a person'
           END AS what
      FROM o
      -- What child runs do, and messages that are under way, of runs that close, undo, or have no open step.
      LEFT JOIN LATERAL (
           SELECT EXISTS (SELECT 1 FROM runs_runmessage m WHERE m.run_id = o.run_id OFFSET 0) AS is_told,
                  EXISTS (SELECT 1 FROM runs_runmessage m WHERE m.from_id = o.run_id OFFSET 0) AS tells,
                  EXISTS (SELECT 1 FROM runs_runmessage m WHERE m.from_id = o.run_id AND m.kind = 'resume' OFFSET 0) AS resumes,
                  EXISTS (SELECT 1 FROM runs_run c
                           WHERE c.parent_id = o.run_id AND c.status <> 'COMPLETED' AND c.completed_at IS NULL
                             AND (c.status NOT IN ('RUNNING', 'PAUSED')
                                  OR EXISTS (SELECT 1 FROM runs_runmessage m
                                              WHERE m.run_id = c.id AND m.kind = 'cancel' OFFSET 0)) OFFSET 0) AS ends_children,
                  EXISTS (SELECT 1 FROM runs_run c
                           WHERE c.parent_id = o.run_id
                             AND c.status IN ('COMPENSATING', 'WAITING_FOR_MANUAL_ACTION') OFFSET 0) AS undoing_children,
                  EXISTS (SELECT 1 FROM runs_run c
                           WHERE c.parent_id = o.run_id AND c.status = 'WAITING_FOR_MANUAL_ACTION' OFFSET 0) AS waiting_children,
                  -- Its sinks are resolved, and below it something is being undone.
                  EXISTS (SELECT 1 FROM runs_run c
                           WHERE c.parent_id = o.run_id AND c.status <> 'COMPLETED' AND c.completed_at IS NULL OFFSET 0) AS has_children,
                  EXISTS (SELECT 1 FROM runs_undoentry e
                           WHERE e.run_id = o.run_id AND e.target_id <> o.run_id AND e.state = 'begun' OFFSET 0) AS undoes_below,
                  EXISTS (SELECT 1 FROM runs_undoentry e
                           WHERE e.target_id = o.run_id AND e.run_id <> o.run_id AND e.state = 'planned' OFFSET 0)
                  AND NOT EXISTS (SELECT 1 FROM runs_undoentry e
                                   WHERE e.target_id = o.run_id AND e.state = 'begun' AND e.node IS NOT NULL OFFSET 0)
                  AS is_planned) b ON o.nodes IS NULL OR o.status NOT IN ('RUNNING', 'PAUSED')
    UNION ALL
    -- What is held is let go all at once.
    SELECT w.run_id, w.tenant_id, o.life, w.node, CASE w.step_status WHEN 'QUEUED' THEN NULL ELSE s.index END,
           CASE w.step_status WHEN 'QUEUED' THEN 'held' ELSE 'waiting for nothing' END
      FROM o
     CROSS JOIN LATERAL (SELECT * FROM runs_wake_source w WHERE w.run_id = o.run_id AND w.source IS NULL OFFSET 0) w
     CROSS JOIN LATERAL (SELECT s.index FROM runs_stepexecution s WHERE s.id = w.step_id LIMIT 1) s
     WHERE o.status NOT IN ('FAILING', 'CANCELLING')
    UNION ALL
    SELECT o.run_id, o.tenant_id, o.life, t.node, NULL, 'timer of nothing'
      FROM o
     CROSS JOIN LATERAL (SELECT * FROM runs_timer t WHERE t.run_id = o.run_id AND t.status = 'PENDING' OFFSET 0) t
     CROSS JOIN LATERAL (SELECT s.status FROM runs_stepexecution s WHERE s.id = t.step_id LIMIT 1) s
     WHERE s.status NOT IN ('QUEUED', 'RUNNING', 'WAITING') OR t.kind <> 'boundary' AND s.status <> 'WAITING'
)
SELECT json_build_object(
    'found', (SELECT coalesce(json_agg(DISTINCT jsonb_build_array(
                         f.run_id, f.tenant_id, f.life, f.what, f.node, f.index)), '[]')
                FROM f WHERE f.what IS NOT NULL),
    'joins', (SELECT coalesce(json_agg(json_build_array(
                         o.run_id, o.tenant_id, o.life, o.version_id, j.node, j.arrived, cardinality(j.taken), o.before_joins)
                         ORDER BY o.run_id, j.id), '[]')
                FROM o
               CROSS JOIN LATERAL (SELECT * FROM runs_stepjoin j WHERE j.run_id = o.run_id AND NOT j.fired OFFSET 0) j
               WHERE o.nodes IS NOT NULL AND o.status IN ('RUNNING', 'PAUSED')))

-- name: overdue_timers
-- Timers that should have fired a minute ago and can't: their step is over. Those of open steps fire with the next tick.
SELECT coalesce(json_agg(DISTINCT jsonb_build_array(d.run_id, d.tenant_id, r.life, 'timer of nothing', d.node)), '[]')
  FROM (SELECT t.run_id, t.tenant_id, t.step_id, t.node
          FROM runs_timer t
         WHERE t.status = 'PENDING'
           AND t.fire_at <= statement_clock() - interval '1 minute'
         ORDER BY t.fire_at
         LIMIT %(limit)s) d
 CROSS JOIN LATERAL (SELECT r.life, r.completed_at FROM runs_run r WHERE r.id = d.run_id LIMIT 1) r
 WHERE r.completed_at IS NOT NULL

-- name: lock_unless_busy
-- Who is busy with a run moves it: then it is not stuck.
SELECT json_build_array(r.id, r.tenant_id, r.shard, r.version_id, r.status, r.priority, r.life, r.input,
                        r.error IS NOT NULL AND r.status IN ('RUNNING', 'PAUSED'))
  FROM runs_run r
 WHERE r.id = %(run)s::uuid
   FOR UPDATE SKIP LOCKED

-- name: say_repaired
/* include write_history */
SELECT r.tenant_id, r.id, r.shard, -1, 'RUN_REPAIRED', %(node)s::text, NULL,
       %(payload)s::jsonb, clock()
  FROM runs_run r
 WHERE r.id = %(run)s::uuid AND r.completed_at IS NULL

-- name: note_repairs
INSERT INTO runs_repair (tenant_id, run_id, life, node, index, what, done, detail)
SELECT w.tenant_id, w.run_id, w.life, w.node, w.index, w.what, w.done, w.detail
  FROM jsonb_to_recordset(%(repairs)s::jsonb)
    AS w(tenant_id bigint, run_id uuid, life int, node text, index int, what text, done boolean, detail text)
ON CONFLICT DO NOTHING

-- name: known_repairs
-- What was repaired or reported already of these runs, and how often.
SELECT coalesce(json_agg(json_build_array(k.run_id, k.life, k.what, k.node, k.index, k.done, k.n)), '[]')
  FROM (SELECT p.run_id, p.life, p.what, p.node, p.index, p.done, count(*) AS n
          FROM runs_repair p
         WHERE p.run_id = ANY (%(runs)s::uuid[])
         GROUP BY p.run_id, p.life, p.what, p.node, p.index, p.done) k

-- name: let_go
-- Steps held in a run that is not paused.
UPDATE runs_stepexecution s
   SET held = false
  FROM runs_run r
 WHERE s.run_id = %(run)s::uuid AND r.id = s.run_id AND r.status <> 'PAUSED' AND s.status = 'QUEUED' AND s.held AND s.waiting IS NULL
RETURNING s.queue

-- name: drop_timers
-- Timers of steps that are over, or that wait no more where the timer ends a wait.
UPDATE runs_timer t
   SET status = 'CANCELLED', settled_at = clock()
 WHERE t.run_id = %(run)s::uuid AND t.status = 'PENDING' AND NOT EXISTS (
       SELECT 1 FROM runs_stepexecution s
        WHERE s.id = t.step_id AND s.status IN ('QUEUED', 'RUNNING', 'WAITING')
          AND (t.kind = 'boundary' OR s.status = 'WAITING'))

-- name: sleeper
-- A step that waits, or an item that does: what it says it waits for, and whether a timer of its wait is there.
SELECT json_build_array(
           /* include held */, /* include given_input */,
           s.waiting, EXISTS (SELECT 1 FROM runs_timer t WHERE t.run_id = s.run_id AND t.step_id = s.id
                                                           AND t.status = 'PENDING' AND t.kind <> 'boundary'))
  FROM runs_stepexecution s
 WHERE s.run_id = %(run)s::uuid AND s.node = %(node)s AND s.index IS NOT DISTINCT FROM %(index)s::int
   AND s.status = 'WAITING'

-- name: arm_wait
-- The timer that a wait says it has.
INSERT INTO runs_timer (id, tenant_id, run_id, shard, step_id, node, kind, fire_at)
SELECT %(timer)s::uuid, s.tenant_id, s.run_id, s.shard, s.id, s.node,
       CASE s.waiting ->> 'kind' WHEN 'timer' THEN 'wait' ELSE 'timeout' END, (s.waiting ->> 'until')::timestamptz
  FROM runs_stepexecution s
 WHERE s.id = %(step)s::uuid AND s.run_id = %(run)s::uuid AND s.status = 'WAITING'

-- name: wait_anew
-- Nobody knows what it waits for: it begins to wait once more.
WITH clock AS MATERIALIZED (SELECT clock() AS now),
s AS (
    UPDATE runs_stepexecution s
       SET status = 'QUEUED', epoch = s.epoch + 1, attempt = 0, waiting = NULL, available_at = clock.now, worker = NULL,
           held = (SELECT r.status = 'PAUSED' FROM runs_run r WHERE r.id = s.run_id)
      FROM clock
     WHERE s.id = %(step)s::uuid AND s.run_id = %(run)s::uuid AND s.status = 'WAITING'
    RETURNING s.tenant_id, s.run_id, s.shard, s.node, s.index, s.epoch, s.queue
),
h AS (
    /* include write_history */
    SELECT s.tenant_id, s.run_id, s.shard, 0, 'STEP_REQUEUED', s.node, NULL,
           jsonb_strip_nulls(jsonb_build_object('epoch', s.epoch, 'index', s.index, 'by', 'repair')), clock.now
      FROM s CROSS JOIN clock
)
SELECT s.queue FROM s

-- name: mend_run
-- How many sinks are open and what joins have counted, as history has it.
WITH r AS (
    UPDATE runs_run r SET open_sinks = %(sinks)s WHERE r.id = %(run)s::uuid RETURNING r.id, r.tenant_id, r.shard
)
INSERT INTO runs_stepjoin AS t (tenant_id, run_id, shard, node, arrived, taken, fired)
SELECT r.tenant_id, r.id, r.shard, w.node, w.arrived, ARRAY(SELECT jsonb_array_elements_text(w.taken)), w.fired
  FROM r CROSS JOIN jsonb_to_recordset(%(joins)s::jsonb) AS w(node text, arrived int, taken jsonb, fired boolean)
 ORDER BY w.node
ON CONFLICT (run_id, node) DO UPDATE SET arrived = excluded.arrived, taken = excluded.taken, fired = excluded.fired

-- name: undo_on
-- Nothing that failed is left for a person to see to.
WITH r AS (
    UPDATE runs_run r SET status = 'COMPENSATING'
     WHERE r.id = %(run)s::uuid AND r.status = 'WAITING_FOR_MANUAL_ACTION'
    RETURNING r.id, r.tenant_id, r.shard
)
/* include write_history */
SELECT r.tenant_id, r.id, r.shard, 0, 'RUN_COMPENSATING', NULL, NULL, '{"by": "repair"}',
       clock()
  FROM r

-- name: given_up
-- Whether a compensation of the run has failed for good.
SELECT to_json(EXISTS (SELECT 1 FROM runs_stepexecution s
                        WHERE s.run_id = %(run)s::uuid AND s.status = 'FAILED' AND s.undoes IS NOT NULL))

-- name: forget_polls
DELETE FROM runs_queuepoll WHERE polled_at < clock_timestamp() - interval '1 day'

-- name: queues_polled
-- External workers have asked for jobs of these queues.
INSERT INTO runs_queuepoll AS q (tenant_id, queue, polled_at)
SELECT %(tenant)s, w.queue, clock_timestamp() FROM unnest(%(queues)s::text[]) AS w(queue) ORDER BY w.queue
ON CONFLICT (tenant_id, queue) DO UPDATE SET polled_at = excluded.polled_at
