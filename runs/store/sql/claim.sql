-- name: ready_tenants (fragment)
-- The next tenants behind the worker's cursor that have work, by loose index scan: its cost doesn't grow with the
-- backlog, and no tenant is served for ever while others wait. Only what is due counts: tenants that all back off
-- would hide the work of those behind them.
ring(tenant_id, found) AS (
    (SELECT s.tenant_id, 1
       FROM runs_stepexecution s
      WHERE s.queue = %(queue)s AND s.status = 'QUEUED' AND NOT s.held AND s.tenant_id > %(cursor)s
        AND NOT s.solo AND s.available_at <= statement_clock()
      ORDER BY s.tenant_id
      LIMIT 1)
    UNION ALL
    SELECT (SELECT s.tenant_id
              FROM runs_stepexecution s
             WHERE s.queue = %(queue)s AND s.status = 'QUEUED' AND NOT s.held AND s.tenant_id > ring.tenant_id
               AND NOT s.solo AND s.available_at <= statement_clock()
             ORDER BY s.tenant_id
             LIMIT 1),
           ring.found + 1
      FROM ring
     WHERE ring.tenant_id IS NOT NULL AND ring.found < 32
),
share AS (SELECT ceil(%(limit)s / greatest(count(tenant_id), 1)::numeric)::int AS rows FROM ring)

-- name: take_picked (fragment)
-- Sets the lease and counts the attempt and the epoch; a step that is taken alone is marked so, for only there a lost
-- lease tells who is to blame. The payload is the step's own input, or the output of the step (or the input of the
-- run) that `input_from` names. Gives the steps, and behind them whether others had what there was, which the statement
-- adds that includes this: it is seen by the same snapshot.
taken AS (
    UPDATE runs_stepexecution s
       SET status = 'RUNNING',
           worker = picked.worker,
           epoch = s.epoch + 1,
           attempt = s.attempt + 1,
           solo = picked.alone,
           held = false,
           started_at = clock.now,
           completed_at = NULL,
           hard_deadline = clock.now + s.timeout_seconds * interval '1 second',
           lease_expires_at = clock.now + least(s.lease_seconds, s.timeout_seconds) * interval '1 second',
           lease_token_hash = picked.token_hash,
           heartbeat_at = NULL
      FROM picked CROSS JOIN clock
     WHERE s.id = picked.id AND s.id = ANY (ARRAY(SELECT id FROM picked))
    RETURNING s.*, picked.place
)
SELECT json_build_array(
       coalesce(json_agg(json_build_array(
           /* include held */, /* include given_input */,
           s.lease_seconds, s.lease_expires_at, s.place, s.progress, extract(epoch FROM s.started_at - s.queued_at)
       ) ORDER BY s.priority DESC, s.available_at, s.id), '[]'),

-- name: claim
-- The claim never looks at the run: paused runs hold their steps, closing runs move them (docs/engine.md, "Claim").
-- MATERIALIZED is a fence: without it a nested loop may lock and update more rows than the limit (H-16).
WITH RECURSIVE /* include ready_tenants */,
clock AS (SELECT clock() AS now),
found AS MATERIALIZED (
    SELECT f.id
      FROM ring CROSS JOIN LATERAL (
               SELECT s.id
                 FROM runs_stepexecution s
                WHERE s.queue = %(queue)s AND s.tenant_id = ring.tenant_id AND s.status = 'QUEUED' AND NOT s.held
                  AND NOT s.solo AND s.available_at <= statement_clock()
                ORDER BY s.priority DESC, s.available_at, s.id
                LIMIT (SELECT rows FROM share)
                  FOR UPDATE SKIP LOCKED) f
     WHERE ring.tenant_id IS NOT NULL
     LIMIT %(limit)s
),
picked AS MATERIALIZED (
    SELECT id, %(alone)s AND count(*) OVER () = 1 AS alone, NULL::bytea AS token_hash, 0 AS place, %(worker)s::text AS worker
      FROM found
),
/* include take_picked */
       count(*) = 0 AND (SELECT count(tenant_id) FROM ring) > 0)
  FROM taken s

-- name: claim_alone
-- One step whose lease was lost in company before: it runs alone, and if it takes its worker down again, it counts.
WITH clock AS (SELECT clock() AS now),
picked AS MATERIALIZED (
    SELECT s.id, true AS alone, NULL::bytea AS token_hash, 0 AS place, %(worker)s::text AS worker
      FROM runs_stepexecution s
     WHERE s.queue = %(queue)s AND s.status = 'QUEUED' AND NOT s.held AND s.solo
       AND s.available_at <= statement_clock()
     ORDER BY s.available_at
     LIMIT 1
       FOR UPDATE SKIP LOCKED
),
/* include take_picked */
       false)
  FROM taken s

-- name: lies_in_folders (fragment)
-- The step `s` is of a workflow that lies in one of the `folders` now; NULL: anywhere.
(%(folders)s::bigint[] IS NULL OR EXISTS (
    SELECT 1 FROM workflows_workflowversion v JOIN workflows_workflow w ON w.id = v.workflow_id
     WHERE v.id = s.version_id AND w.folder_id = ANY (%(folders)s::bigint[])))

-- name: claim_jobs
-- For one tenant's external workers, of several polls at once: the n-th step goes to the poll of the n-th token, and of
-- each token only the hash is kept. A step that must run alone is handed out only to a poll that found nothing else.
WITH clock AS (SELECT clock() AS now),
found AS MATERIALIZED (
    SELECT f.id
      FROM unnest(%(queues)s::text[]) AS q(queue) CROSS JOIN LATERAL (
               SELECT s.id
                 FROM runs_stepexecution s
                WHERE s.queue = q.queue AND s.tenant_id = %(tenant)s AND s.status = 'QUEUED' AND NOT s.held
                  AND s.solo = %(alone)s AND s.available_at <= statement_clock()
                  AND /* include lies_in_folders */
                ORDER BY s.priority DESC, s.available_at, s.id
                LIMIT %(limit)s
                  FOR UPDATE SKIP LOCKED) f
     LIMIT %(limit)s
),
picked AS MATERIALIZED (
    SELECT f.id, count(*) OVER (PARTITION BY h.poll) = 1 AS alone, h.hash AS token_hash, h.place, h.worker
      FROM (SELECT id, row_number() OVER () AS place FROM found) f
      JOIN unnest(%(token_hashes)s::bytea[], %(workers)s::text[], %(polls)s::int[])
             WITH ORDINALITY AS h(hash, worker, poll, place) USING (place)
),
/* include take_picked */
       CASE WHEN count(*) = 0 THEN EXISTS (
           SELECT 1 FROM runs_stepexecution s
            WHERE s.queue = ANY (%(queues)s::text[]) AND s.tenant_id = %(tenant)s AND s.status = 'QUEUED' AND NOT s.held
              AND s.solo = %(alone)s AND s.available_at <= statement_clock()
              AND /* include lies_in_folders */)
       ELSE false END)
  FROM taken s

-- name: read_scope
-- What expressions of the given runs read: the run itself and the outputs of steps that are over.
SELECT coalesce(json_agg(json_build_array(
           w.run_id,
           json_build_object('tenant', r.tenant_id,
                             'trace', CASE WHEN r.traceparent IS NOT NULL THEN json_build_array(r.traceparent, r.tracestate) END,
                             'input', r.input, 'business_key', r.business_key, 'created_by', r.created_by,
                             'now', statement_clock(),
                             'vars', CASE WHEN w.vars THEN /* include current_variables */ ELSE '{}' END),
           coalesce(o.outputs, '{}'))), '[]')
  FROM jsonb_to_recordset(%(wanted)s::jsonb) AS w(run_id uuid, nodes jsonb, every boolean, vars boolean)
 CROSS JOIN LATERAL (SELECT * FROM runs_run r WHERE r.id = w.run_id LIMIT 1) r
  LEFT JOIN LATERAL (
           SELECT json_object_agg(s.node, json_build_array(s.status, s.output)) AS outputs
             FROM runs_stepexecution s
            WHERE s.run_id = w.run_id AND s.index IS NULL
              AND (s.status IN ('COMPLETED', 'FAILED')
                   OR s.status IN ('SKIPPED', 'CANCELLED') AND s.output IS NOT NULL)
              AND (w.every OR s.node = ANY (ARRAY(SELECT jsonb_array_elements_text(w.nodes))))
       ) o ON true

-- name: moments
-- What time it is, and when the attempts of the given steps began.
SELECT json_build_array(statement_clock(), coalesce(
           (SELECT json_object_agg(s.id, s.started_at) FROM runs_stepexecution s WHERE s.id = ANY (%(steps)s::uuid[])), '{}'))

-- name: queues_with_work
-- Which of the queues have a step that could be claimed now.
SELECT coalesce(json_agg(q.queue), '[]')
  FROM unnest(%(queues)s::text[]) AS q(queue)
 WHERE EXISTS (SELECT 1 FROM runs_stepexecution s
                WHERE s.queue = q.queue AND s.status = 'QUEUED' AND NOT s.held
                  AND s.available_at <= statement_clock()
                                        - %(older_seconds)s * interval '1 second')

-- name: ready_jobs
-- How many jobs of the tenants' queues could be leased now, up to so many: one look for all polls that wait.
SELECT coalesce(json_agg(json_build_array(q.tenant_id, q.queue, q.folders, ready.jobs)), '[]')
  FROM jsonb_to_recordset(%(wanted)s::jsonb) AS q(tenant_id bigint, queue text, folders bigint[], most int)
 CROSS JOIN LATERAL (
           SELECT count(*) AS jobs
             FROM (SELECT 1 FROM runs_stepexecution s
                    WHERE s.queue = q.queue AND s.tenant_id = q.tenant_id AND s.status = 'QUEUED' AND NOT s.held
                      AND s.available_at <= statement_clock()
                      AND (q.folders IS NULL OR EXISTS (
                               SELECT 1 FROM workflows_workflowversion v JOIN workflows_workflow w ON w.id = v.workflow_id
                                WHERE v.id = s.version_id AND w.folder_id = ANY (q.folders)))
                    LIMIT q.most) one) ready
 WHERE ready.jobs > 0
