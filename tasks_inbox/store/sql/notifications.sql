-- name: tell
-- Each of these people is to be told of a task; nobody is told of a test's.
INSERT INTO tasks_inbox_notification (id, tenant_id, task_id, run_id, kind, username, created_at, next_at)
SELECT uuidv7(), t.tenant_id, t.id, t.run_id, %(kind)s, p.name, c.now, c.now
  FROM tasks_inbox_manualtask t
 CROSS JOIN unnest(%(names)s::text[]) AS p(name)
 CROSS JOIN (SELECT clock() AS now) c
 WHERE t.id = %(task)s AND NOT t.is_test

-- name: address_notification
-- Instead of the one for all: one for each of those who are to be told.
WITH d AS (DELETE FROM tasks_inbox_notification WHERE id = %(id)s AND username IS NULL RETURNING *)
INSERT INTO tasks_inbox_notification (id, tenant_id, task_id, run_id, kind, username, created_at, next_at)
SELECT uuidv7(), d.tenant_id, d.task_id, d.run_id, d.kind, p.name, d.created_at, d.created_at
  FROM d CROSS JOIN unnest(%(names)s::text[]) AS p(name)

-- name: link_state
-- What has become of a link: `good`, `used`, or `old`; nothing where it is of no mail of ours.
SELECT CASE WHEN n.opened_at IS NOT NULL THEN 'used'
            WHEN n.created_at + %(days)s * interval '1 day' <= clock() THEN 'old'
            ELSE 'good' END
  FROM tasks_inbox_notification n
 WHERE n.id = %(id)s AND n.tenant_id = %(tenant)s AND n.task_id = %(task)s AND n.username = %(username)s

-- name: use_link
UPDATE tasks_inbox_notification n
   SET opened_at = clock()
 WHERE n.id = %(id)s AND n.tenant_id = %(tenant)s AND n.task_id = %(task)s AND n.username = %(username)s
   AND n.opened_at IS NULL
   AND n.created_at + %(days)s * interval '1 day' > clock()
RETURNING true

-- name: lost_notifications
-- How many could not be sent, of those that are still kept.
SELECT count(*) FROM tasks_inbox_notification
 WHERE next_at IS NULL AND created_at > '-infinity' AND starts_with(error, %(said)s)

-- name: mails_lately
-- How many mails somebody got lately, and until when a notification waits to be collected: so long after the last mail,
-- and no longer than so long after it was made. Null where that has passed.
SELECT json_build_object('count', u.count, 'until', CASE WHEN u.until > clock() THEN u.until END)
  FROM (SELECT count(*) AS count, least(max(n.sent_at) + %(minutes)s * interval '1 minute',
                               to_timestamp(%(made)s) + %(longest)s * interval '1 minute') AS until
          FROM tasks_inbox_notification n
         WHERE n.tenant_id = %(tenant)s AND n.username = %(username)s
           AND n.sent_at > clock() - %(minutes)s * interval '1 minute') u

-- name: put_off_notification
-- Nothing was tried: it is no attempt.
UPDATE tasks_inbox_notification
   SET next_at = %(until)s, attempts = greatest(attempts - 1, 0)
 WHERE id = %(id)s AND next_at IS NOT NULL

-- name: take_collected
-- What else waits for the same person, taken as the outbox does it; nothing where that is little. `whole`: also what
-- was put off and never tried; what was tried waits for its next attempt.
WITH w AS MATERIALIZED (
    SELECT d.id FROM tasks_inbox_notification d
     WHERE (d.next_at <= clock() OR (%(whole)s AND d.next_at IS NOT NULL AND d.attempts = 0))
       AND d.tenant_id = %(tenant)s AND d.username = %(username)s
       AND d.kind = ANY (%(kinds)s) AND d.id <> %(id)s
     ORDER BY d.next_at, d.id
     LIMIT %(limit)s
       FOR UPDATE SKIP LOCKED
),
u AS (
UPDATE tasks_inbox_notification o
   SET attempts = o.attempts + 1,
       next_at = clock() + least(%(longest)s, %(first)s * 2 ^ o.attempts) * interval '1 second'
 WHERE o.id = ANY (ARRAY(SELECT w.id FROM w)) AND (SELECT count(*) FROM w) >= %(least)s
RETURNING o.*
)
SELECT coalesce(json_agg(to_jsonb(u) || jsonb_build_object('made', extract(epoch FROM u.created_at)) ORDER BY u.id), '[]') FROM u
