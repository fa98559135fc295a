-- name: due_tasks
-- Open tasks of which a moment has come, the oldest first. Nobody is kept from them: each is looked at again behind its run's
-- lock, and who comes second finds the moment gone.
SELECT coalesce(json_agg(json_build_array(d.id, d.tenant_id, d.next_at)), '[]') FROM (
    SELECT t.id, t.tenant_id, t.next_at
      FROM tasks_inbox_manualtask t
     WHERE t.status = 'OPEN' AND t.next_at <= clock()
       AND (%(at)s::timestamptz IS NULL OR (t.next_at, t.id) > (%(at)s::timestamptz, %(id)s::uuid))
     ORDER BY t.next_at, t.id
     LIMIT %(limit)s
) d

-- name: moments_due
-- Those of its moments that have come, of a task whose run is held: how many there are, and the time.
SELECT json_build_object('at', c.now, 'due', count(*) FILTER (
           WHERE t.clock_from + (m.value ->> 'after')::double precision * interval '1 second' <= c.now))
  FROM tasks_inbox_manualtask t
 CROSS JOIN (SELECT clock() AS now) c
  LEFT JOIN LATERAL jsonb_array_elements(t.clock) m ON true
 WHERE t.id = %(task)s AND t.status = 'OPEN' AND t.next_at IS NOT NULL
 GROUP BY c.now

-- name: move_clock
-- Moments have come: what is left, whom it asks now, the events that say so, and who is told: however many reminders have
-- come at once, they are one.
WITH clock AS MATERIALIZED (SELECT coalesce(%(at)s::timestamptz, clock_timestamp()) AS now),
u AS (
    UPDATE tasks_inbox_manualtask t
       SET clock = %(left)s::jsonb, candidates = %(candidates)s::jsonb, audience = %(audience)s::text[],
           named = %(named)s::jsonb,
           -- While somebody's question is open nothing is to come.
           next_at = CASE WHEN t.stopped_at IS NULL THEN
                     t.clock_from + (%(left)s::jsonb -> 0 ->> 'after')::double precision * interval '1 second' END
     WHERE t.id = %(task)s AND t.status = 'OPEN'
    RETURNING t.id, t.tenant_id, t.shard, t.run_id, t.node, t.is_test
),
o AS (
    INSERT INTO tasks_inbox_notification (id, tenant_id, task_id, run_id, kind, audience, created_at, next_at)
    SELECT uuidv7(), u.tenant_id, u.id, u.run_id, e.tells, e.audience, clock.now, clock.now
      FROM u CROSS JOIN clock CROSS JOIN (SELECT DISTINCT tells, audience
                           FROM jsonb_to_recordset(%(events)s::jsonb) AS e(tells text, audience text[])) e
     WHERE NOT u.is_test
)
/* include write_history */
SELECT u.tenant_id, u.run_id, u.shard, 0, e.type, u.node, NULL,
       jsonb_build_object('task', u.id) || e.payload, clock.now
  FROM u CROSS JOIN clock CROSS JOIN jsonb_to_recordset(%(events)s::jsonb) AS e(type text, payload jsonb)

-- name: remind
-- Somebody reminds of these tasks; their runs are held FOR UPDATE. A returned task, or a question, waits for one person.
WITH clock AS MATERIALIZED (SELECT clock() AS now),
u AS (
    SELECT t.id, t.tenant_id, t.shard, t.run_id, t.node, t.is_test, coalesce(t.returned_to, t.asked_of) AS username
      FROM tasks_inbox_manualtask t
     WHERE t.id = ANY (%(tasks)s::uuid[]) AND t.tenant_id = %(tenant)s AND t.status = 'OPEN'
),
o AS (
    INSERT INTO tasks_inbox_notification (id, tenant_id, task_id, run_id, kind, username, created_at, next_at)
    SELECT uuidv7(), u.tenant_id, u.id, u.run_id, 'reminded', u.username, clock.now, clock.now
      FROM u CROSS JOIN clock
     WHERE NOT u.is_test
),
h AS (
    /* include write_history */
    SELECT u.tenant_id, u.run_id, u.shard, 0, 'TASK_REMINDED', u.node, NULL,
           jsonb_build_object('task', u.id, 'by', %(by)s::text), clock.now
      FROM u CROSS JOIN clock
     ORDER BY u.run_id, u.id
)
SELECT count(*) FROM u

-- name: clock_of
-- From when the clock of a step's open task counts, when that is due, what is to come, and what it tells.
SELECT json_build_array(t.clock_from, t.due_at, t.clock, t.facts)
  FROM tasks_inbox_manualtask t
 WHERE t.step_id = %(step)s::uuid AND t.status = 'OPEN'

-- name: set_clock
-- Its times are others; the run is held FOR UPDATE. While its clock stands still nothing is to come.
UPDATE tasks_inbox_manualtask t
   SET clock = %(clock)s::jsonb, facts = %(facts)s::jsonb,
       due_at = t.clock_from + %(due_seconds)s::double precision * interval '1 second',
       next_at = CASE WHEN t.stopped_at IS NULL THEN
                 t.clock_from + (%(clock)s::jsonb -> 0 ->> 'after')::double precision * interval '1 second' END
 WHERE t.step_id = %(step)s::uuid AND t.status = 'OPEN'

-- name: stop_clock
-- Somebody asks: nothing happens by itself until it is answered; the run is held FOR UPDATE.
WITH clock AS MATERIALIZED (SELECT clock() AS now),
u AS (
    UPDATE tasks_inbox_manualtask t
       SET stopped_at = clock.now, stopped_by = %(by)s, next_at = NULL, asked_of = r.created_by
      FROM clock, runs_run r
     WHERE r.id = t.run_id AND t.id = %(task)s AND t.status = 'OPEN' AND t.stopped_at IS NULL
    RETURNING t.id, t.tenant_id, t.shard, t.run_id, t.node, t.stopped_at, t.asked_of, t.is_test
),
o AS (
    INSERT INTO tasks_inbox_notification (id, tenant_id, task_id, run_id, kind, username, created_at, next_at)
    SELECT uuidv7(), u.tenant_id, u.id, u.run_id, 'question', u.asked_of, u.stopped_at, u.stopped_at
      FROM u
     WHERE u.asked_of <> %(by)s AND NOT u.is_test
)
/* include write_history */
SELECT u.tenant_id, u.run_id, u.shard, 0, 'TASK_ASKED', u.node, NULL,
       jsonb_build_object('task', u.id, 'by', %(by)s::text), u.stopped_at
  FROM u
RETURNING true

-- name: start_clock
-- It is answered: everything is as much later as the question was open; the run is held FOR UPDATE.
WITH clock AS MATERIALIZED (SELECT clock() AS now),
u AS (
    UPDATE tasks_inbox_manualtask t
       SET clock_from = t.clock_from + (clock.now - t.stopped_at), due_at = t.due_at + (clock.now - t.stopped_at),
           next_at = t.clock_from + (clock.now - t.stopped_at)
                     + (t.clock -> 0 ->> 'after')::double precision * interval '1 second',
           stopped_at = NULL, stopped_by = NULL, asked_of = NULL
      FROM clock
     WHERE t.id = %(task)s AND t.status = 'OPEN' AND t.stopped_at IS NOT NULL AND t.returned_to IS NULL
    RETURNING t.id, t.tenant_id, t.shard, t.run_id, t.node, t.due_at, clock.now, old.stopped_by, t.is_test
),
o AS (
    INSERT INTO tasks_inbox_notification (id, tenant_id, task_id, run_id, kind, username, created_at, next_at)
    SELECT uuidv7(), u.tenant_id, u.id, u.run_id, 'answered', u.stopped_by, u.now, u.now
      FROM u WHERE u.stopped_by <> %(by)s AND NOT u.is_test
)
/* include write_history */
SELECT u.tenant_id, u.run_id, u.shard, 0, 'TASK_ANSWERED', u.node, NULL,
       jsonb_strip_nulls(jsonb_build_object('task', u.id, 'by', %(by)s::text, 'due_at', u.due_at)), u.now
  FROM u
RETURNING true
