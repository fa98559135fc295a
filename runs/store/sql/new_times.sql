-- name: timed_steps
-- The open steps of a run that are no items, with when their turn came, when they began to wait, when they were queued
-- again last, and their pending timers.
SELECT coalesce(json_agg(json_build_array(
           s.id, s.node, s.status, s.queued_at, s.waiting,
           (SELECT max(e.created_at) FROM runs_historyevent e
             WHERE e.run_id = s.run_id AND e.node = s.node AND e.type = 'STEP_WAITING' AND NOT e.payload ? 'index'),
           (SELECT max(e.created_at) FROM runs_historyevent e
             WHERE e.run_id = s.run_id AND e.node = s.node AND e.type = 'STEP_REQUEUED' AND NOT e.payload ? 'index'),
           coalesce((SELECT json_agg(json_build_array(t.id, t.kind, t.target, t.interrupting, t.fire_at) ORDER BY t.fire_at, t.id)
                       FROM runs_timer t
                      WHERE t.run_id = s.run_id AND t.step_id = s.id AND t.status = 'PENDING'), '[]')) ORDER BY s.id), '[]')
  FROM runs_stepexecution s
 WHERE s.run_id = %(run)s::uuid AND s.index IS NULL AND s.status IN ('QUEUED', 'RUNNING', 'WAITING')

-- name: set_times
-- Timers of open steps fire at other moments, or not at all, or are new; and what the steps wait for says so. The caller
-- holds the run FOR UPDATE.
WITH clock AS MATERIALIZED (SELECT clock() AS now),
w AS MATERIALIZED (
    SELECT * FROM jsonb_to_recordset(%(timers)s::jsonb)
        AS w(id uuid, step_id uuid, kind text, target text, interrupting boolean, fire_at timestamptz, is_new boolean,
            calendar jsonb)
),
u AS (
    UPDATE runs_timer t
       SET fire_at = coalesce(w.fire_at, t.fire_at), calendar = CASE WHEN w.fire_at IS NULL THEN t.calendar ELSE w.calendar END, status = CASE WHEN w.fire_at IS NULL THEN 'CANCELLED' ELSE t.status END,
           settled_at = CASE WHEN w.fire_at IS NULL THEN clock.now END
      FROM w CROSS JOIN clock
     WHERE t.id = w.id AND t.run_id = %(run)s::uuid AND t.status = 'PENDING'
),
n AS (
    INSERT INTO runs_timer (id, tenant_id, run_id, shard, step_id, node, kind, target, interrupting, fire_at, calendar)
    SELECT w.id, s.tenant_id, s.run_id, s.shard, s.id, s.node, w.kind, w.target, coalesce(w.interrupting, false), w.fire_at, w.calendar
      FROM w JOIN runs_stepexecution s ON s.id = w.step_id
     WHERE w.is_new AND s.run_id = %(run)s::uuid
)
UPDATE runs_stepexecution s
   SET waiting = x.wait
  FROM jsonb_to_recordset(%(waits)s::jsonb) AS x(step_id uuid, wait jsonb)
 WHERE s.id = x.step_id AND s.run_id = %(run)s::uuid AND s.status = 'WAITING'

-- name: set_deadline
-- The run is due at another time. What was said of the one before is not said again of a time that is over.
WITH clock AS MATERIALIZED (SELECT clock() AS now),
l AS MATERIALIZED (
    SELECT CASE WHEN %(deadline)s::timestamptz IS NULL OR clock.now >= %(deadline)s::timestamptz AND EXISTS (
                     SELECT 1 FROM runs_historyevent e WHERE e.run_id = %(run)s::uuid AND e.type = 'SLA_BREACHED') THEN NULL
                WHEN clock.now >= %(near)s::timestamptz AND EXISTS (
                     SELECT 1 FROM runs_historyevent e WHERE e.run_id = %(run)s::uuid AND e.type = 'SLA_WARNING')
                THEN %(deadline)s::timestamptz
                ELSE %(near)s::timestamptz END AS look_at
      FROM clock
)
UPDATE runs_run r
   SET sla_deadline = %(deadline)s::timestamptz, sla_counts = %(counts)s, sla_calendar = %(calendar)s::jsonb,
       sla_look_at = CASE WHEN r.sla_paused_at IS NULL THEN l.look_at END,
       sla_kept_look_at = CASE WHEN r.sla_paused_at IS NOT NULL THEN l.look_at END
  FROM l
 WHERE r.id = %(run)s::uuid

-- name: parts_of
-- The open runs that do the steps of a run's items.
SELECT coalesce(json_agg(json_build_array(c.id, c.place -> -1 ->> 0, (c.place -> -1 ->> 1)::int, c.version_id) ORDER BY c.id), '[]')
  FROM (SELECT * FROM runs_run c
         WHERE c.parent_id = %(run)s::uuid AND c.is_part AND c.completed_at IS NULL
         ORDER BY c.id
         LIMIT %(limit)s) c

-- name: tell_parts
-- A run that is held FOR UPDATE goes on with another version, and so do the open runs of its items: by `versions`, of each
-- node that does other steps there.
INSERT INTO runs_runmessage (tenant_id, run_id, shard, kind, from_id, payload, due_at)
SELECT c.tenant_id, c.id, c.shard, 'migrate', c.parent_id,
       %(payload)s::jsonb || jsonb_build_object('version', (v.value #>> '{}')::bigint), clock()
  FROM runs_run c
  JOIN jsonb_each(%(versions)s::jsonb) v ON v.key = c.place -> -1 ->> 0
 WHERE c.parent_id = %(run)s::uuid AND c.is_part AND c.completed_at IS NULL AND c.version_id <> (v.value #>> '{}')::bigint
 ORDER BY c.id
RETURNING id

-- name: tell_part_again
-- A worker is at it: it is looked at again a little later.
INSERT INTO runs_runmessage (tenant_id, run_id, shard, kind, from_id, payload, due_at)
SELECT c.tenant_id, c.id, c.shard, 'migrate', c.parent_id, %(payload)s::jsonb,
       clock() + interval '2 seconds'
  FROM runs_run c
 WHERE c.id = %(run)s::uuid

-- name: note_not_migrated
-- Why a run stays on its version although the run that has its item was moved.
/* include write_history */
SELECT r.tenant_id, r.id, r.shard, 0, 'RUN_NOT_MIGRATED', NULL, NULL, %(payload)s::jsonb,
       clock()
  FROM runs_run r
 WHERE r.id = %(run)s::uuid AND r.completed_at IS NULL
