-- name: items_as_they_stand
-- Items of a container, or a step (`index` is NULL), each with its container and the run that it waits for, or had last,
-- and the topmost of the run and those above that is paused.
WITH RECURSIVE a AS (
    SELECT r.id, r.parent_id, r.status, r.place, 0 AS up FROM runs_run r WHERE r.id = %(run)s::uuid AND r.tenant_id = %(tenant)s
    UNION ALL
    SELECT p.id, p.parent_id, p.status, p.place, a.up + 1 FROM a JOIN runs_run p ON p.id = a.parent_id
)
SELECT coalesce(json_agg(json_build_array(
           i.index, r.status, r.version_id, c.total + c.first, p.status, p.cancel_cause, p.output IS NOT NULL,
           coalesce(p.waiting ->> 'kind', '') = 'operator', s.status, s.cancel_cause, s.output IS NOT NULL,
           s.status = 'QUEUED' AND s.waiting IS NOT NULL, s.status = 'WAITING' AND s.waiting ->> 'kind' = 'run',
           k.id, k.status, k.has_failed, k.is_part,
           (SELECT json_build_array(a.id, coalesce(a.place, '[]')) FROM a WHERE a.status = 'PAUSED' ORDER BY a.up DESC LIMIT 1))), '[]')
  FROM runs_run r
 CROSS JOIN unnest(%(indexes)s::int[]) AS i(index)
  LEFT JOIN runs_stepexecution p ON p.run_id = r.id AND p.node = %(node)s AND p.index IS NULL AND i.index IS NOT NULL
  LEFT JOIN runs_container c ON c.run_id = r.id AND c.node = %(node)s AND i.index IS NOT NULL
  LEFT JOIN LATERAL (
            SELECT s.* FROM runs_stepexecution s
             WHERE s.run_id = r.id AND s.node = %(node)s AND s.index = i.index
            UNION ALL
            SELECT s.* FROM runs_stepexecution s
             WHERE s.run_id = r.id AND s.node = %(node)s AND s.index IS NULL AND i.index IS NULL) s ON true
  LEFT JOIN LATERAL (
            SELECT k.id, k.status, k.error IS NOT NULL AND k.status IN ('RUNNING', 'PAUSED') AS has_failed, k.is_part
              FROM runs_run k
             WHERE k.parent_id = r.id AND k.parent_step_id = s.id
             ORDER BY k.id DESC
             LIMIT 1) k ON true
 WHERE r.id = %(run)s::uuid AND r.tenant_id = %(tenant)s

-- name: withdraw_item
-- An item that has failed begins once more, in its turn, while its container waits for the others. The caller holds the
-- run FOR UPDATE.
WITH clock AS MATERIALIZED (SELECT clock() AS now),
s AS (
    DELETE FROM runs_stepexecution s
     WHERE s.id = %(step)s::uuid AND s.status = 'FAILED' AND s.index IS NOT NULL
    RETURNING s.tenant_id, s.run_id, s.shard, s.node, s.index, s.status, s.queued_at
),
c AS (
    UPDATE runs_container c
       SET opened = c.opened - 1, ended = c.ended - 1, failed = c.failed - 1,
           next = least(c.next, s.index - c.first)
      FROM s
     WHERE c.run_id = s.run_id AND c.node = s.node
    RETURNING c.total, c.at_once, c.tolerated, c.opened, c.ended, c.failed
),
h AS (
    /* include write_history */
    SELECT s.tenant_id, s.run_id, s.shard, 1, 'STEP_WITHDRAWN', s.node, NULL,
           %(payload)s::jsonb || jsonb_build_object('index', s.index, 'was', s.status, 'queued_at', s.queued_at), clock.now
      FROM s CROSS JOIN clock
)
SELECT json_build_array(c.total, c.at_once, c.tolerated, c.opened, c.ended, c.failed) FROM c

-- name: pass_item
-- An item that has failed, or was cancelled with its container, counts as done with this output. The caller holds the run
-- FOR UPDATE.
WITH clock AS MATERIALIZED (SELECT clock() AS now),
o AS MATERIALIZED (
    SELECT s.id, s.status FROM runs_stepexecution s
     WHERE s.id = %(step)s::uuid AND s.index IS NOT NULL AND s.status IN ('FAILED', 'CANCELLED')
       FOR NO KEY UPDATE
),
s AS (
    UPDATE runs_stepexecution s
       SET status = 'SKIPPED', output = nullif(%(output)s::jsonb, 'null'), error = NULL, cancel_cause = 'operator', epoch = s.epoch + 1,
           edges_pending = false, completed_at = clock.now
      FROM o CROSS JOIN clock
     WHERE s.id = o.id
    RETURNING s.tenant_id, s.run_id, s.shard, s.node, s.index, s.attempt, s.epoch, s.output, o.status AS was
),
c AS (
    UPDATE runs_container c
       SET ended = c.ended + (s.was <> 'FAILED')::int, failed = c.failed - (s.was = 'FAILED')::int
      FROM s
     WHERE c.run_id = s.run_id AND c.node = s.node
),
h AS (
    /* include write_history */
    SELECT s.tenant_id, s.run_id, s.shard, 2, 'STEP_SKIPPED', s.node, s.attempt,
           jsonb_strip_nulls(%(payload)s::jsonb || jsonb_build_object(
               'index', s.index, 'epoch', s.epoch, 'cause', 'operator', 'was', s.was,
               'digest', encode(sha256(convert_to(s.output::text, 'UTF8')), 'hex'))), clock.now
      FROM s CROSS JOIN clock
)
SELECT count(*) FROM s

-- name: hold_item
-- An item that is queued is paused by itself, or goes on, unless its run is paused. The caller holds the run FOR UPDATE; a
-- claim that was first has the item.
WITH clock AS MATERIALIZED (SELECT clock() AS now),
o AS MATERIALIZED (
    SELECT s.id FROM runs_stepexecution s
     WHERE s.id = %(step)s::uuid AND s.index IS NOT NULL AND s.status = 'QUEUED' AND (s.waiting IS NULL) = %(hold)s
       FOR NO KEY UPDATE
),
s AS (
    UPDATE runs_stepexecution s
       SET held = %(hold)s OR r.status = 'PAUSED',
           waiting = CASE WHEN %(hold)s THEN '{"kind": "unpause", "source": "person"}'::jsonb END
      FROM o CROSS JOIN runs_run r
     WHERE s.id = o.id AND r.id = s.run_id
    RETURNING s.tenant_id, s.run_id, s.shard, s.node, s.index, s.queue
),
h AS (
    /* include write_history */
    SELECT s.tenant_id, s.run_id, s.shard, 1, CASE WHEN %(hold)s THEN 'STEP_PAUSED' ELSE 'STEP_UNPAUSED' END, s.node, NULL,
           %(payload)s::jsonb || jsonb_build_object('index', s.index), clock.now
      FROM s CROSS JOIN clock
)
SELECT json_agg(s.queue) FROM s

-- name: newest_child_at
-- The newest of the runs that a run has begun for one of its items.
SELECT k.id
  FROM runs_run k
 WHERE k.parent_id = %(parent)s::uuid AND k.place -> -1 = %(last)s::jsonb
 ORDER BY k.id DESC
 LIMIT 1
