-- name: forecast_cursor
-- From where on it is yet to be learned, and how far telemetry knows history to be complete.
WITH made AS (
    INSERT INTO runs_forecastcursor (id, after)
    SELECT 1, coalesce((SELECT min(h.id) - 1 FROM runs_historyevent h), 0)
     WHERE NOT EXISTS (SELECT 1 FROM runs_forecastcursor)
    ON CONFLICT DO NOTHING
    RETURNING after
)
SELECT json_build_array(c.after, coalesce(t.after, c.after))
  FROM (SELECT f.after FROM runs_forecastcursor f WHERE f.id = 1 UNION ALL SELECT made.after FROM made) c
  LEFT JOIN runs_telemetrycursor t ON t.id = 1

-- name: runs_changed
-- To which runs something has happened, and of those that completed when each of their steps was due and over: what failed
-- on the way was mended by somebody, and tells nothing. What was foretold of runs that are over is gone with it.
WITH e AS MATERIALIZED (
    SELECT h.run_id, bool_or(h.type = 'RUN_COMPLETED') AS completes, max(h.id) AS last
      FROM runs_historyevent h
     WHERE h.id > %(after)s AND h.id <= %(last)s
     GROUP BY h.run_id
),
r AS MATERIALIZED (
    SELECT e.completes, e.last, r.*
      FROM e
     CROSS JOIN LATERAL (
               SELECT r.id, r.tenant_id, r.workflow_id, r.version_id, r.status, r.life, r.root_id, r.created_at, r.completed_at
                 FROM runs_run r
                WHERE r.id = e.run_id AND NOT r.is_part AND NOT r.is_test LIMIT 1) r
),
gone AS (
    DELETE FROM runs_forecast f USING r WHERE f.run_id = r.id AND r.completed_at IS NOT NULL
)
SELECT json_build_object(
    'open', (SELECT coalesce(json_agg(r.id ORDER BY r.last), '[]') FROM r WHERE r.completed_at IS NULL),
    'completed', (SELECT coalesce(json_agg(json_build_array(
                             r.tenant_id, r.workflow_id, r.version_id, /* include run_began */,
                             extract(epoch FROM r.completed_at)::float8,
                             (SELECT coalesce(json_agg(json_build_array(
                                                s.node, extract(epoch FROM s.queued_at)::float8,
                                                extract(epoch FROM coalesce(s.completed_at, r.completed_at))::float8)), '[]')
                                FROM runs_stepexecution s
                               WHERE s.run_id = r.id AND s.index IS NULL AND s.undoes IS NULL AND s.kept_from IS NULL
                                 AND s.started_at IS NOT NULL))), '[]')
                    FROM r
                   WHERE r.completes AND r.status = 'COMPLETED' AND r.life = 1
                     AND r.completed_at > statement_clock() - %(weeks)s * interval '7 days'))

-- name: run_began (fragment)
-- A run that goes on as a new one began with the first.
extract(epoch FROM CASE WHEN r.root_id = r.id THEN r.created_at
                        ELSE coalesce((SELECT q.created_at FROM runs_run q WHERE q.id = r.root_id), r.created_at) END)::float8

-- name: learn_rest_times
-- Counts go up and the cursor moves at once, from where it was when they were made: whoever comes twice, or beside another
-- one, counts once. No commit waits for the disk, as with telemetry.
WITH quickly AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true)),
moved AS (
    UPDATE runs_forecastcursor c SET after = %(last)s FROM quickly WHERE c.id = 1 AND c.after = %(after)s RETURNING true AS is_so
),
learned AS (
    INSERT INTO runs_resttime AS t (tenant_id, workflow_id, node, week, version_id, is_working, lasted, bucket, times)
    SELECT w.tenant_id, w.workflow_id, w.node, w.week, w.version_id, w.is_working, w.lasted, w.bucket, w.times
      FROM jsonb_to_recordset(%(rests)s::jsonb)
        AS w(tenant_id bigint, workflow_id bigint, node text, week date, version_id bigint, is_working boolean, lasted smallint,
             bucket smallint, times bigint)
     CROSS JOIN moved
     ORDER BY 1, 2, 3, 4, 5, 6, 7, 8
    ON CONFLICT (tenant_id, workflow_id, node, week, version_id, is_working, lasted, bucket) DO UPDATE
       SET times = t.times + excluded.times
)
SELECT moved.is_so FROM moved

-- name: next_to_forecast
-- The open runs whose turn it is, behind the one that was looked at last; at their end it begins anew.
WITH o AS MATERIALIZED (
    SELECT r.id
      FROM runs_run r
     WHERE r.completed_at IS NULL
       AND r.id > coalesce((SELECT c.looked_at FROM runs_forecastcursor c WHERE c.id = 1), '00000000-0000-0000-0000-000000000000')
     ORDER BY r.id
     LIMIT %(limit)s
),
moved AS (
    UPDATE runs_forecastcursor c
       SET looked_at = CASE WHEN (SELECT count(*) FROM o) = %(limit)s THEN (SELECT o.id FROM o ORDER BY o.id DESC LIMIT 1) END
     WHERE c.id = 1
)
SELECT coalesce(json_agg(o.id), '[]') FROM o

-- name: open_to_forecast
-- Those of these runs that go on, with their open steps: since when each is due, and before when it can't end. A step that
-- is tried again in a later life of its run begins anew; one that waits for its items or a run can't end before what is read
-- of the waits below it. And what is told of any of them.
WITH clock AS MATERIALIZED (SELECT clock() AS now)
SELECT json_build_object(
    'now', (SELECT extract(epoch FROM clock.now)::float8 FROM clock),
    'runs', (SELECT coalesce(json_agg(json_build_array(
                        r.id, r.tenant_id, r.workflow_id, r.version_id, /* include run_began */,
                        -- None where waits don't count: how much of the time to come will is not known.
                        (SELECT extract(epoch FROM r.sla_deadline)::float8 FROM workflows_workflowversion v
                          WHERE v.id = r.version_id AND NOT v.definition @> '{"sla_pauses": "waiting"}'),
                        (SELECT coalesce(json_agg(json_build_array(
                                    s.node, extract(epoch FROM CASE WHEN r.life > 1 THEN s.available_at ELSE s.queued_at END)::float8,
                                    extract(epoch FROM CASE WHEN s.status = 'QUEUED' THEN s.available_at
                                                            WHEN s.status = 'WAITING' AND s.waiting ->> 'kind' = 'timer'
                                                            THEN (s.waiting ->> 'until')::timestamptz
                                                            WHEN s.status = 'WAITING' AND s.waiting ->> 'kind' IN ('run', 'children')
                                                            THEN /* include least_below */ END)::float8)), '[]')
                           FROM runs_stepexecution s
                          WHERE s.run_id = r.id AND s.index IS NULL AND s.undoes IS NULL
                            AND s.status IN ('QUEUED', 'RUNNING', 'WAITING')))), '[]')
               FROM runs_run r
              WHERE r.id = ANY (%(runs)s::uuid[]) AND r.status = 'RUNNING' AND r.error IS NULL
                AND NOT r.is_part AND NOT r.is_test),
    'told', (SELECT coalesce(json_agg(json_build_array(
                        f.run_id, extract(epoch FROM f.p50)::float8, extract(epoch FROM f.p90)::float8, f.risk)), '[]')
               FROM runs_forecast f WHERE f.run_id = ANY (%(runs)s::uuid[])))

-- name: least_below (fragment)
-- The latest of the times before which open steps below this one can't go on: of 25 items of a container and of 100 steps in
-- all. Any of them is a bound.
(WITH RECURSIVE t AS (
     SELECT s.id, s.run_id, s.node, s.waiting ->> 'kind' AS kind, NULL::timestamptz AS least
     UNION ALL
     SELECT b.id, b.run_id, b.node, b.waiting ->> 'kind',
            CASE WHEN b.status = 'QUEUED' THEN b.available_at
                 WHEN b.waiting ->> 'kind' = 'timer' THEN (b.waiting ->> 'until')::timestamptz END
       FROM t
      CROSS JOIN LATERAL (
                SELECT b.id, b.run_id, b.node, b.status, b.waiting, b.available_at
                  FROM runs_run c
                  JOIN runs_stepexecution b ON b.run_id = c.id AND b.index IS NULL AND b.status IN ('QUEUED', 'WAITING')
                 WHERE t.kind = 'run' AND c.parent_id = t.run_id AND c.parent_step_id = t.id AND c.status = 'RUNNING'
                UNION ALL
                (SELECT b.id, b.run_id, b.node, b.status, b.waiting, b.available_at
                   FROM runs_stepexecution b
                  WHERE t.kind = 'children' AND b.tenant_id = r.tenant_id AND b.run_id = t.run_id AND b.node = t.node
                    AND b.index IS NOT NULL AND b.status = 'WAITING'
                  ORDER BY b.node, b.index
                  LIMIT 25)) b
 )
 SELECT max(b.least) FROM (SELECT t.least FROM t LIMIT 100) b)

-- name: rest_times
-- How often each time was, of a version and of its whole workflow, in the weeks that count.
SELECT coalesce(json_agg(json_build_array(w.version_id, w.node, t.is_working, t.buckets)), '[]')
  FROM jsonb_to_recordset(%(wanted)s::jsonb) AS w(tenant_id bigint, workflow_id bigint, version_id bigint, node text)
 CROSS JOIN LATERAL (
           SELECT b.is_working, json_agg(json_build_array(b.lasted, b.bucket, b.own, b.all)) AS buckets
             FROM (SELECT t.is_working, t.lasted, t.bucket, coalesce(sum(t.times) FILTER (WHERE t.version_id = w.version_id), 0) AS own,
                          sum(t.times) AS all
                     FROM runs_resttime t
                    WHERE t.tenant_id = w.tenant_id AND t.workflow_id = w.workflow_id AND t.node = w.node
                      AND t.week > (statement_clock() AT TIME ZONE 'UTC')::date - 7 * (%(weeks)s + 1)
                    GROUP BY t.is_working, t.lasted, t.bucket) b
            GROUP BY b.is_working) t

-- name: keep_forecasts
-- These are told from now on, of those that are over nothing is; nor of those that ended meanwhile.
WITH quickly AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true)),
gone AS (
    DELETE FROM runs_forecast f WHERE f.run_id = ANY (%(over)s::uuid[]) RETURNING f.tenant_id, f.run_id
),
kept AS (
    INSERT INTO runs_forecast (run_id, tenant_id, p50, p90, risk, made_at)
    SELECT r.id, r.tenant_id, to_timestamp(w.p50), to_timestamp(w.p90), w.risk,
           clock()
      FROM jsonb_to_recordset(%(forecasts)s::jsonb) AS w(run_id uuid, p50 float8, p90 float8, risk float8)
      JOIN runs_run r ON r.id = w.run_id AND r.status = 'RUNNING'
     CROSS JOIN quickly
     ORDER BY r.id
    ON CONFLICT (run_id) DO UPDATE
       SET p50 = excluded.p50, p90 = excluded.p90, risk = excluded.risk, made_at = excluded.made_at
    RETURNING tenant_id, run_id
)
SELECT coalesce(json_agg(json_build_array(a.tenant_id, a.run_id)), '[]')
  FROM (SELECT * FROM gone UNION ALL SELECT * FROM kept) a

-- name: forget_rest_times
-- Weeks that count no more.
WITH gone AS (
    DELETE FROM runs_resttime t
     WHERE t.ctid IN (SELECT o.ctid FROM runs_resttime o
                       WHERE o.week < (statement_clock() AT TIME ZONE 'UTC')::date - 7 * (%(weeks)s + 1)
                       LIMIT %(limit)s)
    RETURNING 1
)
SELECT count(*) FROM gone
