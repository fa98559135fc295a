-- name: queues_of
-- What a tenant has in each queue. Each part is walked by the partial index of its status; what is ready or waits is
-- counted up to a bound, so that a backlog of millions costs no more than one of so many.
WITH RECURSIVE /* include queues_found */,
n AS (SELECT coalesce(%(now)s::timestamptz, statement_timestamp()) AS at),
queued AS (
    SELECT q.queue, c.ready, c.later, c.oldest
      FROM found q CROSS JOIN n CROSS JOIN LATERAL (
           SELECT count(*) FILTER (WHERE x.available_at <= n.at) AS ready, count(*) FILTER (WHERE x.available_at > n.at) AS later,
                  min(x.available_at) FILTER (WHERE x.available_at <= n.at) AS oldest
             FROM (SELECT s.available_at FROM runs_stepexecution s
                    WHERE s.queue = q.queue AND s.tenant_id = %(tenant)s AND s.status = 'QUEUED' AND NOT s.held
                    LIMIT %(most)s) x) c
     WHERE q.queue IS NOT NULL AND c.ready + c.later > 0
),
at_work AS MATERIALIZED (
    SELECT s.queue, s.worker, s.type, s.heartbeat_at, s.started_at
      FROM runs_stepexecution s
     WHERE s.status = 'RUNNING' AND s.worker > '' AND s.tenant_id = %(tenant)s
),
running AS (SELECT w.queue, count(*) AS many FROM at_work w GROUP BY w.queue),
waiting AS (
    SELECT x.queue, count(*) AS many
      FROM (SELECT s.queue FROM runs_stepexecution s WHERE s.tenant_id = %(tenant)s AND s.status = 'WAITING' LIMIT %(most)s) x
     GROUP BY x.queue
),
heard AS (
    SELECT unnest(c.queues) AS queue, c.worker
      FROM runs_workercontact c CROSS JOIN n
     WHERE c.tenant_id = %(tenant)s AND c.seen_at > n.at - make_interval(secs => %(stale)s)
    UNION
    -- Who is at work on a long job polls no more, and beats.
    SELECT w.queue, w.worker
      FROM at_work w CROSS JOIN n
     WHERE w.type = 'job' AND coalesce(w.heartbeat_at, w.started_at) > n.at - make_interval(secs => %(stale)s)
    UNION
    SELECT p.queue, p.id FROM runs_worker p CROSS JOIN n WHERE p.seen_at > n.at - make_interval(secs => %(silent)s)
),
workers AS (SELECT h.queue, count(*) AS many FROM heard h GROUP BY h.queue),
polled AS (SELECT p.queue, p.polled_at FROM runs_queuepoll p WHERE p.tenant_id = %(tenant)s),
-- A queue that has nothing and for which nobody asks any more is history.
asked AS (SELECT p.queue FROM polled p CROSS JOIN n WHERE p.polled_at > n.at - interval '1 day'),
named AS (
    SELECT queue FROM queued UNION SELECT queue FROM running UNION SELECT queue FROM waiting UNION SELECT queue FROM asked
    UNION SELECT unnest(%(built_in)s::text[])
)
SELECT coalesce(json_agg(json_build_array(
           d.queue, coalesce(queued.ready, 0), coalesce(queued.later, 0) + coalesce(waiting.many, 0), coalesce(running.many, 0),
           extract(epoch FROM n.at - queued.oldest)::float8, coalesce(workers.many, 0), polled.polled_at) ORDER BY d.queue), '[]')
  FROM named d CROSS JOIN n
  LEFT JOIN queued USING (queue) LEFT JOIN running USING (queue) LEFT JOIN waiting USING (queue)
  LEFT JOIN workers USING (queue) LEFT JOIN polled USING (queue)

-- name: queue_flow
-- How many steps of a tenant came to each queue and ended there since a moment, among the newest ones of all; how far back
-- those go is told where it is not that far. The ids of steps rise with the time at which they were made.
WITH came AS MATERIALIZED (
    SELECT s.queue, s.tenant_id, s.id FROM runs_stepexecution s WHERE s.id >= %(since_id)s ORDER BY s.id DESC LIMIT %(most)s
),
first AS (SELECT coalesce(max(h.id), 0) - %(most)s AS id FROM runs_historyevent h),
told AS MATERIALIZED (
    SELECT h.tenant_id, h.run_id, h.node, h.type, h.created_at, (h.payload ->> 'index')::int AS index
      FROM runs_historyevent h
     WHERE h.id > (SELECT f.id FROM first f)
),
ended AS (
    SELECT s.queue
      FROM told t
     CROSS JOIN LATERAL (
           -- Apart, so that a child is found by its place and not among all of its container.
           (SELECT s.queue FROM runs_stepexecution s
             WHERE t.index IS NULL AND s.run_id = t.run_id AND s.node = t.node AND s.index IS NULL LIMIT 1)
           UNION ALL
           (SELECT s.queue FROM runs_stepexecution s WHERE s.run_id = t.run_id AND s.node = t.node AND s.index = t.index LIMIT 1)) s
     WHERE t.tenant_id = %(tenant)s AND t.created_at >= %(since)s
       AND t.type IN ('STEP_COMPLETED', 'STEP_FAILED', 'STEP_SKIPPED', 'STEP_CANCELLED')
),
flow AS (
    SELECT x.queue, sum(x.came) AS came, sum(x.ended) AS ended
      FROM (SELECT c.queue, 1 AS came, 0 AS ended FROM came c WHERE c.tenant_id = %(tenant)s
            UNION ALL
            SELECT e.queue, 0, 1 FROM ended e) x
     WHERE x.queue > ''
     GROUP BY x.queue
)
SELECT json_build_array(
           (SELECT min(c.id::text) FROM came c HAVING count(*) = %(most)s),
           (SELECT extract(epoch FROM min(t.created_at))::float8 FROM told t
             WHERE EXISTS (SELECT 1 FROM runs_historyevent h CROSS JOIN first f WHERE h.id <= f.id)),
           (SELECT coalesce(json_agg(json_build_array(f.queue, f.came, f.ended)), '[]') FROM flow f))
