-- name: begin_bulk_job
-- The job with an item for each run of the version that is open now: nobody is counted who has no item.
WITH r AS MATERIALIZED (
    SELECT r.id FROM runs_run r
     WHERE r.workflow_id = %(workflow)s AND r.tenant_id = %(tenant)s AND r.version_id = %(from)s
       AND r.completed_at IS NULL AND NOT r.is_test
),
j AS (
    INSERT INTO runs_bulkjob (id, tenant_id, workflow_id, from_version_id, to_version_id, dry_run, total, reason, created_by,
                              finished_at)
    SELECT %(id)s::uuid, %(tenant)s, %(workflow)s, %(from)s, %(to)s, %(dry_run)s, c.total, %(reason)s, %(by)s,
           CASE WHEN c.total = 0 THEN clock_timestamp() END
      FROM (SELECT count(*) AS total FROM r) c
    RETURNING total
),
i AS (
    INSERT INTO runs_bulkitem (tenant_id, job_id, run_id)
    SELECT %(tenant)s, %(id)s::uuid, r.id FROM r ORDER BY r.id
)
SELECT total FROM j

-- name: begin_bulk_verb
-- The job with an item for each of these runs, or of these targets of them, and of those that a dry run has found able.
WITH r AS MATERIALIZED (
    SELECT u.id, u.target, '' AS seen FROM unnest(%(runs)s::uuid[], %(targets)s::uuid[]) AS u (id, target)
    UNION
    SELECT i.run_id, i.target_id, i.seen FROM runs_bulkitem i
     WHERE i.job_id = %(dry)s::uuid AND i.tenant_id = %(tenant)s AND i.result = 'able'
),
j AS (
    INSERT INTO runs_bulkjob (id, tenant_id, verb, query, compensate, workflow_id, to_version_id, assignee, to_group, terms,
                              dry_run, total, reason, created_by, finished_at)
    SELECT %(id)s::uuid, %(tenant)s, %(verb)s, %(query)s, %(compensate)s, %(workflow)s, %(version)s, %(assignee)s, %(group)s,
           %(terms)s::jsonb, %(dry_run)s, c.total, %(reason)s, %(by)s,
           CASE WHEN c.total = 0 THEN clock_timestamp() END
      FROM (SELECT count(*) AS total FROM r) c
    RETURNING total
),
i AS (
    INSERT INTO runs_bulkitem (tenant_id, job_id, run_id, target_id, seen)
    SELECT %(tenant)s, %(id)s::uuid, r.id, r.target, r.seen FROM r ORDER BY r.target, r.id
)
SELECT total FROM j

-- name: record_bulk_job
-- A job that is over already: the results of a verb that was done while its caller waited.
WITH r AS MATERIALIZED (
    SELECT *
      FROM unnest(%(runs)s::uuid[], %(targets)s::uuid[], %(results)s::text[], %(codes)s::text[], %(messages)s::text[])
           WITH ORDINALITY AS r (run, target, result, code, message, place)
),
j AS (
    INSERT INTO runs_bulkjob (id, tenant_id, verb, query, terms, dry_run, total, reason, created_by, finished_at)
    SELECT %(id)s::uuid, %(tenant)s, %(verb)s, %(query)s, %(terms)s::jsonb, false, count(*), %(reason)s, %(by)s,
           clock_timestamp()
      FROM r
)
INSERT INTO runs_bulkitem (tenant_id, job_id, run_id, target_id, result, code, message, done_at)
SELECT %(tenant)s, %(id)s::uuid, r.run, r.target, r.result, r.code, r.message, clock_timestamp() FROM r ORDER BY r.place

-- name: next_bulk_item
-- The next item of a job that was not tried yet, or any of the oldest job that has any left, and its job: nobody else has it
-- until the transaction ends. `patience`: how long that waits for each lock; empty: as the session does.
SELECT json_build_array(i.id, i.tenant_id, i.run_id, i.tries, j.id, j.verb, j.to_version_id, j.compensate, j.dry_run, j.reason,
                        j.created_by, j.assignee, j.to_group, i.target_id, i.seen, j.terms),
       CASE WHEN %(patience)s <> '' THEN set_config('lock_timeout', %(patience)s, true) END
  FROM runs_bulkjob j
  JOIN runs_bulkitem i ON i.job_id = j.id AND i.result = 'pending'
 WHERE j.finished_at IS NULL AND j.stopped_by = '' AND (%(job)s::uuid IS NULL OR (j.id = %(job)s::uuid AND i.tries = 0))
 ORDER BY j.id, i.tries, i.id
 LIMIT 1
   FOR UPDATE OF i SKIP LOCKED

-- name: end_bulk_item
UPDATE runs_bulkitem i
   SET result = %(result)s, code = %(code)s, node = %(node)s, message = %(message)s, seen = COALESCE(%(seen)s, i.seen),
       done_at = clock_timestamp()
 WHERE i.id = %(item)s AND i.result = 'pending'

-- name: put_bulk_item_off
-- The database could not do it now: the others come first. Whoever has the item by now counts the attempt.
UPDATE runs_bulkitem i
   SET tries = i.tries + 1
  FROM (SELECT i.id FROM runs_bulkitem i WHERE i.id = %(item)s AND i.result = 'pending' FOR UPDATE SKIP LOCKED) p
 WHERE i.id = p.id

-- name: stop_bulk_job
-- Nothing more of the job is begun; what somebody has in hand ends as it would have.
WITH j AS MATERIALIZED (
    SELECT j.id FROM runs_bulkjob j
     WHERE j.id = %(job)s AND j.tenant_id = %(tenant)s AND j.finished_at IS NULL AND j.stopped_by = ''
       FOR UPDATE
),
p AS MATERIALIZED (
    SELECT i.id FROM runs_bulkitem i WHERE i.job_id IN (SELECT j.id FROM j) AND i.result = 'pending'
     ORDER BY i.id
       FOR UPDATE SKIP LOCKED
),
i AS (
    UPDATE runs_bulkitem i
       SET result = 'stopped', code = 'stopped', done_at = clock_timestamp()
      FROM p
     WHERE i.id = p.id
),
s AS (
    UPDATE runs_bulkjob j SET stopped_by = %(by)s WHERE j.id IN (SELECT j.id FROM j) RETURNING j.id
)
SELECT count(*) FROM s

-- name: end_bulk_jobs
-- What was in hand when its job was stopped, and was not done, is left as it is, too.
WITH i AS (
    UPDATE runs_bulkitem i
       SET result = 'stopped', code = 'stopped', done_at = clock_timestamp()
      FROM (SELECT i.id
              FROM runs_bulkjob j
              JOIN runs_bulkitem i ON i.job_id = j.id AND i.result = 'pending'
             WHERE j.finished_at IS NULL AND j.stopped_by <> ''
             ORDER BY i.id
               FOR UPDATE OF i SKIP LOCKED) p
     WHERE i.id = p.id
)
UPDATE runs_bulkjob j
   SET finished_at = clock_timestamp()
 WHERE j.finished_at IS NULL
   AND NOT EXISTS (SELECT 1 FROM runs_bulkitem i WHERE i.job_id = j.id AND i.result = 'pending')
