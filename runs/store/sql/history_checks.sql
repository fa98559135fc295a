-- name: begin_history_check
-- Where the check goes on: behind the last run that it has looked at. A round that is over is followed by another one no
-- sooner than so many seconds after it began; until then there is no row.
WITH clock AS (SELECT coalesce(%(now)s::timestamptz, clock_timestamp()) AS now),
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

-- name: runs_to_check
-- The next runs, up to so many events of their histories in all, and one at least; an open run has none to check. Runs
-- that ended a moment ago may be without a seal: they are left to the next round.
WITH clock AS (SELECT coalesce(%(now)s::timestamptz, clock_timestamp()) AS now),
n AS MATERIALIZED (
    SELECT r.id, r.tenant_id, r.workflow_id,
           NOT r.is_test AND coalesce(r.completed_at < clock.now - interval '1 minute', false) AS is_over
      FROM runs_run r CROSS JOIN clock
     WHERE r.id > %(after)s::uuid
     ORDER BY r.id
     LIMIT %(limit)s
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

-- name: note_history_check
-- What was found of the runs that were looked at, and how far the check has come. A run that is as it should be again has
-- no row any more.
WITH clock AS (SELECT coalesce(%(now)s::timestamptz, clock_timestamp()) AS now),
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
