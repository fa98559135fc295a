-- name: keep_dispatch_sample
-- Keeps how things stand now, unless somebody did so a moment ago. What this role may not see of a session has no state, so
-- such sessions are counted apart. An external worker that is at work on a long job polls no more, and beats.
WITH clock AS MATERIALIZED (SELECT clock() AS now),
sessions AS MATERIALIZED (
    SELECT count(*) FILTER (WHERE a.wait_event_type = 'Lock') AS lock_waits,
           count(*) FILTER (WHERE a.query = '<insufficient privilege>' AND a.usesysid IS NOT NULL) AS hidden
      FROM pg_stat_activity a
     WHERE a.datname = current_database()
),
processes AS MATERIALIZED (
    SELECT count(*) AS many, count(*) FILTER (WHERE w.host = %(host)s) AS here
      FROM runs_worker w CROSS JOIN clock
     WHERE w.queue = ANY (%(queues)s::text[]) AND w.seen_at > clock.now - make_interval(secs => %(silent)s)
),
outside AS MATERIALIZED (
    SELECT count(*) AS many
      FROM (SELECT c.tenant_id, c.worker
              FROM runs_workercontact c CROSS JOIN clock
             WHERE c.seen_at > clock.now - make_interval(secs => %(stale)s)
            UNION
            SELECT r.tenant_id, r.worker
              FROM (SELECT s.tenant_id, s.worker, coalesce(s.heartbeat_at, s.started_at) AS beat
                      FROM runs_stepexecution s
                     WHERE s.status = 'RUNNING' AND s.type = ANY (%(external)s::text[])
                     LIMIT %(most)s) r
             CROSS JOIN clock
             WHERE r.beat > clock.now - make_interval(secs => %(stale)s)) o
)
INSERT INTO runs_dispatchsample (at, host, lock_waits, hidden_sessions, processes, processes_here, outside, ready,
                                 finished, claims, contended, empty)
SELECT clock.now, %(host)s, sessions.lock_waits, sessions.hidden, processes.many, processes.here, outside.many, %(ready)s::int,
       %(finished)s::bigint, %(claims)s::bigint, %(contended)s::bigint, %(empty)s::bigint
  FROM clock CROSS JOIN sessions CROSS JOIN processes CROSS JOIN outside
 WHERE NOT EXISTS (SELECT 1 FROM runs_dispatchsample d WHERE d.at > clock.now - make_interval(secs => %(apart)s))

-- name: forget_dispatch_samples
DELETE FROM runs_dispatchsample d
 WHERE d.at IN (SELECT o.at FROM runs_dispatchsample o
                 WHERE o.at < statement_clock() - make_interval(days => %(days)s::int)
                 ORDER BY o.at
                 LIMIT %(limit)s)

-- name: dispatch_samples
SELECT coalesce(json_agg(json_build_array(extract(epoch FROM d.at)::float8, d.host, d.lock_waits, d.hidden_sessions, d.processes,
                                          d.processes_here, d.outside, d.ready, d.finished, d.claims, d.contended, d.empty)
                         ORDER BY d.at), '[]')
  FROM (SELECT * FROM runs_dispatchsample s WHERE s.at > %(since)s ORDER BY s.at DESC LIMIT %(most)s) d
