-- name: finished_steps
-- So many steps like this one, each of another run, that are over.
INSERT INTO runs_stepexecution (id, tenant_id, run_id, version_id, shard, node, type, queue, priority, status, attempt, epoch,
                                worker, lease_seconds, lease_expires_at, input, output, queued_at, started_at, completed_at)
SELECT uuidv7(), s.tenant_id, gen_random_uuid(), s.version_id, n %% 16, s.node, s.type, s.queue, 0, 'COMPLETED', 1, 1,
       'bench', s.lease_seconds, now(), '{"n": 1}', '{"ok": true}', now(), now(), now()
  FROM generate_series(1, %(many)s::int) n
 CROSS JOIN (SELECT * FROM runs_stepexecution WHERE id = %(like)s::uuid) s
