-- name: hold_task
-- Whoever decides has the task alone from here to the commit; its run is held FOR UPDATE. Nobody decides what somebody else
-- has claimed, or twice in a round; who may only because it was handed to them finds it still theirs by that.
SELECT json_build_object(
           'tenant', n.slug, 'workflow', w.name, 'version', v.number, 'version_hash', v.content_hash,
           'requester', r.created_by, 'on_behalf_of', t.delegated_by)
  FROM tasks_inbox_manualtask t
  JOIN runs_run r ON r.id = t.run_id
  JOIN workflows_workflowversion v ON v.id = r.version_id
  JOIN workflows_workflow w ON w.id = v.workflow_id
  JOIN accounts_tenant n ON n.id = t.tenant_id
 WHERE t.id = %(task)s AND t.status = 'OPEN' AND (t.assignee IS NULL OR t.assignee IN (%(by)s, %(absent)s))
   AND (NOT %(handed)s OR t.delegated_by IS NOT NULL) AND NOT t.voted && %(keys)s::text[]
   FOR NO KEY UPDATE OF t

-- name: hold_chain
-- The end of the tenant's chain, had alone until the commit: decisions of a tenant are written one after another.
INSERT INTO tasks_inbox_evidencehead AS h (tenant_id, seq, digest) VALUES (%(tenant)s, 0, %(first)s)
    ON CONFLICT (tenant_id) DO UPDATE SET seq = h.seq
RETURNING json_build_object('seq', h.seq, 'digest', h.digest,
                            'at', coalesce(%(now)s::timestamptz, clock_timestamp()))

-- name: add_decision
-- The next link. Whoever decided is barred from those tasks of the run that want four eyes.
WITH d AS (
    INSERT INTO tasks_inbox_taskdecision (id, tenant_id, shard, run_id, task_id, round, seq, by, on_behalf_of, outcome,
                                          ended_with, groups, data, comment, record, digest, at)
    SELECT %(id)s::uuid, t.tenant_id, t.shard, t.run_id, t.id, t.round, %(seq)s, %(by)s, %(on_behalf_of)s, %(outcome)s,
           %(ended_with)s, %(groups)s::text[], %(data)s::jsonb, %(comment)s, %(record)s, %(digest)s, %(at)s::timestamptz
      FROM tasks_inbox_manualtask t
     WHERE t.id = %(task)s
    RETURNING tenant_id, run_id
),
h AS (
    UPDATE tasks_inbox_evidencehead h SET seq = %(seq)s, digest = %(digest)s FROM d WHERE h.tenant_id = d.tenant_id
)
UPDATE tasks_inbox_manualtask o
   SET exclude = ARRAY(SELECT DISTINCT unnest(o.exclude || %(keys)s::text[])),
       why_excluded = coalesce(o.why_excluded, '{}') || %(why)s::jsonb
  FROM d
 WHERE o.run_id = d.run_id AND o.id <> %(task)s AND o.status = 'OPEN' AND o.bars_deciders

-- name: note_vote
-- One of several has decided, and more must.
WITH u AS (
    UPDATE tasks_inbox_manualtask t SET voted = t.voted || %(keys)s::text[]
     WHERE t.id = %(task)s AND t.status = 'OPEN'
    RETURNING t.id, t.tenant_id, t.shard, t.run_id, t.node
)
INSERT INTO runs_historyevent (tenant_id, run_id, shard, ordinal, type, node, xid, payload, created_at)
SELECT u.tenant_id, u.run_id, u.shard, 0, 'TASK_VOTED', u.node, pg_current_xact_id()::text::bigint,
       jsonb_strip_nulls(jsonb_build_object('task', u.id, 'outcome', %(outcome)s::text, 'by', %(by)s::text,
                                            'on_behalf_of', %(on_behalf_of)s::text, 'evidence', %(digest)s::text)),
       %(at)s::timestamptz
  FROM u
RETURNING true

-- name: decided_in_run
-- The names of those who have decided something in each of these runs.
SELECT coalesce(json_object_agg(d.run_id, d.names), '{}')
  FROM (SELECT run_id, json_agg(DISTINCT name) AS names
          FROM (SELECT run_id, unnest(ARRAY[by, on_behalf_of]) AS name
                  FROM tasks_inbox_taskdecision
                 WHERE run_id = ANY (%(runs)s::uuid[])) n
         WHERE name IS NOT NULL
         GROUP BY run_id) d

-- name: requesters
SELECT coalesce(json_object_agg(r.id, r.created_by), '{}') FROM runs_run r WHERE r.id = ANY (%(runs)s::uuid[])

-- name: loose_ends
-- What doesn't lean on the chain as it should: decisions of which history doesn't say what they were, tasks that were decided
-- otherwise than it says, and links behind its end. What was decided before there was a chain is left out.
SELECT coalesce(json_agg(json_build_array(f.seq, f.what) ORDER BY f.seq), '[]') FROM (
    SELECT d.seq, 'history doesn''t tell of it' AS what
      FROM tasks_inbox_taskdecision d
     WHERE d.tenant_id = %(tenant)s AND NOT EXISTS (
           SELECT 1 FROM runs_historyevent h
            WHERE h.run_id = d.run_id AND h.type IN ('TASK_VOTED', 'TASK_COMPLETED') AND h.payload ->> 'evidence' = d.digest)
    UNION ALL
    SELECT d.seq, 'its task was decided otherwise'
      FROM tasks_inbox_taskdecision d
      JOIN tasks_inbox_manualtask t ON t.id = d.task_id AND t.round = d.round
     WHERE d.tenant_id = %(tenant)s AND d.ended_with IS NOT NULL
       AND (t.status, t.outcome, t.decided_by, t.comment) IS DISTINCT FROM
           ('COMPLETED', d.ended_with, d.by, d.comment)
    UNION ALL
    SELECT d.seq, 'it stands behind the end of the chain'
      FROM tasks_inbox_taskdecision d
      LEFT JOIN tasks_inbox_evidencehead h ON h.tenant_id = d.tenant_id
     WHERE d.tenant_id = %(tenant)s AND d.seq > coalesce(h.seq, 0)
) f
