-- name: insert_approvals
-- What decisions cover that were made just now. Their runs are held FOR UPDATE. One that renews another keeps what that says
-- of other steps, and which runs have used it for them.
WITH clock AS MATERIALIZED (SELECT coalesce(%(now)s::timestamptz, clock_timestamp()) AS now),
x AS MATERIALIZED (
    SELECT * FROM jsonb_to_recordset(%(approvals)s::jsonb)
        AS a(id uuid, tenant_id bigint, run_id uuid, shard smallint, step_id uuid, node text, outcome text, digest text, covers jsonb,
             base uuid)
),
u AS (
    INSERT INTO runs_approvaluse (tenant_id, approval_id, node, run_id, shard, used_at)
    SELECT x.tenant_id, x.id, u.node, u.run_id, u.shard, u.used_at
      FROM x JOIN runs_approvaluse u ON u.approval_id = x.base AND NOT x.covers ? u.node
)
INSERT INTO runs_approval (id, tenant_id, run_id, shard, step_id, node, outcome, digest, covers, decided_at)
SELECT x.id, x.tenant_id, x.run_id, x.shard, x.step_id, x.node, x.outcome, x.digest,
       coalesce((SELECT b.covers FROM runs_approval b WHERE b.id = x.base), '{}') || x.covers, clock.now
  FROM x CROSS JOIN clock
 ORDER BY x.id

-- name: approvals_of_steps
-- Of steps that begin: the newest decision of each step that asked people about them, in their run or, where that step is
-- kept, in the run that it is kept from; what it says of them, which run has made use of it, and which of the steps before
-- them that were not over then a person has given another input or an output since, or something below them.
SELECT coalesce(json_agg(json_build_array(x.step, h.node, h.id, a.id, a.outcome, a.digest, a.covers -> x.node, u.run_id, c.nodes)), '[]')
  FROM jsonb_to_recordset(%(steps)s::jsonb) AS x(step uuid, run_id uuid, node text, deciders jsonb, before jsonb)
  JOIN runs_stepexecution h ON h.run_id = x.run_id AND h.index IS NULL
                           AND h.node = ANY (ARRAY(SELECT jsonb_array_elements_text(x.deciders)))
 CROSS JOIN LATERAL (
           WITH RECURSIVE k(id, kept_from, far) AS (
               SELECT h.id, h.kept_from, 0
               UNION ALL
               SELECT p.id, p.kept_from, k.far + 1 FROM k JOIN runs_stepexecution p ON p.id = k.kept_from
           )
           SELECT a.* FROM k JOIN runs_approval a ON a.step_id = k.id ORDER BY k.far, a.id DESC LIMIT 1) a
  LEFT JOIN runs_approvaluse u ON u.approval_id = a.id AND u.node = x.node
 CROSS JOIN LATERAL (
           WITH RECURSIVE o AS MATERIALIZED (
               -- Another input that was approved since is no change.
               SELECT s.id, s.node, s.revision > coalesce((a.covers -> s.node ->> 'revision')::int, 0)
                                    OR s.status = 'SKIPPED' AND s.cancel_cause = 'operator' AS changed
                 FROM runs_stepexecution s
                WHERE s.run_id = x.run_id
                  AND s.node IN (SELECT jsonb_array_elements_text(x.before)
                                 EXCEPT SELECT jsonb_array_elements_text(a.covers -> x.node -> 'known'))
           ),
           b(id, node) AS (
               SELECT r.id, o.node FROM o JOIN runs_run r ON r.parent_id = x.run_id AND r.parent_step_id = o.id
               UNION ALL
               SELECT r.id, b.node FROM b JOIN runs_run r ON r.parent_id = b.id
           )
           SELECT coalesce(json_agg(DISTINCT z.node), '[]') AS nodes
             FROM (SELECT o.node FROM o WHERE o.changed
                   UNION ALL
                   SELECT b.node FROM b JOIN runs_stepexecution s ON s.run_id = b.id
                    WHERE s.revision > 0 OR s.status = 'SKIPPED' AND s.cancel_cause = 'operator') z) c

-- name: last_change
-- Who was the last to change a run that has approvals, and why: by another input, an output instead of its own, or another version.
SELECT json_build_array(e.payload ->> 'by', coalesce(e.payload ->> 'reason', ''))
  FROM runs_historyevent e
 WHERE e.run_id = %(run)s::uuid AND e.payload ? 'by'
   AND (e.type = 'STEP_REQUEUED' AND e.payload ? 'input_digest' OR e.type = 'STEP_SKIPPED'
        OR e.type IN ('RUN_MIGRATED', 'RUN_REOPENED') AND e.payload ? 'version' OR e.type = 'RUN_STARTED' AND e.payload ? 'from_node')
 ORDER BY e.id DESC
 LIMIT 1

-- name: use_approvals
-- Steps begin by approvals; gives whose each use is: the first run keeps it.
WITH clock AS MATERIALIZED (SELECT coalesce(%(now)s::timestamptz, clock_timestamp()) AS now),
u AS (
    INSERT INTO runs_approvaluse AS u (tenant_id, approval_id, node, run_id, shard, used_at)
    SELECT x.tenant_id, x.approval_id, x.node, x.run_id, x.shard, clock.now
      FROM jsonb_to_recordset(%(uses)s::jsonb) AS x(tenant_id bigint, approval_id uuid, node text, run_id uuid, shard smallint)
     CROSS JOIN clock
     ORDER BY x.approval_id, x.node
    ON CONFLICT (approval_id, node) DO UPDATE SET used_at = u.used_at
    RETURNING u.approval_id, u.node, u.run_id
)
SELECT coalesce(json_agg(json_build_array(u.approval_id, u.node, u.run_id)), '[]') FROM u

-- name: approvals_of_run
-- The newest decision of each step of a run that covers steps, with these steps but those that are over, and whether each
-- has begun.
SELECT coalesce(json_agg(json_build_array(d.node, d.steps)), '[]')
  FROM (SELECT DISTINCT ON (a.step_id) a.node,
               (SELECT coalesce(json_agg(json_build_array(k.node, coalesce(s.status = 'WAITING', false))), '[]')
                  FROM jsonb_object_keys(a.covers) AS k(node)
                  LEFT JOIN runs_stepexecution s ON s.run_id = %(run)s::uuid AND s.node = k.node AND s.index IS NULL
                 WHERE s.status IS NULL OR s.status NOT IN ('COMPLETED', 'SKIPPED')) AS steps
          FROM runs_stepexecution h
          JOIN runs_approval a ON a.step_id = h.id OR a.step_id = h.kept_from
         WHERE h.run_id = %(run)s::uuid
         ORDER BY a.step_id, a.id DESC) d

-- name: covered_above
-- The nearest run above a run in which a decision covers the step that leads down to it: the run, the step that asked, and
-- the step that is covered.
WITH RECURSIVE u AS (
    SELECT r.parent_id AS id, r.place -> -1 ->> 0 AS node, 0 AS up FROM runs_run r WHERE r.id = %(run)s::uuid AND r.parent_id IS NOT NULL
    UNION ALL
    SELECT p.parent_id, p.place -> -1 ->> 0, u.up + 1 FROM u JOIN runs_run p ON p.id = u.id WHERE p.parent_id IS NOT NULL
)
SELECT json_build_array(u.id, a.node, u.node)
  FROM u
  JOIN runs_stepexecution h ON h.run_id = u.id AND h.index IS NULL
  JOIN runs_approval a ON a.step_id IN (h.id, h.kept_from) AND a.covers ? u.node
 ORDER BY u.up, a.id DESC
 LIMIT 1
