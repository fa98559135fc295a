-- name: last_decisions
-- For each of these runs, which no step started, the last decision at each of its steps: at the step itself, or in an
-- item, a round or a run of it.
WITH m AS (
    SELECT r.id AS top, r.id AS run, NULL::jsonb AS place FROM runs_run r WHERE r.id = ANY (%(runs)s::uuid[]) AND r.tenant_id = %(tenant)s
    UNION ALL
    SELECT r.id, c.id, c.place -> 0
      FROM runs_run r
      JOIN runs_run c ON c.tree_id = r.root_id
     WHERE r.id = ANY (%(runs)s::uuid[]) AND r.tenant_id = %(tenant)s AND r.tree_id IS NULL
)
SELECT coalesce(json_agg(json_build_array(d.top, d.version_id, d.node, d.index, d.is_below, d.outcomes, d.outcome, d.decided_at, d.total)), '[]')
  FROM (SELECT DISTINCT ON (m.top, n.node, n.index)
               m.top, r.version_id, n.node, n.index, m.place IS NOT NULL AS is_below, t.outcomes, t.outcome, t.decided_at, c.total
          FROM m
          JOIN tasks_inbox_manualtask t ON t.run_id = m.run AND t.status = 'COMPLETED' AND t.kind <> ALL (%(for_operators)s::text[])
          JOIN runs_run r ON r.id = m.top
         CROSS JOIN LATERAL (SELECT coalesce(m.place ->> 0, t.node) AS node, (m.place ->> 1)::int AS index) n
          LEFT JOIN runs_container c ON c.run_id = m.top AND c.node = n.node
         ORDER BY m.top, n.node, n.index, t.decided_at DESC, t.id DESC) d
