-- name: claim_keys
-- The idempotent start: whose row comes back starts the run, everybody else reads whose run it is afterwards. The
-- caller sorts by key and names a key once: the order prevents deadlocks, a key twice would raise 21000.
INSERT INTO runs_runkey AS k (tenant_id, workflow_id, business_key, run_id, generation)
SELECT %(tenant)s, %(workflow)s, w.business_key, w.run_id, 0
  FROM jsonb_to_recordset(%(keys)s::jsonb) AS w(business_key text, run_id uuid, ordinal int)
 ORDER BY w.ordinal
ON CONFLICT (tenant_id, workflow_id, business_key) DO UPDATE
   SET run_id = excluded.run_id, generation = k.generation + 1
 WHERE %(renew)s AND (SELECT r.status FROM runs_run r WHERE r.id = k.run_id)
                     IN ('COMPLETED', 'CONTINUED', 'FAILED', 'CANCELLED', 'COMPENSATED')
RETURNING k.business_key

-- name: lock_keys
-- Before keys may pass from ended runs to new ones, in a statement of its own: the next one must see what whoever had
-- them before did to those runs. In the order in which `claim_keys` takes them.
SELECT count(*)
  FROM (SELECT 1
          FROM runs_runkey k
         WHERE k.tenant_id = %(tenant)s AND k.workflow_id = %(workflow)s AND k.business_key = ANY (%(keys)s::text[])
         ORDER BY k.business_key COLLATE "C"
           FOR NO KEY UPDATE) l

-- name: lock_keys_of
-- Before runs are reopened: nobody can take their keys over now. Gives those whose key stands for another run by now.
WITH locked AS MATERIALIZED (
    SELECT r.id, r.business_key, k.run_id
      FROM runs_run r
      JOIN runs_runkey k ON k.tenant_id = r.tenant_id AND k.workflow_id = r.workflow_id AND k.business_key = r.business_key
     -- The key of a test run, or of a run that another one began, never was its own.
     WHERE r.id = ANY (%(runs)s::uuid[]) AND NOT r.is_test AND r.parent_id IS NULL
     ORDER BY k.tenant_id, k.workflow_id, k.business_key COLLATE "C"
       FOR NO KEY UPDATE OF k
)
SELECT coalesce(json_agg(json_build_array(l.business_key, l.run_id)) FILTER (WHERE l.run_id <> l.id), '[]') FROM locked l

-- name: other_inputs
-- Which of these runs were started with another input (null is a value like any other), or are another person's where
-- one of both starts was filed on behalf of somebody.
SELECT coalesce(json_agg(w.place), '[]')
  FROM jsonb_to_recordset(%(runs)s::jsonb) AS w(place int, run_id uuid, input jsonb, sha256 text, by text, is_filed boolean)
  JOIN runs_run r ON r.id = w.run_id
 WHERE (coalesce(r.input, 'null') <> coalesce(w.input, 'null')
        AND (w.sha256 IS NULL OR right(r.input ->> '$blob', 64) IS DISTINCT FROM w.sha256))
    OR (lower(r.created_by) <> lower(w.by)
        AND (w.is_filed OR EXISTS (SELECT 1 FROM runs_request q WHERE q.run_id = r.id AND q.filed_by_id IS NOT NULL)))

-- name: read_keys
SELECT coalesce(json_object_agg(k.business_key, k.run_id), '{}')
  FROM runs_runkey k
 WHERE k.tenant_id = %(tenant)s AND k.workflow_id = %(workflow)s AND k.business_key = ANY (%(keys)s::text[])

-- name: insert_runs
WITH clock AS MATERIALIZED (SELECT clock() AS now),
new_runs AS MATERIALIZED (
    SELECT *
      FROM jsonb_to_recordset(%(runs)s::jsonb)
        AS w(id uuid, shard smallint, business_key text, input jsonb, rerun_of uuid, said jsonb, parent_id uuid,
             parent_step_id uuid, depth smallint, follows uuid, chained smallint, counted_in uuid, root uuid, tree uuid,
             place jsonb, traceparent text, tracestate text)
),
inserted_runs AS (
    INSERT INTO runs_run (
        id, tenant_id, workflow_id, version_id, shard, business_key, priority, input, open_sinks,
        sla_deadline, sla_look_at, sla_counts, sla_calendar,
        root_id, tree_id, place, created_by, acts_for, started_from, created_at, rerun_of, is_test, is_part,
        parent_id, parent_step_id, depth, follows, chained, counted_in,
        traceparent, tracestate)
    SELECT w.id, %(tenant)s, %(workflow)s, %(version)s, w.shard, w.business_key, %(priority)s, coalesce(w.input, 'null'), %(sinks)s,
           clock.now + %(sla_seconds)s * interval '1 second', clock.now + %(sla_seconds)s * interval '0.8 second',
           %(sla_counts)s, %(sla_calendar)s::jsonb,
           coalesce(w.root, w.id), w.tree, w.place, %(created_by)s, %(acts_for)s, %(started_from)s, clock.now, w.rerun_of, %(is_test)s, %(is_part)s,
           w.parent_id, w.parent_step_id, coalesce(w.depth, 0), w.follows, coalesce(w.chained, 0), w.counted_in,
           coalesce(w.traceparent, t.traceparent), CASE WHEN w.traceparent IS NULL THEN t.tracestate ELSE w.tracestate END
      FROM new_runs w
     CROSS JOIN clock
      -- What comes from another run is of its trace, and called by it: `traces.trace_within`. A part has no span.
      LEFT JOIN LATERAL (
               SELECT CASE WHEN o.is_part AND o.traceparent IS NOT NULL THEN o.traceparent
                           ELSE concat(left(coalesce(o.traceparent, concat('00-', replace(o.id::text, '-', ''), '-')), 36),
                                       right(replace(o.id::text, '-', ''), 16), coalesce(right(o.traceparent, 3), '-01'))
                      END AS traceparent, o.tracestate
                 FROM runs_run o
                WHERE w.traceparent IS NULL AND o.id = coalesce(w.parent_id, w.follows, w.rerun_of, w.root)
                LIMIT 1
           ) t ON true
    RETURNING id, tenant_id, shard, business_key, input, rerun_of
),
requests AS (
    -- Whose requests they are, where a person asks for them: no statement more, and nothing where a program does.
    INSERT INTO runs_request (run_id, tenant_id, user_id, workflow_id, filed_by_id)
    SELECT r.id, r.tenant_id, %(requested_by)s::bigint, %(workflow)s, %(filed_by)s::bigint
      FROM inserted_runs r
     WHERE %(requested_by)s::bigint IS NOT NULL AND NOT %(is_test)s
)
/* include write_history */
SELECT r.tenant_id, r.id, r.shard, -1, 'RUN_STARTED', NULL, NULL,
       jsonb_strip_nulls(jsonb_build_object(
           'business_key', r.business_key, 'version', %(number)s::int, 'rerun_of', r.rerun_of, 'by', %(created_by)s::text,
           'filed_by', %(filed_by_name)s::text,
           'test', CASE WHEN %(is_test)s THEN true END,
           'digest', encode(sha256(convert_to(r.input::text, 'UTF8')), 'hex')) || coalesce(w.said, '{}')), clock.now
  FROM inserted_runs r JOIN new_runs w ON w.id = r.id CROSS JOIN clock
 ORDER BY r.id
