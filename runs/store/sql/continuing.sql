-- name: loop_at_rest
-- A loop that waits without an open round, and whether anything else of its run is open.
SELECT json_build_array(s.node, NOT EXISTS (
           SELECT 1 FROM runs_stepexecution o
            WHERE o.run_id = s.run_id AND o.id <> s.id AND o.status IN ('QUEUED', 'RUNNING', 'WAITING'))
         AND NOT EXISTS (SELECT 1 FROM runs_timer t WHERE t.run_id = s.run_id AND t.status = 'PENDING')
         -- What has failed beside it must not be forgotten.
         AND (SELECT r.error IS NULL FROM runs_run r WHERE r.id = s.run_id))
  FROM runs_stepexecution s
 WHERE s.id = %(step)s::uuid AND s.run_id = %(run)s::uuid AND s.status = 'WAITING' AND s.waiting ? 'rounds'
   AND NOT EXISTS (
       SELECT 1 FROM runs_stepexecution x
        WHERE x.run_id = s.run_id AND x.node = s.node AND x.index IS NOT NULL AND x.status IN ('QUEUED', 'RUNNING', 'WAITING'))

-- name: end_as_continued
-- The run ends, and what waits for it waits for the newest of its chain: so nobody is told.
WITH clock AS MATERIALIZED (SELECT clock() AS now),
s AS (
    UPDATE runs_stepexecution s
       SET status = 'CANCELLED', epoch = s.epoch + 1, cancel_cause = 'continued', completed_at = clock.now, held = false,
           waiting = NULL
      FROM clock
     WHERE s.id = %(step)s::uuid AND s.status = 'WAITING'
    RETURNING s.run_id, s.tenant_id, s.shard, s.node, s.attempt, s.epoch
),
r AS (
    UPDATE runs_run r
       SET status = 'CONTINUED', completed_at = clock.now
      FROM clock
     WHERE r.id = %(run)s::uuid AND r.status = 'RUNNING'
    RETURNING r.id, r.tenant_id, r.shard
)
/* include write_history */
SELECT e.* FROM (
    SELECT s.tenant_id, s.run_id, s.shard, 100, 'STEP_CANCELLED', s.node, s.attempt,
           jsonb_build_object('epoch', s.epoch, 'cause', 'continued'), clock.now
      FROM s CROSS JOIN clock
     UNION ALL
    SELECT r.tenant_id, r.id, r.shard, 32000, 'RUN_CONTINUED', NULL, NULL, jsonb_build_object('as', %(follower)s::text), clock.now
      FROM r CROSS JOIN clock) e

-- name: carry_over
-- The loop of the new run begins with the round that would have been next: the list of a loop is the item of its first round.
WITH l AS (
    SELECT c.tenant_id, c.shard, c.node, c.at_once, x.index + 1 AS first, x.output
      FROM runs_container c
     CROSS JOIN LATERAL (
               SELECT x.index, x.output FROM runs_stepexecution x
                WHERE x.run_id = c.run_id AND x.node = c.node AND x.index IS NOT NULL
                ORDER BY x.index DESC
                LIMIT 1) x
     WHERE c.run_id = %(run)s::uuid AND c.node = %(node)s
),
c AS (
    INSERT INTO runs_container (tenant_id, run_id, shard, node, items, total, at_once, tolerated, first)
    SELECT l.tenant_id, %(follower)s::uuid, l.shard, l.node, jsonb_build_array(coalesce(l.output, 'null')), 1, l.at_once, 0, l.first FROM l
),
v AS (
    INSERT INTO runs_runvariable (tenant_id, run_id, shard, node, name, value, index, place, beside, set_at)
    SELECT v.tenant_id, %(follower)s::uuid, v.shard, v.node, v.name, v.value, v.index, v.place, v.beside, v.set_at
      FROM runs_runvariable v
     WHERE v.run_id = %(run)s::uuid AND v.node = %(node)s
),
q AS (
    UPDATE runs_request q SET run_id = %(follower)s::uuid WHERE q.run_id = %(run)s::uuid
)
UPDATE runs_run f
   SET sla_deadline = r.sla_deadline + w.waited, sla_look_at = r.sla_look_at + w.waited, sla_counts = r.sla_counts,
       sla_calendar = r.sla_calendar, sla_paused_seconds = r.sla_paused_seconds + extract(epoch FROM w.waited)
  FROM runs_run r CROSS JOIN LATERAL (/* include sla_waited */) w
 WHERE f.id = %(follower)s::uuid AND r.id = %(run)s::uuid
