-- name: count_queues
-- For each queue how many steps could be claimed and how many run: of the queues given, and of those beside them that have
-- steps, found by a loose index scan. At most `most` rows of each are looked at.
WITH RECURSIVE clock AS MATERIALIZED (SELECT clock() AS now),
/* include queues_found */,
running AS MATERIALIZED (
    SELECT r.queue, count(*) AS steps
      FROM (SELECT s.queue FROM runs_stepexecution s WHERE s.status = 'RUNNING' LIMIT %(most)s) r
     GROUP BY r.queue
     ORDER BY steps DESC, r.queue
     LIMIT %(most_queues)s
),
queues AS (
    SELECT unnest(%(queues)s::text[]) AS queue
     UNION SELECT found.queue FROM found WHERE found.queue IS NOT NULL
     UNION SELECT running.queue FROM running
)
SELECT coalesce(json_object_agg(q.queue, json_build_array(r.steps, coalesce(running.steps, 0))), '{}')
  FROM queues q
 CROSS JOIN clock
 CROSS JOIN LATERAL (
           SELECT count(*) FILTER (WHERE s.available_at <= clock.now) AS steps
             FROM (SELECT s.available_at
                     FROM runs_stepexecution s
                    WHERE s.queue = q.queue AND s.status = 'QUEUED' AND NOT s.held
                    LIMIT %(most)s) s) r
  LEFT JOIN running ON running.queue = q.queue

-- name: count_state
-- How many there are of what is open, each up to `most`. A timer of a run that is closing is nobody's any more.
WITH clock AS MATERIALIZED (SELECT clock() AS now)
SELECT json_build_object(
    'runs', (SELECT coalesce(json_object_agg(g.status, g.runs), '{}')
               FROM (SELECT r.status, count(*) AS runs
                       FROM (SELECT r.status FROM runs_run r WHERE r.completed_at IS NULL LIMIT %(most)s) r
                      GROUP BY r.status) g),
    'pending', (SELECT count(*) FROM (SELECT 1 FROM runs_timer t WHERE t.status = 'PENDING' LIMIT %(most)s) t),
    'overdue', (SELECT count(*)
                  FROM (SELECT t.run_id
                          FROM runs_timer t
                         WHERE t.status = 'PENDING' AND t.fire_at <= clock.now
                         ORDER BY t.fire_at
                         LIMIT %(most_overdue)s) t
                 CROSS JOIN LATERAL (SELECT r.status FROM runs_run r WHERE r.id = t.run_id LIMIT 1) r
                 WHERE r.status IN ('RUNNING', 'PAUSED', 'COMPENSATING', 'WAITING_FOR_MANUAL_ACTION')),
    'letters', (SELECT count(*) FROM (SELECT 1 FROM runs_deadletter l WHERE l.resolution IS NULL LIMIT %(most)s) l),
    'repairs', (SELECT count(*) FROM (SELECT 1 FROM runs_repair LIMIT %(most)s) p),
    'workers', (SELECT coalesce(json_object_agg(w.queue, w.workers), '{}')
                  FROM (SELECT w.queue, count(*) AS workers
                          FROM runs_worker w
                         WHERE w.seen_at > clock.now - %(worker_seconds)s * interval '1 second'
                         GROUP BY w.queue) w),
    'duties', (SELECT coalesce(json_object_agg(d.name, extract(epoch FROM clock.now - coalesce(d.done_at, d.begun_at))), '{}')
                 FROM runs_duty d
                WHERE d.begun_at > clock.now - interval '7 days'))
  FROM clock
