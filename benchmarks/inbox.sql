-- name: many_tasks
-- So many open tasks that ask groups, people and roles, as those of a large company might stand there: one in ten asks the
-- group Big, one in a hundred everybody, one in twelve is somebody's already. Nobody works on them, so they have no runs.
INSERT INTO tasks_inbox_manualtask (id, tenant_id, shard, workflow_id, run_id, step_id, node, kind, title, instructions,
                                    facts, outcomes, form, candidates, audience, exclude, assignee, delegated_by, status,
                                    outcome, decided_by, decided_at, voted, data, priority, due_at, created_at)
SELECT uuidv7(), %(tenant)s, n %% 16, %(workflow)s, gen_random_uuid(), gen_random_uuid(), 'approve',
       CASE WHEN n %% 3 = 0 THEN 'form' ELSE 'approval' END,
       'Pay invoice ' || n || ' of ' || v.vendor || '?', repeat('Check the order, the delivery note and the account. ', 4),
       jsonb_build_array(jsonb_build_object('label', 'Amount', 'value', (n * 7919) %% 100000),
                         jsonb_build_object('label', 'Invoice', 'value', 'INV-' || n),
                         jsonb_build_object('label', 'Country', 'value', (ARRAY['DE', 'FR', 'NL', 'PL'])[1 + n %% 4]),
                         jsonb_build_object('label', 'Vendor', 'value', v.vendor)),
       '[{"name": "approved", "label": "Approve", "require_comment": false},
         {"name": "rejected", "label": "Reject", "require_comment": true}]'::jsonb,
       CASE WHEN n %% 3 = 0 THEN '{"type": "object", "properties": {"account": {"type": "string"}}}'::jsonb END,
       jsonb_build_object('users', '[]'::jsonb, 'groups', '[]'::jsonb, 'roles', '[]'::jsonb), v.audience,
       CASE WHEN n %% 10 = 3 THEN ARRAY['user' || n %% 5000] ELSE '{}' END,
       CASE WHEN n %% 12 = 5 THEN 'user' || (n / 12) %% 1000 END,
       CASE WHEN n %% 120 = 5 THEN 'user' || (n / 120) %% 700 END,
       CASE WHEN n > %(open)s THEN 'COMPLETED' ELSE 'OPEN' END,
       CASE WHEN n > %(open)s THEN 'approved' END, CASE WHEN n > %(open)s THEN 'user' || n %% 20 END,
       CASE WHEN n > %(open)s THEN now() END,
       CASE WHEN n > %(open)s THEN ARRAY['user' || n %% 20] ELSE '{}' END,
       CASE WHEN n > %(open)s THEN '{"account": "4711"}'::jsonb END,
       CASE WHEN n %% 10 = 7 THEN 1 + n %% 5 ELSE 0 END,
       CASE WHEN n %% 10 > 2 THEN now() + ((n * 104729) %% 50400 - 7200) * interval '1 minute' END,
       now() - (n %% 43200) * interval '1 minute'
  FROM generate_series(%(from)s::bigint, %(to)s::bigint) n
 CROSS JOIN LATERAL (
       SELECT 'Vendor ' || (n * 31) %% 3000 AS vendor,
              CASE WHEN n %% 10 = 0 THEN ARRAY['group:big']
                   WHEN n %% 100 = 1 THEN ARRAY['everybody']
                   WHEN n %% 10 < 3 THEN ARRAY['user:user' || (n / 10) %% 5000]
                   WHEN n %% 10 = 4 THEN ARRAY['group:group' || (n / 10) %% 200, 'user:user' || (n / 10) %% 5000]
                   WHEN n %% 20 = 5 THEN ARRAY['role:admin']
                   ELSE ARRAY['group:group' || (n / 10) %% 200] END AS audience) v

-- name: many_notes
-- What three people snooze and watch.
INSERT INTO tasks_inbox_tasknote (id, tenant_id, task_id, username, snoozed_until, watching)
SELECT uuidv7(), %(tenant)s, t.id, p.name, CASE WHEN t.n %% 3 > 0 THEN now() + interval '2 days' END, t.n %% 3 = 0
  FROM (VALUES ('user1', 'group:group1'), ('user2', 'group:big'), ('user3', 'group:group3')) p(name, mark)
 CROSS JOIN LATERAL (SELECT id, row_number() OVER (ORDER BY id) AS n
                       FROM tasks_inbox_manualtask
                      WHERE tenant_id = %(tenant)s AND status = 'OPEN' AND audience @> ARRAY[p.mark]
                      ORDER BY id LIMIT 600) t
