-- name: lock_uploads
-- Uploads of a tenant come one after another: what is unused is counted right.
SELECT pg_advisory_xact_lock(hashtextextended('handoff files', %(tenant)s))

-- name: add_file
WITH unused AS (
    SELECT count(*) FILTER (WHERE f.by = %(by)s) AS files,
           coalesce(sum(f.size) FILTER (WHERE f.by = %(by)s), 0) AS own,
           coalesce(sum(f.size), 0) AS whole
      FROM files_storedfile f
     WHERE f.tenant_id = %(tenant)s AND f.expires_at IS NOT NULL
),
kept AS (
    INSERT INTO files_storedfile (id, tenant_id, name, media_type, size, sha256, by, at, expires_at)
    SELECT %(file)s::uuid, %(tenant)s, %(name)s, %(media_type)s, %(size)s, %(sha256)s, %(by)s, clock(),
           clock() + %(period)s * interval '1 second'
      FROM unused u
     WHERE u.files < %(most_files)s AND u.own + %(size)s <= %(most_own)s AND u.whole + %(size)s <= %(most_whole)s
    RETURNING id, tenant_id
),
content AS (
    INSERT INTO files_storedfilecontent (id, tenant_id, content)
    SELECT k.id, k.tenant_id, %(content)s FROM kept k
)
SELECT CASE WHEN EXISTS (SELECT 1 FROM kept) THEN ''
            WHEN u.files >= %(most_files)s THEN 'files' WHEN u.own + %(size)s > %(most_own)s THEN 'own' ELSE 'tenant' END
  FROM unused u

-- name: lock_files
-- A start has the files that it names alone: of two starts one uses a file.
SELECT coalesce(json_object_agg(f.id, json_build_object(
           'id', f.id, 'name', f.name, 'media_type', f.media_type, 'size', f.size, 'sha256', f.sha256, 'by', f.by,
           'unused', f.expires_at > clock())), '{}')
  FROM (SELECT f.* FROM files_storedfile f
         WHERE f.tenant_id = %(tenant)s AND f.id = ANY (%(files)s::uuid[])
         ORDER BY f.id FOR UPDATE) f

-- name: unused_files
SELECT coalesce(json_object_agg(f.id, json_build_object(
           'id', f.id, 'name', f.name, 'media_type', f.media_type, 'size', f.size, 'sha256', f.sha256, 'by', f.by)), '{}')
  FROM files_storedfile f
 WHERE f.tenant_id = %(tenant)s AND f.by = %(by)s AND f.id = ANY (%(files)s::uuid[]) AND f.expires_at > clock()

-- name: use_files
INSERT INTO files_fileuse (tenant_id, file_id, tree_id)
SELECT %(tenant)s, u.file, u.tree FROM unnest(%(files)s::uuid[], %(trees)s::uuid[]) AS u(file, tree)
ON CONFLICT (file_id, tree_id) DO NOTHING

-- name: keep_files
UPDATE files_storedfile f SET expires_at = NULL WHERE f.id = ANY (%(files)s::uuid[]) AND f.expires_at IS NOT NULL

-- name: adopt_files
INSERT INTO files_storedfile (id, tenant_id, name, media_type, size, sha256, by, at)
SELECT f.id, %(tenant)s, f.name, f.media_type, f.size, f.sha256, f.by, clock()
  FROM jsonb_to_recordset(%(rows)s::jsonb) AS f(id uuid, name text, media_type text, size int, sha256 text, by text)
ON CONFLICT (id) DO NOTHING

-- name: keep_result
-- A file that a step has made belongs to the tree of its run, which is not deleted meanwhile.
WITH tree AS MATERIALIZED (
    SELECT coalesce(r.tree_id, r.root_id) AS id
      FROM runs_run r
     WHERE r.tenant_id = %(tenant)s AND r.id = %(run)s
       FOR KEY SHARE
),
results AS (
    SELECT count(*) AS files, coalesce(sum(f.size), 0) AS bytes
      FROM tree t
      JOIN files_fileuse u ON u.tree_id = t.id AND u.is_result
      JOIN files_storedfile f ON f.id = u.file_id
),
kept AS (
    INSERT INTO files_storedfile (id, tenant_id, name, media_type, size, sha256, by, at)
    SELECT %(file)s::uuid, %(tenant)s, %(name)s, %(media_type)s, %(size)s, %(sha256)s, %(by)s, clock()
      FROM tree, results r
     WHERE r.files < %(most_files)s AND r.bytes + %(size)s <= %(most_bytes)s
    RETURNING id, tenant_id
),
content AS (
    INSERT INTO files_storedfilecontent (id, tenant_id, content)
    SELECT k.id, k.tenant_id, %(content)s FROM kept k
)
INSERT INTO files_fileuse (tenant_id, file_id, tree_id, is_result)
SELECT k.tenant_id, k.id, t.id, true FROM kept k, tree t
RETURNING true

-- name: trees_of
SELECT coalesce(json_object_agg(r.id, coalesce(r.tree_id, r.root_id)), '{}')
  FROM runs_run r
 WHERE r.tenant_id = %(tenant)s AND r.id = ANY (%(runs)s::uuid[])

-- name: files_of_trees
SELECT coalesce(json_agg(json_build_array(u.tree_id, json_build_object(
           'id', f.id, 'name', f.name, 'media_type', f.media_type, 'size', f.size, 'sha256', f.sha256, 'by', f.by))), '[]')
  FROM files_fileuse u
  JOIN files_storedfile f ON f.id = u.file_id
 WHERE u.tenant_id = %(tenant)s AND u.tree_id = ANY (%(trees)s::uuid[]) AND u.file_id = ANY (%(files)s::uuid[])

-- name: files_used
SELECT coalesce(json_agg(json_build_object(
           'id', f.id, 'name', f.name, 'media_type', f.media_type, 'size', f.size, 'sha256', f.sha256, 'by', f.by)
           ORDER BY f.id), '[]')
  FROM (SELECT f.*
          FROM runs_run r
          JOIN files_fileuse u ON u.tree_id = coalesce(r.tree_id, r.root_id) AND u.is_result = %(results)s
          JOIN files_storedfile f ON f.id = u.file_id
         WHERE r.tenant_id = %(tenant)s AND r.id = %(run)s
         ORDER BY f.id
         LIMIT %(limit)s) f

-- name: content_of_file
SELECT c.content FROM files_storedfilecontent c WHERE c.tenant_id = %(tenant)s AND c.id = %(file)s

-- name: expire_files
-- What a test run has used stays with it.
WITH expired AS MATERIALIZED (
    SELECT f.id, EXISTS (SELECT 1 FROM files_fileuse u WHERE u.file_id = f.id) AS used
      FROM files_storedfile f
     WHERE f.expires_at <= clock()
     ORDER BY f.expires_at
     LIMIT %(limit)s
       FOR UPDATE SKIP LOCKED
),
kept AS (
    UPDATE files_storedfile f SET expires_at = NULL FROM expired e WHERE f.id = e.id AND e.used
),
gone AS (
    DELETE FROM files_storedfile f USING expired e WHERE f.id = e.id AND NOT e.used RETURNING f.id
),
contents AS (
    DELETE FROM files_storedfilecontent c USING gone g WHERE c.id = g.id
)
SELECT count(*) FROM expired
