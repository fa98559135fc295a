-- name: open_run_of (fragment)
-- Of the last hundred runs that the schedule `s` started those that are open, or were continued by one that is.
SELECT coalesce(n.id, r.id) AS id
  FROM (SELECT e.run_id
          FROM runs_scheduleentry e
         WHERE e.schedule_id = s.id AND e.status = 'started'
         ORDER BY e.id DESC
         LIMIT 100) e
  JOIN runs_run r ON r.id = e.run_id
  LEFT JOIN LATERAL (SELECT n.id
                       FROM runs_run n
                      WHERE n.workflow_id = r.workflow_id AND n.id > r.id AND n.root_id = r.root_id
                        AND n.completed_at IS NULL
                      LIMIT 1) n ON r.status = 'CONTINUED'
 WHERE r.completed_at IS NULL OR n.id IS NOT NULL

-- name: found_schedule (fragment)
-- All that decides on what the schedule `s` does now.
json_build_object(
    'id', s.id, 'tenant_id', s.tenant_id, 'name', s.name, 'workflow', w.name, 'folder', w.folder_id, 'input', s.input,
    'cron', s.cron, 'every_seconds', s.every_seconds, 'at', s.at, 'anchor_at', s.anchor_at, 'timezone', s.timezone,
    'overlap', s.overlap, 'catchup_seconds', s.catchup_seconds, 'jitter_seconds', s.jitter_seconds,
    'acts_for', s.acts_for, 'next_due_at', s.next_due_at, 'buffered_due_at', s.buffered_due_at, 'now', clock.now,
    'calendar', (SELECT json_build_object('name', c.name, 'timezone', c.timezone, 'region', c.region,
                                          'weekdays', c.weekdays, 'opens', c.opens, 'closes', c.closes,
                                          'exceptions', c.exceptions)
                   FROM runs_calendar c
                  WHERE c.id = s.calendar_id))

-- name: orphaned_schedule
-- A schedule that would fire again and acts for somebody who may not start its workflow as things are, locked; of one
-- person, where one is given.
WITH clock AS MATERIALIZED (SELECT clock() AS now)
SELECT /* include found_schedule */
  FROM runs_schedule s
  JOIN workflows_workflow w ON w.id = s.workflow_id
 CROSS JOIN clock
 WHERE s.enabled AND (s.next_due_at IS NOT NULL OR s.buffered_due_at IS NOT NULL) AND s.id <> ALL (%(tried)s::uuid[])
   AND (%(tenant)s::bigint IS NULL OR s.tenant_id = %(tenant)s AND lower(s.acts_for) = lower(%(acts_for)s))
   AND NOT EXISTS (SELECT 1 FROM (/* include owner_of */) o
                    WHERE o.role = ANY (%(starters)s) AND (o.role = 'admin' OR 'start' = ANY (o.verbs)))
 ORDER BY s.id
 LIMIT 1
   FOR UPDATE OF s SKIP LOCKED

-- name: stop_schedule
UPDATE runs_schedule s
   SET enabled = false, off_reason = %(why)s, note = '', paused_at = clock(),
       next_due_at = NULL, fire_at = NULL, buffered_due_at = NULL
 WHERE s.id = %(schedule)s

-- name: due_schedule
-- The schedule that has been due for longest, locked: who comes at the same moment finds the next one.
WITH clock AS MATERIALIZED (SELECT clock() AS now)
SELECT /* include found_schedule */
  FROM runs_schedule s
  JOIN workflows_workflow w ON w.id = s.workflow_id
 CROSS JOIN clock
 WHERE s.fire_at <= (SELECT now FROM clock) AND s.id <> ALL (%(tried)s::uuid[])
 ORDER BY s.fire_at, s.id
 LIMIT 1
   FOR UPDATE OF s SKIP LOCKED

-- name: buffered_schedule
-- A schedule whose runs have all ended while one more due time waits for that, locked.
WITH clock AS MATERIALIZED (SELECT clock() AS now)
SELECT /* include found_schedule */
  FROM runs_schedule s
  JOIN workflows_workflow w ON w.id = s.workflow_id
 CROSS JOIN clock
 WHERE s.buffered_due_at IS NOT NULL AND s.id <> ALL (%(tried)s::uuid[])
   AND NOT EXISTS (/* include open_run_of */)
 ORDER BY s.buffered_due_at, s.id
 LIMIT 1
   FOR UPDATE OF s SKIP LOCKED

-- name: open_runs_of_schedule
SELECT o.id::text
  FROM runs_schedule s
 CROSS JOIN LATERAL (/* include open_run_of */) o
 WHERE s.id = %(schedule)s
 ORDER BY o.id

-- name: dealt_with
-- Of these due times those about which something was done.
SELECT e.due_at
  FROM runs_scheduleentry e
 WHERE e.schedule_id = %(schedule)s AND NOT e.is_manual AND e.due_at = ANY (%(dues)s::timestamptz[])

-- name: insert_entries
INSERT INTO runs_scheduleentry (tenant_id, schedule_id, due_at, last_due_at, due_count, done_at, status, reason, message,
                                run_id, cancelled, is_manual, "by")
SELECT %(tenant)s, %(schedule)s, e.due_at, e.last_due_at, e.due_count,
       clock(), e.status, e.reason, e.message, e.run_id, e.cancelled,
       e.is_manual, e."by"
  FROM json_to_recordset(%(entries)s::json) AS e(due_at timestamptz, last_due_at timestamptz, due_count integer,
                                                 status text, reason text, message text, run_id uuid, cancelled jsonb,
                                                 is_manual boolean, "by" text)

-- name: settle_entry
-- What became of a due time that was buffered.
UPDATE runs_scheduleentry e
   SET status = %(status)s, reason = %(reason)s, message = %(message)s, run_id = %(run)s,
       done_at = clock()
 WHERE e.schedule_id = %(schedule)s AND e.due_at = %(due)s AND NOT e.is_manual AND e.status = 'buffered'

-- name: move_schedule
UPDATE runs_schedule s
   SET next_due_at = %(next)s, fire_at = %(fire)s, buffered_due_at = %(buffered)s
 WHERE s.id = %(schedule)s

-- name: forget_entries
-- The last one of a schedule stays, however old: it says what came of it.
WITH old AS MATERIALIZED (
    SELECT e.id
      FROM runs_scheduleentry e
     WHERE e.done_at < clock() - %(days)s * interval '1 day'
       AND e.status <> 'buffered'
       AND EXISTS (SELECT FROM runs_scheduleentry l WHERE l.schedule_id = e.schedule_id AND l.id > e.id)
     ORDER BY e.done_at
     LIMIT %(limit)s
       FOR UPDATE SKIP LOCKED
),
gone AS (
    DELETE FROM runs_scheduleentry WHERE id = ANY (ARRAY(SELECT id FROM old)) RETURNING 1
)
SELECT count(*) FROM gone
