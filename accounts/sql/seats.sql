-- name: seat_of
-- Asked at every page: as which member of their first tenant a user acts, and what folders grant to members but admins.
SELECT t.id, t.slug, m.role,
       (SELECT jsonb_agg(jsonb_build_object('folder', g.folder_id, 'verbs', g.verbs))
          FROM accounts_foldergrant g
         WHERE g.tenant_id = m.tenant_id AND m.role <> 'admin'
           AND (g.role = m.role OR g.group_id IN (SELECT s.group_id FROM accounts_groupmember s
                                                   WHERE s.membership_id = m.id)))::text
  FROM accounts_membership m
  JOIN accounts_user u ON u.id = m.user_id AND u.is_active
  JOIN accounts_tenant t ON t.id = m.tenant_id
 WHERE m.user_id = %(user)s
 ORDER BY m.id
 LIMIT 1

-- name: names_of_people
-- Those of these keys that are members, as many pages ask it, each with the name that they go by.
SELECT u.username, u.name
  FROM accounts_membership m
  JOIN accounts_user u ON u.id = m.user_id
 WHERE m.tenant_id = %(tenant)s AND lower(u.username) = ANY(%(keys)s)

-- name: session_data
-- Asked at every page, too.
SELECT s.session_data FROM accounts_session s WHERE s.session_key = %(key)s AND s.expire_date > %(now)s
