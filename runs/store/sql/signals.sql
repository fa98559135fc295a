-- name: insert_signals
-- Kept until somebody waits for them. A signal id that the tree has already is dropped (R-127).
WITH clock AS MATERIALIZED (SELECT clock() AS now),
n AS (
    INSERT INTO runs_signal (id, tenant_id, root_id, run_id, child_id, index, shard, signal_id, name, payload, sent_by, created_at)
    SELECT w.id, r.tenant_id, coalesce(r.tree_id, r.root_id), r.id, w.child_id, w.index, r.shard, w.signal_id, w.name, w.payload,
           %(by)s, clock.now
      FROM jsonb_to_recordset(%(signals)s::jsonb)
        AS w(id uuid, run_id uuid, child_id uuid, index int, signal_id text, name text, payload jsonb, sha256 text)
      JOIN runs_run r ON r.id = w.run_id
     CROSS JOIN clock
     ORDER BY w.id
    ON CONFLICT (root_id, signal_id) DO NOTHING
    RETURNING id, tenant_id, run_id, shard, signal_id, name, payload
),
h AS (
    /* include write_history */
    SELECT n.tenant_id, n.run_id, n.shard, 0, 'SIGNAL_RECEIVED', NULL, NULL,
           jsonb_build_object('signal_id', n.signal_id, 'name', n.name, 'by', %(by)s,
                              'digest', encode(sha256(convert_to(n.payload::text, 'UTF8')), 'hex')), clock.now
      FROM n CROSS JOIN clock
     ORDER BY n.run_id, n.id
)
SELECT coalesce(json_agg(n.id), '[]') FROM n

-- name: signals_there
-- Signals that were sent before: whether each had another name or payload, since the same id must not stand for two messages;
-- and the step that took it, or to which it is being carried.
SELECT coalesce(json_agg(json_build_array(
           w.id, w.signal_id,
           g.name <> w.name OR coalesce(g.payload, 'null') <> coalesce(w.payload, 'null')
               AND (w.sha256 IS NULL OR right(g.payload ->> '$blob', 64) IS DISTINCT FROM w.sha256),
           s.run_id, s.node, /* include item_index */)), '[]')
  FROM jsonb_to_recordset(%(signals)s::jsonb) AS w(id uuid, run_id uuid, signal_id text, name text, payload jsonb, sha256 text)
  JOIN runs_run r ON r.id = w.run_id
  JOIN runs_signal g ON g.root_id = coalesce(r.tree_id, r.root_id) AND g.signal_id = w.signal_id
  LEFT JOIN runs_stepexecution s ON s.id = g.step_id
   AND (g.consumed_at IS NOT NULL
        OR EXISTS (SELECT 1 FROM runs_runmessage m
                    WHERE m.kind = 'signal' AND m.step_id = g.step_id AND m.payload ->> 'signal' = g.id::text))

-- name: item_index (fragment)
-- The index of the step, or of the innermost item that its run does steps of.
coalesce(s.index, (SELECT (p.step -> 1)::int
                     FROM runs_run i CROSS JOIN LATERAL jsonb_array_elements(i.place) WITH ORDINALITY AS p(step, depth)
                    WHERE i.id = s.run_id AND p.step -> 1 <> 'null' ORDER BY p.depth DESC LIMIT 1))

-- name: is_addressed (fragment)
-- Whether a signal `g` is for the step `s`: it names no item or one that the step belongs to, and no run or one that the
-- step's run is, or was begun by.
((g.index IS NULL OR g.index = s.index
  OR EXISTS (SELECT 1 FROM runs_run i CROSS JOIN LATERAL jsonb_array_elements(i.place) AS p
              WHERE i.id = s.run_id AND p -> 1 = to_jsonb(g.index)))
 AND (g.child_id IS NULL OR EXISTS (
      WITH RECURSIVE up(id, root_id, parent_id) AS (
          SELECT u.id, u.root_id, u.parent_id FROM runs_run u WHERE u.id = s.run_id
          UNION ALL
          SELECT u.id, u.root_id, u.parent_id FROM up JOIN runs_run u ON u.id = up.parent_id
      )
      SELECT 1 FROM up WHERE up.root_id = g.child_id)))

-- name: is_free (fragment)
-- Whether no message carries the signal `g`, to a step or back: one whose message is gone is free as well.
(g.step_id IS NULL OR NOT EXISTS (SELECT 1 FROM runs_runmessage m
                                   WHERE m.kind IN ('signal', 'signal_returned') AND m.step_id = g.step_id
                                     AND m.payload ->> 'signal' = g.id::text))

-- name: newest_root (fragment)
-- The run at the root of the `tree`: the newest of its chain.
coalesce((SELECT n.id FROM runs_run n WHERE n.root_id = tree AND n.root_id <> n.id ORDER BY n.id DESC LIMIT 1), tree)

-- name: signal_addresses
-- For each signal that is sent to a run, or to a descendant `child` of it: the root of the tree as it goes on by now, the
-- first and the newest run of the descendant's chain, and how that stands. A descendant that is none is left out.
WITH RECURSIVE w AS MATERIALIZED (
    SELECT w.place, r.root_id AS top, coalesce(r.tree_id, r.root_id) AS tree, c.id, c.root_id AS child_id
      FROM jsonb_to_recordset(%(sent)s::jsonb) AS w(place int, run uuid, child uuid)
      JOIN runs_run r ON r.id = w.run AND r.tenant_id = %(tenant)s
      LEFT JOIN runs_run c ON c.id = coalesce(w.child, CASE WHEN r.tree_id IS NOT NULL THEN r.id END)
     WHERE (w.child IS NULL OR c.tree_id = coalesce(r.tree_id, r.root_id))
),
up(place, id, root_id, parent_id) AS (
    SELECT w.place, u.id, u.root_id, u.parent_id FROM w JOIN runs_run u ON u.id = w.id
    UNION ALL
    SELECT up.place, u.id, u.root_id, u.parent_id FROM up JOIN runs_run u ON u.id = up.parent_id
)
SELECT coalesce(json_agg(json_build_array(w.place, /* include newest_root */, w.child_id, n.status)), '[]')
  FROM w
  LEFT JOIN LATERAL (SELECT n.status FROM runs_run n WHERE n.id = w.child_id OR n.root_id = w.child_id AND n.root_id <> n.id
                      ORDER BY n.id DESC LIMIT 1) n ON true
 WHERE w.child_id IS NULL OR EXISTS (SELECT 1 FROM up WHERE up.place = w.place AND up.root_id = w.top)

-- name: signal_waits
-- For each of these signals of runs that are held FOR UPDATE, up to `most` open waits that it is for, the oldest first: of
-- the run itself, and of runs below it, to which no signal is on its way. A statement of its own, after the one that
-- locked the runs, as `waiters`. Nothing is read of a tree but its waits of this name.
WITH g AS MATERIALIZED (
    SELECT g.id, g.tenant_id, g.root_id, g.name, g.child_id, g.index, w.run_id, w.most
      FROM jsonb_to_recordset(%(signals)s::jsonb) AS w(id uuid, run_id uuid, most int)
      JOIN runs_signal g ON g.id = w.id
     WHERE g.consumed_at IS NULL AND /* include is_free */
),
f AS MATERIALIZED (
    SELECT g.id AS signal, g.run_id, s.id
      FROM g
     CROSS JOIN LATERAL (
           SELECT s.id FROM runs_stepexecution s
            WHERE s.run_id = g.run_id AND s.tenant_id = g.tenant_id AND s.status = 'WAITING' AND s.waiting ->> 'kind' = 'signal'
              AND s.waiting ->> 'name' = g.name AND g.child_id IS NULL AND (g.index IS NULL OR g.index = s.index)
            ORDER BY s.id
            LIMIT g.most) s
    UNION ALL
    SELECT g.id, g.run_id, s.id
      FROM g
     CROSS JOIN LATERAL (
           SELECT s.id FROM runs_stepexecution s
            WHERE s.status = 'WAITING' AND s.waiting ? 'tree' AND s.waiting ->> 'tree' = g.root_id::text
              AND s.waiting ->> 'name' = g.name
              AND NOT EXISTS (SELECT 1 FROM runs_runmessage m WHERE m.kind = 'signal' AND m.step_id = s.id)
              AND /* include is_addressed */
            ORDER BY s.id
            LIMIT g.most) s
)
SELECT coalesce(json_agg(json_build_array(
           /* include held */,
           CASE WHEN s.run_id = f.run_id THEN /* include given_input */ END,
           s.waiting ->> 'name', f.signal, f.run_id, /* include item_index */) ORDER BY s.id), '[]')
  FROM f JOIN runs_stepexecution s ON s.id = f.id

-- name: wanted_signals
-- For each of these steps of child runs that still waits and to which no signal is on its way, the first `most` signals that
-- are there for it. The root of the tree is held FOR UPDATE, so nobody sends or carries one meanwhile.
SELECT coalesce(json_agg(json_build_array(s.id, g.id) ORDER BY s.id, g.id), '[]')
  FROM runs_stepexecution s
 CROSS JOIN LATERAL (
       SELECT g.id FROM runs_signal g
        WHERE g.root_id = (s.waiting ->> 'tree')::uuid AND g.name = s.waiting ->> 'name' AND g.consumed_at IS NULL
          AND /* include is_free */ AND /* include is_addressed */
        ORDER BY g.id
        LIMIT %(most)s) g
 WHERE s.id = ANY (%(steps)s::uuid[]) AND s.status = 'WAITING' AND s.waiting ->> 'kind' = 'signal' AND s.waiting ? 'tree'
   AND NOT EXISTS (SELECT 1 FROM runs_runmessage m WHERE m.kind = 'signal' AND m.step_id = s.id)

-- name: carry_signals
-- A message takes each signal to its step; until it is delivered nobody else takes the signal. One that is `shared` is for
-- several steps: it is kept for the first of them.
WITH clock AS MATERIALIZED (SELECT clock() AS now),
w AS MATERIALIZED (
    SELECT * FROM jsonb_to_recordset(%(carried)s::jsonb) AS w(signal uuid, step_id uuid, root uuid, shared boolean)
),
l AS MATERIALIZED (
    SELECT g.id FROM runs_signal g WHERE g.id = ANY (ARRAY(SELECT signal FROM w)) ORDER BY g.id FOR NO KEY UPDATE
),
u AS (
    UPDATE runs_signal g
       SET step_id = f.step_id
      FROM (SELECT DISTINCT ON (w.signal) w.signal, w.step_id FROM w ORDER BY w.signal, w.step_id) f
     WHERE g.id = f.signal AND g.id = ANY (ARRAY(SELECT id FROM l)) AND g.consumed_at IS NULL
)
INSERT INTO runs_runmessage (tenant_id, run_id, shard, kind, from_id, step_id, payload, due_at)
SELECT s.tenant_id, s.run_id, s.shard, 'signal', w.root, s.id,
       jsonb_build_object('signal', w.signal, 'name', s.waiting ->> 'name', 'shared', w.shared), clock.now
  FROM w JOIN runs_stepexecution s ON s.id = w.step_id CROSS JOIN clock
 ORDER BY s.id

-- name: return_signals
-- Signals whose steps wait no more, and that nobody has taken: the root is to offer them to other waits.
WITH m AS (
    INSERT INTO runs_runmessage (tenant_id, run_id, shard, kind, step_id, payload, due_at)
    SELECT g.tenant_id, /* include newest_root */, g.shard, 'signal_returned', w.step_id, jsonb_build_object('signal', g.id),
           clock()
      FROM jsonb_to_recordset(%(returned)s::jsonb) AS w(signal uuid, step_id uuid)
     CROSS JOIN LATERAL (SELECT g.id, g.tenant_id, g.root_id AS tree, g.shard FROM runs_signal g
                          WHERE g.id = w.signal AND g.step_id = w.step_id AND g.consumed_at IS NULL LIMIT 1) g
     ORDER BY g.id
    RETURNING 1
)
SELECT count(*) FROM m

-- name: release_signals
-- Signals that came back are for no step any more; their root is held FOR UPDATE.
UPDATE runs_signal g
   SET step_id = NULL
 WHERE g.id = ANY (%(signals)s::uuid[]) AND g.consumed_at IS NULL

-- name: pass_on_messages
-- What was for the root of a tree, for the run as which it goes on.
INSERT INTO runs_runmessage (tenant_id, run_id, shard, kind, from_id, step_id, payload, due_at)
SELECT r.tenant_id, /* include newest_root */, r.shard, w.kind, w.from_id, w.step_id, w.payload,
       clock()
  FROM jsonb_to_recordset(%(messages)s::jsonb) AS w(run_id uuid, kind text, from_id uuid, step_id uuid, payload jsonb)
 CROSS JOIN LATERAL (SELECT r.tenant_id, r.shard, r.root_id AS tree FROM runs_run r WHERE r.id = w.run_id LIMIT 1) r

-- name: take_signals
-- For each waiting step the signal that was chosen for it or, where none was, the oldest one of its name that is there for it
-- and that nobody has taken; one signal serves one step, unless it is `shared`. A child run does not look: it asks the root
-- (docs/engine.md, "Child runs").
WITH clock AS MATERIALIZED (SELECT clock() AS now),
w AS MATERIALIZED (
    SELECT w.step_id, w.node, w.index, w.name, w.signal, coalesce(w.shared, false) AS shared, r.root_id, r.tree_id, r.id AS run_id,
           w.signal IS NULL AND r.tree_id IS NULL AS looks
      FROM jsonb_to_recordset(%(steps)s::jsonb)
        AS w(step_id uuid, run_id uuid, node text, index int, name text, signal uuid, shared boolean)
      JOIN runs_run r ON r.id = w.run_id
),
i AS MATERIALIZED (
    -- What is for an item, by its index.
    SELECT w.step_id, w.node, w.run_id, w.shared, g.id
      FROM (SELECT w.*, row_number() OVER (PARTITION BY w.root_id, w.name, w.index ORDER BY w.step_id) AS place
              FROM w WHERE w.looks AND w.index IS NOT NULL) w
     CROSS JOIN LATERAL (SELECT g.id FROM runs_signal g
                          WHERE g.root_id = w.root_id AND g.name = w.name AND g.consumed_at IS NULL AND g.child_id IS NULL
                            AND g.index = w.index AND /* include is_free */
                          ORDER BY g.id
                         OFFSET w.place - 1
                          LIMIT 1) g
),
m AS MATERIALIZED (
    SELECT w.step_id, w.node, w.run_id, w.shared, w.signal AS id FROM w WHERE w.signal IS NOT NULL
    UNION ALL
    SELECT i.* FROM i
    UNION ALL
    SELECT w.step_id, w.node, w.run_id, w.shared, g.id
      FROM (SELECT w.*, row_number() OVER (PARTITION BY w.root_id, w.name ORDER BY w.step_id) AS place
              FROM w WHERE w.looks AND w.step_id NOT IN (SELECT step_id FROM i)) w
     CROSS JOIN LATERAL (SELECT g.id FROM runs_signal g
                          WHERE g.root_id = w.root_id AND g.name = w.name AND g.consumed_at IS NULL AND g.child_id IS NULL
                            AND g.index IS NULL AND /* include is_free */
                          ORDER BY g.id
                         OFFSET w.place - 1
                          LIMIT 1) g
),
l AS MATERIALIZED (
    -- In order of id: one that is shared is taken by several runs at a time.
    SELECT g.id FROM runs_signal g WHERE g.id = ANY (ARRAY(SELECT id FROM m)) ORDER BY g.id FOR NO KEY UPDATE
),
u AS (
    UPDATE runs_signal g
       SET consumed_at = clock.now, step_id = f.step_id
      FROM (SELECT DISTINCT ON (m.id) m.id, m.step_id FROM m ORDER BY m.id, m.step_id) f CROSS JOIN clock
     WHERE g.id = f.id AND g.id = ANY (ARRAY(SELECT id FROM l)) AND g.consumed_at IS NULL
    RETURNING g.id, g.step_id
),
t AS MATERIALIZED (
    SELECT m.step_id, g.tenant_id, m.run_id, g.shard, m.node, g.signal_id, g.name, g.payload
      FROM m JOIN runs_signal g ON g.id = m.id
     WHERE m.shared OR EXISTS (SELECT 1 FROM u WHERE u.id = m.id AND u.step_id = m.step_id)
),
h AS (
    /* include write_history */
    SELECT t.tenant_id, t.run_id, t.shard, 1, 'SIGNAL_CONSUMED', t.node, NULL,
           jsonb_build_object('signal_id', t.signal_id, 'name', t.name), clock.now
      FROM t CROSS JOIN clock
     ORDER BY t.run_id, t.node
),
q AS (
    INSERT INTO runs_runmessage (tenant_id, run_id, shard, kind, from_id, step_id, due_at)
    SELECT r.tenant_id, /* include newest_root */, r.shard, 'signal_wanted', w.run_id, w.step_id, clock.now
      FROM (SELECT w.run_id, w.step_id FROM w WHERE w.signal IS NULL AND w.tree_id IS NOT NULL) w
     CROSS JOIN LATERAL (SELECT r.tenant_id, r.shard, r.tree_id AS tree FROM runs_run r WHERE r.id = w.run_id LIMIT 1) r
     CROSS JOIN clock
     ORDER BY w.step_id
    RETURNING 1
)
SELECT json_build_object('taken', coalesce((SELECT json_agg(json_build_array(t.step_id, t.payload)) FROM t), '[]'),
                         'asked', (SELECT count(*) FROM q))

-- name: items_to_come
-- Whether a container of the tree that is open has, or may yet have, an item with this index; NULL where none is open. A
-- loop has as many as its `count` says, at most `rounds`; those before `first` were another run's.
SELECT bool_or(%(index)s >= k.first AND %(index)s < CASE
           WHEN s.waiting ? 'rounds' THEN least((s.waiting ->> 'rounds')::int, (s.waiting ->> 'count')::int) ELSE k.total END
       AND NOT EXISTS (
           SELECT 1 FROM runs_stepexecution x
            WHERE x.run_id = s.run_id AND x.node = s.node AND x.index = %(index)s
              AND x.status NOT IN ('QUEUED', 'RUNNING', 'WAITING')))
  FROM (SELECT %(run)s::uuid AS id
        UNION ALL
        SELECT r.id FROM runs_run r WHERE r.tree_id = (SELECT t.root_id FROM runs_run t WHERE t.id = %(run)s::uuid) AND r.completed_at IS NULL) r
  JOIN runs_container k ON k.run_id = r.id
  JOIN runs_stepexecution s ON s.run_id = k.run_id AND s.node = k.node AND s.index IS NULL
 WHERE s.status = 'WAITING' AND s.waiting ->> 'kind' = 'children'

-- name: versions_of_tree
-- The versions that the newest runs below the root are of.
SELECT DISTINCT r.version_id
  FROM (SELECT r.version_id FROM runs_run r
         WHERE r.tree_id = (SELECT t.root_id FROM runs_run t WHERE t.id = %(run)s::uuid) ORDER BY r.id DESC LIMIT %(most)s) r
