-- name: seat (fragment)
-- A member of a tenant, and what its folders grant to members but admins.
SELECT t.id, t.slug, m.role,
       (SELECT jsonb_agg(jsonb_build_object('folder', g.folder_id, 'verbs', g.verbs))
          FROM accounts_foldergrant g
         WHERE g.tenant_id = m.tenant_id AND m.role <> 'admin'
           AND (g.role = m.role OR g.group_id IN (SELECT s.group_id FROM accounts_groupmember s
                                                   WHERE s.membership_id = m.id)))::text AS granted
  FROM accounts_membership m
  JOIN accounts_tenant t ON t.id = m.tenant_id

-- name: seat_of
-- As which member of their first tenant a user acts.
/* include seat */
  JOIN accounts_user u ON u.id = m.user_id AND u.is_active
 WHERE m.user_id = %(user)s
 ORDER BY m.id
 LIMIT 1

-- name: columns_of_user (fragment)
-- Those of the model, in its order.
u.id, u.password, u.last_login, u.username, u.name, u.email, u.mail, u.time_zone, u.locale, u.density,
       u.digest_hour, u.digest_day, u.is_active, u.is_service, u.created_at, u.home_id

-- name: session_of
-- Asked at every page: what is in a session, whose it is, while they may log in, and their seat.
SELECT o.session_data, seat.id, seat.slug, seat.role, seat.granted,
       /* include columns_of_user */
  FROM accounts_session o
  LEFT JOIN accounts_user u ON u.id = o.user_id AND u.is_active
  LEFT JOIN LATERAL (
       /* include seat */
        WHERE m.user_id = u.id
        ORDER BY m.id
        LIMIT 1) seat ON true
 WHERE o.session_key = %(key)s AND o.expire_date > %(now)s

-- name: names_of_people
-- Those of these keys that are members, as many pages ask it, each with the name that they go by.
SELECT u.username, u.name
  FROM accounts_membership m
  JOIN accounts_user u ON u.id = m.user_id
 WHERE m.tenant_id = %(tenant)s AND lower(u.username) = ANY(%(keys)s)

-- name: members_offered
SELECT u.username, u.name
  FROM accounts_membership m
  JOIN accounts_user u ON u.id = m.user_id
 WHERE m.tenant_id = %(tenant)s AND u.is_active
 ORDER BY u.username
 LIMIT %(limit)s

-- name: members_meant
-- Whom a text may mean: by one of these usernames, or by name.
SELECT u.username, u.name
  FROM accounts_membership m
  JOIN accounts_user u ON u.id = m.user_id
 WHERE m.tenant_id = %(tenant)s AND u.is_active
   AND (lower(u.username) = ANY(%(keys)s) OR lower(btrim(normalize(u.name, NFKC))) = %(name)s)
 ORDER BY lower(u.username) = ANY(%(keys)s) DESC, u.username
 LIMIT %(limit)s
