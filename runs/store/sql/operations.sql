-- name: queues_of
-- What a tenant has in each queue. Each part is walked by the partial index of its status; what is ready or waits is
-- counted up to a bound, so that a backlog of millions costs no more than one of so many.
WITH RECURSIVE clock AS MATERIALIZED (SELECT coalesce(%(now)s::timestamptz, statement_timestamp()) AS now),
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
