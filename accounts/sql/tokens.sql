-- name: token_with_what_decides (fragment)
SELECT t.public_id, t.tenant_id, n.slug, t.user_id, u.username, t.secret_sha256, t.role, t.scopes, m.role AS member_role,
       t.revoked_at IS NULL AND u.is_active AND m.id IS NOT NULL AS is_valid,
       coalesce(t.expires_at <= clock_timestamp(), false) AS is_expired,
       coalesce(t.last_used_at < clock_timestamp() - interval '1 minute', true) AS is_use_to_note,
       (SELECT jsonb_agg(jsonb_build_object('folder', g.folder_id, 'verbs', g.verbs))
          FROM accounts_foldergrant g
         WHERE g.tenant_id = t.tenant_id AND m.role <> 'admin'
           AND (g.role = m.role OR g.group_id IN (SELECT s.group_id FROM accounts_groupmember s
                                                   WHERE s.membership_id = m.id)))::text AS granted
  FROM accounts_apitoken t
  JOIN accounts_tenant n ON n.id = t.tenant_id
  JOIN accounts_user u ON u.id = t.user_id
  LEFT JOIN accounts_membership m ON m.tenant_id = t.tenant_id AND m.user_id = t.user_id

-- name: find_token
-- Asked at every call of the API: the token with all that decides on it, in one statement and by the database's clock.
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
