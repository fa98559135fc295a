-- name: insert_approvals
-- What decisions cover that were made just now. Their runs are held FOR UPDATE. One that renews another keeps what that says
-- of other steps: by which approval, decided when.
WITH clock AS MATERIALIZED (SELECT clock() AS now)
INSERT INTO runs_approval (id, tenant_id, run_id, shard, step_id, node, outcome, digest, covers, decided_at)
SELECT x.id, x.tenant_id, x.run_id, x.shard, x.step_id, x.node, x.outcome, x.digest,
       coalesce((SELECT jsonb_object_agg(k.key, jsonb_build_object('approval', b.id, 'at', b.decided_at) || k.value)
                   FROM runs_approval b CROSS JOIN jsonb_each(b.covers) k WHERE b.id = x.base), '{}') || x.covers,
       clock.now
  FROM jsonb_to_recordset(%(approvals)s::jsonb)
    AS x(id uuid, tenant_id bigint, run_id uuid, shard smallint, step_id uuid, node text, outcome text, digest text, covers jsonb, base uuid)
 CROSS JOIN clock
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

-- name: run_and_earlier (fragment)
-- A run, and those that it, or the first of its chain, is a rerun of: each with the first of its chain and its tree.
l(id, root_id, tree, earlier) AS (
    SELECT r.id, r.root_id, coalesce(r.tree_id, r.root_id), coalesce(r.rerun_of, q.rerun_of)
      FROM runs_run r JOIN runs_run q ON q.id = r.root_id WHERE r.id = i.run_id
    UNION
    SELECT r.id, r.root_id, coalesce(r.tree_id, r.root_id), coalesce(r.rerun_of, q.rerun_of)
      FROM l JOIN runs_run r ON r.id = l.earlier JOIN runs_run q ON q.id = r.root_id
)

-- name: approvals_of_steps
-- Of steps that begin: the newest decision of each step that asked people about them, in their run or, where that step is
-- kept, in the run that it is kept from; what it says of them, whether a run has made use of it (one of the same chain, or
-- another), and whether a person may have changed anything since in the trees of the run and of those that it is a rerun
-- of. Where nothing is written of a decision, what was decided; not of one from before decisions were written.
SELECT coalesce(json_agg(json_build_array(
           i.step, h.node, h.id, a.id, a.run_id, a.outcome, a.digest, a.covers -> i.node, e.at,
           CASE WHEN a.id IS NULL THEN h.output END, coalesce((a.covers -> i.node ->> 'approval')::uuid, a.id),
           CASE WHEN u.run_id IS NULL THEN 'none' WHEN u.run_id = i.run_id OR EXISTS (
                    SELECT 1 FROM runs_run p JOIN runs_run q ON q.root_id = p.root_id
                     WHERE p.id = u.run_id AND q.id = i.run_id) THEN 'own'
                ELSE 'other' END,
           c.is_changed, (SELECT json_object_agg(k.key, coalesce((k.value ->> 'at')::timestamptz, a.decided_at))
                            FROM jsonb_each(a.covers) k))), '[]')
  FROM jsonb_to_recordset(%(steps)s::jsonb) AS i(step uuid, run_id uuid, node text, deciders jsonb)
  JOIN runs_stepexecution h ON h.run_id = i.run_id AND h.index IS NULL AND h.undoes IS NULL
                           AND h.node = ANY (ARRAY(SELECT jsonb_array_elements_text(i.deciders)))
  LEFT JOIN LATERAL /* include newest_approval */ ON true
 CROSS JOIN LATERAL (SELECT coalesce((a.covers -> i.node ->> 'at')::timestamptz, a.decided_at, h.completed_at) AS at) e
  LEFT JOIN runs_approvaluse u ON u.approval_id = coalesce((a.covers -> i.node ->> 'approval')::uuid, a.id) AND u.node = i.node
 CROSS JOIN LATERAL (
           WITH RECURSIVE /* include run_and_earlier */
           SELECT EXISTS (SELECT 1 FROM l JOIN runs_run r ON coalesce(r.tree_id, r.root_id) = l.tree
                           WHERE r.changed_at > e.at) AS is_changed) c
 WHERE a.id IS NOT NULL
    OR (h.status = 'COMPLETED' OR h.status = 'SKIPPED' AND h.cancel_cause = 'operator')
       AND h.completed_at > coalesce((SELECT m.applied FROM django_migrations m WHERE m.app = 'runs' AND m.name = '0042_approvals'),
                                     '-infinity')

-- name: mark_changed
-- People change what runs do. The caller holds them FOR UPDATE.
UPDATE runs_run r SET changed_at = clock() WHERE r.id = ANY (%(runs)s::uuid[])

-- name: changes_since
-- Who has changed what a run does since a moment, and why, in their order: in it, in the runs that it is a rerun of or goes on
-- for, and below them; each with the step, or the step that leads down to it, and whether it gave that anything else. Another
-- input, an output instead of its own and the end of a run below are such changes; another version and a rerun are not,
-- but somebody made them.
SELECT coalesce(json_agg(json_build_array(
           e.payload ->> 'by', coalesce(e.payload ->> 'reason', ''), coalesce(z.node, e.payload ->> 'from_node', e.node),
           z.node IS NOT NULL OR left(e.type, 4) <> 'RUN_' OR e.payload ? 'input_digest',
           z.node IS NULL AND e.payload ? 'input_digest', e.type = 'RUN_STARTED', e.created_at) ORDER BY e.created_at, e.id), '[]')
  FROM (SELECT %(run)s::uuid AS run_id) i
 CROSS JOIN LATERAL (
       WITH RECURSIVE /* include run_and_earlier */,
       u(run_id, root_id, up, down, node) AS (
           SELECT r.id, r.root_id, r.parent_id, r.place -> -1 ->> 0, NULL
             FROM runs_run r
            WHERE coalesce(r.tree_id, r.root_id) IN (SELECT l.tree FROM l) AND r.changed_at > %(since)s::timestamptz
           UNION
           SELECT u.run_id, r.root_id, r.parent_id, r.place -> -1 ->> 0, u.down
             FROM u JOIN runs_run r ON r.id = u.up
            WHERE u.root_id NOT IN (SELECT l.root_id FROM l)
       )
       SELECT l.id AS run_id, NULL AS node FROM l
       UNION
       SELECT u.run_id, u.node FROM u WHERE u.root_id IN (SELECT l.root_id FROM l)) z
  JOIN runs_historyevent e ON e.run_id = z.run_id
 WHERE e.created_at > %(since)s::timestamptz AND e.payload ? 'by'
   AND (e.type IN ('STEP_SKIPPED', 'STEP_FAILED')
        OR (e.type IN ('RUN_STARTED', 'RUN_REOPENED', 'STEP_WITHDRAWN') OR e.type = 'STEP_REQUEUED' AND NOT e.payload ? 'from_node')
           AND e.payload ? 'input_digest'
           AND e.payload -> 'input_digest' IS DISTINCT FROM e.payload -> 'replaced_digest'
        OR e.type IN ('RUN_MIGRATED', 'RUN_REOPENED') AND e.payload ? 'version'
        OR e.type = 'RUN_STARTED' AND e.payload ? 'from_node'
        OR e.type = 'RUN_CANCELLING' AND z.node IS NOT NULL)

-- name: use_approvals
-- Steps begin by approvals; gives whose each use is: the first run keeps it.
WITH clock AS MATERIALIZED (SELECT clock() AS now),
u AS (
    INSERT INTO runs_approvaluse AS u (tenant_id, approval_id, node, run_id, shard, used_at)
    SELECT DISTINCT ON (x.approval_id, x.node) x.tenant_id, x.approval_id, x.node, x.run_id, x.shard, clock.now
      FROM jsonb_to_recordset(%(uses)s::jsonb) AS x(tenant_id bigint, approval_id uuid, node text, run_id uuid, shard smallint)
     CROSS JOIN clock
     ORDER BY x.approval_id, x.node, x.run_id
    ON CONFLICT (approval_id, node) DO UPDATE SET used_at = u.used_at
    RETURNING u.approval_id, u.node, u.run_id
)
SELECT coalesce(json_agg(json_build_array(u.approval_id, u.node, u.run_id)), '[]') FROM u

-- name: approvals_of_run
-- The newest decision of each step of a run that covers steps, what was decided, and these steps with their statuses.
SELECT coalesce(json_agg(json_build_array(a.node, a.outcome, (
           SELECT coalesce(json_object_agg(k.node, s.status), '{}')
             FROM jsonb_object_keys(a.covers) AS k(node)
             LEFT JOIN runs_stepexecution s ON s.run_id = %(run)s::uuid AND s.node = k.node AND s.index IS NULL))), '[]')
  FROM runs_stepexecution h CROSS JOIN LATERAL /* include newest_approval */
 WHERE h.run_id = %(run)s::uuid AND h.type = ANY (%(types)s::text[])

-- name: covered_above
-- The nearest run, `least` levels above a run or more, in which a decision covers the step that leads down to it: that run, the
-- step that asked, and the way up to it, from the step `node` of the run, as versions and steps.
WITH RECURSIVE u(id, version_id, node, up, parent_id, place) AS (
    SELECT r.id, r.version_id, %(node)s::text, 0, r.parent_id, r.place FROM runs_run r WHERE r.id = %(run)s::uuid
    UNION ALL
    SELECT r.id, r.version_id, u.place -> -1 ->> 0, u.up + 1, r.parent_id, r.place FROM u JOIN runs_run r ON r.id = u.parent_id
)
SELECT json_build_array(u.id, a.node, (SELECT json_agg(json_build_array(v.version_id, v.node) ORDER BY v.up) FROM u v WHERE v.up <= u.up))
  FROM u
  JOIN runs_stepexecution h ON h.run_id = u.id AND h.type = ANY (%(types)s::text[])
 CROSS JOIN LATERAL /* include newest_approval */
 WHERE u.up >= %(least)s AND a.covers ? u.node
 ORDER BY u.up, a.id DESC
 LIMIT 1
