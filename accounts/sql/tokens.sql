-- name: token_with_what_decides (fragment)
SELECT t.public_id, t.tenant_id, n.slug, t.user_id, u.username, t.secret_sha256, t.role, t.scopes, t.allowed_ips,
       t.queues, t.folders,
       seat.role AS member_role,
       t.revoked_at IS NULL AND u.is_active AND seat.role IS NOT NULL AS is_valid,
       coalesce(t.expires_at <= clock_timestamp(), false) AS is_expired,
       coalesce(t.last_used_at < clock_timestamp() - interval '1 minute', true) AS is_use_to_note,
       (SELECT jsonb_agg(jsonb_build_object('folder', g.folder_id, 'verbs', g.verbs))
          FROM accounts_foldergrant g
         WHERE g.tenant_id = t.tenant_id AND seat.role <> 'admin'
           AND (g.role = seat.role OR g.group_id IN (SELECT s.group_id FROM accounts_groupmember s
                                                   WHERE s.membership_id = m.id)))::text AS granted
  FROM accounts_apitoken t
  JOIN accounts_tenant n ON n.id = t.tenant_id
  JOIN accounts_user u ON u.id = t.user_id
  LEFT JOIN accounts_membership m ON m.tenant_id = t.tenant_id AND m.user_id = t.user_id
  -- What acts for no person has the role that it was given.
 CROSS JOIN LATERAL (SELECT coalesce(m.role, CASE WHEN u.is_service THEN t.role END) AS role) seat

-- name: find_token
-- Asked at every call of the API: the token with all that decides on it, in one statement and by the database's clock. For
-- a list of ids the statement is planned anew each time, which takes as long as all else of it: so of one alone by itself.
/* include token_with_what_decides */
 WHERE t.public_id = %(public_id)s

-- name: find_tokens
/* include token_with_what_decides */
 WHERE t.public_id = ANY(%(public_ids)s)

-- name: revoke
-- With all that were made with it, and with those.
WITH RECURSIVE ended AS (
  SELECT id FROM accounts_apitoken WHERE tenant_id = %(tenant)s AND public_id = %(public_id)s
  UNION
  SELECT t.id FROM accounts_apitoken t JOIN ended e ON t.made_with_id = e.id
)
UPDATE accounts_apitoken SET revoked_at = clock_timestamp()
 WHERE id IN (SELECT id FROM ended) AND revoked_at IS NULL

-- name: note_use
-- The condition stands here again: of many calls at once one writes.
UPDATE accounts_apitoken
   SET last_used_at = clock_timestamp()
 WHERE public_id = %(public_id)s
   AND coalesce(last_used_at < clock_timestamp() - interval '1 minute', true)

-- name: warn_of_ends
-- Tokens that end within so many days and of which nobody was told so yet, once for each of these numbers; one that lives
-- no longer than twice that was made to end soon.
WITH due AS MATERIALIZED (
    SELECT t.id, w.days
      FROM accounts_apitoken t
     CROSS JOIN (SELECT clock() AS now) c
     CROSS JOIN LATERAL (SELECT min(d) AS days FROM unnest(%(days)s::int[]) d
                          WHERE t.expires_at <= c.now + d * interval '1 day'
                            AND t.expires_at - t.created_at > 2 * d * interval '1 day') w
     WHERE t.revoked_at IS NULL AND t.expires_at > c.now
       AND t.expires_at <= c.now + (SELECT max(d) FROM unnest(%(days)s::int[]) d) * interval '1 day'
       AND w.days < coalesce(t.warned_days, 32767)
     ORDER BY t.expires_at
     LIMIT %(limit)s
       FOR UPDATE OF t SKIP LOCKED
)
UPDATE accounts_apitoken t SET warned_days = due.days
  FROM due
 WHERE t.id = due.id
RETURNING json_build_array(t.tenant_id, t.user_id, coalesce(nullif(t.name, ''), t.prefix || '…'))::text
