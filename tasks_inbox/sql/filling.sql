-- name: save_draft
-- The newest of each person. Not behind a decision that is being made, and not behind their own: what they typed is gone then.
WITH t AS MATERIALIZED (
    SELECT t.id, t.tenant_id
      FROM tasks_inbox_manualtask t
     WHERE t.id = %(task)s AND t.tenant_id = %(tenant)s AND t.status = 'OPEN' AND NOT t.voted @> ARRAY[%(key)s]
       FOR SHARE
)
INSERT INTO tasks_inbox_taskdraft (id, tenant_id, task_id, user_id, data, comment, shown_hash, saved_at)
SELECT %(draft)s::uuid, t.tenant_id, t.id, %(user)s, %(data)s::jsonb, %(comment)s, %(shown_hash)s,
       coalesce(%(now)s::timestamptz, clock_timestamp())
  FROM t
    ON CONFLICT (task_id, user_id) DO UPDATE
       SET data = excluded.data, comment = excluded.comment, shown_hash = excluded.shown_hash, saved_at = excluded.saved_at
RETURNING true
