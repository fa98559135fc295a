-- name: queues_of
-- What a tenant has in each queue. Each part is walked by the partial index of its status; what is ready or waits is
-- counted up to a bound, so that a backlog of millions costs no more than one of so many.
WITH RECURSIVE clock AS MATERIALIZED (SELECT statement_clock() AS now),
tenants AS (SELECT %(tenant)s::bigint AS tenant_id),
/* include queues_found */,
/* include queues_served */,
running AS (SELECT w.queue, count(*) AS many FROM at_work w GROUP BY w.queue),
waiting AS (
    SELECT x.queue, count(*) AS many
      FROM (SELECT s.queue FROM runs_stepexecution s WHERE s.tenant_id = %(tenant)s AND s.status = 'WAITING' LIMIT %(most)s) x
     GROUP BY x.queue
),
workers AS (SELECT h.queue, count(*) AS many FROM heard h GROUP BY h.queue),
polled AS (SELECT p.queue, p.polled_at FROM runs_queuepoll p WHERE p.tenant_id = %(tenant)s),
-- A queue that has nothing and for which nobody asks any more is history.
asked AS (SELECT p.queue FROM polled p CROSS JOIN clock WHERE p.polled_at > clock.now - interval '1 day'),
named AS (
    SELECT queue FROM queued UNION SELECT queue FROM running UNION SELECT queue FROM waiting UNION SELECT queue FROM asked
    UNION SELECT unnest(%(built_in)s::text[])
)
SELECT coalesce(json_agg(json_build_array(
           d.queue, coalesce(queued.ready, 0), coalesce(queued.later, 0) + coalesce(waiting.many, 0), coalesce(running.many, 0),
           extract(epoch FROM clock.now - queued.oldest)::float8, coalesce(workers.many, 0), polled.polled_at) ORDER BY d.queue), '[]')
  FROM named d CROSS JOIN clock
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
