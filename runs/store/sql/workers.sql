-- name: workers_polled
-- Each of these workers once, in order: two processes that say so of the same ones wait for each other, and no longer.
INSERT INTO runs_workercontact AS c (tenant_id, worker, queues, version, slots, seen_at)
SELECT %(tenant)s, w.worker, %(queues)s::text[], w.version, w.slots, statement_clock()
  FROM jsonb_to_recordset(%(workers)s::jsonb) AS w(worker text, version text, slots int)
 ORDER BY w.worker
ON CONFLICT (tenant_id, worker) DO UPDATE
   SET queues = excluded.queues, version = excluded.version, slots = excluded.slots, seen_at = excluded.seen_at

-- name: forget_workers
-- Ids that a worker makes up anew at each start would fill the list.
DELETE FROM runs_workercontact c
 USING (SELECT id, row_number() OVER (PARTITION BY tenant_id ORDER BY seen_at DESC, id) AS place FROM runs_workercontact) o
 WHERE o.id = c.id
   AND (o.place > 1000 OR c.seen_at < statement_clock() - interval '1 day')

-- name: count_held
SELECT coalesce(json_agg(json_build_array(h.worker, h.held, h.heard)), '[]')
  FROM (SELECT s.worker, count(*) AS held, max(s.heartbeat_at) AS heard
          FROM runs_stepexecution s
         WHERE s.worker = ANY (%(workers)s::text[]) AND s.status = 'RUNNING' AND s.tenant_id = %(tenant)s
           AND (s.type = ANY (%(external)s::text[])) = %(jobs)s
         GROUP BY s.worker) h

-- name: held_by
SELECT coalesce(json_agg(json_build_array(h.worker, h.id, h.run_id, h.node, h.started_at, h.lease_expires_at)
                         ORDER BY h.started_at DESC, h.id), '[]')
  FROM unnest(%(workers)s::text[]) AS w(worker) CROSS JOIN LATERAL (
           SELECT s.worker, s.id, s.run_id, s.node, s.started_at, s.lease_expires_at
             FROM runs_stepexecution s
            WHERE s.worker = w.worker AND s.status = 'RUNNING' AND s.tenant_id = %(tenant)s
              AND (s.type = ANY (%(external)s::text[])) = %(jobs)s
            ORDER BY s.started_at DESC, s.id
            LIMIT %(each)s) h
