-- name: take_duty
-- Begin a duty, unless somebody did so lately, or is at it. Who hangs at it holds it for seconds: a lease and no lock,
-- for the connection of a stopped process would keep a lock. None of it has to outlive a crash: no commit waits for the disk.
WITH quickly AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true))
INSERT INTO runs_duty AS d (name, begun_at, begun_by, done_at)
SELECT %(name)s, clock_timestamp(), %(worker)s, clock_timestamp() - interval '1 second' FROM quickly
ON CONFLICT (name) DO UPDATE SET begun_at = excluded.begun_at, begun_by = excluded.begun_by
 WHERE d.begun_at <= excluded.begun_at - %(every)s / 2 * interval '1 second'
   AND (d.done_at >= d.begun_at OR d.begun_at <= excluded.begun_at - %(lease)s * interval '1 second')
RETURNING true

-- name: limit_statements
-- For the session, not for a transaction: a duty has many. Gives what the limit was.
WITH before AS MATERIALIZED (SELECT current_setting('statement_timeout') AS usual)
SELECT before.usual, set_config('statement_timeout', %(limit)s, false) FROM before

-- name: end_duty
WITH quickly AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true))
UPDATE runs_duty d SET done_at = clock_timestamp()
  FROM quickly
 WHERE d.name = %(name)s AND d.begun_by = %(worker)s

-- name: duties_begun
SELECT coalesce(json_object_agg(d.name, json_build_array(
           extract(epoch FROM clock_timestamp() - d.begun_at), d.begun_by)), '{}')
  FROM runs_duty d

-- name: standing
-- How old is what should be young: the last tick, the oldest timer that is due and, for each queue, the oldest step that
-- could be claimed, beside the last claim. The oldest step is the first of its tenant and priority: the index is walked
-- from one of these to the next, whatever the backlog.
WITH RECURSIVE head(queue, tenant_id, priority, available_at, place) AS (
    SELECT q.queue, f.tenant_id, f.priority, f.available_at, 1
      FROM unnest(%(queues)s::text[]) AS q(queue)
     CROSS JOIN LATERAL (
               SELECT s.tenant_id, s.priority, s.available_at
                 FROM runs_stepexecution s
                WHERE s.queue = q.queue AND s.status = 'QUEUED' AND NOT s.held
                ORDER BY s.tenant_id, s.priority DESC, s.available_at, s.id
                LIMIT 1) f
    UNION ALL
    SELECT h.queue, f.tenant_id, f.priority, f.available_at, h.place + 1
      FROM head h
     CROSS JOIN LATERAL (
               (SELECT s.tenant_id, s.priority, s.available_at
                  FROM runs_stepexecution s
                 WHERE s.queue = h.queue AND s.status = 'QUEUED' AND NOT s.held AND s.tenant_id = h.tenant_id
                   AND s.priority < h.priority
                 ORDER BY s.priority DESC, s.available_at, s.id
                 LIMIT 1)
               UNION ALL
               (SELECT s.tenant_id, s.priority, s.available_at
                  FROM runs_stepexecution s
                 WHERE s.queue = h.queue AND s.status = 'QUEUED' AND NOT s.held AND s.tenant_id > h.tenant_id
                 ORDER BY s.tenant_id, s.priority DESC, s.available_at, s.id
                 LIMIT 1)
               LIMIT 1) f
     WHERE h.place < 1000
),
clock AS MATERIALIZED (SELECT clock_timestamp() AS now)
SELECT json_build_object(
    'tick', (SELECT extract(epoch FROM clock.now - max(d.done_at)) FROM runs_duty d WHERE d.name = 'timers'),
    'undone', (SELECT coalesce(json_agg(d.name ORDER BY d.name), '[]')
                 FROM runs_duty d
                WHERE d.begun_at > clock.now - interval '150 seconds' AND d.done_at < clock.now - interval '5 minutes'),
    'timer', (SELECT extract(epoch FROM clock.now - min(t.fire_at))
                FROM (SELECT t.run_id, t.fire_at
                        FROM runs_timer t
                       WHERE t.status = 'PENDING' AND t.fire_at <= clock.now
                       ORDER BY t.fire_at, t.id
                       LIMIT 100) t
               CROSS JOIN LATERAL (SELECT r.status FROM runs_run r WHERE r.id = t.run_id LIMIT 1) r
               WHERE r.status IN ('RUNNING', 'PAUSED', 'COMPENSATING', 'WAITING_FOR_MANUAL_ACTION')),
    'queues', (SELECT json_object_agg(q.queue, json_build_object(
                          'oldest', (SELECT extract(epoch FROM clock.now - min(h.available_at))
                                       FROM head h WHERE h.queue = q.queue AND h.available_at <= clock.now),
                          'claimed', w.claimed, 'seen', w.seen))
                 FROM unnest(%(queues)s::text[]) AS q(queue)
                CROSS JOIN LATERAL (
                          SELECT extract(epoch FROM clock.now - max(w.claimed_at)) AS claimed,
                                 extract(epoch FROM clock.now - max(w.seen_at)) AS seen
                            FROM runs_worker w
                           WHERE w.queue = q.queue) w))
  FROM clock
