-- name: begin_history_check
-- Where the check goes on: behind the last run that it has looked at. A round that is over is followed by another one no
-- sooner than so many seconds after it began; until then there is no row.
WITH clock AS (SELECT clock() AS now),
b AS (
    INSERT INTO runs_historycheck AS c (id, after, began_at, runs, left_out)
    SELECT 1, '00000000-0000-0000-0000-000000000000', clock.now, 0, 0 FROM clock
        ON CONFLICT (id) DO UPDATE
       SET after = excluded.after, began_at = excluded.began_at, ended_at = NULL, runs = 0, left_out = 0
     WHERE c.ended_at IS NOT NULL AND c.began_at <= excluded.began_at - %(seconds)s * interval '1 second'
    RETURNING c.after
)
SELECT b.after FROM b
UNION ALL
SELECT c.after FROM runs_historycheck c WHERE c.ended_at IS NULL AND NOT EXISTS (SELECT 1 FROM b)

-- name: ids_of_history (fragment)
-- The next runs that history or a seal names, whether they are there or not: each is found by a look into two indexes.
named(place, id) AS (
    SELECT 0, %(after)s::uuid
    UNION ALL
    SELECT l.place + 1, least(
               (SELECT h.run_id FROM runs_historyevent h WHERE h.run_id > l.id ORDER BY h.run_id, h.id LIMIT 1),
               (SELECT z.run_id FROM runs_runseal z WHERE z.run_id > l.id ORDER BY z.run_id, z.life LIMIT 1))
      FROM named l
     WHERE l.place < %(limit)s AND l.id IS NOT NULL
)

-- name: tenant_of_history (fragment)
-- The tenant of a run `n` that is gone.
coalesce((SELECT h.tenant_id FROM runs_historyevent h WHERE h.run_id = n.id ORDER BY h.id LIMIT 1),
         (SELECT z.tenant_id FROM runs_runseal z WHERE z.run_id = n.id ORDER BY z.life LIMIT 1))

-- name: runs_to_check
-- The next runs, up to so many events of their histories in all, and one at least; an open run has none to check. Runs
-- that ended a moment ago may be without a seal: they are left to the next round. A run that is gone is of no workflow (0).
WITH RECURSIVE clock AS (SELECT clock() AS now),
/* include ids_of_history */,
i AS MATERIALIZED (
    SELECT i.id
      FROM (SELECT r.id FROM (SELECT r.id FROM runs_run r WHERE r.id > %(after)s::uuid ORDER BY r.id LIMIT %(limit)s) r
            UNION
            SELECT l.id FROM named l WHERE l.place > 0 AND l.id IS NOT NULL) i
     ORDER BY i.id
     LIMIT %(limit)s
),
n AS MATERIALIZED (
    SELECT n.id, coalesce(r.tenant_id, /* include tenant_of_history */) AS tenant_id, coalesce(r.workflow_id, 0) AS workflow_id,
           r.id IS NULL OR NOT r.is_test AND coalesce(r.completed_at < clock.now - interval '1 minute', false) AS is_over
      FROM i n CROSS JOIN clock
      LEFT JOIN runs_run r ON r.id = n.id
),
e AS (
    SELECT n.*, CASE WHEN n.is_over THEN (
               SELECT count(*) FROM (SELECT 1 FROM runs_historyevent h WHERE h.run_id = n.id LIMIT %(most)s + 1) one) ELSE 0 END AS events
      FROM n
),
s AS (SELECT e.*, sum(e.events) OVER (ORDER BY e.id) - e.events AS before FROM e)
SELECT coalesce(json_agg(json_build_array(s.id, s.tenant_id, s.workflow_id, s.is_over, s.events) ORDER BY s.id), '[]')
  FROM s
 WHERE s.before < %(events)s

-- name: runs_gone
-- Of the next runs that history or a seal names those that are gone, of one tenant if one is given; and where to go on.
WITH RECURSIVE /* include ids_of_history */
SELECT json_build_array(
           (SELECT n.id FROM named n WHERE n.place = %(limit)s),
           (SELECT coalesce(json_agg(n.id ORDER BY n.id), '[]')
              FROM named n
             WHERE n.place > 0 AND n.id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM runs_run r WHERE r.id = n.id)
               AND (%(tenant)s::bigint IS NULL OR /* include tenant_of_history */ = %(tenant)s)))

-- name: note_history_check
-- What was found of the runs that were looked at, and how far the check has come. A run that is as it should be again has
-- no row any more.
WITH clock AS (SELECT clock() AS now),
w AS MATERIALIZED (
    SELECT *
      FROM jsonb_to_recordset(%(found)s::jsonb)
        AS w(run_id uuid, tenant_id bigint, workflow_id bigint, differences int, detail text)
),
g AS (
    DELETE FROM runs_historydifference d
     WHERE d.run_id = ANY (%(checked)s::uuid[]) AND NOT EXISTS (SELECT 1 FROM w WHERE w.run_id = d.run_id)
),
d AS (
    INSERT INTO runs_historydifference AS d (tenant_id, run_id, workflow_id, differences, detail, found_at)
    SELECT w.tenant_id, w.run_id, w.workflow_id, w.differences, w.detail, clock.now FROM w CROSS JOIN clock ORDER BY w.run_id
        ON CONFLICT (run_id) DO UPDATE SET differences = excluded.differences, detail = excluded.detail
)
UPDATE runs_historycheck c
   SET after = coalesce(%(after)s::uuid, c.after), ended_at = CASE WHEN %(after)s::uuid IS NULL THEN clock.now END,
       runs = c.runs + cardinality(%(checked)s::uuid[]), left_out = c.left_out + %(left_out)s
  FROM clock
 WHERE c.id = 1
