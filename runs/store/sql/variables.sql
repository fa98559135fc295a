-- name: writers
-- Who has set these variables: each step once for each name, with the place of what it set among all of that name.
SELECT coalesce(json_agg(json_build_array(v.run_id, v.name, v.node, v.index, v.place) ORDER BY v.place), '[]')
  FROM jsonb_to_recordset(%(names)s::jsonb) AS w(run_id uuid, name text)
  JOIN runs_runvariable v ON v.run_id = w.run_id AND v.name = w.name

-- name: count_variables
SELECT v.run_id::text, count(DISTINCT v.name) FROM runs_runvariable v WHERE v.run_id = ANY (%(runs)s::uuid[]) GROUP BY v.run_id

-- name: set_variables
-- Whoever asks it has the runs alone, so places are given once. A step has one row a name: what it set last.
WITH clock AS MATERIALIZED (SELECT clock() AS now),
v AS (
    INSERT INTO runs_runvariable AS v (tenant_id, run_id, shard, node, name, value, index, place, beside, set_at)
    SELECT r.tenant_id, r.id, r.shard, w.node, w.name, coalesce(w.value, 'null'), w.index, w.place, w.beside, clock.now
      FROM jsonb_to_recordset(%(rows)s::jsonb)
        AS w(run_id uuid, node text, name text, value jsonb, index int, place int, beside text[])
      JOIN runs_run r ON r.id = w.run_id
     CROSS JOIN clock
    ON CONFLICT (run_id, name, node) DO UPDATE
       SET value = excluded.value, index = excluded.index, place = excluded.place, beside = excluded.beside,
           set_at = excluded.set_at
)
/* include write_history */
SELECT r.tenant_id, r.id, r.shard, 31000, 'VARIABLES_SET', e.node, NULL,
       jsonb_strip_nulls(jsonb_build_object('index', e.index, 'overlaps', e.beside, 'set', (
           SELECT jsonb_object_agg(s.key, encode(sha256(convert_to(s.value::text, 'UTF8')), 'hex'))
             FROM jsonb_each(e.given) s))), clock.now
  FROM jsonb_to_recordset(%(events)s::jsonb)
    AS e(ordinal int, run_id uuid, node text, index int, given jsonb, beside jsonb)
  JOIN runs_run r ON r.id = e.run_id
 CROSS JOIN clock
 ORDER BY e.ordinal

-- name: copy_variables
-- A run that keeps what these steps of another one did takes over what they set.
INSERT INTO runs_runvariable (tenant_id, run_id, shard, node, name, value, index, place, beside, set_at)
SELECT r.tenant_id, r.id, r.shard, v.node, v.name, v.value, v.index, v.place, v.beside, v.set_at
  FROM runs_stepexecution s
  JOIN runs_runvariable v ON v.run_id = s.run_id AND v.node = s.node
 CROSS JOIN (SELECT * FROM runs_run WHERE id = %(run)s::uuid) r
 WHERE s.id = ANY (%(steps)s::uuid[]) AND s.index IS NULL
