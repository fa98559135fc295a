-- name: count_runs
-- Runs that trees start, or did not start after all: locks the rows of these slots, in their order, until the end of the transaction.
INSERT INTO runs_treecount AS t (tenant_id, tree_id, slot, runs)
SELECT w.tenant_id, w.tree_id, w.slot, w.runs
  FROM jsonb_to_recordset(%(counts)s::jsonb) AS w(tenant_id bigint, tree_id uuid, slot smallint, runs int)
 ORDER BY w.tree_id, w.slot
ON CONFLICT (tree_id, slot) DO UPDATE SET runs = t.runs + excluded.runs

-- name: lock_counts
-- All slots of these trees: whoever has counted runs in one of them, and not committed, is awaited.
INSERT INTO runs_treecount AS t (tenant_id, tree_id, slot, runs)
SELECT w.tenant_id, w.tree_id, s.slot, 0
  FROM jsonb_to_recordset(%(trees)s::jsonb) AS w(tenant_id bigint, tree_id uuid)
 CROSS JOIN generate_series(0, %(slots)s::int - 1) AS s(slot)
 ORDER BY w.tree_id, s.slot
ON CONFLICT (tree_id, slot) DO UPDATE SET runs = t.runs

-- name: tree_counts
-- How many runs these counts have, and how many runs that others wait for are open in these trees (at most `most`). In a statement of its own
-- behind the one that locks: so it sees what was committed before.
SELECT json_build_array(
       (SELECT coalesce(json_object_agg(c.tree_id, c.runs), '{}')
          FROM (SELECT t.tree_id, sum(t.runs) AS runs FROM runs_treecount t
                 WHERE t.tree_id = ANY (%(counts)s::uuid[]) GROUP BY t.tree_id) c),
       (SELECT coalesce(json_object_agg(w.tree, o.runs), '{}')
          FROM unnest(%(trees)s::uuid[]) AS w(tree)
         CROSS JOIN LATERAL (
                   SELECT count(*) AS runs
                     FROM (SELECT 1 FROM runs_run r
                            WHERE r.tree_id = w.tree AND NOT r.is_part AND r.completed_at IS NULL
                            LIMIT %(most)s) r) o))
