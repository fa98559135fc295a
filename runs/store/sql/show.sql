-- name: show_runs
-- Runs as everybody is shown them, each with its steps, in one statement. Payloads get room first come, first served:
-- errors before outputs before inputs before progress, among all runs or, `apart`, in each run; and what is too large never leaves the
-- database. Size is that of the JSON text, beyond `each` that of what is stored: to know more it would have to be unpacked.
WITH r AS MATERIALIZED (
    SELECT * FROM runs_run r WHERE r.id = ANY (%(runs)s::uuid[]) AND r.tenant_id = %(tenant)s
),
w AS MATERIALIZED (
    -- Of those alone whose deadline is still looked at.
    SELECT r.id, w.since, w.before FROM r CROSS JOIN LATERAL (/* include sla_waited */) w WHERE r.sla_look_at IS NOT NULL
),
s AS MATERIALIZED (
    SELECT s.*, CASE WHEN s.input_from IS NULL THEN s.input
                     WHEN s.input_from = s.run_id THEN r.input
                     ELSE (SELECT p.output FROM runs_stepexecution p WHERE p.id = s.input_from) END AS given
      FROM r
      JOIN runs_stepexecution s ON s.run_id = r.id AND s.run_id = ANY (%(runs)s::uuid[])
     WHERE (s.index IS NULL OR %(items)s) AND (%(indexes)s::int[] IS NULL OR s.index = ANY (%(indexes)s::int[])) AND s.node = coalesce(%(node)s::text, s.node)
),
v AS MATERIALIZED (
    SELECT o.id, o.run, c.rank, c.value, o.total, z.bytes, o.most IS NULL OR z.bytes <= o.most AS fits
      FROM (SELECT r.id, r.id AS run, r.error, r.output, r.input AS given, NULL::jsonb AS progress, %(own)s::int AS most, NULL::bigint AS total FROM r
            UNION ALL
            -- Of steps that are over, with `over` but for one: their errors alone.
            SELECT s.id, s.run_id, s.error, CASE WHEN f.shown THEN s.output END, CASE WHEN f.shown THEN s.given END,
                   CASE WHEN f.shown THEN s.progress END, %(each)s::int, %(total)s::bigint
              FROM s
             CROSS JOIN LATERAL (SELECT %(over)s::text IS NULL OR s.node = %(over)s::text
                                     OR s.status NOT IN ('COMPLETED', 'SKIPPED', 'CANCELLED') AS shown) f
             WHERE f.shown OR s.error IS NOT NULL) o
     CROSS JOIN LATERAL (VALUES (1, o.error), (2, o.output), (3, o.given), (4, o.progress)) c(rank, value)
     CROSS JOIN LATERAL (SELECT CASE WHEN o.most IS NULL OR pg_column_size(c.value) > o.most
                                     THEN pg_column_size(c.value)
                                     ELSE octet_length(c.value::text) END AS bytes) z
     WHERE c.value IS NOT NULL
),
p AS MATERIALIZED (
    SELECT w.id, json_agg(json_build_array(w.rank, CASE WHEN w.shown THEN w.value END,
                                           CASE WHEN NOT w.shown THEN w.bytes END)) AS payloads
      FROM (SELECT v.id, v.rank, v.value, v.bytes,
                   v.fits AND (v.total IS NULL OR sum(v.bytes) FILTER (WHERE v.fits) OVER (
                       PARTITION BY v.total IS NULL, CASE WHEN %(apart)s THEN v.run END ORDER BY v.rank, v.id) <= v.total) AS shown
              FROM v) w
     GROUP BY w.id
),
x AS MATERIALIZED (
    SELECT s.run_id, json_agg(json_build_array(
               s.id, s.node, s.index, s.status, s.attempt, s.held, s.queue, s.worker, s.error IS NOT NULL, s.available_at,
               s.lease_expires_at, s.queued_at, s.started_at, s.completed_at, s.waiting,
               -- Whether somebody takes steps of its queue at all: our workers say so, others by asking for jobs.
               /* include is_listened */,
               s.kept_from, s.cancel_cause, s.heartbeat_at,
               -- Of a step that has begun to wait for one; of others nothing is looked for.
               CASE WHEN s.type = ANY (%(begin_runs)s::text[]) THEN (
                        SELECT c.id FROM runs_run c WHERE c.parent_id = s.run_id AND c.parent_step_id = s.id
                         ORDER BY c.id DESC LIMIT 1) END,
               CASE WHEN s.index IS NULL AND s.type = ANY (%(containers)s::text[]) THEN (
                        SELECT json_build_array(c.total, c.opened, c.ended, c.failed, s.type = ANY (%(loops)s::text[]))
                          FROM runs_container c WHERE c.run_id = s.run_id AND c.node = s.node) END,
               coalesce(p.payloads, '[]'))
           ORDER BY s.id) AS steps
      FROM s
      LEFT JOIN p ON p.id = s.id
     GROUP BY s.run_id
)
SELECT row_to_json(shown)::text
  FROM (SELECT r.id, r.version_id, r.status, r.created_by, r.created_at, r.completed_at, r.parent_id AS parent,
               r.tree_id AS tree, r.place, r.follows, r.is_test, r.sla_deadline + a.before AS sla_deadline,
               coalesce(r.sla_paused_at, w.since) AS sla_paused_at,
               r.sla_paused_seconds + extract(epoch FROM a.before)::float8 AS sla_paused_seconds,
               r.traceparent, r.business_key, r.life, r.started_from, r.rerun_of, r.sla_counts,
               CASE WHEN r.root_id <> r.id THEN coalesce(
                   (SELECT p.id FROM runs_run p
                     WHERE p.root_id = r.root_id AND p.root_id <> p.id AND p.id < r.id
                     ORDER BY p.id DESC LIMIT 1), r.root_id) END AS continues,
               CASE WHEN r.status = 'CONTINUED' THEN
                   (SELECT n.id FROM runs_run n
                     WHERE n.root_id = r.root_id AND n.root_id <> n.id AND n.id > r.id
                     ORDER BY n.id LIMIT 1) END AS continued_as,
               -- By the one clock that says so in history, too; it may stand still while the run is paused or waits.
               coalesce(r.sla_paused_at, w.since, r.completed_at, statement_clock()) >= r.sla_deadline + a.before
                   AS is_late,
               -- It is looked at when 80 per cent of its time are over, then at its deadline.
               r.completed_at IS NULL AND NOT coalesce(
                   coalesce(r.sla_look_at, r.sla_kept_look_at) < r.sla_deadline
                   AND coalesce(r.sla_look_at, r.sla_kept_look_at) + a.before
                       > coalesce(r.sla_paused_at, w.since, statement_clock()),
                   false) AS is_near,
               -- Minutes old: what should be over by now is told to be so any moment.
               CASE WHEN r.status = 'RUNNING' THEN (
                   SELECT json_build_array(greatest(f.p50, c.now), greatest(f.p90, c.now), f.risk)
                     FROM runs_forecast f
                    CROSS JOIN (SELECT statement_clock() AS now) c
                    WHERE f.run_id = r.id) END AS forecast,
               -- Of one run that is looked at; what is beyond 1 MiB together is told by its size.
               CASE WHEN %(variables)s THEN (
                   SELECT json_agg(json_build_array(
                              v.name, CASE WHEN v.until <= 1048576 THEN v.value END,
                              CASE WHEN v.until > 1048576 THEN v.bytes END, v.node, v.index, v.set_at, v.beside)
                          ORDER BY v.name)
                     FROM (SELECT o.*, sum(o.bytes) OVER (ORDER BY o.name) AS until
                             FROM (SELECT DISTINCT ON (v.name) v.*, octet_length(v.value::text) AS bytes
                                     FROM runs_runvariable v WHERE v.run_id = r.id
                                    ORDER BY v.name, v.place DESC) o) v) END AS variables,
               coalesce(p.payloads, '[]') AS payloads, coalesce(x.steps, '[]') AS steps
          FROM r
          LEFT JOIN w ON w.id = r.id
          CROSS JOIN LATERAL (SELECT coalesce(w.before, interval '0') AS before) a
          LEFT JOIN p ON p.id = r.id
          LEFT JOIN x ON x.run_id = r.id) shown
