-- name: return_task
-- It goes back to somebody for changes: nothing happens by itself until they send it again. The task is held, and so is its
-- run; whoever has claimed it keeps it for the next round.
WITH u AS (
    UPDATE tasks_inbox_manualtask t
       SET returned_to = %(to)s, stopped_at = coalesce(t.stopped_at, %(at)s::timestamptz), stopped_by = %(by)s,
           next_at = NULL, asked_of = NULL
     WHERE t.id = %(task)s AND t.status = 'OPEN' AND t.returned_to IS NULL
    RETURNING t.id, t.tenant_id, t.shard, t.run_id, t.node, t.is_test
),
o AS (
    INSERT INTO tasks_inbox_notification (id, tenant_id, task_id, run_id, kind, username, created_at, next_at)
    SELECT uuidv7(), u.tenant_id, u.id, u.run_id, 'returned', %(to)s, %(at)s::timestamptz, %(at)s::timestamptz
      FROM u WHERE NOT u.is_test
)
/* include write_history */
SELECT u.tenant_id, u.run_id, u.shard, 0, 'TASK_RETURNED', u.node, NULL,
       jsonb_strip_nulls(jsonb_build_object('task', u.id, 'outcome', %(outcome)s::text, 'by', %(by)s::text,
                                            'on_behalf_of', %(on_behalf_of)s::text, 'to', %(to)s::text,
                                            'evidence', %(digest)s::text)),
       %(at)s::timestamptz
  FROM u
RETURNING true

-- name: send_again
-- The next round: with other facts perhaps, without the votes of the one before, and as much later as it was away. Its run is
-- held FOR UPDATE.
WITH clock AS MATERIALIZED (SELECT clock() AS now),
u AS (
    UPDATE tasks_inbox_manualtask t
       SET facts = %(facts)s::jsonb, title = coalesce(%(title)s, t.title),
           instructions = coalesce(%(instructions)s, t.instructions),
           outcomes = coalesce(%(outcomes)s::jsonb, t.outcomes), texts = %(texts)s::jsonb,
           title_parts = %(texts)s::jsonb -> 'title',
           -- What the texts said then is part of what was shown.
           earlier = t.earlier || jsonb_build_array(jsonb_strip_nulls(jsonb_build_object(
                         'round', t.round, 'title', CASE WHEN t.texts IS NOT NULL THEN t.title END,
                         'instructions', CASE WHEN t.texts IS NOT NULL THEN t.instructions END))
                     || jsonb_build_object('facts', t.facts)
                     || CASE WHEN t.texts IS NULL THEN '{}' ELSE jsonb_build_object('outcomes', t.outcomes) END),
           exclude = ARRAY(SELECT DISTINCT unnest(t.exclude || %(bars)s::text[])),
           why_excluded = nullif(coalesce(t.why_excluded, '{}') || %(why)s::jsonb, '{}'),
           round = t.round + 1, voted = '{}', returned_to = NULL, stopped_at = NULL, stopped_by = NULL,
           clock_from = t.clock_from + (clock.now - t.stopped_at), due_at = t.due_at + (clock.now - t.stopped_at),
           next_at = t.clock_from + (clock.now - t.stopped_at)
                     + (t.clock -> 0 ->> 'after')::double precision * interval '1 second'
      FROM clock
     WHERE t.id = %(task)s AND t.status = 'OPEN' AND t.returned_to IS NOT NULL AND t.round = %(round)s
    RETURNING t.id, t.tenant_id, t.shard, t.run_id, t.node, t.round, t.due_at, clock.now, t.is_test
),
o AS (
    INSERT INTO tasks_inbox_notification (id, tenant_id, task_id, run_id, kind, created_at, next_at)
    SELECT uuidv7(), u.tenant_id, u.id, u.run_id, 'resubmitted', u.now, u.now FROM u WHERE NOT u.is_test
)
/* include write_history */
SELECT u.tenant_id, u.run_id, u.shard, 0, 'TASK_RESUBMITTED', u.node, NULL,
       jsonb_strip_nulls(jsonb_build_object('task', u.id, 'by', %(by)s::text, 'round', u.round,
                                            'changed', %(changed)s::jsonb, 'due_at', u.due_at)), u.now
  FROM u
RETURNING true
