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
 CROSS JOIN (SELECT clock() AS now) c
