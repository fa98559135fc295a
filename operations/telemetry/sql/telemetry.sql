-- name: settle_telemetry
-- Ids of history become visible out of order. What was the newest id a look ago gets a fence now, the newest transaction;
-- once all before that are over, nothing up to the id is to come any more. A fence of another server, from before a
-- restore, is set anew.
WITH s AS MATERIALIZED (
    SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint AS oldest,
           pg_current_xact_id()::text::bigint AS newest,
           coalesce((SELECT max(h.id) FROM runs_historyevent h), 0) AS seen,
           CASE WHEN EXISTS (SELECT 1 FROM runs_telemetrycursor) THEN 0
                ELSE coalesce((SELECT min(h.id) - 1 FROM runs_historyevent h), 0) END AS first
)
INSERT INTO runs_telemetrycursor AS t (id, after, upto, ahead, seen, fence)
SELECT 1, s.first, s.first, s.first, s.seen, s.newest FROM s
ON CONFLICT (id) DO UPDATE
   SET upto = CASE WHEN t.fence <= (SELECT oldest FROM s) THEN t.ahead ELSE t.upto END,
       ahead = CASE WHEN t.fence <= (SELECT oldest FROM s) THEN t.seen ELSE t.ahead END,
       seen = CASE WHEN t.fence <= (SELECT oldest FROM s) THEN excluded.seen ELSE t.seen END,
       fence = excluded.fence
 WHERE t.fence <= (SELECT oldest FROM s) OR t.fence > excluded.fence

-- name: lock_telemetry
-- In a statement of its own: what is counted then must be read by a snapshot that sees what whoever had it before counted.
-- No commit waits for the disk: cursor and counts are lost together, and counted again. To compile the plan would take longer
-- than it does.
WITH quickly AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true), set_config('jit', 'off', true))
SELECT json_build_array(t.after, t.upto)
  FROM runs_telemetrycursor t CROSS JOIN quickly
 WHERE t.id = 1 AND t.after < t.upto
   FOR UPDATE OF t SKIP LOCKED

-- name: count_telemetry
-- Rolls up the next events, by hour and by day at once; the caller has the cursor, which moves with what is counted. Parts of
-- runs count to the run that began them, as steps alone; test runs not at all. Of a step whose row is gone, because its run
-- goes on without it, the versions tell the type. A batch is a range of ids, and no LIMIT: for that a plan that knows little
-- of new rows would read and sort all that are left. Gives how many events were read.
WITH RECURSIVE e AS MATERIALIZED (
    SELECT h.id, h.xid, h.run_id, h.type, h.node, h.created_at, h.payload,
           (h.payload ->> 'index')::int AS index, (h.payload ->> 'started_at')::timestamptz AS started_at
      FROM runs_historyevent h
     WHERE h.id > %(after)s AND h.id <= %(last)s
),
w AS (
    SELECT d.run_id, 0 AS level, r.*
      FROM (SELECT DISTINCT e.run_id FROM e) d
     CROSS JOIN LATERAL (SELECT r.tenant_id, r.workflow_id, r.version_id, r.is_part, r.is_test, r.parent_id, r.cancelled,
                                r.created_at, r.root_id
                           FROM runs_run r WHERE r.id = d.run_id LIMIT 1) r
    UNION ALL
    SELECT w.run_id, w.level + 1, r.*
      FROM w
     CROSS JOIN LATERAL (SELECT r.tenant_id, r.workflow_id, r.version_id, r.is_part, r.is_test, r.parent_id, r.cancelled,
                                r.created_at, r.root_id
                           FROM runs_run r WHERE r.id = w.parent_id LIMIT 1) r
     WHERE w.is_part
),
o AS MATERIALIZED (
    SELECT w.run_id, w.level, w.tenant_id, w.workflow_id, w.version_id, own.version_id AS own_version, w.cancelled,
           -- A run that goes on as a new one began with the first.
           CASE WHEN w.root_id = w.run_id THEN w.created_at
                ELSE coalesce((SELECT q.created_at FROM runs_run q WHERE q.id = w.root_id), w.created_at) END AS began
      FROM w
      JOIN w own ON own.run_id = w.run_id AND own.level = 0
     WHERE NOT w.is_part AND NOT w.is_test
),
f AS MATERIALIZED (
    SELECT o.tenant_id, o.workflow_id, o.version_id, e.created_at, e.node, k.type, e.type AS event,
           CASE WHEN k.type = ANY (%(people)s::text[]) THEN 'human'
                WHEN k.type = ANY (%(waits)s::text[]) THEN 'waiting' ELSE 'machine' END AS measure,
           CASE WHEN s.started_at = e.started_at
                THEN greatest(0, extract(epoch FROM s.started_at - s.available_at) * 1000)::bigint END AS queue_ms,
           greatest(0, extract(epoch FROM e.created_at - coalesce(e.started_at, e.created_at)) * 1000)::bigint AS work_ms
      FROM e
      JOIN o ON o.run_id = e.run_id
      LEFT JOIN LATERAL (
               -- Apart, so that a child is found by its place and not among all of its container.
               (SELECT s.type, s.available_at, s.started_at FROM runs_stepexecution s
                 WHERE e.index IS NULL AND s.run_id = e.run_id AND s.node = e.node AND s.index IS NULL LIMIT 1)
               UNION ALL
               (SELECT s.type, s.available_at, s.started_at FROM runs_stepexecution s
                 WHERE s.run_id = e.run_id AND s.node = e.node AND s.index = e.index LIMIT 1)) s ON true
     CROSS JOIN LATERAL (
               SELECT coalesce(s.type, (
                   SELECT jsonb_path_query_first(v.definition, '$.nodes[*] ? (@.id == $node)', n.vars) ->> 'type'
                     FROM workflows_workflowversion v CROSS JOIN (SELECT jsonb_build_object('node', e.node) AS vars) n
                    WHERE v.workflow_id = o.workflow_id
                      AND jsonb_path_exists(v.definition, '$.nodes[*] ? (@.id == $node)', n.vars)
                    ORDER BY v.id = o.own_version DESC, v.id DESC
                    LIMIT 1)) AS type) k
     WHERE e.type IN ('STEP_COMPLETED', 'STEP_FAILED', 'STEP_SKIPPED', 'STEP_CANCELLED', 'ATTEMPT_FAILED')
       AND NOT e.payload ? 'kept_from' AND k.type IS NOT NULL AND k.type <> %(part)s
),
a AS MATERIALIZED (
    SELECT o.tenant_id, o.workflow_id,
           CASE WHEN n.payload IS NULL THEN o.version_id ELSE coalesce((/* include version_before */), o.version_id) END AS version_id,
           e.created_at, e.type AS event,
           CASE WHEN e.type = 'RUN_COMPLETED'
                THEN greatest(0, extract(epoch FROM e.created_at - o.began) * 1000)::bigint END AS duration_ms,
           CASE WHEN e.type IN ('RUN_FAILED', 'RUN_COMPENSATED')
                THEN coalesce(n.payload -> 'was' = '"CANCELLED"', n.payload IS NULL AND o.cancelled) END AS was_cancelled,
           CASE WHEN e.type = 'RUN_STARTED' THEN e.payload ? 'rerun_of'
                WHEN e.type IN ('RUN_REOPENED', 'STEP_REQUEUED', 'STEP_SKIPPED', 'STEP_WITHDRAWN')
                     AND coalesce(e.payload ->> 'by', 'handoff') NOT IN ('handoff', 'repair')
                -- What somebody did to a run in one go counts once, whatever it did to its steps.
                THEN NOT EXISTS (
                     SELECT 1 FROM runs_historyevent h
                      WHERE h.run_id = e.run_id AND h.id < e.id AND h.xid = e.xid
                        AND h.type IN ('RUN_REOPENED', 'STEP_REQUEUED', 'STEP_SKIPPED', 'STEP_WITHDRAWN')
                        AND coalesce(h.payload ->> 'by', 'handoff') NOT IN ('handoff', 'repair'))
                ELSE false END AS is_intervention
      FROM e
      JOIN o ON o.run_id = e.run_id AND o.level = 0
      LEFT JOIN LATERAL (
               -- What has gone on with the run since then may have changed what the run says of its end.
               SELECT h.payload
                 FROM runs_historyevent h
                WHERE e.type IN ('RUN_FAILED', 'RUN_COMPENSATED', 'RUN_CANCELLED')
                  AND h.run_id = e.run_id AND h.id > e.id
                  AND (h.type = 'RUN_REOPENED' OR h.type = 'RUN_COMPENSATING' AND h.payload ? 'life')
                ORDER BY h.id
                LIMIT 1) n ON true
     WHERE e.type IN ('RUN_STARTED', 'RUN_COMPLETED', 'RUN_FAILED', 'RUN_COMPENSATED', 'RUN_CANCELLED', 'RUN_REOPENED',
                      'STEP_REQUEUED', 'STEP_SKIPPED', 'STEP_WITHDRAWN')
       AND NOT e.payload ? 'continues'
),
-- Endings after which the run has gone on, because somebody resumed it or it is undone with a run above it: each where it
-- was counted.
resumed AS MATERIALIZED (
    SELECT o.tenant_id, o.workflow_id, coalesce((/* include version_before */), o.version_id) AS version_id, p.created_at,
           p.type = 'RUN_CANCELLED' OR coalesce(e.payload -> 'was' = '"CANCELLED"', false) AS was_cancelled,
           p.type = 'RUN_COMPLETED' AS had_completed
      FROM e
      JOIN o ON o.run_id = e.run_id AND o.level = 0
     CROSS JOIN LATERAL (
               SELECT h.created_at, h.type
                 FROM runs_historyevent h
                WHERE h.run_id = e.run_id AND h.id < e.id
                  AND h.type IN ('RUN_COMPLETED', 'RUN_FAILED', 'RUN_COMPENSATED', 'RUN_CANCELLED')
                ORDER BY h.id DESC
                LIMIT 1) p
     WHERE e.type = 'RUN_REOPENED' OR e.type = 'RUN_COMPENSATING' AND e.payload ? 'life'
),
runs AS (
    INSERT INTO runs_runtelemetry AS t (tenant_id, span, at, workflow_id, version_id, started, completed, failed, cancelled,
                                        completed_resumed, failed_resumed, cancelled_resumed, interventions, duration_ms)
    SELECT a.tenant_id, p.span, date_trunc(p.span, a.created_at, 'UTC'), a.workflow_id, a.version_id,
           count(*) FILTER (WHERE a.event = 'RUN_STARTED'),
           count(*) FILTER (WHERE a.event = 'RUN_COMPLETED'),
           count(*) FILTER (WHERE a.event <> 'resumed' AND NOT a.was_cancelled),
           count(*) FILTER (WHERE a.event = 'RUN_CANCELLED' OR a.event <> 'resumed' AND a.was_cancelled),
           count(*) FILTER (WHERE a.event = 'resumed' AND a.had_completed),
           count(*) FILTER (WHERE a.event = 'resumed' AND NOT a.was_cancelled AND NOT a.had_completed),
           count(*) FILTER (WHERE a.event = 'resumed' AND a.was_cancelled),
           count(*) FILTER (WHERE a.is_intervention),
           coalesce(sum(a.duration_ms), 0)
      FROM (SELECT a.tenant_id, a.workflow_id, a.version_id, a.created_at, a.event, a.was_cancelled, NULL::boolean AS had_completed,
                   a.is_intervention, a.duration_ms
              FROM a
            UNION ALL
            SELECT r.tenant_id, r.workflow_id, r.version_id, r.created_at, 'resumed', r.was_cancelled, r.had_completed, false, NULL
              FROM resumed r) a
     CROSS JOIN unnest(%(spans)s::text[]) AS p(span)
     GROUP BY 1, 2, 3, 4, 5
    HAVING bool_or(a.is_intervention OR a.event = 'resumed' OR starts_with(a.event, 'RUN_'))
     ORDER BY 1, 2, 3, 4, 5
    ON CONFLICT (tenant_id, span, at, workflow_id, version_id) DO UPDATE
       SET started = t.started + excluded.started, completed = t.completed + excluded.completed,
           failed = t.failed + excluded.failed, cancelled = t.cancelled + excluded.cancelled,
           completed_resumed = t.completed_resumed + excluded.completed_resumed,
           failed_resumed = t.failed_resumed + excluded.failed_resumed,
           cancelled_resumed = t.cancelled_resumed + excluded.cancelled_resumed,
           interventions = t.interventions + excluded.interventions, duration_ms = t.duration_ms + excluded.duration_ms
),
steps AS (
    INSERT INTO runs_steptelemetry AS t (tenant_id, span, at, workflow_id, version_id, node, type, completed, failed, skipped,
                                         cancelled, retried, queue_ms, machine_ms, human_ms, waiting_ms, lost_ms)
    SELECT f.tenant_id, p.span, date_trunc(p.span, f.created_at, 'UTC'), f.workflow_id, f.version_id, f.node, f.type,
           count(*) FILTER (WHERE f.event = 'STEP_COMPLETED'),
           count(*) FILTER (WHERE f.event = 'STEP_FAILED'),
           count(*) FILTER (WHERE f.event = 'STEP_SKIPPED'),
           count(*) FILTER (WHERE f.event = 'STEP_CANCELLED'),
           count(*) FILTER (WHERE f.event = 'ATTEMPT_FAILED'),
           coalesce(sum(f.queue_ms) FILTER (WHERE f.event = 'STEP_COMPLETED'), 0),
           coalesce(sum(f.work_ms) FILTER (WHERE f.event = 'STEP_COMPLETED' AND f.measure = 'machine'), 0),
           coalesce(sum(f.work_ms) FILTER (WHERE f.event = 'STEP_COMPLETED' AND f.measure = 'human'), 0),
           coalesce(sum(f.work_ms) FILTER (WHERE f.event = 'STEP_COMPLETED' AND f.measure = 'waiting'), 0),
           coalesce(sum(f.work_ms) FILTER (WHERE f.event IN ('STEP_FAILED', 'ATTEMPT_FAILED')), 0)
      FROM f CROSS JOIN unnest(%(spans)s::text[]) AS p(span)
     GROUP BY 1, 2, 3, 4, 5, 6, 7
     ORDER BY 1, 2, 3, 4, 5, 6, 7
    ON CONFLICT (tenant_id, span, at, workflow_id, version_id, node, type) DO UPDATE
       SET completed = t.completed + excluded.completed, failed = t.failed + excluded.failed,
           skipped = t.skipped + excluded.skipped, cancelled = t.cancelled + excluded.cancelled,
           retried = t.retried + excluded.retried, queue_ms = t.queue_ms + excluded.queue_ms,
           machine_ms = t.machine_ms + excluded.machine_ms, human_ms = t.human_ms + excluded.human_ms,
           waiting_ms = t.waiting_ms + excluded.waiting_ms, lost_ms = t.lost_ms + excluded.lost_ms
),
times AS (
    SELECT f.tenant_id, f.created_at, f.workflow_id, f.version_id, f.node, f.type, m.measure, m.ms
      FROM f CROSS JOIN LATERAL (VALUES ('queue', f.queue_ms), (f.measure, f.work_ms)) AS m(measure, ms)
     WHERE f.event = 'STEP_COMPLETED' AND m.ms IS NOT NULL
    UNION ALL
    SELECT a.tenant_id, a.created_at, a.workflow_id, a.version_id, '', '', 'run', a.duration_ms
      FROM a
     WHERE a.duration_ms IS NOT NULL
),
buckets AS (
    -- Five of them double a time: the middle of one is within a twelfth of whatever falls into it.
    INSERT INTO runs_telemetrybucket AS t (tenant_id, span, at, workflow_id, version_id, node, type, measure, bucket, times)
    SELECT m.tenant_id, p.span, date_trunc(p.span, m.created_at, 'UTC'), m.workflow_id, m.version_id, m.node, m.type, m.measure,
           CASE WHEN m.ms < 1 THEN 0 ELSE 1 + floor(5 * ln(m.ms::float8) / ln(2::float8) + 1e-9) END::smallint, count(*)
      FROM times m CROSS JOIN unnest(%(spans)s::text[]) AS p(span)
     GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9
     ORDER BY 1, 2, 3, 4, 5, 6, 7, 8, 9
    ON CONFLICT (tenant_id, span, at, workflow_id, version_id, node, type, measure, bucket) DO UPDATE
       SET times = t.times + excluded.times
),
moved AS (
    UPDATE runs_telemetrycursor t
       SET after = %(last)s, counted_at = coalesce((SELECT max(e.created_at) FROM e), t.counted_at)
     WHERE t.id = 1
)
SELECT count(*) FROM e

-- name: version_before (fragment)
-- The version that the run of the event `e` had before it, as history says.
SELECT v.id
  FROM runs_historyevent h
  JOIN workflows_workflowversion v ON v.workflow_id = o.workflow_id AND v.number = (h.payload ->> 'version')::int
 WHERE h.run_id = e.run_id AND h.id < e.id AND h.payload ? 'version' AND h.type IN ('RUN_STARTED', 'RUN_MIGRATED', 'RUN_REOPENED')
 ORDER BY h.id DESC
 LIMIT 1

-- name: forget_telemetry
-- Hours of which nobody asks for more than the day: up to so many rows of each table.
WITH clock AS MATERIALIZED (
    SELECT clock() - %(days)s * interval '1 day' AS since
),
r AS (
    DELETE FROM runs_runtelemetry WHERE ctid = ANY (ARRAY(
        SELECT t.ctid FROM runs_runtelemetry t CROSS JOIN clock
         WHERE t.span = 'hour' AND t.at < clock.since ORDER BY t.at LIMIT %(limit)s)) RETURNING 1
),
s AS (
    DELETE FROM runs_steptelemetry WHERE ctid = ANY (ARRAY(
        SELECT t.ctid FROM runs_steptelemetry t CROSS JOIN clock
         WHERE t.span = 'hour' AND t.at < clock.since ORDER BY t.at LIMIT %(limit)s)) RETURNING 1
),
b AS (
    DELETE FROM runs_telemetrybucket WHERE ctid = ANY (ARRAY(
        SELECT t.ctid FROM runs_telemetrybucket t CROSS JOIN clock
         WHERE t.span = 'hour' AND t.at < clock.since ORDER BY t.at LIMIT %(limit)s)) RETURNING 1
)
SELECT greatest((SELECT count(*) FROM r), (SELECT count(*) FROM s), (SELECT count(*) FROM b))

-- name: of_period (fragment)
-- Whole days by the day, what is left of the first and the last one by the hour.
t.tenant_id = %(tenant)s
  AND (t.span = 'day' AND t.at >= %(first_day)s AND t.at < %(last_day)s
       OR t.span = 'hour' AND (t.at >= %(since)s AND t.at < %(head)s OR t.at >= %(tail)s AND t.at < %(until)s))
  AND (%(workflows)s::bigint[] IS NULL OR t.workflow_id = ANY (%(workflows)s::bigint[]))
  AND (%(version)s::bigint IS NULL OR t.version_id = %(version)s::bigint)

-- name: runs_in_period
-- Of all runs in the period, of each workflow or version (`by`), and of each hour or day (`step`) where one is asked for. The
-- middle and the slow end of how long they took: the bucket in which so large a share of them is reached.
WITH t AS MATERIALIZED (
    SELECT t.at, CASE %(by)s WHEN 'version' THEN t.version_id ELSE t.workflow_id END AS key,
           -- Of each run the ending that stands: after the others it has gone on. Two releases that count at once may
           -- have taken one back from another column.
           t.started, greatest(0, t.completed - t.completed_resumed) AS completed, t.completed AS timed,
           greatest(0, t.failed - t.failed_resumed) AS failed, greatest(0, t.cancelled - t.cancelled_resumed) AS cancelled,
           t.completed_resumed + t.failed_resumed + t.cancelled_resumed AS resumed, t.interventions, t.duration_ms
      FROM runs_runtelemetry t
     WHERE /* include of_period */
),
b AS MATERIALIZED (
    SELECT CASE %(by)s WHEN 'version' THEN t.version_id ELSE t.workflow_id END AS key, t.bucket, sum(t.times) AS times
      FROM runs_telemetrybucket t
     WHERE t.measure = 'run' AND t.node = '' AND t.type = '' AND /* include of_period */
     GROUP BY 1, 2
),
c AS (
    SELECT g.key, g.bucket, sum(g.times) OVER (PARTITION BY g.key ORDER BY g.bucket) AS upto,
           sum(g.times) OVER (PARTITION BY g.key) AS total
      FROM (SELECT b.key, b.bucket, b.times FROM b
            UNION ALL
            SELECT NULL, b.bucket, sum(b.times) FROM b GROUP BY b.bucket) g
),
m AS (
    SELECT c.key, min(c.bucket) FILTER (WHERE c.upto >= 0.5 * c.total) AS p50,
           min(c.bucket) FILTER (WHERE c.upto >= 0.95 * c.total) AS p95
      FROM c
     GROUP BY c.key
),
g AS (
    SELECT t.key, sum(t.started) AS started, sum(t.completed) AS completed, sum(t.failed) AS failed,
           sum(t.cancelled) AS cancelled, sum(t.resumed) AS resumed, sum(t.interventions) AS interventions,
           sum(t.duration_ms) AS duration_ms, sum(t.timed) AS timed
      FROM t
     GROUP BY GROUPING SETS ((t.key), ())
)
SELECT json_build_object(
    'groups', (SELECT coalesce(json_agg(json_build_array(
                          g.key, g.started, g.completed, g.failed, g.cancelled, g.resumed, g.interventions, g.duration_ms, g.timed, m.p50, m.p95)
                          ORDER BY g.key), '[]')
                 FROM g
                 LEFT JOIN m ON m.key IS NOT DISTINCT FROM g.key),
    'moments', (SELECT coalesce(json_agg(json_build_array(
                           d.at, d.started, d.completed, d.failed, d.cancelled, d.resumed, d.interventions) ORDER BY d.at), '[]')
                  FROM (SELECT date_trunc(%(step)s, t.at, 'UTC') AS at, sum(t.started) AS started,
                               sum(t.completed) AS completed, sum(t.failed) AS failed, sum(t.cancelled) AS cancelled,
                               sum(t.resumed) AS resumed, sum(t.interventions) AS interventions
                          FROM t
                         GROUP BY 1) d))

-- name: steps_in_period
-- Of each step type in the period, or of each node with its type (`by`): how its steps ended, what time they took, and of each
-- measure the bucket of the middle and of the slow end. MATERIALIZED: once for all and not once for each.
WITH g AS MATERIALIZED (
    SELECT CASE %(by)s WHEN 'node' THEN t.node ELSE '' END AS node, t.type, sum(t.completed) AS completed,
           sum(t.failed) AS failed, sum(t.skipped) AS skipped, sum(t.cancelled) AS cancelled, sum(t.retried) AS retried,
           sum(t.queue_ms) AS queue_ms, sum(t.machine_ms) AS machine_ms, sum(t.human_ms) AS human_ms,
           sum(t.waiting_ms) AS waiting_ms, sum(t.lost_ms) AS lost_ms
      FROM runs_steptelemetry t
     WHERE /* include of_period */
     GROUP BY 1, 2
     ORDER BY sum(t.queue_ms + t.machine_ms + t.human_ms + t.waiting_ms + t.lost_ms) DESC, 1, 2
     LIMIT %(limit)s
),
c AS (
    SELECT b.node, b.type, b.measure, b.bucket,
           sum(b.times) OVER (PARTITION BY b.node, b.type, b.measure ORDER BY b.bucket) AS upto,
           sum(b.times) OVER (PARTITION BY b.node, b.type, b.measure) AS total
      FROM (SELECT CASE %(by)s WHEN 'node' THEN t.node ELSE '' END AS node, t.type, t.measure, t.bucket, sum(t.times) AS times
              FROM runs_telemetrybucket t
             WHERE t.measure <> 'run' AND /* include of_period */
             GROUP BY 1, 2, 3, 4) b
),
m AS MATERIALIZED (
    SELECT c.node, c.type, c.measure, min(c.bucket) FILTER (WHERE c.upto >= 0.5 * c.total) AS p50,
           min(c.bucket) FILTER (WHERE c.upto >= 0.95 * c.total) AS p95
      FROM c
     GROUP BY c.node, c.type, c.measure
)
SELECT coalesce(json_agg(json_build_array(
           g.node, g.type, g.completed, g.failed, g.skipped, g.cancelled, g.retried,
           g.queue_ms, g.machine_ms, g.human_ms, g.waiting_ms, g.lost_ms,
           (SELECT coalesce(json_object_agg(m.measure, json_build_array(m.p50, m.p95)), '{}')
              FROM m WHERE m.node = g.node AND m.type = g.type))), '[]')
  FROM g

-- name: telemetry_standing
-- Up to when history is counted, and whether there is more that could be.
SELECT json_build_array(t.counted_at, t.after < t.upto) FROM runs_telemetrycursor t WHERE t.id = 1
