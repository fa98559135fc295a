-- name: inner_steps
-- How the steps within a run's containers stand over all their items, at whatever depth, in one statement: the parts of
-- the run (of an item that was done again the newest), counts by status, and where the first completed and the first
-- failed one are. Of more parts than `most` those are counted that are nearest to the run, and `cut` says so.
WITH RECURSIVE t AS (
    SELECT r.id, r.version_id, NULL::text AS container, '{}'::int[] AS path
      FROM runs_run r
     WHERE r.id = %(run)s::uuid AND r.tenant_id = %(tenant)s
    UNION ALL
    SELECT c.id, c.version_id, s.node, t.path || s.index
      FROM t
      JOIN runs_run c ON c.parent_id = t.id AND c.is_part AND c.status <> 'CONTINUED'
      JOIN runs_stepexecution s ON s.id = c.parent_step_id
),
-- The run itself is the first; one more part than there may be says that there are more.
l AS MATERIALIZED (SELECT * FROM t LIMIT %(most)s + 2),
p AS MATERIALIZED (
    SELECT DISTINCT ON (l.container, l.path) l.*
      FROM (SELECT * FROM l LIMIT %(most)s + 1) l
     ORDER BY l.container, l.path, l.id DESC
),
k AS (
    -- How many items there are; of a loop, how many rounds have begun.
    SELECT c.node, sum(CASE WHEN s.type = ANY (%(loops)s::text[]) THEN c.opened ELSE c.total END) AS total
      FROM p
      JOIN runs_container c ON c.run_id = p.id
      JOIN runs_stepexecution s ON s.run_id = c.run_id AND s.node = c.node AND s.index IS NULL
     GROUP BY c.node
),
s AS MATERIALIZED (
    SELECT p.container, p.path, s.run_id, s.node, s.status,
           EXISTS (SELECT 1 FROM runs_stepexecution u
                    WHERE u.run_id = s.run_id AND u.node = s.node || ':compensate' AND u.index IS NULL
                      AND (u.status = 'COMPLETED' OR u.status = 'SKIPPED' AND u.cancel_cause IS DISTINCT FROM 'abandoned')) AS is_undone
      FROM p
      JOIN runs_stepexecution s ON s.run_id = p.id AND s.index IS NULL AND s.undoes IS NULL
     WHERE p.container IS NOT NULL
),
g AS (
    SELECT c.container, c.node, jsonb_object_agg(c.status, c.count) AS counts, sum(c.undone)::int AS undone
      FROM (SELECT s.container, s.node, s.status, count(*) AS count, count(*) FILTER (WHERE s.is_undone) AS undone
              FROM s
             GROUP BY s.container, s.node, s.status) c
     GROUP BY c.container, c.node
),
f AS (
    SELECT DISTINCT ON (s.container, s.node, s.status)
           s.container, s.node, s.status, jsonb_build_array(s.run_id, s.path) AS place
      FROM s
     WHERE s.status IN ('COMPLETED', 'FAILED')
     ORDER BY s.container, s.node, s.status, s.path
)
SELECT coalesce(json_agg(json_build_array(g.container, g.node, l.version_id, g.counts, k.total, c.cut, done.place, failed.place, g.undone)
                         ORDER BY g.container, g.node), '[]')
  FROM g
  JOIN l ON l.container IS NULL
 CROSS JOIN (SELECT count(*) > %(most)s + 1 AS cut FROM l) c
  LEFT JOIN k ON k.node = g.container
  LEFT JOIN f done ON done.container = g.container AND done.node = g.node AND done.status = 'COMPLETED'
  LEFT JOIN f failed ON failed.container = g.container AND failed.node = g.node AND failed.status = 'FAILED'
