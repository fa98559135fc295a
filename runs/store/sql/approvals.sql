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

-- name: newest_approval (fragment)
-- The newest decision of the step `h`, or of the step that it is kept from, however far back.
(
    WITH RECURSIVE k(id, kept_from, far) AS (
        SELECT h.id, h.kept_from, 0
        UNION ALL
        SELECT p.id, p.kept_from, k.far + 1 FROM k JOIN runs_stepexecution p ON p.id = k.kept_from
    )
    SELECT a.* FROM k JOIN runs_approval a ON a.step_id = k.id ORDER BY k.far, a.id DESC LIMIT 1
) a

-- name: changed_below (fragment)
-- The steps of the run `x.run_id` that have a run below them which a person has changed. Only changed runs are read, however
-- many there are.
below AS MATERIALIZED (
    WITH RECURSIVE u(run_id, up, step_id) AS (
        SELECT x.run_id, c.parent_id, c.parent_step_id
          FROM x JOIN runs_run t ON t.id = x.run_id
          JOIN runs_run c ON c.tree_id = coalesce(t.tree_id, t.root_id) AND c.changed_at IS NOT NULL
        UNION
        SELECT u.run_id, p.parent_id, p.parent_step_id FROM u JOIN runs_run p ON p.id = u.up WHERE u.up <> u.run_id
    )
    SELECT DISTINCT u.step_id FROM u WHERE u.up = u.run_id
)

-- name: approvals_of_steps
-- Of steps that begin: the newest decision of each step that asked people about them, in their run or, where that step is
-- kept, in the run that it is kept from; what it says of them, whether a run has made use of it (one of the same chain, or
-- another), and which of the steps before them that were not over then a person has given another input or an output
-- since, or something below them. Where nothing is written of a decision, what was decided; not of one from before
-- decisions were written.
WITH x AS MATERIALIZED (
    SELECT * FROM jsonb_to_recordset(%(steps)s::jsonb) AS x(step uuid, run_id uuid, node text, deciders jsonb, before jsonb)
),
/* include changed_below */
SELECT coalesce(json_agg(json_build_array(
           x.step, h.node, h.id, a.id, a.outcome, a.digest, a.covers -> x.node, coalesce(a.decided_at, h.completed_at),
           CASE WHEN a.id IS NULL THEN h.output END,
           CASE WHEN u.run_id IS NULL THEN 'none' WHEN u.run_id = x.run_id OR EXISTS (
                    SELECT 1 FROM runs_run p JOIN runs_run q ON q.root_id = p.root_id
                     WHERE p.id = u.run_id AND q.id = x.run_id) THEN 'own'
                ELSE 'other' END,
           c.nodes)), '[]')
  FROM x
  JOIN runs_stepexecution h ON h.run_id = x.run_id AND h.index IS NULL AND h.undoes IS NULL
                           AND h.node = ANY (ARRAY(SELECT jsonb_array_elements_text(x.deciders)))
  LEFT JOIN LATERAL /* include newest_approval */ ON true
  LEFT JOIN runs_approvaluse u ON u.approval_id = a.id AND u.node = x.node
 CROSS JOIN LATERAL (
           SELECT coalesce(json_agg(DISTINCT s.node), '[]') AS nodes
             FROM runs_stepexecution s
            WHERE s.run_id = x.run_id
              AND s.node IN (SELECT jsonb_array_elements_text(x.before)
                             EXCEPT SELECT jsonb_array_elements_text(a.covers -> x.node -> 'known'))
              -- Another input that was approved since is no change.
              AND (s.revision > coalesce((a.covers -> s.node ->> 'revision')::int, 0)
                   OR s.status = 'SKIPPED' AND s.cancel_cause = 'operator'
                   OR s.id IN (SELECT b.step_id FROM below b))) c
 WHERE a.id IS NOT NULL
    OR (h.status = 'COMPLETED' OR h.status = 'SKIPPED' AND h.cancel_cause = 'operator')
       AND h.completed_at > coalesce((SELECT m.applied FROM django_migrations m WHERE m.app = 'runs' AND m.name = '0042_approvals'),
                                     '-infinity')

-- name: mark_changed
-- A person changes what a run below another one does. The caller holds it FOR UPDATE.
UPDATE runs_run r SET changed_at = coalesce(%(now)s::timestamptz, clock_timestamp()) WHERE r.id = %(run)s::uuid AND r.tree_id IS NOT NULL

-- name: changes_since
-- Who has changed what a run does since a moment, and why, in their order: in it, in the runs that it is a rerun of or goes on
-- for, and below them; each with the step, or the step that leads down to it; null where it is the run as a whole. Another
-- input, an output instead of its own, another version and a rerun are changes.
WITH RECURSIVE l(id, root_id, tree, rerun_of) AS (
    SELECT r.id, r.root_id, coalesce(r.tree_id, r.root_id), r.rerun_of FROM runs_run r WHERE r.id = %(run)s::uuid
    UNION
    SELECT p.id, p.root_id, coalesce(p.tree_id, p.root_id), p.rerun_of
      FROM l CROSS JOIN LATERAL (
           SELECT * FROM runs_run r WHERE r.id IN (l.rerun_of, l.root_id)
           UNION ALL
           SELECT * FROM runs_run r WHERE r.root_id = l.root_id AND r.root_id <> r.id) p
),
u(run_id, up, step_id) AS (
    SELECT c.id, c.parent_id, c.parent_step_id
      FROM runs_run c
     WHERE c.tree_id IN (SELECT l.tree FROM l) AND c.changed_at >= %(since)s::timestamptz
    UNION
    SELECT u.run_id, p.parent_id, p.parent_step_id
      FROM u JOIN runs_run p ON p.id = u.up
     WHERE u.up NOT IN (SELECT l.id FROM l)
),
z AS (
    SELECT l.id AS run_id, NULL AS node FROM l
    UNION
    SELECT u.run_id, s.node FROM u JOIN l ON l.id = u.up JOIN runs_stepexecution s ON s.id = u.step_id
)
SELECT coalesce(json_agg(json_build_array(e.payload ->> 'by', coalesce(e.payload ->> 'reason', ''), coalesce(z.node, e.node))
                         ORDER BY e.created_at, e.id), '[]')
  FROM z JOIN runs_historyevent e ON e.run_id = z.run_id
 WHERE e.created_at >= %(since)s::timestamptz AND e.payload ? 'by'
   AND (e.type = 'STEP_REQUEUED' AND e.payload ? 'input_digest' OR e.type = 'STEP_SKIPPED'
        OR e.type IN ('RUN_MIGRATED', 'RUN_REOPENED') AND e.payload ? 'version' OR e.type = 'RUN_STARTED' AND e.payload ? 'from_node')

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
  FROM (SELECT a.node,
               (SELECT coalesce(json_agg(json_build_array(k.node, coalesce(s.status = 'WAITING', false))), '[]')
                  FROM jsonb_object_keys(a.covers) AS k(node)
                  LEFT JOIN runs_stepexecution s ON s.run_id = %(run)s::uuid AND s.node = k.node AND s.index IS NULL
                 WHERE s.status IS NULL OR s.status NOT IN ('COMPLETED', 'SKIPPED')) AS steps
          FROM runs_stepexecution h CROSS JOIN LATERAL /* include newest_approval */
         WHERE h.run_id = %(run)s::uuid AND h.type = ANY (%(types)s::text[])) d

-- name: covered_above
-- The nearest run above a run in which a decision covers the step that leads down to it: the run, the step that asked, and
-- the step that is covered. It may be the run itself, where what is below its step `node` is spoken of.
WITH RECURSIVE u(id, node, up, parent_id, place) AS (
    SELECT r.id, %(node)s::text, 0, r.parent_id, r.place FROM runs_run r WHERE r.id = %(run)s::uuid
    UNION ALL
    SELECT p.id, u.place -> -1 ->> 0, u.up + 1, p.parent_id, p.place FROM u JOIN runs_run p ON p.id = u.parent_id
)
SELECT json_build_array(u.id, a.node, u.node)
  FROM u
  JOIN runs_stepexecution h ON h.run_id = u.id AND h.type = ANY (%(types)s::text[])
 CROSS JOIN LATERAL /* include newest_approval */
 WHERE a.covers ? u.node
 ORDER BY u.up, a.id DESC
 LIMIT 1
