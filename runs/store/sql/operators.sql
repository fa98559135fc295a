-- name: step_to_change
-- The step that an operator speaks of. The caller holds its run FOR UPDATE; a worker may still take or end the step.
SELECT json_build_array(
           /* include held */, /* include given_input */,
           s.status, s.cancel_cause, s.output IS NOT NULL, coalesce(s.fired, '{}'),
           coalesce(s.waiting ->> 'kind', '') = 'operator', s.error,
           -- Whether an attempt did something with the input that it has now, or nobody knows what.
           EXISTS (SELECT 1 FROM runs_historyevent e
                    WHERE e.run_id = s.run_id AND e.node = s.node AND (e.payload ->> 'index')::int IS NOT DISTINCT FROM s.index
                      AND (e.type = 'LEASE_LOST'
                           OR e.payload -> 'error' ->> 'code' IN ('LeaseLost', 'Timeout')
                           OR e.payload -> 'error' -> 'details' ->> 'outcome' IN ('unknown', 'done'))
                      AND e.id > coalesce((SELECT max(q.id) FROM runs_historyevent q
                                            WHERE q.run_id = s.run_id AND q.node = s.node AND q.type = 'STEP_REQUEUED'
                                              AND q.payload ? 'input_digest'), 0)))
  FROM runs_stepexecution s
 WHERE s.run_id = %(run)s::uuid AND s.node = %(node)s AND s.index IS NOT DISTINCT FROM %(index)s::int

-- name: requeue_step
-- Tried again at once, with a fresh budget, and with another input where one is given: history keeps the digests of both.
-- What is about to be tried with all of its budget is left as it is.
WITH clock AS MATERIALIZED (SELECT clock() AS now),
o AS MATERIALIZED (
    SELECT s.id, s.queue, /* include given_input */ AS given,
           s.status = 'QUEUED' AND s.attempt = 0 AND s.error IS NULL AND NOT s.solo AND s.available_at <= clock.now
               AND s.waiting IS NULL AND NOT %(edited)s AS is_next
      FROM runs_stepexecution s
     CROSS JOIN clock
     WHERE s.id = %(id)s::uuid AND (s.status = 'QUEUED' OR s.waiting ->> 'kind' = 'operator' OR s.waiting ? 'approves')
       FOR NO KEY UPDATE OF s
),
s AS (
    UPDATE runs_stepexecution s
       SET status = 'QUEUED', waiting = NULL,
           held = (SELECT r.status = 'PAUSED' FROM runs_run r WHERE r.id = s.run_id), epoch = s.epoch + 1, attempt = 0, solo = false, error = NULL, available_at = clock.now, worker = NULL,
           lease_token_hash = NULL,
           input = CASE WHEN %(edited)s THEN %(input)s::jsonb ELSE s.input END,
           -- How far somebody came with another input is of no use.
           progress = CASE WHEN NOT %(edited)s THEN s.progress END,
           input_from = CASE WHEN %(edited)s THEN NULL ELSE s.input_from END,
           revision = s.revision + (%(edited)s AND %(input)s::jsonb IS DISTINCT FROM o.given)::int
      FROM o CROSS JOIN clock
     WHERE s.id = o.id AND NOT o.is_next
    RETURNING s.run_id, s.tenant_id, s.shard, s.node, s.index, s.epoch, s.input, o.given
),
h AS (
    /* include write_history */
    SELECT s.tenant_id, s.run_id, s.shard, 1, 'STEP_REQUEUED', s.node, NULL,
           jsonb_strip_nulls(%(payload)s::jsonb || jsonb_build_object('index', s.index, 'epoch', s.epoch,
               'input_digest', CASE WHEN %(edited)s THEN encode(sha256(convert_to(s.input::text, 'UTF8')), 'hex') END,
               'replaced_digest', CASE WHEN %(edited)s THEN encode(sha256(convert_to(s.given::text, 'UTF8')), 'hex') END)),
           clock.now
      FROM s CROSS JOIN clock
)
SELECT json_agg(o.queue) FROM o

-- name: kept_steps
-- The steps of a run as they may be kept by another run, or on another version: how each ended, with what, from which
-- input, and which boundary edges were taken when: that is in its history, or in that of the run that it is kept from.
-- An interrupted step's own way is in its history too.
SELECT coalesce(json_agg(json_build_array(
           s.id, s.node, s.type, s.status, s.cancel_cause,
           /* include given_input */,
           s.input_from IS NULL,
           (SELECT p.node FROM runs_stepexecution p WHERE p.id = s.input_from),
           s.output, s.error,
           coalesce((SELECT json_object_agg(f.target, f.at)
                       FROM runs_historyevent e
                      CROSS JOIN LATERAL (
                            SELECT e.payload -> 'taken' ->> 0 AS target, to_jsonb(e.created_at) AS at
                             WHERE e.type = 'TIMER_FIRED'
                            UNION ALL
                            SELECT k.key, k.value FROM jsonb_each(e.payload -> 'fired') k) f
                      WHERE s.fired IS NOT NULL AND e.run_id = s.run_id AND e.node = s.node
                        AND f.target = ANY (s.fired)), '{}'),
           CASE WHEN s.cancel_cause = 'timer' THEN (
               SELECT e.payload -> 'taken' ->> -1
                 FROM runs_historyevent e
                WHERE e.run_id = s.run_id AND e.node = s.node AND e.type = 'STEP_CANCELLED'
                ORDER BY e.id DESC LIMIT 1) END,
           EXISTS (SELECT 1 FROM runs_stepexecution u
                    WHERE u.run_id = s.run_id AND u.undoes = s.node))
       ORDER BY s.id), '[]')
  FROM runs_stepexecution s
 WHERE s.run_id = %(run)s::uuid AND s.index IS NULL

-- name: digests_of
-- Of what a step is given now, and of what it was given in the run before, where it came to that.
SELECT jsonb_strip_nulls(jsonb_build_object(
           'input_digest', encode(sha256(convert_to(%(input)s::jsonb::text, 'UTF8')), 'hex'),
           'replaced_digest', (
               SELECT encode(sha256(convert_to(
                          (/* include given_input */)::text, 'UTF8')), 'hex')
                 FROM runs_stepexecution s
                WHERE s.run_id = %(run)s::uuid AND s.node = %(node)s AND s.index IS NULL)))

-- name: reopen_on
-- A new life on another version: what is kept stays, everything else is decided anew by its graph.
WITH clock AS MATERIALIZED (SELECT clock() AS now),
r AS (
    UPDATE runs_run r
       SET status = 'RUNNING', life = r.life + 1, error = NULL, completed_at = NULL, undo = false, cancelled = false,
           -- It may have been looked at while it stood still, and nothing was told then.
           sla_look_at = CASE WHEN r.sla_paused_at IS NULL AND r.sla_kept_look_at IS NOT NULL THEN r.sla_kept_look_at
                              WHEN r.sla_look_at IS NOT NULL OR r.sla_deadline IS NULL OR EXISTS (
                                   SELECT 1 FROM runs_historyevent e
                                    WHERE e.run_id = r.id AND e.type = 'SLA_BREACHED')
                              THEN r.sla_look_at ELSE clock.now END,
           sla_kept_look_at = CASE WHEN r.sla_paused_at IS NOT NULL THEN r.sla_kept_look_at END,
           version_id = %(version)s, open_sinks = %(sinks)s
      FROM clock
     WHERE r.id = %(run)s::uuid AND r.status = 'FAILED'
    RETURNING r.id, r.tenant_id, r.shard, r.priority, r.life, old.cancelled AS ended_cancelled
),
d AS (
    DELETE FROM runs_stepexecution s
     USING r
     WHERE s.run_id = r.id AND s.run_id = %(run)s::uuid AND NOT s.id = ANY (%(kept)s::uuid[])
    RETURNING s.node, s.index, s.status, s.queued_at
),
c AS (
    DELETE FROM runs_container t USING r WHERE t.run_id = r.id AND t.run_id = %(run)s::uuid
),
k AS (
    UPDATE runs_stepexecution s
       SET version_id = %(version)s, edges_pending = false
      FROM r
     WHERE s.run_id = r.id AND s.run_id = %(run)s::uuid AND s.id = ANY (%(kept)s::uuid[])
),
j AS (
    DELETE FROM runs_stepjoin t USING r WHERE t.run_id = r.id AND t.run_id = %(run)s::uuid
),
l AS (
    UPDATE runs_deadletter l
       SET resolution = 'redriven', resolved_at = clock.now
      FROM r CROSS JOIN clock
     WHERE l.run_id = r.id AND l.run_id = %(run)s::uuid AND l.resolution IS NULL
),
h AS (
    /* include write_history */
    SELECT r.tenant_id, r.id, r.shard, e.ordinal, e.type, e.node, NULL, e.payload, clock.now
      FROM r CROSS JOIN clock
     CROSS JOIN LATERAL (
            SELECT 0 AS ordinal, 'RUN_REOPENED' AS type, NULL AS node,
                   %(payload)s::jsonb || jsonb_build_object('life', r.life, 'version', %(number)s::int)
                   || CASE WHEN r.ended_cancelled THEN '{"was": "CANCELLED"}'::jsonb ELSE '{}' END AS payload
            UNION ALL
            SELECT 1, 'STEP_WITHDRAWN', d.node, jsonb_strip_nulls(jsonb_build_object(
                       'index', d.index, 'was', d.status, 'queued_at', d.queued_at)) FROM d) e
     ORDER BY e.ordinal, e.node
)
SELECT json_build_array(r.shard, r.priority) FROM r

-- name: walked_again
-- Of the steps that are kept history says which edges they have taken now.
WITH clock AS MATERIALIZED (SELECT clock() AS now)
/* include write_history */
SELECT s.tenant_id, s.run_id, s.shard, 2, 'EDGES_RESOLVED', s.node, NULL,
       jsonb_build_object('epoch', s.epoch, 'taken', k.value), clock.now
  FROM jsonb_each(%(kept)s::jsonb) k
  JOIN runs_stepexecution s ON s.run_id = %(run)s::uuid AND s.node = k.key AND s.index IS NULL
 CROSS JOIN clock
 ORDER BY s.node

-- name: lock_steps
-- A claim looks at no run: it passes over steps that somebody has.
SELECT count(*) FROM (SELECT 1 FROM runs_stepexecution s WHERE s.run_id = %(run)s::uuid ORDER BY s.id FOR UPDATE) l

-- name: migrate_run
-- An open run goes on with another version. What is kept stays, steps to which no edge led are decided anew. The epoch of
-- what is in hand rises: who holds it by the former version comes too late. The caller has the run and its steps.
WITH clock AS MATERIALIZED (SELECT clock() AS now),
r AS (
    UPDATE runs_run r
       SET version_id = %(version)s, open_sinks = %(sinks)s
     WHERE r.id = %(run)s::uuid AND r.status IN ('RUNNING', 'PAUSED')
    RETURNING r.id, r.tenant_id, r.shard, r.priority
),
d AS (
    DELETE FROM runs_stepexecution s
     USING r
     WHERE s.run_id = r.id AND s.run_id = %(run)s::uuid AND s.index IS NULL AND NOT s.id = ANY (%(kept)s::uuid[])
    RETURNING s.node, s.status, s.queued_at
),
q AS (
    UPDATE runs_stepexecution s
       SET version_id = %(version)s, epoch = s.epoch + 1, queue = x.queue, priority = coalesce(x.priority, s.priority),
           lease_seconds = x.lease_seconds, timeout_seconds = x.timeout_seconds, lease_token_hash = NULL
      FROM r CROSS JOIN jsonb_to_recordset(%(queued)s::jsonb)
             AS x(id uuid, queue text, priority smallint, lease_seconds int, timeout_seconds int)
     WHERE s.id = x.id AND s.run_id = %(run)s::uuid AND s.status = 'QUEUED'
    RETURNING s.node, s.index, s.epoch
),
k AS (
    UPDATE runs_stepexecution s
       SET version_id = %(version)s, epoch = s.epoch + (s.status IN ('QUEUED', 'WAITING'))::int,
           lease_token_hash = CASE WHEN s.status IN ('QUEUED', 'WAITING') THEN NULL ELSE s.lease_token_hash END
      FROM r
     WHERE s.run_id = r.id AND s.run_id = %(run)s::uuid AND (s.index IS NOT NULL OR s.id = ANY (%(kept)s::uuid[]))
       AND s.id <> ALL (%(queued_ids)s::uuid[])
    RETURNING s.node, s.index, s.epoch, s.status
),
j AS (
    DELETE FROM runs_stepjoin t USING r WHERE t.run_id = r.id AND t.run_id = %(run)s::uuid
),
h AS (
    /* include write_history */
    SELECT r.tenant_id, r.id, r.shard, e.ordinal, e.type, e.node, NULL, e.payload, clock.now
      FROM r CROSS JOIN clock
     CROSS JOIN LATERAL (
            SELECT 0 AS ordinal, 'RUN_MIGRATED' AS type, NULL AS node, NULL::int AS index, %(payload)s::jsonb AS payload
            UNION ALL
            SELECT 1, 'STEP_WITHDRAWN', d.node, NULL, jsonb_build_object('was', d.status, 'queued_at', d.queued_at) FROM d
            UNION ALL
            SELECT 2, 'STEP_MIGRATED', o.node, o.index,
                   jsonb_strip_nulls(jsonb_build_object('index', o.index, 'epoch', o.epoch))
              FROM (SELECT q.* FROM q
                    UNION ALL
                    SELECT k.node, k.index, k.epoch FROM k WHERE k.status IN ('QUEUED', 'WAITING')) o) e
     ORDER BY e.ordinal, e.node, e.index
)
SELECT json_build_array(r.shard, r.priority) FROM r
