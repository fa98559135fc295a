-- name: may_be_taken (fragment)
-- The step `s` is the tenant's, of one of the `queues` (a `*` at the end: all that begin so; NULL: any) and `folders`.
s.tenant_id = %(tenant)s
AND (%(queues)s::text[] IS NULL OR EXISTS (
    SELECT 1 FROM unnest(%(queues)s::text[]) AS own(queue)
     WHERE CASE WHEN right(own.queue, 1) = '*' THEN starts_with(s.queue, left(own.queue, -1)) ELSE s.queue = own.queue END))
AND /* include lies_in_folders */

-- name: jobs_wanted (fragment)
-- Jobs whose consumers were told of them, each named by its step and the epoch that its lease gets.
clock AS MATERIALIZED (SELECT clock() AS now),
wanted AS MATERIALIZED (
    SELECT w.*
      FROM jsonb_to_recordset(%(wanted)s::jsonb)
           AS w(place int, worker text, step uuid, epoch int, token_hash text)
)

-- name: found_is_received (fragment)
-- Leases those that were `found`, by the epoch that they had when they were locked, and says of the others why they can't
-- be had.
picked AS MATERIALIZED (
    -- Who is told of one job twice, or together with another, has it once.
    SELECT DISTINCT ON (f.id) f.id, count(*) OVER (PARTITION BY w.worker) = 1 AS alone, decode(w.token_hash, 'hex') AS token_hash,
           w.place, w.worker
      FROM found f JOIN wanted w ON w.step = f.id AND w.epoch = f.epoch + 1
     ORDER BY f.id, w.place
),
received AS (
    DELETE FROM dispatch_outbox o USING picked WHERE o.step_id = picked.id
),
/* include take_picked */
       (SELECT coalesce(json_agg(json_build_array(w.place, CASE
                   WHEN s.id IS NULL OR s.status NOT IN ('QUEUED', 'RUNNING') OR w.epoch <> s.epoch + 1 AND s.status = 'QUEUED'
                     OR w.epoch < s.epoch THEN 'gone'
                   WHEN s.status = 'RUNNING' THEN 'leased'
                   WHEN s.held THEN 'held'
                   WHEN s.available_at > clock.now THEN 'later'
                   ELSE 'leased' END)), '[]')
          FROM wanted w CROSS JOIN clock
          LEFT JOIN runs_stepexecution s ON s.id = w.step AND /* include may_be_taken */
         WHERE w.place NOT IN (SELECT place FROM picked)))
  FROM taken s

-- name: receive_jobs
-- For consumers who are about to work: what somebody else has hold of is theirs, and what is held has to wait.
WITH /* include jobs_wanted */,
found AS MATERIALIZED (
    SELECT s.id, s.epoch
      FROM runs_stepexecution s CROSS JOIN clock
     WHERE s.id = ANY (ARRAY(SELECT step FROM wanted)) AND s.status = 'QUEUED' AND NOT s.held
       AND s.available_at <= clock.now AND /* include may_be_taken */
     ORDER BY s.id
       FOR UPDATE OF s SKIP LOCKED
),
/* include found_is_received */

-- name: receive_done_jobs
-- For consumers who have done the work: their word must not get lost, so whoever has hold of the step is waited for, and
-- a run that was paused meanwhile hears it as from a worker that had the job before.
WITH /* include jobs_wanted */,
found AS MATERIALIZED (
    SELECT s.id, s.epoch
      FROM runs_stepexecution s
     WHERE s.id = ANY (ARRAY(SELECT step FROM wanted)) AND s.status = 'QUEUED' AND /* include may_be_taken */
     ORDER BY s.id
       FOR UPDATE OF s
),
/* include found_is_received */
