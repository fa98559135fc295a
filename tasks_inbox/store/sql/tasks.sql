-- name: open_tasks
-- One for each step that has just begun to wait; its run is held FOR UPDATE. It is due so long after it is asked.
WITH clock AS MATERIALIZED (SELECT clock() AS now),
n AS (
    INSERT INTO tasks_inbox_manualtask (id, tenant_id, shard, workflow_id, run_id, step_id, node, kind, title, instructions,
                                        facts, outcomes, form, candidates, audience, exclude, why_excluded, bars_deciders,
                                        quorum, clock, clock_from, next_at, undo_seconds, priority, due_at, created_at,
                                        is_test, named, title_parts, texts, round, covers)
    SELECT t.id, r.tenant_id, r.shard, r.workflow_id, r.id, t.step_id, t.node, t.kind, t.title, t.instructions, t.facts,
           t.outcomes, t.form, t.candidates, t.audience, t.exclude, t.why_excluded, t.bars_deciders, t.quorum, t.clock,
           clock.now, clock.now + (t.clock -> 0 ->> 'after')::double precision * interval '1 second', t.undo_seconds,
           t.priority,
           clock.now + t.due_seconds * interval '1 second', clock.now, r.is_test, t.named,
           t.title_parts, t.texts,
           CASE WHEN t.again THEN (SELECT coalesce(max(m.round), 0) FROM tasks_inbox_manualtask m
                                    WHERE m.run_id = r.id AND m.node = t.node) ELSE 0 END + 1, coalesce(t.covers, false)
      FROM jsonb_to_recordset(%(tasks)s::jsonb)
        AS t(id uuid, run_id uuid, step_id uuid, node text, kind text, title text, instructions text, facts jsonb,
             outcomes jsonb, form jsonb, candidates jsonb, audience text[], exclude text[], why_excluded jsonb,
             bars_deciders boolean, named jsonb, title_parts jsonb, texts jsonb, again boolean, covers boolean, quorum jsonb, clock jsonb, undo_seconds smallint, priority smallint, due_seconds double precision)
      JOIN runs_run r ON r.id = t.run_id
     CROSS JOIN clock
     ORDER BY t.id
    RETURNING id, tenant_id, shard, run_id, node, due_at, is_test, audience
),
o AS (
    -- What asks nobody was decided outside any task.
    INSERT INTO tasks_inbox_notification (id, tenant_id, task_id, run_id, kind, created_at, next_at)
    SELECT uuidv7(), n.tenant_id, n.id, n.run_id, 'asked', clock.now, clock.now
      FROM n CROSS JOIN clock
     WHERE NOT n.is_test AND n.audience <> '{}'
)
/* include write_history */
SELECT n.tenant_id, n.run_id, n.shard, 1, 'TASK_OPENED', n.node, NULL,
       jsonb_strip_nulls(jsonb_build_object('task', n.id, 'due_at', n.due_at)), clock.now
  FROM n CROSS JOIN clock
 ORDER BY n.run_id, n.id

-- name: open_compensation_tasks
-- One for each compensation that has just failed for good; its run is held FOR UPDATE. What was to be undone is copied
-- here, cut where it is long: nobody needs to have the run's page beside it.
WITH clock AS MATERIALIZED (SELECT clock() AS now),
ask AS MATERIALIZED (
    SELECT * FROM jsonb_to_record(%(ask)s::jsonb)
        AS a(instructions text, outcomes jsonb, candidates jsonb, audience text[], priority smallint)
),
n AS (
    INSERT INTO tasks_inbox_manualtask (id, tenant_id, shard, workflow_id, run_id, step_id, node, kind, title, instructions,
                                        facts, outcomes, candidates, audience, exclude, priority, created_at, is_test)
    SELECT t.id, r.tenant_id, r.shard, r.workflow_id, r.id, s.id, s.node, 'compensation', t.title, ask.instructions,
           f.facts, ask.outcomes, ask.candidates, ask.audience, '{}', ask.priority, clock.now, r.is_test
      FROM jsonb_to_recordset(%(tasks)s::jsonb)
        AS t(id uuid, step_id uuid, of text, title text, undoes text, attempts text)
      JOIN runs_stepexecution s ON s.id = t.step_id
      JOIN runs_run r ON r.id = s.run_id
      LEFT JOIN runs_stepexecution o ON o.run_id = s.run_id AND o.node = t.of AND o.index IS NULL
     CROSS JOIN LATERAL (
           SELECT jsonb_agg(jsonb_build_object('label', v.label, 'value', CASE
                                -- It is kept beside the database.
                                WHEN v.value ? '$blob' AND jsonb_typeof(v.value -> 'size') = 'number'
                                THEN to_jsonb(to_char((v.value ->> 'size')::numeric, 'FM999,999,999')
                                              || ' bytes; the page of the run has it whole')
                                WHEN octet_length(v.value::text) <= %(most)s THEN v.value
                                ELSE to_jsonb(left(v.value::text, %(cut)s) || '… ('
                                              || to_char(octet_length(v.value::text), 'FM999,999,999')
                                              || ' bytes; the page of the run has it whole)') END)
                            ORDER BY v.place) AS facts
             FROM (VALUES (1, 'To be undone', to_jsonb(t.undoes)),
                          (2, 'Business key', to_jsonb(r.business_key)),
                          (3, 'What went wrong', to_jsonb(
                              concat(s.error ->> 'message', ' (' || (s.error ->> 'code') || ')'))),
                          (4, 'Attempts to undo it', to_jsonb(t.attempts)),
                          (5, 'Whether it was done', CASE WHEN o.status <> 'COMPLETED' THEN to_jsonb(
                              'Nobody knows: its worker was lost, it timed out, or it was stopped.'::text) END),
                          (6, 'What the step was given', s.input -> 'input'),
                          (7, 'What the step gave',
                           CASE WHEN o.status = 'COMPLETED' THEN s.input -> 'output' END),
                          (8, 'Idempotency key', s.input -> 'idempotency_key')) v(place, label, value)
            WHERE v.value IS NOT NULL) f
     CROSS JOIN ask
     CROSS JOIN clock
     ORDER BY t.id
    -- Of a run that is handed over once more it is there already.
    ON CONFLICT (step_id) WHERE status = 'OPEN' DO NOTHING
    RETURNING id, tenant_id, shard, run_id, node, is_test
),
o AS (
    INSERT INTO tasks_inbox_notification (id, tenant_id, task_id, run_id, kind, created_at, next_at)
    SELECT uuidv7(), n.tenant_id, n.id, n.run_id, 'asked', clock.now, clock.now FROM n CROSS JOIN clock WHERE NOT n.is_test
)
/* include write_history */
SELECT n.tenant_id, n.run_id, n.shard, 302, 'TASK_OPENED', n.node, NULL,
       jsonb_build_object('task', n.id), clock.now
  FROM n CROSS JOIN clock
 ORDER BY n.run_id, n.id

-- name: close_compensation_task
-- Whoever settles a compensation decides its task, also one that somebody else has claimed; it is held, and so is its run.
WITH u AS (
    UPDATE tasks_inbox_manualtask t
       SET status = 'COMPLETED', outcome = %(outcome)s, comment = %(comment)s, decided_by = %(by)s,
           decided_for = %(on_behalf_of)s, decided_at = %(at)s::timestamptz
     WHERE t.id = %(task)s AND t.status = 'OPEN'
    RETURNING t.id, t.tenant_id, t.shard, t.run_id, t.node, t.decided_at
)
/* include write_history */
SELECT u.tenant_id, u.run_id, u.shard, 0, 'TASK_COMPLETED', u.node, NULL,
       jsonb_strip_nulls(jsonb_build_object('task', u.id, 'outcome', %(outcome)s::text, 'by', %(by)s::text,
                                            'on_behalf_of', %(on_behalf_of)s::text, 'evidence', %(digest)s::text)),
       u.decided_at
  FROM u

-- name: cancel_tasks
-- Those whose step waits no more, of runs that are held FOR UPDATE; who ended the step has said so in its history. Whoever
-- had one for themselves is told.
WITH clock AS MATERIALIZED (SELECT clock() AS now),
l AS MATERIALIZED (
    SELECT t.id
      FROM tasks_inbox_manualtask t
     WHERE t.run_id = ANY (%(runs)s::uuid[]) AND t.status = 'OPEN' AND t.kind NOT IN ('compensation', 'incident') AND NOT EXISTS (
           SELECT 1 FROM runs_stepexecution s
            WHERE s.id = t.step_id AND s.status = 'WAITING' AND coalesce(s.waiting ->> 'kind', '') <> 'operator')
     ORDER BY t.id
       FOR NO KEY UPDATE
),
u AS (
    UPDATE tasks_inbox_manualtask t SET status = 'CANCELLED'
     WHERE t.id = ANY (ARRAY(SELECT id FROM l)) AND t.status = 'OPEN'
    RETURNING t.tenant_id, t.id, t.run_id, t.assignee, t.is_test
),
told AS (
    INSERT INTO tasks_inbox_notification (id, tenant_id, task_id, run_id, kind, username, created_at, next_at)
    SELECT uuidv7(), u.tenant_id, u.id, u.run_id, 'cancelled', u.assignee, clock.now, clock.now
      FROM u CROSS JOIN clock
     WHERE u.assignee IS NOT NULL AND NOT u.is_test
)
SELECT coalesce(json_agg(DISTINCT u.tenant_id), '[]') FROM u

-- name: missing_tasks
SELECT coalesce(json_agg(json_build_array(r.id, r.tenant_id, r.life, s.node, s.index)), '[]')
  FROM runs_run r
 CROSS JOIN LATERAL (SELECT s.id, s.node, s.index FROM runs_stepexecution s
                      WHERE s.run_id = r.id AND s.status = 'WAITING' AND s.waiting ->> 'kind' = 'task' OFFSET 0) s
 WHERE r.id = ANY (%(runs)s::uuid[])
   AND r.status IN ('RUNNING', 'PAUSED', 'COMPENSATING', 'WAITING_FOR_MANUAL_ACTION')
   AND NOT EXISTS (SELECT 1 FROM tasks_inbox_manualtask t WHERE t.step_id = s.id AND t.status = 'OPEN')

-- name: complete_task
-- The decision that ends it: the task is held, so nobody else's comes between.
WITH u AS (
    UPDATE tasks_inbox_manualtask t
       SET status = 'COMPLETED', outcome = %(outcome)s, data = %(data)s::jsonb, comment = %(comment)s, decided_by = %(by)s,
           decided_for = %(on_behalf_of)s, decided_at = %(at)s::timestamptz, voted = t.voted || %(keys)s::text[]
     WHERE t.id = %(task)s AND t.status = 'OPEN'
    RETURNING t.id, t.tenant_id, t.shard, t.run_id, t.node, t.decided_at
)
/* include write_history */
SELECT u.tenant_id, u.run_id, u.shard, 0, 'TASK_COMPLETED', u.node, NULL,
       jsonb_strip_nulls(jsonb_build_object(
           'task', u.id, 'outcome', %(outcome)s::text, 'by', %(by)s::text, 'on_behalf_of', %(on_behalf_of)s::text,
           'digest', encode(sha256(convert_to(%(data)s::jsonb::text, 'UTF8')), 'hex'), 'evidence', %(digest)s::text)),
       u.decided_at
  FROM u
RETURNING true

-- name: give_task
-- To somebody or, where `assignee` is null, to nobody; only as long as it is whose it was when that was decided. Who is given
-- it by somebody else is told.
WITH clock AS MATERIALIZED (SELECT clock() AS now),
u AS (
    UPDATE tasks_inbox_manualtask t
       SET assignee = %(assignee)s, delegated_by = NULL
     WHERE t.id = %(task)s AND t.status = 'OPEN' AND t.assignee IS NOT DISTINCT FROM %(before)s
       AND t.delegated_by IS NOT DISTINCT FROM %(delegated_by)s
    RETURNING t.tenant_id, t.id, t.run_id, t.assignee, t.is_test
),
o AS (
    INSERT INTO tasks_inbox_notification (id, tenant_id, task_id, run_id, kind, username, created_at, next_at)
    SELECT uuidv7(), u.tenant_id, u.id, u.run_id, 'assigned', u.assignee, clock.now, clock.now
      FROM u CROSS JOIN clock
     WHERE u.assignee <> %(by)s AND NOT u.is_test
)
SELECT true FROM u

-- name: put_back
-- Who had them may decide no tasks, or none of these `kinds`, any more; locked one after another, as by all who have several.
WITH l AS MATERIALIZED (
    SELECT t.id
      FROM tasks_inbox_manualtask t
     WHERE t.tenant_id = %(tenant)s AND t.status = 'OPEN' AND t.assignee = %(assignee)s AND t.kind = ANY (%(kinds)s::text[])
     ORDER BY t.id
       FOR NO KEY UPDATE
)
UPDATE tasks_inbox_manualtask t
   SET assignee = NULL, delegated_by = NULL
 WHERE t.id = ANY (ARRAY(SELECT id FROM l)) AND t.status = 'OPEN' AND t.assignee = %(assignee)s

-- name: release_tasks
-- Each from the holder with whom it was seen, who can't decide it as things are; locked as by `put_back`.
WITH l AS MATERIALIZED (
    SELECT t.id
      FROM tasks_inbox_manualtask t
      JOIN unnest(%(tasks)s::uuid[], %(holders)s::text[]) h(task, holder) ON h.task = t.id AND h.holder = t.assignee
     WHERE t.status = 'OPEN'
     ORDER BY t.id
       FOR NO KEY UPDATE OF t
),
u AS (
    UPDATE tasks_inbox_manualtask t SET assignee = NULL, delegated_by = NULL
     WHERE t.id = ANY (ARRAY(SELECT id FROM l)) AND t.status = 'OPEN'
    RETURNING t.id
)
SELECT coalesce(json_agg(u.id), '[]') FROM u

-- name: open_by_mark
SELECT coalesce(json_agg(json_build_array(m.mark, n.count)), '[]')
  FROM unnest(%(marks)s::text[]) m(mark)
 CROSS JOIN LATERAL (SELECT count(*) FROM tasks_inbox_manualtask t
                      WHERE t.tenant_id = %(tenant)s AND t.status = 'OPEN' AND t.audience @> ARRAY[m.mark]) n

-- name: delegate_task
-- As `give_task`, and told in history: the run is held FOR UPDATE, so that it doesn't end before that is written.
WITH clock AS MATERIALIZED (SELECT clock() AS now),
u AS (
    UPDATE tasks_inbox_manualtask t
       SET assignee = %(to)s, delegated_by = %(after)s
     WHERE t.id = %(task)s AND t.status = 'OPEN' AND t.assignee IS NOT DISTINCT FROM %(assignee)s
       AND t.delegated_by IS NOT DISTINCT FROM %(delegated_by)s
    RETURNING t.id, t.tenant_id, t.shard, t.run_id, t.node
)
/* include write_history */
SELECT u.tenant_id, u.run_id, u.shard, 0, 'TASK_DELEGATED', u.node, NULL,
       jsonb_strip_nulls(jsonb_build_object(
           'task', u.id, 'by', %(by)s::text, 'to', %(to)s::text, 'reason', %(reason)s::text)), clock.now
  FROM u CROSS JOIN clock
RETURNING true

-- name: hand_vote
-- Of a task that several decide: one vote for each person, whoever's it is. The run is held FOR UPDATE.
WITH clock AS MATERIALIZED (SELECT clock() AS now),
u AS (
    UPDATE tasks_inbox_manualtask t
       SET proxies = t.proxies || jsonb_build_array(jsonb_build_object(
               'by', %(by)s::text, 'to', %(to)s::text, 'by_key', %(by_key)s::text, 'to_key', %(to_key)s::text))
     WHERE t.id = %(task)s AND t.status = 'OPEN' AND t.returned_to IS NULL
       AND NOT t.voted && ARRAY[%(by_key)s::text, %(to_key)s::text]
       AND NOT EXISTS (SELECT 1 FROM jsonb_array_elements(t.proxies) p
                        WHERE ARRAY[p ->> 'by_key', p ->> 'to_key'] && ARRAY[%(by_key)s::text, %(to_key)s::text])
    RETURNING t.id, t.tenant_id, t.shard, t.run_id, t.node
)
/* include write_history */
SELECT u.tenant_id, u.run_id, u.shard, 0, 'TASK_DELEGATED', u.node, NULL,
       jsonb_strip_nulls(jsonb_build_object(
           'task', u.id, 'by', %(by)s::text, 'to', %(to)s::text, 'reason', %(reason)s::text)), clock.now
  FROM u CROSS JOIN clock
RETURNING true

-- name: take_vote_back
UPDATE tasks_inbox_manualtask t
   SET proxies = (SELECT coalesce(jsonb_agg(p), '[]') FROM jsonb_array_elements(t.proxies) p
                   WHERE NOT %(key)s::text IN (p ->> 'by_key', p ->> 'to_key'))
 WHERE t.id = %(task)s AND t.status = 'OPEN'
   AND EXISTS (SELECT 1 FROM jsonb_array_elements(t.proxies) p WHERE %(key)s::text IN (p ->> 'by_key', p ->> 'to_key'))
RETURNING true

-- name: put_votes_back
-- Whose they were, or who had them, may decide no tasks any more.
WITH l AS MATERIALIZED (
    SELECT t.id
      FROM tasks_inbox_manualtask t
     WHERE t.tenant_id = %(tenant)s AND t.status = 'OPEN' AND t.proxies <> '[]'
       AND EXISTS (SELECT 1 FROM jsonb_array_elements(t.proxies) p WHERE %(key)s::text IN (p ->> 'by_key', p ->> 'to_key'))
     ORDER BY t.id
       FOR NO KEY UPDATE
)
UPDATE tasks_inbox_manualtask t
   SET proxies = (SELECT coalesce(jsonb_agg(p), '[]') FROM jsonb_array_elements(t.proxies) p
                   WHERE NOT %(key)s::text IN (p ->> 'by_key', p ->> 'to_key'))
 WHERE t.id = ANY (ARRAY(SELECT id FROM l)) AND t.status = 'OPEN'

-- name: add_comment
-- The next link of the tenant's chain, which is held, and so is the task: what was decided upon stays as it was. Said twice,
-- it is one link. Whom it mentions is told, once.
WITH t AS MATERIALIZED (
    SELECT t.id, t.tenant_id, t.shard, t.run_id, t.is_test
      FROM tasks_inbox_manualtask t
     WHERE t.id = %(task)s AND t.tenant_id = %(tenant)s AND t.status = 'OPEN'
),
n AS (
    INSERT INTO tasks_inbox_taskcomment (id, tenant_id, shard, run_id, task_id, by, text, kind, at, seq, record, digest)
    SELECT %(comment)s::uuid, t.tenant_id, t.shard, t.run_id, t.id, %(by)s, %(text)s, %(kind)s, %(at)s::timestamptz,
           %(seq)s, %(record)s, %(digest)s
      FROM t
        ON CONFLICT (id) DO NOTHING
    RETURNING at, tenant_id
),
h AS (
    UPDATE tasks_inbox_evidencehead h SET seq = %(seq)s, digest = %(digest)s FROM n WHERE h.tenant_id = n.tenant_id
),
o AS (
    INSERT INTO tasks_inbox_notification (id, tenant_id, task_id, run_id, kind, username, created_at, next_at)
    SELECT uuidv7(), t.tenant_id, t.id, t.run_id, 'mentioned', p.name, n.at, n.at
      FROM n CROSS JOIN t CROSS JOIN unnest(%(mentions)s::text[]) AS p(name)
     WHERE NOT t.is_test
)
SELECT true FROM n

-- name: snooze_task
INSERT INTO tasks_inbox_tasknote (id, tenant_id, task_id, username, snoozed_until)
VALUES (%(note)s::uuid, %(tenant)s, %(task)s, %(by)s, %(until)s)
    ON CONFLICT (task_id, username) DO UPDATE SET snoozed_until = excluded.snoozed_until

-- name: watch_task
INSERT INTO tasks_inbox_tasknote (id, tenant_id, task_id, username, watching)
VALUES (%(note)s::uuid, %(tenant)s, %(task)s, %(by)s, %(watching)s)
    ON CONFLICT (task_id, username) DO UPDATE SET watching = excluded.watching

-- name: count_open
SELECT count(*) FROM (SELECT 1 FROM tasks_inbox_manualtask t WHERE t.status = 'OPEN' LIMIT %(most)s) t

-- name: types_told
-- The types of the facts by which these tasks are listed, by task; the key as `tasks_inbox_told` writes it.
SELECT coalesce(jsonb_object_agg(t.id, f.type), '{}')
  FROM tasks_inbox_manualtask t
 CROSS JOIN LATERAL (
       SELECT f -> 'type' AS type FROM jsonb_array_elements(t.facts) f
        WHERE replace(lower(btrim(f ->> 'label')), ' ', '_') = %(key)s AND f ? 'type'
        LIMIT 1) f
 WHERE t.id = ANY (%(tasks)s::uuid[])
