-- name: hold_key
-- One after another: the second finds the answer of the first. A lock of its own, for there is no row yet.
SELECT pg_try_advisory_xact_lock(hashtextextended(%(tenant)s::int8 || ' ' || %(user)s::int8 || ' ' || %(key)s::text, 0))

-- name: await_key
-- Only for a moment: who waits keeps a thread and a connection from everybody else.
SELECT set_config('lock_timeout', %(patience)s, true),
       pg_advisory_xact_lock(hashtextextended(%(tenant)s::int8 || ' ' || %(user)s::int8 || ' ' || %(key)s::text, 0)),
       set_config('lock_timeout', '0', true)

-- name: allow_idling
SELECT set_config('idle_in_transaction_session_timeout', %(idle)s, true)

-- name: find_answer
SELECT a.id, a.digest, a.answer
  FROM accounts_keptanswer a
 WHERE a.tenant_id = %(tenant)s AND a.user_id = %(user)s AND a.key = %(key)s
   AND a.created_at > clock_timestamp() - %(hours)s * interval '1 hour'

-- name: keep_answer
-- One that is here already is too old to count, or it would have been found.
INSERT INTO accounts_keptanswer (id, tenant_id, user_id, key, digest, answer, created_at)
VALUES (%(id)s, %(tenant)s, %(user)s, %(key)s, %(digest)s, %(answer)s, clock_timestamp())
ON CONFLICT (tenant_id, user_id, key) DO UPDATE
   SET id = excluded.id, digest = excluded.digest, answer = excluded.answer, created_at = excluded.created_at

-- name: forget_answers
DELETE FROM accounts_keptanswer
 WHERE id IN (SELECT a.id FROM accounts_keptanswer a
               WHERE a.created_at < clock_timestamp() - %(hours)s * interval '1 hour'
               ORDER BY a.created_at
               LIMIT %(limit)s
                 FOR UPDATE SKIP LOCKED)
