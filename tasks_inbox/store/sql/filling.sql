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
       clock()
  FROM t
    ON CONFLICT (task_id, user_id) DO UPDATE
       SET data = excluded.data, comment = excluded.comment, shown_hash = excluded.shown_hash, saved_at = excluded.saved_at
RETURNING true

-- name: hold_open_task
-- Whoever adds a file or takes one back has the task alone: a decision comes before or after, and files are counted right.
SELECT t.id FROM tasks_inbox_manualtask t
 WHERE t.id = %(task)s AND t.tenant_id = %(tenant)s AND t.status = 'OPEN'
   FOR NO KEY UPDATE

-- name: add_file
WITH f AS (
    INSERT INTO tasks_inbox_taskfile (id, tenant_id, run_id, task_id, name, media_type, size, sha256, by, at)
    SELECT %(file)s::uuid, t.tenant_id, t.run_id, t.id, %(name)s, %(media_type)s, %(size)s, %(sha256)s, %(by)s,
           clock()
      FROM tasks_inbox_manualtask t
     WHERE t.id = %(task)s
       AND (SELECT count(*) FROM tasks_inbox_taskfile n WHERE n.task_id = t.id AND n.withdrawn_at IS NULL) < %(most)s
    RETURNING id, tenant_id
)
INSERT INTO tasks_inbox_taskfilecontent (id, tenant_id, content)
SELECT f.id, f.tenant_id, %(content)s FROM f
RETURNING true

-- name: withdraw_file
-- Not what somebody has decided with.
UPDATE tasks_inbox_taskfile f
   SET withdrawn_by = %(by)s, withdrawn_at = clock()
 WHERE f.id = %(file)s AND f.task_id = %(task)s AND f.withdrawn_at IS NULL
   AND NOT EXISTS (SELECT 1 FROM tasks_inbox_taskdecision d
                    WHERE d.task_id = f.task_id AND d.at >= f.at)
RETURNING true

-- name: forget_file
DELETE FROM tasks_inbox_taskfilecontent c WHERE c.id = %(file)s

-- name: files_held
-- What each of these files is said to be, and the digest of what is there.
SELECT coalesce(json_object_agg(f.id, json_build_object('id', f.id, 'name', f.name, 'sha256', f.sha256, 'size', f.size,
                                                        'media_type', f.media_type, 'by', f.by,
                                                        'found', encode(sha256(c.content), 'hex'))), '{}')
  FROM tasks_inbox_taskfile f
  LEFT JOIN tasks_inbox_taskfilecontent c ON c.id = f.id
 WHERE f.tenant_id = %(tenant)s AND f.id = ANY (%(files)s::uuid[])

-- name: files_in_trees
SELECT coalesce(json_agg(json_build_array(coalesce(r.tree_id, r.root_id), json_build_object(
           'id', f.id, 'name', f.name, 'media_type', f.media_type, 'size', f.size, 'sha256', f.sha256, 'by', f.by))), '[]')
  FROM tasks_inbox_taskfile f
  JOIN runs_run r ON r.id = f.run_id
 WHERE f.tenant_id = %(tenant)s AND f.id = ANY (%(files)s::uuid[]) AND f.withdrawn_at IS NULL
   AND coalesce(r.tree_id, r.root_id) = ANY (%(trees)s::uuid[])

-- name: file_content
SELECT c.content FROM tasks_inbox_taskfilecontent c WHERE c.tenant_id = %(tenant)s AND c.id = %(file)s
