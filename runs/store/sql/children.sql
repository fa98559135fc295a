-- name: open_containers
-- Containers that begin to wait for their children, in runs that are held FOR UPDATE. Those that begin `anew` keep what
-- was done, or skipped, for the same item in the same place; all other children are withdrawn, to be done once more. Of a loop
-- (`rounds`) all rounds are kept that were done, if the first one was given the same. Otherwise what is there is only
-- counted.
WITH clock AS MATERIALIZED (SELECT clock() AS now),
w AS MATERIALIZED (
    SELECT s.tenant_id, s.run_id, s.shard, s.node, w.anew, w.rounds,
           -- A loop that goes on for another run has what it has come to, whatever it would be given here.
           CASE WHEN c.first > 0 THEN c.items ELSE coalesce(w.items, c.items) END AS items, coalesce(c.first, 0) AS first,
           coalesce(w.at_once, c.at_once) AS at_once, coalesce(w.tolerated, c.tolerated) AS tolerated
      FROM jsonb_to_recordset(%(containers)s::jsonb)
        AS w(step_id uuid, anew boolean, rounds boolean, items jsonb, at_once int, tolerated int)
     CROSS JOIN LATERAL (SELECT * FROM runs_stepexecution s WHERE s.id = w.step_id LIMIT 1) s
      LEFT JOIN runs_container c ON c.run_id = s.run_id AND c.node = s.node
     WHERE coalesce(w.items, c.items) IS NOT NULL
),
s AS MATERIALIZED (
    SELECT s.id, s.run_id, s.node, s.status,
           CASE WHEN w.anew AND w.rounds THEN s.status IN ('COMPLETED', 'SKIPPED') AND EXISTS (
                     SELECT 1 FROM runs_stepexecution f
                      WHERE f.run_id = w.run_id AND f.node = w.node AND f.index = w.first
                        AND f.input IS NOT DISTINCT FROM nullif(w.items -> 0, 'null'))
                WHEN w.anew THEN s.status IN ('COMPLETED', 'SKIPPED') AND s.index < jsonb_array_length(w.items)
                                 AND s.input IS NOT DISTINCT FROM nullif(w.items -> s.index, 'null')
                ELSE s.status <> 'CANCELLED' END AS kept
      FROM w JOIN runs_stepexecution s ON s.run_id = w.run_id AND s.node = w.node AND s.index IS NOT NULL
),
g AS (
    DELETE FROM runs_stepexecution d USING s WHERE d.id = s.id AND NOT s.kept
    RETURNING d.tenant_id, d.run_id, d.shard, d.node, d.index, d.status, d.queued_at
),
c AS (
    INSERT INTO runs_container AS t (
        tenant_id, run_id, shard, node, items, total, at_once, tolerated, opened, ended, failed)
    SELECT w.tenant_id, w.run_id, w.shard, w.node, w.items,
           CASE WHEN w.rounds THEN greatest(k.opened, 1) ELSE jsonb_array_length(w.items) END, w.at_once, w.tolerated,
           k.opened, k.ended, k.failed
      FROM w
     CROSS JOIN LATERAL (
               SELECT count(*) AS opened, count(*) FILTER (WHERE s.status IN ('COMPLETED', 'FAILED', 'SKIPPED')) AS ended,
                      count(*) FILTER (WHERE s.status = 'FAILED') AS failed
                 FROM s WHERE s.run_id = w.run_id AND s.node = w.node AND s.kept) k
     ORDER BY w.run_id, w.node
    ON CONFLICT (run_id, node) DO UPDATE
       SET items = excluded.items, total = excluded.total, at_once = excluded.at_once, tolerated = excluded.tolerated,
           next = 0, opened = excluded.opened, ended = excluded.ended, failed = excluded.failed
    RETURNING t.run_id, t.node, t.total, t.at_once, t.tolerated, t.opened, t.ended, t.failed
),
h AS (
    /* include write_history */
    SELECT g.tenant_id, g.run_id, g.shard, 0, 'STEP_WITHDRAWN', g.node, NULL,
           jsonb_build_object('index', g.index, 'was', g.status, 'queued_at', g.queued_at), clock.now
      FROM g CROSS JOIN clock
     ORDER BY g.run_id, g.node, g.index
)
SELECT coalesce(json_agg(json_build_array(
           c.run_id, c.node, c.total, c.at_once, c.tolerated, c.opened, c.ended, c.failed)), '[]')
  FROM c

-- name: count_children
-- Children that are over, counted where their container is: in the order of its key, after all joins of the batch.
WITH w AS MATERIALIZED (
    SELECT * FROM jsonb_to_recordset(%(ends)s::jsonb) AS w(run_id uuid, node text, ended int, failed int)
),
l AS MATERIALIZED (
    SELECT c.id FROM w JOIN runs_container c ON c.run_id = w.run_id AND c.node = w.node
     ORDER BY c.run_id, c.node FOR NO KEY UPDATE OF c
),
c AS (
    UPDATE runs_container c
       SET ended = c.ended + w.ended, failed = c.failed + w.failed
      FROM w
     WHERE c.id = ANY (ARRAY(SELECT id FROM l)) AND c.run_id = w.run_id AND c.node = w.node
    RETURNING c.run_id, c.node, c.total, c.at_once, c.tolerated, c.opened, c.ended, c.failed
)
SELECT coalesce(json_agg(json_build_array(
           c.run_id, c.node, c.total, c.at_once, c.tolerated, c.opened, c.ended, c.failed)), '[]')
  FROM c

-- name: open_children
-- The next children of containers whose rows this transaction has counted: a child is what its body says, for its item.
WITH clock AS MATERIALIZED (SELECT clock() AS now),
c AS MATERIALIZED (
    SELECT c.id AS container, c.tenant_id, c.run_id, c.shard, c.node, c.items, c.next, c.total, c.first, r.version_id, w.ids, w.type, w.queue,
           coalesce(w.priority, r.priority) AS priority, r.status = 'PAUSED' AS held, w.lease_seconds, w.timeout_seconds
      FROM jsonb_to_recordset(%(opening)s::jsonb)
        AS w(run_id uuid, node text, ids jsonb, type text, queue text, priority smallint, lease_seconds int,
             timeout_seconds int)
      JOIN runs_container c ON c.run_id = w.run_id AND c.node = w.node
      JOIN runs_run r ON r.id = w.run_id
),
p AS MATERIALIZED (
    SELECT c.container, i.index, row_number() OVER (PARTITION BY c.container ORDER BY i.index) AS place,
           min(i.index) OVER (PARTITION BY c.container) AS first
      FROM c
     CROSS JOIN LATERAL (
               SELECT g.index FROM generate_series(c.next, c.total - 1) AS g(index)
                WHERE NOT EXISTS (
                      SELECT 1 FROM runs_stepexecution s
                       WHERE s.run_id = c.run_id AND s.node = c.node AND s.index = g.index + c.first)
                ORDER BY g.index
                LIMIT jsonb_array_length(c.ids)) i
),
-- The list is unpacked once, and no more of it than these items need.
l AS MATERIALIZED (
    SELECT c.container, jsonb_path_query_array(
               c.items, '$[$first to $last]', jsonb_build_object('first', b.first, 'last', b.last)) AS items
      FROM c
      JOIN (SELECT p.container, min(p.index) AS first, max(p.index) AS last FROM p GROUP BY p.container) b
        ON b.container = c.container
),
i AS MATERIALIZED (
    SELECT c.container, c.run_id, c.tenant_id, c.shard, c.version_id, c.node, c.type, c.queue, c.priority, c.held,
           c.lease_seconds, c.timeout_seconds, p.index, nullif(l.items -> (p.index - p.first), 'null') AS item,
           (c.ids ->> (p.place - 1)::int)::uuid AS id, p.index + c.first AS round
      FROM p
      JOIN c ON c.container = p.container
      JOIN l ON l.container = p.container
),
n AS (
    INSERT INTO runs_stepexecution (
        id, run_id, tenant_id, shard, version_id, node, index, type, queue, priority, status, held, lease_seconds,
        timeout_seconds, input, available_at, queued_at)
    SELECT i.id, i.run_id, i.tenant_id, i.shard, i.version_id, i.node, i.round, i.type, i.queue, i.priority, 'QUEUED',
           i.held, i.lease_seconds, i.timeout_seconds, i.item, clock.now, clock.now
      FROM i CROSS JOIN clock
     ORDER BY i.id
),
u AS (
    UPDATE runs_container t
       SET next = m.last + 1, opened = t.opened + m.n
      FROM (SELECT i.container, max(i.index) AS last, count(*) AS n FROM i GROUP BY i.container) m
     WHERE t.id = m.container AND t.id = ANY (ARRAY(SELECT container FROM i))
)
SELECT coalesce(json_agg(DISTINCT i.queue), '[]') FROM i WHERE NOT i.held

-- name: containers_over
-- Containers that wait, with what their children gave: nothing where that is more than `most` bytes, however well it is
-- packed. And the first child that failed.
SELECT coalesce(json_agg(json_build_array(
           /* include held */, /* include given_input */,
           c.total, c.tolerated, c.failed,
           CASE WHEN z.packed <= %(most)s AND z.packed * 1000 <= %(most)s
                  OR z.packed <= %(most)s AND (
                     SELECT sum(octet_length(x.output::text)) FROM runs_stepexecution x
                      WHERE x.run_id = s.run_id AND x.node = s.node AND x.index IS NOT NULL) <= %(most)s
                THEN (SELECT coalesce(json_agg(x.output ORDER BY x.index), '[]')
                        FROM runs_stepexecution x
                       WHERE x.run_id = s.run_id AND x.node = s.node AND x.index IS NOT NULL) END,
           (SELECT json_build_array(x.index, x.error)
              FROM runs_stepexecution x
             WHERE x.run_id = s.run_id AND x.node = s.node AND x.index IS NOT NULL AND x.status = 'FAILED'
             ORDER BY x.index
             LIMIT 1))), '[]')
  FROM jsonb_to_recordset(%(containers)s::jsonb) AS w(run_id uuid, node text)
  JOIN runs_container c ON c.run_id = w.run_id AND c.node = w.node
  JOIN runs_stepexecution s ON s.run_id = w.run_id AND s.node = w.node AND s.index IS NULL AND s.status = 'WAITING'
                            AND NOT s.waiting ? 'rounds'
 CROSS JOIN LATERAL (
           SELECT coalesce(sum(pg_column_size(x.output)), 0) AS packed
             FROM runs_stepexecution x
            WHERE x.run_id = s.run_id AND x.node = s.node AND x.index IS NOT NULL) z

-- name: last_rounds
-- Loops that wait, each with the last of its rounds, and whether its run had better go on as a new one.
SELECT coalesce(json_agg(json_build_array(
           /* include held */, /* include given_input */,
           (s.waiting ->> 'rounds')::int, (s.waiting ->> 'count')::int, x.index, x.output,
           CASE WHEN x.status = 'FAILED' THEN x.error END,
           -- Asked now and then only: counting is not for nothing.
           (x.index + 1) %% %(each)s = 0 AND %(most_events)s <= (
               SELECT count(*) FROM (SELECT 1 FROM runs_historyevent e WHERE e.run_id = s.run_id LIMIT %(most_events)s) e)
               AND NOT EXISTS (SELECT 1 FROM runs_stepexecution o
                                WHERE o.run_id = s.run_id AND o.index IS NULL AND o.id <> s.id
                                  AND o.status IN ('QUEUED', 'RUNNING', 'WAITING')))), '[]')
  FROM jsonb_to_recordset(%(containers)s::jsonb) AS w(run_id uuid, node text)
  JOIN runs_stepexecution s ON s.run_id = w.run_id AND s.node = w.node AND s.index IS NULL AND s.status = 'WAITING'
                           AND s.waiting ? 'rounds'
 CROSS JOIN LATERAL (
           SELECT x.index, x.status, x.output, x.error
             FROM runs_stepexecution x
            WHERE x.run_id = w.run_id AND x.node = w.node AND x.index IS NOT NULL
            ORDER BY x.index DESC
            LIMIT 1) x

-- name: ask_to_continue
-- Loops that stand between two rounds ask that their runs go on as new ones.
INSERT INTO runs_runmessage (tenant_id, run_id, shard, kind, step_id, due_at)
SELECT s.tenant_id, s.run_id, s.shard, 'continue', s.id, clock()
  FROM runs_stepexecution s
 WHERE s.id = ANY (%(steps)s::uuid[])

-- name: open_rounds
-- The next round of loops, in runs that are held FOR UPDATE: a child with what the last round gave.
WITH clock AS MATERIALIZED (SELECT clock() AS now),
w AS MATERIALIZED (
    SELECT (w.ids ->> 0)::uuid AS id, r.id AS run_id, r.tenant_id, r.shard, r.version_id, r.status = 'PAUSED' AS held, w.node,
           w.index, w.type, w.queue, coalesce(w.priority, r.priority) AS priority, w.lease_seconds, w.timeout_seconds, w.input
      FROM jsonb_to_recordset(%(opening)s::jsonb)
        AS w(run_id uuid, node text, ids jsonb, type text, queue text, priority smallint, lease_seconds int,
             timeout_seconds int, index int, input jsonb)
      JOIN runs_run r ON r.id = w.run_id
),
c AS (
    UPDATE runs_container c
       SET total = c.total + 1, opened = c.opened + 1
      FROM w
     WHERE c.run_id = w.run_id AND c.node = w.node
),
n AS (
    INSERT INTO runs_stepexecution (
        id, run_id, tenant_id, shard, version_id, node, index, type, queue, priority, status, held, lease_seconds,
        timeout_seconds, input, available_at, queued_at)
    SELECT w.id, w.run_id, w.tenant_id, w.shard, w.version_id, w.node, w.index, w.type, w.queue, w.priority, 'QUEUED',
           w.held, w.lease_seconds, w.timeout_seconds, nullif(w.input, 'null'), clock.now, clock.now
      FROM w CROSS JOIN clock
     ORDER BY w.id
)
SELECT coalesce(json_agg(DISTINCT w.queue), '[]') FROM w WHERE NOT w.held

-- name: cancel_children
-- Open children of containers that wait no more, in runs that go on; the caller holds them FOR UPDATE. Children of runs
-- that close are cancelled or awaited as all their steps are.
WITH clock AS MATERIALIZED (SELECT clock() AS now),
locked AS MATERIALIZED (
    SELECT s.id
      FROM runs_container c
      JOIN runs_run r ON r.id = c.run_id AND r.status IN ('RUNNING', 'PAUSED')
      JOIN runs_stepexecution s ON s.run_id = c.run_id AND s.node = c.node AND s.index IS NOT NULL
                               AND s.status = ANY (%(statuses)s::text[])
     WHERE c.run_id = ANY (%(runs)s::uuid[]) AND NOT EXISTS (
           SELECT 1 FROM runs_stepexecution p
            WHERE p.run_id = c.run_id AND p.node = c.node AND p.index IS NULL AND p.status = 'WAITING'
              AND p.waiting ->> 'kind' = 'children')
     ORDER BY s.id
       FOR NO KEY UPDATE OF s
),
cancelled_timers AS (
    UPDATE runs_timer t
       SET status = 'CANCELLED', settled_at = clock.now
      FROM clock
     WHERE t.run_id = ANY (%(runs)s::uuid[]) AND t.step_id = ANY (ARRAY(SELECT id FROM locked)) AND t.status = 'PENDING'
),
/* include cancel_locked */

-- name: containers_without_children
-- Containers that wait though none of their children is open.
SELECT coalesce(json_agg(json_build_array(p.run_id, p.tenant_id, r.life, p.node, p.index)
                         ORDER BY p.run_id, p.node), '[]')
  FROM runs_run r
  JOIN runs_stepexecution p ON p.run_id = r.id AND p.tenant_id = r.tenant_id AND p.status = 'WAITING'
 WHERE r.id = ANY (%(runs)s::uuid[]) AND p.waiting ->> 'kind' = 'children' AND NOT EXISTS (
       SELECT 1 FROM runs_stepexecution s
        WHERE s.run_id = p.run_id AND s.node = p.node AND s.index IS NOT NULL
          AND s.status IN ('QUEUED', 'RUNNING', 'WAITING'))
   AND NOT EXISTS (SELECT 1 FROM runs_runmessage m WHERE m.run_id = p.run_id AND m.step_id = p.id AND m.kind = 'continue')
