-- name: heartbeat
-- Renews just what the caller says it has in hand, never past the attempt's hard deadline. Touches no indexed column.
WITH clock AS MATERIALIZED (SELECT clock() AS now),
w AS MATERIALIZED (SELECT * FROM jsonb_to_recordset(%(held)s::jsonb) AS w(id uuid, epoch int, progress jsonb)),
l AS MATERIALIZED (
    -- In order of id, as those lock them who end these steps meanwhile.
    SELECT s.id FROM runs_stepexecution s WHERE s.id = ANY (ARRAY(SELECT id FROM w)) ORDER BY s.id FOR NO KEY UPDATE
),
b AS (
    UPDATE runs_stepexecution s
       SET lease_expires_at = least(clock.now + s.lease_seconds * interval '1 second', s.hard_deadline),
           heartbeat_at = clock.now, progress = coalesce(w.progress, s.progress)
      FROM w CROSS JOIN clock
     WHERE s.id = w.id AND s.id = ANY (ARRAY(SELECT id FROM l)) AND s.epoch = w.epoch AND s.status = 'RUNNING'
    RETURNING s.id, s.run_id, s.lease_expires_at
)
SELECT coalesce(json_agg(json_build_array(
           b.id, b.lease_expires_at, (SELECT r.status FROM runs_run r WHERE r.id = b.run_id))), '[]')
  FROM b

-- name: expired
-- Read without locks; every write that follows asks again.
SELECT coalesce(json_agg(json_build_array(
           /* include held */, NULL,
           s.hard_deadline <= s.now, (SELECT r.status FROM runs_run r WHERE r.id = s.run_id))), '[]')
  FROM (SELECT s.*, statement_clock() AS now
          FROM runs_stepexecution s
         WHERE s.status = 'RUNNING'
           AND s.lease_expires_at <= statement_clock()
         LIMIT %(limit)s) s

-- name: set_leases
-- Leases that were taken just now last longer or shorter, never past the attempt's hard deadline.
WITH clock AS MATERIALIZED (SELECT clock() AS now),
w AS MATERIALIZED (SELECT * FROM jsonb_to_recordset(%(held)s::jsonb) AS w(id uuid, epoch int)),
l AS MATERIALIZED (
    SELECT s.id FROM runs_stepexecution s WHERE s.id = ANY (ARRAY(SELECT id FROM w)) ORDER BY s.id FOR NO KEY UPDATE
),
b AS (
    UPDATE runs_stepexecution s
       SET lease_seconds = %(seconds)s::int,
           lease_expires_at = least(clock.now + %(seconds)s::int * interval '1 second', s.hard_deadline)
      FROM w CROSS JOIN clock
     WHERE s.id = w.id AND s.id = ANY (ARRAY(SELECT id FROM l)) AND s.epoch = w.epoch AND s.status = 'RUNNING'
    RETURNING s.id, s.lease_expires_at
)
SELECT coalesce(json_object_agg(b.id, b.lease_expires_at), '{}') FROM b

-- name: lost_leases
-- Epochs of these steps whose lease was lost, each with whether that used up an attempt. A step has few of them.
-- Only those since the step was queued anew, or came to another version: before that the job was another one.
SELECT coalesce(json_agg(json_build_array(s.id, (h.payload ->> 'epoch')::int, h.type <> 'LEASE_LOST')), '[]')
  FROM runs_stepexecution s
  JOIN runs_historyevent h ON h.run_id = s.run_id AND h.node = s.node
   AND (h.payload ->> 'index')::int IS NOT DISTINCT FROM s.index
   AND (h.type = 'LEASE_LOST' OR h.type = 'ATTEMPT_FAILED' AND h.payload -> 'error' ->> 'code' = 'LeaseLost')
 WHERE s.id = ANY (%(ids)s::uuid[])
   AND h.id > coalesce((SELECT max(q.id)
                          FROM runs_historyevent q
                         WHERE q.run_id = s.run_id AND q.node = s.node
                           AND (q.payload ->> 'index')::int IS NOT DISTINCT FROM s.index
                           AND q.type IN ('STEP_REQUEUED', 'STEP_WITHDRAWN', 'STEP_MIGRATED')), 0)

-- name: end_leases
-- A worker of ours that has ended renews nothing any more. Jobs are not its: whoever holds one has a token.
WITH clock AS MATERIALIZED (SELECT clock() AS now),
l AS MATERIALIZED (
    SELECT s.id
      FROM runs_stepexecution s
     WHERE s.status = 'RUNNING' AND s.worker = ANY (%(workers)s::text[]) AND s.lease_token_hash IS NULL
     ORDER BY s.id
       FOR NO KEY UPDATE
)
UPDATE runs_stepexecution s
   SET lease_expires_at = clock.now
  FROM clock
 WHERE s.id = ANY (ARRAY(SELECT id FROM l)) AND s.status = 'RUNNING' AND s.worker = ANY (%(workers)s::text[])
   AND s.lease_expires_at > clock.now

-- name: lock_light_unless_busy
SELECT coalesce(json_agg(json_build_array(l.id, l.status)), '[]')
  FROM (SELECT id, status FROM runs_run WHERE id = ANY (%(runs)s::uuid[]) ORDER BY id FOR KEY SHARE SKIP LOCKED) l

-- name: hand_back
-- Steps whose lease was lost in company, or that a stopping worker did not start, go back without using an attempt.
WITH clock AS MATERIALIZED (SELECT clock() AS now),
w AS MATERIALIZED (SELECT * FROM jsonb_to_recordset(%(steps)s::jsonb) AS w(id uuid, epoch int, held boolean)),
l AS MATERIALIZED (
    SELECT s.id, s.worker
      FROM runs_stepexecution s
     WHERE s.id = ANY (ARRAY(SELECT id FROM w))
     ORDER BY s.id
       FOR NO KEY UPDATE
),
b AS (
    UPDATE runs_stepexecution s
       SET status = 'QUEUED', attempt = s.attempt - 1, worker = NULL, available_at = clock.now,
           solo = s.solo OR %(lost)s, held = w.held,
           -- Who lost a lease may still complete the job while nobody else has it; who gave it back may not.
           lease_token_hash = CASE WHEN %(lost)s THEN s.lease_token_hash END
      FROM w JOIN l ON l.id = w.id CROSS JOIN clock
     WHERE s.id = w.id AND s.id = ANY (ARRAY(SELECT id FROM l)) AND s.epoch = w.epoch AND s.status = 'RUNNING'
       AND (NOT %(lost)s OR s.lease_expires_at <= clock.now)
    RETURNING s.id, s.run_id, s.tenant_id, s.shard, s.node, s.index, s.attempt, s.epoch, s.queue, l.worker
),
h AS (
    /* include write_history */
    SELECT b.tenant_id, b.run_id, b.shard, 0, CASE WHEN %(lost)s THEN 'LEASE_LOST' ELSE 'STEP_RELEASED' END, b.node,
           b.attempt + 1, CASE WHEN b.index IS NULL THEN '{}' ELSE jsonb_build_object('index', b.index) END
           || jsonb_build_object('epoch', b.epoch, 'counted', false, 'worker', b.worker), clock.now
      FROM b CROSS JOIN clock
     ORDER BY b.run_id, b.node
)
SELECT coalesce(json_agg(DISTINCT b.queue), '[]') FROM b

-- name: job_facts
-- What external workers' answers to jobs are judged by.
SELECT json_build_array(/* include held */,
                        CASE WHEN s.input_from IS NULL THEN s.input ELSE coalesce(p.output, r.input) END,
                        s.status, encode(s.lease_token_hash, 'hex'), s.error, (extract(epoch FROM s.started_at) * 1000000000)::bigint,
                        s.queue, w.folder_id)
  FROM runs_stepexecution s
  JOIN runs_run r ON r.id = s.run_id
  LEFT JOIN workflows_workflow w ON w.id = r.workflow_id
  LEFT JOIN runs_stepexecution p ON p.id = s.input_from
 WHERE s.id = ANY (%(ids)s::uuid[]) AND s.tenant_id = %(tenant)s

-- name: keep_late_results
-- Evidence, no state. What is sent again is kept once, and of one step the first twenty, however often somebody sends
-- others. Who had the attempt is on the row as long as it is the last one, and otherwise where its lease was lost.
WITH clock AS MATERIALIZED (SELECT clock() AS now),
w AS MATERIALIZED (
    SELECT w.*, encode(sha256(convert_to(w.output::text, 'UTF8')), 'hex') AS digest
      FROM jsonb_to_recordset(%(results)s::jsonb)
        AS w(step_id uuid, epoch int, reason text, worker text, output jsonb, error jsonb)
),
r AS MATERIALIZED (
    -- Shared, as by whoever moves a run forward: a seal waits for it, and so misses nothing that stands before the end.
    SELECT r.id
      FROM runs_run r
     WHERE r.id = ANY (ARRAY(SELECT s.run_id FROM runs_stepexecution s JOIN w ON w.step_id = s.id))
     ORDER BY r.id
       FOR KEY SHARE
)
/* include write_history */
SELECT s.tenant_id, s.run_id, s.shard, 0, 'LATE_RESULT', s.node, NULL,
       jsonb_strip_nulls(jsonb_build_object('evidence', true, 'index', s.index, 'epoch', w.epoch, 'reason', w.reason, 'digest', w.digest,
           'error', w.error,
           'worker', coalesce(w.worker, CASE WHEN s.epoch = w.epoch THEN s.worker END, (
               SELECT h.payload ->> 'worker'
                 FROM runs_historyevent h
                WHERE h.run_id = s.run_id AND h.node = s.node AND h.payload ->> 'worker' IS NOT NULL
                  AND (h.payload ->> 'epoch')::int = w.epoch
                  AND (h.payload ->> 'index')::int IS NOT DISTINCT FROM s.index
                ORDER BY h.id
                LIMIT 1)))),
       clock.now
  FROM w
  JOIN runs_stepexecution s ON s.id = w.step_id
  JOIN r ON r.id = s.run_id
 CROSS JOIN clock
 CROSS JOIN LATERAL (
           SELECT count(*) AS kept,
                  count(*) FILTER (WHERE (h.payload ->> 'epoch')::int = w.epoch
                                     AND h.payload ->> 'digest' IS NOT DISTINCT FROM w.digest
                                     AND h.payload -> 'error' IS NOT DISTINCT FROM w.error) AS same
             FROM runs_historyevent h
            WHERE h.run_id = s.run_id AND h.node = s.node AND h.type = 'LATE_RESULT'
              AND (h.payload ->> 'index')::int IS NOT DISTINCT FROM s.index) h
 WHERE h.kept < 20 AND h.same = 0
 ORDER BY s.run_id, s.id

-- name: gave
-- null is an output like any other; it is kept as no value.
SELECT w.place
  FROM jsonb_to_recordset(%(given)s::jsonb) AS w(place int, step_id uuid, output jsonb, sha256 text)
  JOIN runs_stepexecution s ON s.id = w.step_id
 WHERE coalesce(s.output, 'null') = coalesce(w.output, 'null') OR right(s.output ->> '$blob', 64) = w.sha256

-- name: worker_seen
INSERT INTO runs_worker (id, queue, host, pid, started_at, seen_at, claimed_at)
VALUES (%(worker)s, %(queue)s, %(host)s, %(pid)s, clock_timestamp(), clock_timestamp(),
        clock_timestamp() - %(idle)s::double precision * interval '1 second')
ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at, claimed_at = excluded.claimed_at

-- name: workers_forget
DELETE FROM runs_worker WHERE id = %(worker)s OR seen_at < clock_timestamp() - interval '1 day'
