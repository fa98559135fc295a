-- name: hold_task
-- Whoever decides has the task alone from here to the commit; its run is held FOR UPDATE. Nobody decides what somebody else
-- has claimed, or twice in a round; who may only because it was handed to them finds it still theirs by that.
SELECT json_build_object(
           'tenant', n.slug, 'workflow', w.name, 'version', v.number, 'version_hash', v.content_hash,
           'requester', r.created_by, 'on_behalf_of', t.delegated_by,
           -- Whether what is decided in other runs may bar who decides it.
           'eyes', t.bars_deciders AND (r.tree_id IS NOT NULL OR r.root_id <> r.id
                                        OR EXISTS (SELECT 1 FROM runs_run c WHERE c.parent_id = r.id)))
  FROM tasks_inbox_manualtask t
  JOIN runs_run r ON r.id = t.run_id
  JOIN workflows_workflowversion v ON v.id = r.version_id
  JOIN workflows_workflow w ON w.id = v.workflow_id
  JOIN accounts_tenant n ON n.id = t.tenant_id
 WHERE t.id = %(task)s AND t.status = 'OPEN' AND (t.assignee IS NULL OR t.assignee IN (%(by)s, %(absent)s))
   AND t.returned_to IS NULL AND (NOT %(handed)s OR t.delegated_by IS NOT NULL) AND NOT t.voted && %(keys)s::text[]
   FOR NO KEY UPDATE OF t

-- name: hold_compensation_task
-- Whoever settles a compensation has its task alone, whoever had claimed it; its run is held FOR UPDATE. On whose behalf: of
-- who handed it to them.
SELECT json_build_object(
           'task', t.id, 'tenant_id', t.tenant_id,
           'tenant', n.slug, 'workflow', w.name, 'version', v.number, 'version_hash', v.content_hash,
           'requester', r.created_by, 'on_behalf_of', CASE t.assignee WHEN %(by)s THEN t.delegated_by END,
           'decider', (SELECT json_build_object('id', u.id, 'name', u.name) FROM accounts_user u WHERE u.username = %(by)s))
  FROM tasks_inbox_manualtask t
  JOIN runs_run r ON r.id = t.run_id
  JOIN workflows_workflowversion v ON v.id = r.version_id
  JOIN workflows_workflow w ON w.id = v.workflow_id
  JOIN accounts_tenant n ON n.id = t.tenant_id
 WHERE t.step_id = %(step)s::uuid AND t.status = 'OPEN' AND t.kind = 'compensation'
   FOR NO KEY UPDATE OF t

-- name: hold_chain
-- The end of the tenant's chain, had alone until the commit: decisions of a tenant are written one after another.
INSERT INTO tasks_inbox_evidencehead AS h (tenant_id, seq, digest) VALUES (%(tenant)s, 0, %(first)s)
    ON CONFLICT (tenant_id) DO UPDATE SET seq = h.seq
RETURNING json_build_object('seq', h.seq, 'digest', h.digest,
                            'at', clock())

-- name: add_decision
-- The next link. Whoever decided is barred from those tasks that want four eyes: of the run, and of runs above and below.
-- Tasks of these others are not waited for, since who has one may wait for the chain: who decides one is asked once more.
WITH RECURSIVE own AS MATERIALIZED (SELECT t.run_id AS id FROM tasks_inbox_manualtask t WHERE t.id = %(task)s),
up AS (
    SELECT own.id AS run, c.id FROM own JOIN runs_run r ON r.id = own.id /* include chain_of_r */
    UNION
    SELECT up.run, c.id FROM up JOIN runs_run q ON q.id = up.id JOIN runs_run r ON r.id = q.parent_id /* include chain_of_r */
),
down AS (
    SELECT own.id FROM own
    UNION ALL
    SELECT c.id FROM down JOIN runs_run c ON c.parent_id = down.id AND c.status <> 'COMPLETED'
),
others AS MATERIALIZED (
    SELECT o.id
      FROM (SELECT up.id FROM up UNION SELECT down.id FROM down) x
      JOIN tasks_inbox_manualtask o ON o.run_id = x.id
     WHERE o.status = 'OPEN' AND o.bars_deciders AND x.id <> (SELECT own.id FROM own)
       FOR NO KEY UPDATE OF o SKIP LOCKED
),
d AS (
    INSERT INTO tasks_inbox_taskdecision (id, tenant_id, shard, run_id, task_id, round, seq, by, on_behalf_of, outcome,
                                          ended_with, groups, data, comment, record, digest, at)
    SELECT %(id)s::uuid, t.tenant_id, t.shard, t.run_id, t.id, t.round, %(seq)s, %(by)s, %(on_behalf_of)s, %(outcome)s,
           %(ended_with)s, %(groups)s::text[], %(data)s::jsonb, %(comment)s, %(record)s, %(digest)s, %(at)s::timestamptz
      FROM tasks_inbox_manualtask t
     WHERE t.id = %(task)s
    RETURNING tenant_id, run_id
),
-- What who is away had typed goes as their own would: their vote is given.
g AS (
    DELETE FROM tasks_inbox_taskdraft t USING accounts_user u
     WHERE t.task_id = %(task)s AND t.user_id = u.id AND u.username = %(on_behalf_of)s
),
h AS (
    UPDATE tasks_inbox_evidencehead h SET seq = %(seq)s, digest = %(digest)s FROM d WHERE h.tenant_id = d.tenant_id
)
UPDATE tasks_inbox_manualtask o
   SET exclude = ARRAY(SELECT DISTINCT unnest(o.exclude || %(keys)s::text[])),
       why_excluded = coalesce(o.why_excluded, '{}') || %(why)s::jsonb
  FROM d
 WHERE o.id = ANY (ARRAY(SELECT others.id FROM others UNION ALL
                         SELECT t.id FROM own JOIN tasks_inbox_manualtask t ON t.run_id = own.id
                          WHERE t.id <> %(task)s AND t.status = 'OPEN' AND t.bars_deciders))
   AND o.status = 'OPEN'

-- name: note_vote
-- One of several has decided, and more must. A vote that they had and didn't give is whose it was again: they give no second.
WITH u AS (
    UPDATE tasks_inbox_manualtask t
       SET voted = t.voted || %(keys)s::text[],
           proxies = (SELECT coalesce(jsonb_agg(p), '[]') FROM jsonb_array_elements(t.proxies) p
                       WHERE p ->> 'to_key' <> ALL (%(keys)s::text[]) OR p ->> 'by_key' = ANY (%(keys)s::text[]))
     WHERE t.id = %(task)s AND t.status = 'OPEN'
    RETURNING t.id, t.tenant_id, t.shard, t.run_id, t.node
)
/* include write_history */
SELECT u.tenant_id, u.run_id, u.shard, 0, 'TASK_VOTED', u.node, NULL,
       jsonb_strip_nulls(jsonb_build_object('task', u.id, 'outcome', %(outcome)s::text, 'by', %(by)s::text,
                                            'on_behalf_of', %(on_behalf_of)s::text, 'evidence', %(digest)s::text)),
       %(at)s::timestamptz
  FROM u
RETURNING true

-- name: requesters
SELECT coalesce(json_object_agg(r.id, r.created_by), '{}') FROM runs_run r WHERE r.id = ANY (%(runs)s::uuid[])

-- name: evidence_of_run
-- All that is evidence in a run, in the runs that it continues or that continue it, in all runs below these, and in those
-- that they reran, of which they keep decisions: one statement, so one snapshot. Texts stay the texts that were hashed. The run itself comes first, then the others by age.
WITH RECURSIVE m AS (
    SELECT r.id
      FROM runs_run o
      JOIN runs_run r ON r.id = o.root_id OR (r.root_id = o.root_id AND r.root_id <> r.id)
     WHERE o.id = %(run)s AND o.tenant_id = %(tenant)s
    UNION
    SELECT c.id
      FROM m
      JOIN runs_run q ON q.id = m.id
     CROSS JOIN LATERAL (
           SELECT x.id FROM runs_run x WHERE x.parent_id = q.id
           UNION ALL
           SELECT x.id FROM runs_run x WHERE x.id = q.rerun_of) c
)
SELECT json_build_object(
           'at', clock(),
           'chain', (SELECT json_build_object('seq', e.seq, 'digest', e.digest)
                       FROM tasks_inbox_evidencehead e WHERE e.tenant_id = %(tenant)s),
           'runs', json_agg(json_build_object(
               'folder', w.folder_id,
               'run', json_build_object(
                   'id', r.id, 'tenant', n.slug, 'workflow', w.name, 'version', v.number, 'version_hash', v.content_hash,
                   'business_key', r.business_key, 'requester', r.created_by, 'test', r.is_test, 'status', r.status,
                   'filed_by', (SELECT r.acts_for FROM runs_request q WHERE q.run_id = r.id AND q.filed_by_id IS NOT NULL),
                   'created_at', r.created_at, 'completed_at', r.completed_at, 'sealed_life', r.sealed_life,
                   'parent', r.parent_id, 'rerun_of', r.rerun_of, 'place', (
                       SELECT coalesce(json_agg(json_build_object('node', p ->> 0, 'index', p -> 1) ORDER BY o), '[]')
                         FROM jsonb_array_elements(coalesce(r.place, '[]')) WITH ORDINALITY x(p, o))),
               'tasks', (SELECT coalesce(json_agg(json_build_object(
                             'id', t.id, 'node', t.node, 'kind', t.kind, 'status', t.status, 'title', t.title,
                             'instructions', t.instructions, 'facts', t.facts, 'outcomes', t.outcomes, 'form', t.form,
                             'quorum', t.quorum, 'round', t.round, 'earlier', t.earlier, 'outcome', t.outcome, 'data', t.data,
                             'comment', t.comment, 'decided_by', t.decided_by, 'decided_at', t.decided_at,
                             'created_at', t.created_at) ORDER BY t.id), '[]')
                           FROM tasks_inbox_manualtask t WHERE t.run_id = r.id AND t.kind <> 'incident'),
               'decisions', (SELECT coalesce(json_agg(json_build_object('seq', d.seq, 'digest', d.digest, 'record', d.record)
                                                      ORDER BY d.seq), '[]')
                               FROM tasks_inbox_taskdecision d WHERE d.run_id = r.id),
               'remarks', (SELECT coalesce(json_agg(json_build_object('seq', c.seq, 'digest', c.digest, 'record', c.record)
                                                    ORDER BY c.seq), '[]')
                             FROM tasks_inbox_taskcomment c
                            WHERE c.seq IS NOT NULL AND c.task_id = ANY (ARRAY(
                                  SELECT t.id FROM tasks_inbox_manualtask t WHERE t.run_id = r.id AND t.kind <> 'incident'))),
               'history', (SELECT coalesce(json_agg(/* include event_text */ ORDER BY h.id), '[]')
                             FROM runs_historyevent h WHERE h.run_id = r.id),
               'seals', (SELECT coalesce(json_agg(json_build_object(
                                    'life', z.life, 'events', z.events, 'last_event', z.last_event,
                                    'digest', encode(z.digest, 'hex'), 'sealed_at', z.sealed_at) ORDER BY z.life), '[]')
                           FROM runs_runseal z WHERE z.run_id = r.id))
               ORDER BY r.id <> %(run)s, r.id))::text
  FROM m
  JOIN runs_run r ON r.id = m.id
  JOIN accounts_tenant n ON n.id = r.tenant_id
  JOIN workflows_workflow w ON w.id = r.workflow_id
  LEFT JOIN workflows_workflowversion v ON v.id = r.version_id
HAVING count(*) > 0

-- name: loose_ends
-- What doesn't lean on the chain as it should: decisions of which history doesn't say what they were, tasks that were decided
-- otherwise than it says, and links behind its end. What was decided before there was a chain is left out.
SELECT coalesce(json_agg(json_build_array(f.seq, f.what) ORDER BY f.seq), '[]') FROM (
    SELECT d.seq, 'history doesn''t tell of it as it is' AS what
      FROM tasks_inbox_taskdecision d
     WHERE d.tenant_id = %(tenant)s AND NOT EXISTS (
           SELECT 1 FROM runs_historyevent h
            WHERE h.run_id = d.run_id AND h.type = CASE WHEN d.outcome = '@returned' THEN 'TASK_RETURNED'
                                                        WHEN d.ended_with IS NULL THEN 'TASK_VOTED' ELSE 'TASK_COMPLETED' END
              AND (h.payload ->> 'evidence', h.payload ->> 'task', h.payload ->> 'by', h.payload ->> 'outcome')
                  = (d.digest, d.task_id::text, d.by, coalesce(d.ended_with, d.outcome))
              AND h.payload ->> 'on_behalf_of' IS NOT DISTINCT FROM d.on_behalf_of)
    UNION ALL
    SELECT d.seq, 'its task was decided otherwise'
      FROM tasks_inbox_taskdecision d
      JOIN tasks_inbox_manualtask t ON t.id = d.task_id
     WHERE d.tenant_id = %(tenant)s AND d.ended_with IS NOT NULL
       AND (t.status, t.round, t.outcome, t.decided_by, t.decided_for, t.decided_at, t.data, t.comment) IS DISTINCT FROM
           ('COMPLETED', d.round, d.ended_with, d.by, d.on_behalf_of, d.at, d.data, d.comment)
    UNION ALL
    SELECT 0, 'history of run ' || h.run_id || ' tells of a decision that is gone'
      FROM tasks_inbox_manualtask t
      JOIN runs_historyevent h ON h.run_id = t.run_id AND h.type IN ('TASK_VOTED', 'TASK_COMPLETED', 'TASK_RETURNED')
                              AND h.payload ->> 'task' = t.id::text AND h.payload ->> 'evidence' IS NOT NULL
     WHERE t.tenant_id = %(tenant)s AND NOT EXISTS (
           SELECT 1 FROM tasks_inbox_taskdecision d WHERE d.task_id = t.id AND d.digest = h.payload ->> 'evidence')
    UNION ALL
    SELECT d.seq, 'it stands behind the end of the chain'
      FROM tasks_inbox_taskdecision d
      LEFT JOIN tasks_inbox_evidencehead h ON h.tenant_id = d.tenant_id
     WHERE d.tenant_id = %(tenant)s AND d.seq > coalesce(h.seq, 0)
    UNION ALL
    SELECT c.seq, 'it stands behind the end of the chain'
      FROM tasks_inbox_taskcomment c
      LEFT JOIN tasks_inbox_evidencehead h ON h.tenant_id = c.tenant_id
     WHERE c.tenant_id = %(tenant)s AND c.seq > coalesce(h.seq, 0)
    UNION ALL
    SELECT 0, 'the comment ' || c.id || ' of task ' || c.task_id || ' is no link of the chain'
      FROM tasks_inbox_taskcomment c
     WHERE c.tenant_id = %(tenant)s AND c.seq IS NULL
       AND c.at > (SELECT min(l.at) FROM tasks_inbox_taskcomment l WHERE l.tenant_id = %(tenant)s AND l.seq IS NOT NULL)
) f
