-- name: given_input (fragment)
CASE WHEN s.input_from IS NULL THEN s.input
     ELSE coalesce((SELECT p.output FROM runs_stepexecution p WHERE p.id = s.input_from),
                   (SELECT r.input FROM runs_run r WHERE r.id = s.input_from)) END


-- name: write_history (fragment)
INSERT INTO runs_historyevent (tenant_id, run_id, shard, ordinal, type, node, attempt, payload, created_at)

-- name: held (fragment)
s.id, s.epoch, s.run_id, s.tenant_id, s.shard, s.version_id, s.node, s.undoes, s.index, s.attempt, s.priority, s.solo
