-- name: enter_waits
-- The caller holds the runs FOR UPDATE. The epoch rises: what is late from the attempt that led here counts no more.
-- A wait of three days counts from when its turn came, whatever held it up since; a timeout from now. The wait of a child
-- run for a signal names the tree, for `step_signal_of_tree`.
WITH clock AS MATERIALIZED (SELECT clock() AS now),
w AS MATERIALIZED (
    SELECT * FROM jsonb_to_recordset(%(steps)s::jsonb) AS w(
        id uuid, epoch int, wait jsonb, usage jsonb, timer_id uuid, timer text, seconds double precision, until timestamptz)
),
l AS MATERIALIZED (
    SELECT s.id FROM runs_stepexecution s WHERE s.id = ANY (ARRAY(SELECT id FROM w)) ORDER BY s.id FOR NO KEY UPDATE
),
u AS (
    UPDATE runs_stepexecution s
       SET status = 'WAITING', epoch = s.epoch + 1, worker = NULL, lease_expires_at = NULL, hard_deadline = NULL,
           solo = false,
           waiting = jsonb_strip_nulls(w.wait || jsonb_build_object('until', f.fire_at, 'tree', CASE WHEN w.wait ->> 'kind' = 'signal'
                         THEN (SELECT r.tree_id FROM runs_run r WHERE r.id = p.run_id) END))
      FROM w CROSS JOIN clock
     CROSS JOIN LATERAL (SELECT p.queued_at, p.run_id FROM runs_stepexecution p WHERE p.id = w.id LIMIT 1) p
     CROSS JOIN LATERAL (SELECT coalesce(w.until, CASE w.timer WHEN 'wait' THEN p.queued_at ELSE clock.now END
                                                   + w.seconds * interval '1 second') AS fire_at) f
     WHERE s.id = w.id AND s.id = ANY (ARRAY(SELECT id FROM l)) AND s.epoch = w.epoch AND s.status = 'RUNNING'
    RETURNING s.id, s.run_id, s.tenant_id, s.shard, s.node, s.index, s.attempt, s.epoch, s.waiting, w.usage, w.timer_id, w.timer,
              f.fire_at
),
t AS (
    INSERT INTO runs_timer (id, tenant_id, run_id, shard, step_id, node, kind, fire_at)
    SELECT u.timer_id, u.tenant_id, u.run_id, u.shard, u.id, u.node, u.timer, u.fire_at
      FROM u
     WHERE u.timer IS NOT NULL
     ORDER BY u.fire_at
),
h AS (
    /* include write_history */
    SELECT u.tenant_id, u.run_id, u.shard, 0, 'STEP_WAITING', u.node, u.attempt,
           jsonb_strip_nulls(jsonb_build_object('index', u.index, 'epoch', u.epoch, 'usage', u.usage, 'kind', u.waiting -> 'kind',
                                                'until', u.waiting -> 'until', 'run', u.waiting -> 'run')), clock.now
      FROM u CROSS JOIN clock
     ORDER BY u.run_id, u.node, u.index
)
SELECT coalesce(json_object_agg(u.id, u.epoch), '{}') FROM u

-- name: arm_timers
-- Boundary timers of steps that were just created or queued again.
INSERT INTO runs_timer (id, tenant_id, run_id, shard, step_id, node, kind, target, interrupting, fire_at, calendar)
SELECT t.id, s.tenant_id, s.run_id, s.shard, s.id, s.node, 'boundary', t.target, t.interrupting,
       clock() + t.seconds * interval '1 second', t.calendar
  FROM jsonb_to_recordset(%(timers)s::jsonb)
    AS t(id uuid, step_id uuid, target text, interrupting boolean, seconds double precision, calendar jsonb)
  JOIN runs_stepexecution s ON s.id = t.step_id

-- name: settle_timers
-- The steps are over or wait no more, in the transaction that says so: their other timers never fire. Beside those that
-- wait for an operator now their boundary timers run on.
UPDATE runs_timer t
   SET status = CASE WHEN t.id = ANY (%(fired)s::uuid[]) THEN 'FIRED' ELSE 'CANCELLED' END,
       settled_at = clock()
 WHERE t.run_id = ANY (%(runs)s::uuid[]) AND t.step_id = ANY (%(steps)s::uuid[]) AND t.status = 'PENDING'
   AND (NOT %(of_waits)s OR t.kind <> 'boundary')

-- name: due_timers
-- Read without locks; every write that follows asks again. `after` goes on behind the last batch of the same tick.
SELECT coalesce(json_agg(json_build_array(
           /* include held */, /* include given_input */,
           d.id, d.kind, d.target, d.interrupting, d.fire_at, s.waiting,
           statement_clock()) ORDER BY d.fire_at, d.id), '[]')
  FROM (SELECT t.*
          FROM runs_timer t
         WHERE t.status = 'PENDING' AND t.fire_at <= statement_clock()
           AND (%(after)s::timestamptz IS NULL OR (t.fire_at, t.id) > (%(after)s::timestamptz, %(after_id)s::uuid))
         ORDER BY t.fire_at, t.id
         LIMIT %(limit)s) d
 CROSS JOIN LATERAL (SELECT * FROM runs_stepexecution s WHERE s.id = d.step_id LIMIT 1) s

-- name: ring_timers
-- Boundary timers that don't interrupt: the step remembers which of its edges are resolved. The caller holds the runs
-- FOR UPDATE, so nobody ends these steps meanwhile. Of several timers that lead to the same step one takes the edge.
WITH clock AS MATERIALIZED (SELECT clock() AS now),
t AS (
    UPDATE runs_timer t
       SET status = 'FIRED', settled_at = clock.now
      FROM clock
     WHERE t.id = ANY (%(timers)s::uuid[]) AND t.status = 'PENDING'
    RETURNING t.id, t.tenant_id, t.run_id, t.shard, t.step_id, t.node, t.target, t.fire_at
),
f AS MATERIALIZED (
    SELECT DISTINCT ON (t.step_id, t.target) t.*
      FROM t
      JOIN runs_stepexecution s ON s.id = t.step_id
     WHERE t.target <> ALL (coalesce(s.fired, '{}'))
     ORDER BY t.step_id, t.target, t.fire_at, t.id
),
s AS (
    UPDATE runs_stepexecution s
       SET fired = coalesce(s.fired, '{}') || t.targets
      FROM (SELECT step_id, array_agg(target) AS targets FROM f GROUP BY step_id) t
     WHERE s.id = t.step_id AND s.status IN ('QUEUED', 'RUNNING', 'WAITING')
    RETURNING s.id, s.version_id
),
h AS (
    /* include write_history */
    SELECT f.tenant_id, f.run_id, f.shard, 0, 'TIMER_FIRED', f.node, NULL,
           jsonb_build_object('taken', jsonb_build_array(f.target)), clock.now
      FROM f CROSS JOIN clock
     WHERE f.step_id IN (SELECT id FROM s)
     ORDER BY f.run_id, f.fire_at, f.id
)
SELECT coalesce(json_object_agg(f.id, s.version_id), '{}') FROM f JOIN s ON s.id = f.step_id

-- name: timers_beside
-- Asked at each read of a run's page. One without a target says by when a step must have begun.
SELECT t.id, t.step_id, t.node, t.target, t.interrupting, t.fire_at, r.version_id, s.queued_at
  FROM runs_timer t
  JOIN runs_run r ON r.id = t.run_id
  JOIN runs_stepexecution s ON s.id = t.step_id
 WHERE t.run_id = %(run)s AND t.tenant_id = %(tenant)s AND t.status = 'PENDING' AND t.kind = 'boundary'
   AND t.target IS NOT NULL
 ORDER BY t.fire_at

-- name: limit_again
-- By when steps must have begun that are tried again; the caller has just queued them.
UPDATE runs_timer t
   SET fire_at = clock() + w.seconds * interval '1 second'
  FROM jsonb_to_recordset(%(limits)s::jsonb) AS w(id uuid, seconds double precision)
 WHERE t.run_id = ANY (%(runs)s::uuid[]) AND t.step_id = w.id AND t.status = 'PENDING'
   AND t.kind = 'boundary' AND t.target IS NULL

-- name: unbegun
-- Which steps nobody has begun in time: it counts from when they could be claimed last, without the pause before a
-- retry and without pauses of the run. The limits of others are set anew: of those for when their time is over, of those
-- that run, or whose run is paused, for a later look, since they may be queued again. A wait has begun for good.
WITH clock AS MATERIALIZED (SELECT clock() AS now),
t AS MATERIALIZED (
    -- A timer that somebody settles just now is none of ours.
    SELECT t.id, t.run_id, t.step_id, w.seconds * interval '1 second' AS span
      FROM jsonb_to_recordset(%(limits)s::jsonb) AS w(id uuid, seconds double precision)
      JOIN runs_timer t ON t.id = w.id
     WHERE t.status = 'PENDING'
       FOR NO KEY UPDATE OF t SKIP LOCKED
),
s AS MATERIALIZED (
    SELECT t.id, s.status, s.status = 'QUEUED' AND NOT s.held AS claimable, t.span,
           greatest(s.available_at, (SELECT max(e.created_at) FROM runs_historyevent e
                                      WHERE e.run_id = t.run_id AND e.type = 'RUN_UNPAUSED')) + t.span AS over_at
      FROM t
     CROSS JOIN LATERAL (SELECT * FROM runs_stepexecution s WHERE s.id = t.step_id LIMIT 1) s
),
u AS (
    UPDATE runs_timer t
       SET fire_at = CASE WHEN s.claimable THEN s.over_at ELSE clock.now + greatest(s.span, interval '1 minute') END,
           status = CASE WHEN s.status = 'WAITING' THEN 'CANCELLED' ELSE t.status END,
           settled_at = CASE WHEN s.status = 'WAITING' THEN clock.now END
      FROM s CROSS JOIN clock
     WHERE t.id = s.id AND NOT (s.claimable AND s.over_at <= clock.now)
)
SELECT coalesce(json_agg(s.id), '[]') FROM s CROSS JOIN clock WHERE s.claimable AND s.over_at <= clock.now

-- name: fired_edges
-- Which boundary edges of steps are resolved already; their runs are held FOR UPDATE.
SELECT coalesce(json_object_agg(s.id, s.fired), '{}')
  FROM runs_stepexecution s
 WHERE s.id = ANY (%(steps)s::uuid[]) AND s.fired IS NOT NULL

-- name: waiters
-- A statement of its own, after the one that locked the runs: in one, the snapshot would be older than the lock and a
-- step that has just begun to wait would not be seen (docs/engine.md, "Waits").
SELECT coalesce(json_agg(json_build_array(
           /* include held */, /* include given_input */,
           s.waiting) ORDER BY s.id), '[]')
  FROM runs_stepexecution s
 WHERE s.run_id = ANY (%(runs)s::uuid[]) AND s.tenant_id = %(tenant)s AND s.status = 'WAITING'
   AND s.waiting ->> 'kind' = %(kind)s AND (%(steps)s::uuid[] IS NULL OR s.id = ANY (%(steps)s::uuid[]))

-- name: sla_due
-- Runs that have reached 80 per cent of their time, or all of it: each is said once, and nothing is cancelled (C-16). A run
-- whose waits don't count may have more time than that: its deadline moves on, and it is looked at again at the earliest
-- time at which it may have used so much. Exact, however late: nothing is told between two looks.
WITH clock AS MATERIALIZED (SELECT clock() AS now),
d AS MATERIALIZED (
    SELECT r.id
      FROM runs_run r CROSS JOIN clock
     WHERE r.sla_look_at <= clock.now
     -- Those that are looked at often don't hold up the others.
     ORDER BY r.sla_look_at, r.id
     LIMIT %(limit)s
       FOR NO KEY UPDATE OF r SKIP LOCKED
),
w AS MATERIALIZED (
    SELECT r.id, r.sla_counted_at, w.waited
      FROM runs_run r CROSS JOIN LATERAL (/* include sla_waited */) w
     WHERE r.id = ANY (ARRAY(SELECT id FROM d))
),
u AS (
    UPDATE runs_run r
       SET sla_deadline = r.sla_deadline + w.waited,
           sla_paused_seconds = r.sla_paused_seconds + extract(epoch FROM w.waited),
           sla_counted_at = statement_clock(),
           -- Where it is resumed it is looked at again as before.
           sla_kept_look_at = CASE WHEN r.completed_at IS NOT NULL THEN r.sla_look_at + w.waited ELSE r.sla_kept_look_at END,
           sla_look_at = CASE WHEN r.completed_at IS NOT NULL THEN NULL
                              WHEN r.sla_look_at + w.waited > clock.now THEN r.sla_look_at + w.waited
                              WHEN r.sla_deadline + w.waited > clock.now THEN r.sla_deadline + w.waited END
      FROM w CROSS JOIN clock
     WHERE r.id = w.id AND r.id = ANY (ARRAY(SELECT id FROM d)) AND r.sla_look_at <= clock.now
       -- Another host may have counted after this statement began.
       AND r.sla_counted_at IS NOT DISTINCT FROM w.sla_counted_at
    RETURNING r.id, r.tenant_id, r.shard, r.completed_at, r.sla_deadline, r.is_test, clock.now,
              r.completed_at IS NULL AND old.sla_look_at + w.waited <= clock.now AS is_told
),
-- For whoever raises alerts; nobody is called because of a test.
c AS (
    INSERT INTO runs_alertcause (tenant_id, kind, run_id, created_at)
    SELECT u.tenant_id, CASE WHEN u.sla_deadline > u.now THEN 'sla_warning' ELSE 'sla_breached' END, u.id, u.now
      FROM u
     WHERE u.is_told AND NOT u.is_test
     ORDER BY u.id
),
h AS (
    /* include write_history */
    SELECT u.tenant_id, u.id, u.shard, 0, CASE WHEN u.sla_deadline > u.now THEN 'SLA_WARNING' ELSE 'SLA_BREACHED' END,
           NULL, NULL, jsonb_build_object('deadline', u.sla_deadline), u.now
      FROM u
     WHERE u.is_told
     ORDER BY u.id
)
SELECT coalesce(json_agg(json_build_array(
           u.id, u.tenant_id, CASE WHEN u.is_told AND u.sla_deadline <= u.now THEN u.sla_deadline END)), '[]')
  FROM u
 WHERE u.is_told OR u.completed_at IS NOT NULL

-- name: count_sla_waits
-- What these runs, which are held FOR UPDATE, have waited up to now does not count, by the version that they are on.
UPDATE runs_run r
   SET sla_deadline = r.sla_deadline + w.waited, sla_look_at = r.sla_look_at + w.waited,
       sla_paused_seconds = r.sla_paused_seconds + extract(epoch FROM w.waited), sla_counted_at = statement_clock()
  FROM (SELECT r.id, w.waited
          FROM runs_run r CROSS JOIN LATERAL (/* include sla_waited */) w
         WHERE r.id = ANY (%(runs)s::uuid[]) AND r.sla_deadline IS NOT NULL) w
 WHERE r.id = w.id AND r.id = ANY (%(runs)s::uuid[])

-- name: sla_waited_of
SELECT extract(epoch FROM w.waited)::float8
  FROM runs_run r CROSS JOIN LATERAL (/* include sla_waited */) w
 WHERE r.id = %(run)s::uuid

-- name: change_task_of_wait
-- What is asked has changed: the wait says it, too. Its run is held FOR UPDATE.
UPDATE runs_stepexecution s
   SET waiting = jsonb_set(s.waiting, '{task}', (s.waiting -> 'task') || %(values)s::jsonb)
 WHERE s.id = %(step)s AND s.status = 'WAITING' AND s.waiting ->> 'kind' = 'task'
