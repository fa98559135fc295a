-- name: who
-- What somebody answers to, and for whom they stand in at this moment, in one statement: every page asks it.
SELECT json_build_object(
           'groups', (SELECT coalesce(json_agg(g.key ORDER BY g.key), '[]')
                        FROM accounts_membership m
                        JOIN accounts_groupmember s ON s.membership_id = m.id
                        JOIN accounts_group g ON g.id = s.group_id
                       WHERE m.tenant_id = %(tenant)s AND m.user_id = %(user)s),
           'absent', (SELECT coalesce(json_agg(json_build_object(
                                 'username', u.username, 'role', m.role,
                                 'groups', (SELECT coalesce(json_agg(g.key ORDER BY g.key), '[]')
                                              FROM accounts_groupmember s
                                              JOIN accounts_group g ON g.id = s.group_id
                                             WHERE s.membership_id = m.id),
                                 'granted', (SELECT coalesce(json_agg(json_build_object(
                                                        'folder', f.folder_id, 'verbs', f.verbs)), '[]')
                                               FROM accounts_foldergrant f
                                              WHERE f.tenant_id = m.tenant_id
                                                AND (f.role = m.role OR f.group_id IN (
                                                     SELECT s.group_id FROM accounts_groupmember s
                                                      WHERE s.membership_id = m.id))),
                                 'workflows', CASE WHEN a.workflows <> '{}' THEN
                                     (SELECT coalesce(json_agg(w.id), '[]') FROM workflows_workflow w
                                       WHERE w.tenant_id = a.tenant_id AND w.name = ANY (a.workflows)) END)
                                              ORDER BY a.id), '[]')
                        FROM tasks_inbox_awayrule a
                        JOIN accounts_user u ON u.username = a.username AND u.is_active
                        JOIN accounts_membership m ON m.tenant_id = a.tenant_id AND m.user_id = u.id
                       CROSS JOIN (SELECT clock() AS now OFFSET 0) clock
                       WHERE a.tenant_id = %(tenant)s AND a.substitute = %(username)s
                         AND a.starts_at <= clock.now AND a.ends_at > clock.now))
