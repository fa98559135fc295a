-- name: next_account_mail
-- The one that has waited longest. It is tried again after a while, whatever becomes of who has it now.
UPDATE accounts_accountmail m
   SET attempts = m.attempts + 1,
       next_at = c.now + least(%(longest)s, %(first)s * 2 ^ m.attempts) * interval '1 second'
  FROM (SELECT coalesce(%(now)s::timestamptz, clock_timestamp()) AS now) c
 WHERE m.id = (SELECT d.id FROM accounts_accountmail d
                WHERE d.next_at <= coalesce(%(now)s::timestamptz, clock_timestamp())
                ORDER BY d.next_at, d.id
                LIMIT 1
                  FOR UPDATE SKIP LOCKED)
RETURNING json_build_object('id', m.id, 'tenant', m.tenant_id, 'user', m.user_id, 'kind', m.kind, 'to', m."to",
                            'by', m.by, 'attempts', m.attempts, 'age', extract(epoch FROM c.now - m.created_at))

-- name: note_account_mail_sent
UPDATE accounts_accountmail
   SET sent_at = coalesce(%(now)s::timestamptz, clock_timestamp()), next_at = NULL, error = ''
 WHERE id = %(id)s

-- name: note_account_mail_not_sent
-- `for_good`: it is not tried again.
UPDATE accounts_accountmail SET error = %(error)s, next_at = CASE WHEN NOT %(for_good)s THEN next_at END WHERE id = %(id)s

-- name: drop_account_mails
-- Nothing can be sent: what waits is not kept for the day on which it can.
WITH l AS MATERIALIZED (
    SELECT id FROM accounts_accountmail
     WHERE next_at IS NOT NULL
     ORDER BY next_at, id
     LIMIT %(limit)s
       FOR UPDATE SKIP LOCKED
)
UPDATE accounts_accountmail SET next_at = NULL, error = %(error)s WHERE id = ANY (ARRAY(SELECT id FROM l))

-- name: forget_account_mails
DELETE FROM accounts_accountmail WHERE id = ANY (ARRAY(
    SELECT id FROM accounts_accountmail
     WHERE next_at IS NULL
       AND created_at < coalesce(%(now)s::timestamptz, clock_timestamp()) - %(days)s * interval '1 day'
     ORDER BY created_at
     LIMIT %(limit)s
       FOR UPDATE SKIP LOCKED))

-- name: digest_zones
SELECT DISTINCT time_zone FROM accounts_user WHERE digest_hour IS NOT NULL

-- name: write_digests
-- Who wants a mail of the day and for whom its hour has come has it written once a day, whoever tries it how often: what
-- marks the day writes the mail. It is of the tenant in which they are when they log in.
WITH due AS MATERIALIZED (
    SELECT u.id, z.day
      FROM unnest(%(zones)s::text[], %(days)s::date[], %(hours)s::int[]) AS z(zone, day, hour)
      JOIN accounts_user u ON u.time_zone = z.zone AND u.digest_hour <= z.hour
     WHERE u.digest_hour IS NOT NULL AND u.is_active AND (u.digest_day IS NULL OR u.digest_day < z.day)
     LIMIT %(limit)s
       FOR UPDATE OF u SKIP LOCKED
), marked AS (
    UPDATE accounts_user u SET digest_day = due.day FROM due WHERE u.id = due.id RETURNING u.id
)
INSERT INTO accounts_accountmail (id, tenant_id, user_id, kind, created_at, next_at)
SELECT gen_random_uuid(), s.tenant_id, marked.id, %(kind)s, c.now, c.now
  FROM marked
 CROSS JOIN LATERAL (SELECT m.tenant_id FROM accounts_membership m WHERE m.user_id = marked.id ORDER BY m.id LIMIT 1) s
 CROSS JOIN (SELECT coalesce(%(now)s::timestamptz, clock_timestamp()) AS now) c
