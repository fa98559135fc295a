-- name: parents_of
-- What child runs, and the runs that follow others, take over from the runs that begin them.
SELECT coalesce(json_agg(json_build_array(r.id, r.tenant_id, r.shard, r.priority, r.created_by, r.is_test, r.depth,
                                          r.chained, r.status, r.undo, r.output)), '[]')
  FROM (SELECT r.id, r.tenant_id, r.shard, r.priority, r.created_by, r.is_test, r.depth, r.chained, r.status, r.undo,
               CASE WHEN %(with_output)s THEN r.output END AS output
          FROM runs_run r
         WHERE r.id = ANY (%(runs)s::uuid[])) r

-- name: child_states
-- How the runs stand that steps wait for: of one that was continued as another run, the newest. Those that are not there
-- are left out, and outputs of over `most` bytes.
SELECT coalesce(json_agg(json_build_array(w.step_id, r.id, r.status, r.completed_at IS NOT NULL,
           CASE WHEN pg_column_size(r.output) <= %(most)s THEN r.output END,
           r.output IS NOT NULL AND pg_column_size(r.output) > %(most)s, r.error)), '[]')
  FROM jsonb_to_recordset(%(waits)s::jsonb) AS w(step_id uuid, chain uuid)
 CROSS JOIN LATERAL (
           SELECT r.*
             FROM ((SELECT a.id, a.status, a.completed_at, a.output, a.error FROM runs_run a WHERE a.id = w.chain)
                   UNION ALL
                   (SELECT b.id, b.status, b.completed_at, b.output, b.error FROM runs_run b
                     WHERE b.root_id = w.chain AND b.root_id <> b.id ORDER BY b.id DESC LIMIT 1)) r
            ORDER BY r.id DESC
            LIMIT 1) r

-- name: tell_children
-- What runs that are held FOR UPDATE tell their open children: to pause, or to go on.
WITH clock AS MATERIALIZED (SELECT coalesce(%(now)s::timestamptz, clock_timestamp()) AS now),
m AS (
    INSERT INTO runs_runmessage (tenant_id, run_id, shard, kind, from_id, payload, due_at)
    SELECT c.tenant_id, c.id, c.shard, %(kind)s, c.parent_id, %(payload)s::jsonb, clock.now
      FROM runs_run c CROSS JOIN clock
     WHERE c.parent_id = ANY (%(runs)s::uuid[]) AND c.completed_at IS NULL
     ORDER BY c.id
    RETURNING 1
)
SELECT count(*) FROM m

-- name: end_children
-- What runs that are held FOR UPDATE tell the children for which no step of theirs waits any more: to end.
WITH clock AS MATERIALIZED (SELECT coalesce(%(now)s::timestamptz, clock_timestamp()) AS now),
m AS (
    INSERT INTO runs_runmessage (tenant_id, run_id, shard, kind, from_id, payload, due_at)
    SELECT c.tenant_id, c.id, c.shard, 'cancel', c.parent_id, jsonb_build_object('compensate', p.undo), clock.now
      FROM runs_run c
      JOIN runs_run p ON p.id = c.parent_id
     CROSS JOIN clock
     WHERE c.parent_id = ANY (%(runs)s::uuid[]) AND c.status IN ('RUNNING', 'PAUSED') AND NOT EXISTS (
           SELECT 1 FROM runs_stepexecution s
            WHERE s.id = c.parent_step_id AND s.status = 'WAITING' AND s.waiting ->> 'kind' = 'run')
     ORDER BY c.id
    RETURNING 1
)
SELECT count(*) FROM m

-- name: steps_without_child
-- Steps of these runs that wait for a run of which nothing will be heard: it is not there, or it has ended and its
-- message is gone.
SELECT coalesce(json_agg(json_build_array(r.id, r.tenant_id, r.life, s.node) ORDER BY r.id, s.node), '[]')
  FROM runs_run r
  JOIN runs_stepexecution s ON s.run_id = r.id AND s.tenant_id = r.tenant_id AND s.status = 'WAITING'
 WHERE r.id = ANY (%(runs)s::uuid[]) AND s.waiting ->> 'kind' = 'run'
   AND NOT EXISTS (SELECT 1 FROM runs_run c
                    WHERE c.parent_id = r.id AND c.parent_step_id = s.id AND c.completed_at IS NULL)
   AND NOT EXISTS (SELECT 1 FROM runs_runmessage m WHERE m.run_id = r.id AND m.step_id = s.id)

-- name: due_messages
-- Read without locks; whoever delivers one asks again.
SELECT coalesce(json_agg(json_build_array(m.id, m.kind) ORDER BY m.due_at, m.id), '[]')
  FROM (SELECT m.id, m.kind, m.due_at FROM runs_runmessage m
         WHERE m.due_at <= coalesce(%(now)s::timestamptz, statement_timestamp())
         ORDER BY m.due_at, m.id
         LIMIT %(limit)s) m

-- name: take_messages
-- The messages are gone when what they say is done: one transaction. What somebody else has in hand is left to them.
WITH m AS MATERIALIZED (
    SELECT m.id FROM runs_runmessage m WHERE m.id = ANY (%(messages)s::bigint[]) ORDER BY m.id FOR UPDATE SKIP LOCKED
),
d AS (
    DELETE FROM runs_runmessage m USING m AS l WHERE m.id = l.id
    RETURNING m.id, m.tenant_id, m.run_id, m.kind, m.from_id, m.step_id, m.payload
)
SELECT coalesce(json_agg(json_build_array(d.id, d.tenant_id, d.run_id, d.kind, d.from_id, d.step_id, d.payload)
                         ORDER BY d.id), '[]') FROM d

-- name: postpone_message
-- It could not be delivered: again later, each time after twice as long, at most after five minutes.
UPDATE runs_runmessage m
   SET tries = least(m.tries + 1, 100),
       due_at = coalesce(%(now)s::timestamptz, clock_timestamp()) + least(300, 2 ^ least(m.tries, 10)) * interval '1 second'
 WHERE m.id = %(message)s

-- name: note_no_follower
-- Why no run follows this one, though its workflow says so.
/* include write_history */
SELECT r.tenant_id, r.id, r.shard, 32001, 'NEXT_NOT_STARTED', NULL, NULL, %(payload)s::jsonb,
       coalesce(%(now)s::timestamptz, clock_timestamp())
  FROM runs_run r
 WHERE r.id = %(run)s::uuid
