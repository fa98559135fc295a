-- name: payload_digests
-- What tells payloads of runs that are too large to be shown; (node, field) are those that are wanted, without a node the run's own.
-- A value beside the database is told by the hash in its reference; one with such parts by its text, which is not exact: the
-- same part of another run has another reference.
WITH w AS (
    SELECT * FROM unnest(%(nodes)s::text[], %(fields)s::text[]) w(node, field)
),
v AS (
    SELECT r.id AS run, w.node, w.field, CASE w.field WHEN 'input' THEN r.input ELSE r.output END AS value
      FROM runs_run r
      JOIN w ON w.node IS NULL
     WHERE r.id = ANY (%(runs)s::uuid[]) AND r.tenant_id = %(tenant)s
    UNION ALL
    SELECT r.id, w.node, w.field,
           CASE WHEN w.field = 'output' THEN s.output
                WHEN s.input_from IS NULL THEN s.input
                WHEN s.input_from = s.run_id THEN r.input
                ELSE (SELECT p.output FROM runs_stepexecution p WHERE p.id = s.input_from) END
      FROM runs_run r
      JOIN runs_stepexecution s ON s.run_id = r.id AND s.run_id = ANY (%(runs)s::uuid[]) AND s.index IS NULL
      JOIN w ON w.node = s.node
     WHERE r.id = ANY (%(runs)s::uuid[]) AND r.tenant_id = %(tenant)s
)
SELECT v.run::text, v.node, v.field,
       CASE WHEN k.kept IS NOT NULL THEN 'kept' WHEN strpos(k.text, '"$blob"') > 0 THEN 'mixed' ELSE 'text' END,
       coalesce(k.kept, md5(k.text))
  FROM v
 CROSS JOIN LATERAL (
     SELECT coalesce(v.value, 'null')::text AS text,
            CASE WHEN jsonb_typeof(v.value) = 'object' THEN right(v.value ->> '$blob', 64) END AS kept) k
