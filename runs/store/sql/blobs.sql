-- name: note_blobs
-- What a transaction refers to of values that are kept beside the database; whoever looks for what nobody refers to
-- asks for these (`used_blobs`).
INSERT INTO runs_blob (tenant_id, run_id, day, sha256)
SELECT b.tenant_id, b.run_id, b.day, b.sha256
  FROM jsonb_to_recordset(%(blobs)s::jsonb) AS b(tenant_id bigint, run_id uuid, day text, sha256 text)
 ORDER BY b.run_id, b.day, b.sha256
ON CONFLICT (run_id, day, sha256) DO NOTHING

-- name: used_blobs
SELECT b.day || '/' || b.tenant_id || '/' || b.run_id || '/' || b.sha256
  FROM jsonb_to_recordset(%(blobs)s::jsonb) AS w(tenant_id bigint, run_id uuid, day text, sha256 text)
  JOIN runs_blob b ON b.run_id = w.run_id AND b.day = w.day AND b.sha256 = w.sha256 AND b.tenant_id = w.tenant_id

-- name: installation
-- The number of this database, made when it is first asked for; null where another transaction makes it just now.
WITH made AS (
    INSERT INTO runs_installation (id, number) VALUES (1, gen_random_uuid()) ON CONFLICT (id) DO NOTHING RETURNING number
)
SELECT coalesce((SELECT number FROM made), (SELECT number FROM runs_installation))::text

-- name: newest_blobs
SELECT b.day || '/' || b.tenant_id || '/' || b.run_id || '/' || b.sha256
  FROM runs_blob b
 ORDER BY b.id DESC
 LIMIT %(limit)s

-- name: swept_days
SELECT d.day FROM runs_sweptday d

-- name: note_swept
INSERT INTO runs_sweptday (day, swept_at) VALUES (%(day)s, clock_timestamp()) ON CONFLICT DO NOTHING
