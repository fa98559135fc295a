-- name: last_decisions
-- For each of these runs, which no step started, the last decision at each of its steps: at the step itself, or in an
-- item, a round or a run of it; also those of the runs that it continues.
WITH m AS (
    SELECT r.id AS top, r.id AS run, NULL::jsonb AS place FROM runs_run r WHERE r.id = ANY (%(runs)s::uuid[]) AND r.tenant_id = %(tenant)s
    UNION ALL
    SELECT r.id, l.id, NULL::jsonb
      FROM runs_run r
      JOIN runs_run l ON l.id = r.root_id OR (l.root_id = r.root_id AND l.root_id <> l.id)
     WHERE r.id = ANY (%(runs)s::uuid[]) AND r.tenant_id = %(tenant)s AND r.tree_id IS NULL AND r.root_id <> r.id AND l.id <> r.id
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

-- name: runs_inside (fragment)
-- The steps `s` of a container, or of one item of it, that are not over, each with the run that it began last, or these
-- `runs`; and the runs `b` of them, and below, that are not over.
WITH RECURSIVE s AS MATERIALIZED (
    (SELECT DISTINCT ON (s.id) s.id, c.id AS run, c.version_id, c.status
       FROM runs_stepexecution s
       LEFT JOIN runs_run c ON c.parent_id = s.run_id AND c.parent_step_id = s.id
      WHERE s.run_id = %(run)s::uuid AND s.node = %(node)s AND s.status NOT IN ('COMPLETED', 'SKIPPED')
        AND (%(index)s::int IS NULL OR s.index = %(index)s::int)
      ORDER BY s.id, c.id DESC)
    UNION ALL
    SELECT NULL, r.id, r.version_id, r.status FROM runs_run r WHERE r.id = ANY (%(runs)s::uuid[])
),
b AS (
    SELECT s.run, s.version_id FROM s WHERE s.run IS NOT NULL AND s.status <> 'COMPLETED'
    UNION ALL
    SELECT c.id, c.version_id
      FROM b
      JOIN runs_run c ON c.parent_id = b.run AND c.status <> 'COMPLETED' AND c.status <> 'CONTINUED'
)

-- name: questions_inside
-- Of a container, or one item of it, what is asked in the runs below that go on for it: how many open tasks, the first of
-- them, why one bars somebody (null: none does), of which versions these runs are, and whether an item has no run yet.
/* include runs_inside */,
t AS MATERIALIZED (
    SELECT t.id, t.run_id, t.node, t.exclude, t.why_excluded
      FROM b
      JOIN tasks_inbox_manualtask t ON t.run_id = b.run
     WHERE t.status = 'OPEN' AND t.kind NOT IN ('compensation', 'incident')
)
SELECT json_build_object(
           'open', (SELECT count(*) FROM t),
           'first', (SELECT coalesce(json_agg(json_build_array(f.id, f.run_id, f.node)), '[]')
                       FROM (SELECT * FROM t ORDER BY t.id LIMIT %(most)s) f),
           'barred', (SELECT coalesce(t.why_excluded ->> %(key)s, '') FROM t WHERE %(key)s = ANY (t.exclude) LIMIT 1),
           'versions', (SELECT coalesce(json_agg(DISTINCT b.version_id), '[]') FROM b),
           'unbegun', CASE WHEN %(index)s::int IS NOT NULL THEN EXISTS (SELECT 1 FROM s WHERE s.run IS NULL)
                           ELSE NOT EXISTS (SELECT 1 FROM s WHERE s.run IS NOT NULL)
                                OR EXISTS (SELECT 1 FROM runs_container c
                                            WHERE c.run_id = %(run)s::uuid AND c.node = %(node)s AND c.opened < c.total) END)

-- name: is_undecided_inside
-- Whether one of these steps, each of a version, is not over, and has no open task, in a run below that goes on for a
-- container, or one item.
/* include runs_inside */
SELECT EXISTS (
    SELECT 1
      FROM b
      JOIN unnest(%(versions)s::bigint[], %(nodes)s::text[]) w(version, node) ON w.version = b.version_id
     WHERE NOT EXISTS (SELECT 1 FROM runs_stepexecution o
                        WHERE o.run_id = b.run AND o.node = w.node AND o.index IS NULL
                          AND o.status IN ('COMPLETED', 'SKIPPED'))
       AND NOT EXISTS (SELECT 1 FROM tasks_inbox_manualtask t
                        WHERE t.run_id = b.run AND t.node = w.node AND t.status = 'OPEN'
                          AND t.kind NOT IN ('compensation', 'incident')))

-- name: askers
-- Who asked for each of these runs, and for whom: of the run, of the tree that it belongs to, of what it follows, and of
-- what was rerun, from the first on.
WITH RECURSIVE a AS (
    SELECT r.id AS run, r.id FROM runs_run r WHERE r.id = ANY (%(runs)s::uuid[])
    UNION
    SELECT a.run, x.id
      FROM a
      JOIN runs_run q ON q.id = a.id
     CROSS JOIN LATERAL (VALUES (q.tree_id), (q.root_id), (q.follows), (q.rerun_of)) x(id)
     WHERE x.id IS NOT NULL
)
SELECT coalesce(json_object_agg(n.run, n.names), '{}')
  FROM (SELECT a.run, json_agg(DISTINCT w.name) AS names
          FROM a
          JOIN runs_run r ON r.id = a.id
         CROSS JOIN LATERAL (VALUES (r.created_by), (r.acts_for)) w(name)
         WHERE w.name IS NOT NULL
         GROUP BY a.run) n

-- name: chain_of_r (fragment)
-- The runs that a run `r` continues, that continue it, and itself.
 JOIN runs_run c ON c.id = r.root_id OR (c.root_id = r.root_id AND c.root_id <> c.id)

-- name: decided_around
-- The names of those who have decided something in each of these runs, or in one above or below it; also of what a run
-- keeps of one that it reran. What was decided before at the step `node` of `run`, or of what that keeps, doesn't count.
WITH RECURSIVE own AS MATERIALIZED (
    SELECT r.id AS run, c.id FROM runs_run r /* include chain_of_r */ WHERE r.id = ANY (%(runs)s::uuid[])
),
up AS (
    SELECT own.run, own.id FROM own
    UNION
    SELECT up.run, c.id FROM up JOIN runs_run q ON q.id = up.id JOIN runs_run r ON r.id = q.parent_id /* include chain_of_r */
),
kept AS (
    SELECT up.run, q.id AS keeper, q.rerun_of AS id FROM up JOIN runs_run q ON q.id = up.id WHERE q.rerun_of IS NOT NULL
    UNION
    SELECT k.run, k.keeper, q.rerun_of FROM kept k JOIN runs_run q ON q.id = k.id WHERE q.rerun_of IS NOT NULL
),
down AS (
    (SELECT own.run, own.id, NULL::uuid AS keeper, NULL::text AS node FROM own
     UNION ALL
     SELECT kept.run, kept.id, kept.keeper, NULL FROM kept)
    UNION ALL
    SELECT d.run, c.id, d.keeper, coalesce(d.node, c.place -> -1 ->> 0) FROM down d JOIN runs_run c ON c.parent_id = d.id
),
x AS (
    SELECT up.run, up.id, NULL::uuid AS keeper, NULL::text AS node FROM up
    UNION ALL
    SELECT down.run, down.id, down.keeper, down.node FROM down
),
n AS (
    SELECT DISTINCT x.run, w.name
      FROM x
      JOIN tasks_inbox_taskdecision d ON d.run_id = x.id AND d.outcome <> '@returned'
      JOIN tasks_inbox_manualtask a ON a.id = d.task_id
     CROSS JOIN LATERAL (VALUES (d.by), (d.on_behalf_of)) w(name)
     WHERE w.name IS NOT NULL
       AND (a.node = %(node)s AND (a.run_id = %(run)s::uuid OR x.keeper = %(run)s::uuid AND x.node IS NULL)) IS NOT TRUE
       AND (x.keeper IS NULL OR EXISTS (
                SELECT 1
                  FROM runs_stepexecution s
                 WHERE s.run_id = x.keeper AND s.index IS NULL
                   AND s.node = coalesce(x.node, a.node)
                   AND (s.status = 'COMPLETED' OR s.status = 'SKIPPED' AND s.cancel_cause = 'operator')
                   AND NOT EXISTS (SELECT 1 FROM tasks_inbox_manualtask t WHERE t.run_id = s.run_id AND t.node = s.node)
                   AND NOT EXISTS (SELECT 1 FROM runs_run c WHERE c.parent_step_id = s.id AND c.parent_id = s.run_id)))
)
SELECT coalesce(json_object_agg(r.run, r.names), '{}') FROM (SELECT n.run, json_agg(n.name) AS names FROM n GROUP BY n.run) r

-- name: decided_inside
-- The names of those who have decided something in the runs below a container that go on for it, or for one item, in its
-- own run, or in one above; or the same of these `runs`.
/* include runs_inside */,
up AS (
    SELECT c.id FROM runs_run r /* include chain_of_r */ WHERE r.id = ANY (%(runs)s::uuid[] || %(run)s::uuid)
    UNION
    SELECT c.id FROM up JOIN runs_run q ON q.id = up.id JOIN runs_run r ON r.id = q.parent_id /* include chain_of_r */
)
SELECT coalesce(json_agg(DISTINCT w.name), '[]')
  FROM (SELECT b.run FROM b UNION SELECT up.id FROM up) x
  JOIN tasks_inbox_taskdecision d ON d.run_id = x.run AND d.outcome <> '@returned'
 CROSS JOIN LATERAL (VALUES (d.by), (d.on_behalf_of)) w(name)
 WHERE w.name IS NOT NULL
