-- name: open_steps_below
-- The open steps of these runs and of the open runs below them: at most `most` of each of these runs, those nearest to it
-- first. `via`: the step that waits for the run of this one. Of a container those items are read that wait, at most
-- `each`, and a few of those that are queued or running, the last ones: the counts of the container say how many there are.
SELECT coalesce(json_agg(json_build_array(
           top.id, s.id, l.via, s.run_id, r.version_id, w.folder_id, w.folder_id = tw.folder_id, coalesce(r.place, '[]'), s.node, s.index,
           s.status, s.attempt, s.held, s.queue, s.worker, s.error IS NOT NULL, s.available_at, s.lease_expires_at, s.queued_at,
           s.started_at, s.waiting, /* include is_listened */,
           CASE WHEN s.index IS NULL AND s.waiting ->> 'kind' = 'children' THEN (
               SELECT json_build_array(c.opened, c.ended) FROM runs_container c WHERE c.run_id = s.run_id AND c.node = s.node) END)
       ORDER BY top.id, coalesce(r.place, '[]'), s.node, s.index NULLS FIRST), '[]')
  FROM runs_run top
  JOIN workflows_workflow tw ON tw.id = top.workflow_id
 CROSS JOIN LATERAL (
     -- The first row stands for the run itself.
     WITH RECURSIVE t AS (
         SELECT NULL::uuid AS id, NULL::uuid AS via, top.id AS below
         UNION ALL
         SELECT s.id, t.id,
                CASE WHEN s.waits_for = 'run' THEN (
                    SELECT c.id FROM runs_run c
                     WHERE c.parent_id = t.below AND c.parent_step_id = s.id AND c.completed_at IS NULL
                     ORDER BY c.id DESC LIMIT 1) END
           FROM t
          CROSS JOIN LATERAL (
              SELECT s.id, s.waiting ->> 'kind' AS waits_for
                FROM runs_stepexecution s
               WHERE s.run_id = t.below AND s.index IS NULL
                 AND (s.status IN ('QUEUED', 'RUNNING', 'WAITING')
                      -- What could not be undone waits for a person.
                      OR s.status = 'FAILED' AND s.undoes IS NOT NULL
                         AND EXISTS (SELECT 1 FROM runs_run m WHERE m.id = t.below AND m.status = 'WAITING_FOR_MANUAL_ACTION'))
              UNION ALL
              -- A run that closes, undoes what it did, or whose sinks are resolved waits for its child runs, and no step of
              -- it does.
              (SELECT c.parent_step_id, 'run'
                 FROM runs_run c JOIN runs_run p ON p.id = t.below
                WHERE c.parent_id = t.below AND c.status <> 'COMPLETED' AND c.completed_at IS NULL
                  AND (p.status IN ('FAILING', 'CANCELLING', 'COMPENSATING', 'WAITING_FOR_MANUAL_ACTION') OR p.open_sinks <= 0)
                ORDER BY c.id
                LIMIT %(each)s)
              UNION ALL
              (SELECT s.id, s.waiting ->> 'kind'
                 FROM runs_stepexecution s
                WHERE s.tenant_id = %(tenant)s AND s.run_id = t.below AND s.status = 'WAITING' AND s.index IS NOT NULL
                ORDER BY s.node, s.index
                LIMIT %(each)s)
              UNION ALL
              SELECT i.id, NULL
                FROM runs_container c
               CROSS JOIN LATERAL (
                   SELECT s.id FROM runs_stepexecution s
                    WHERE s.run_id = c.run_id AND s.node = c.node AND s.index IS NOT NULL AND s.status IN ('QUEUED', 'RUNNING')
                    ORDER BY s.index DESC
                    LIMIT 3) i
               WHERE c.run_id = t.below AND c.ended < c.opened) s
          WHERE t.below IS NOT NULL
     )
     SELECT * FROM t LIMIT %(most)s + 1) l
  JOIN runs_stepexecution s ON s.id = l.id
  JOIN runs_run r ON r.id = s.run_id
  JOIN workflows_workflow w ON w.id = r.workflow_id
 WHERE top.id = ANY (%(runs)s::uuid[]) AND top.tenant_id = %(tenant)s

-- name: spans_below
-- From when until when steps of these types, in the runs below a run, were at work or waited, and where; of at most `most`
-- runs, those nearest to it first.
WITH RECURSIVE /* include tree_below */
SELECT s.type, s.started_at, s.completed_at, s.node, s.status, r.version_id, w.folder_id, coalesce(r.place, '[]')
  FROM (SELECT t.id FROM t LIMIT %(most)s) t
  JOIN runs_run r ON r.id = t.id
  JOIN workflows_workflow w ON w.id = r.workflow_id
  JOIN runs_stepexecution s ON s.run_id = t.id
 WHERE s.started_at IS NOT NULL AND s.kept_from IS NULL AND s.type = ANY (%(types)s::text[])

-- name: tree_below (fragment)
t AS (
    SELECT r.id FROM runs_run r WHERE r.parent_id = %(run)s::uuid AND r.tenant_id = %(tenant)s
    UNION ALL
    SELECT c.id FROM t JOIN runs_run c ON c.parent_id = t.id
)

-- name: events_below
-- The first events of these types in the runs below a run, each with the place, the version and the folder of its run; of
-- at most `most_runs` runs, those nearest to it first. Of waits those of these kinds.
WITH RECURSIVE /* include tree_below */,
e AS MATERIALIZED (
    -- Each run by itself: a plan that walks all of history in its order would look for few in very many.
    SELECT h.id, t.id AS run_id
      FROM (SELECT t.id FROM t LIMIT %(most_runs)s) t
     CROSS JOIN LATERAL (
               SELECT h.id FROM runs_historyevent h
                WHERE h.run_id = t.id AND h.type = ANY (%(types)s::text[])
                  AND (h.type <> 'STEP_WAITING' OR h.payload ->> 'kind' = ANY (%(kinds)s::text[]))
                ORDER BY h.run_id, h.id
                LIMIT %(most)s) h
)
SELECT e.id, r.version_id, w.folder_id, coalesce(r.place, '[]')
  FROM (SELECT e.id, e.run_id FROM e ORDER BY e.id LIMIT %(most)s) e
  JOIN runs_run r ON r.id = e.run_id
  JOIN workflows_workflow w ON w.id = r.workflow_id

-- name: ancestors
-- A run and the runs that lead up to its root, the root first, each with the folder of its workflow and the step of the
-- one before that began it.
WITH RECURSIVE a AS (
    SELECT r.id, r.parent_id, r.version_id, r.workflow_id, r.place, 0 AS up FROM runs_run r WHERE r.id = %(run)s::uuid AND r.tenant_id = %(tenant)s
    UNION ALL
    SELECT p.id, p.parent_id, p.version_id, p.workflow_id, p.place, a.up + 1 FROM a JOIN runs_run p ON p.id = a.parent_id
)
SELECT coalesce(json_agg(json_build_array(a.id, a.version_id, w.folder_id, a.place -> -1 ->> 0, a.place -> -1 -> 1) ORDER BY a.up DESC), '[]')
  FROM a
  JOIN workflows_workflow w ON w.id = a.workflow_id

-- name: watched_above
-- Those of the watched runs that are above one of these runs.
WITH RECURSIVE a AS (
    SELECT r.parent_id AS id FROM runs_run r WHERE r.id = ANY (%(runs)s::uuid[]) AND r.parent_id IS NOT NULL
    UNION
    SELECT p.parent_id FROM a JOIN runs_run p ON p.id = a.id WHERE p.parent_id IS NOT NULL
)
SELECT p.tenant_id, p.id::text FROM a JOIN runs_run p ON p.id = a.id WHERE a.id = ANY (%(watched)s::uuid[])
