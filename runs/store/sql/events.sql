-- name: read_events
-- What happened to a run, but to containers' children, of which there may be 10,000, and the version that it is of. As
-- one text: a row with its times would take longer to be read than to be found. The mark only where somebody asks for it.
SELECT r.version_id,
       CASE WHEN %(is_marked)s::boolean THEN /* include mark */ ELSE '' END,
       (SELECT coalesce(json_agg(json_build_array(
                   e.id, e.type, e.node, e.attempt, e.payload -> 'started_at', e.created_at, e.payload -> 'taken')
                   ORDER BY e.id), '[]')::text
          FROM (SELECT h.id, h.type, h.node, h.attempt, h.payload, h.created_at
                  FROM runs_historyevent h
                 WHERE h.tenant_id = %(tenant)s AND h.run_id = %(run)s AND NOT h.payload ? 'index'
                 ORDER BY h.id
                 LIMIT %(most)s) e)
  FROM runs_run r
 WHERE r.tenant_id = %(tenant)s AND r.id = %(run)s

-- name: measure_events
-- How far that goes: how many there are, the id of the last one and when it was.
SELECT r.version_id, /* include mark */, e.count, e.last, e.at
  FROM runs_run r
 CROSS JOIN LATERAL (
    SELECT count(*) AS count, max(f.id) AS last, max(f.created_at) AS at
      FROM (SELECT h.id, h.created_at FROM runs_historyevent h
             WHERE h.tenant_id = %(tenant)s AND h.run_id = r.id AND NOT h.payload ? 'index'
             ORDER BY h.id
             LIMIT %(most)s) f) e
 WHERE r.tenant_id = %(tenant)s AND r.id = %(run)s

-- name: mark (fragment)
-- How a run stands, so that it is another mark when it stands otherwise: each writer leaves its number in the rows that it
-- writes. Empty while steps are at work, which may say something, where it began other runs, as those are not looked at,
-- and where so many steps would have to be.
(SELECT CASE WHEN count(*) > 2000 OR bool_or(m.status = 'RUNNING') OR EXISTS (SELECT FROM runs_run c WHERE c.parent_id = r.id) THEN ''
             ELSE concat_ws('.', r.xmin, count(*), sum(m.written),
                      (SELECT max(n.id) FROM runs_historyevent n WHERE n.tenant_id = r.tenant_id AND n.run_id = r.id),
                      (SELECT o.xmin FROM runs_forecast o WHERE o.run_id = r.id))
        END
   FROM (SELECT s.status, s.xmin::text::bigint AS written
           FROM runs_stepexecution s WHERE s.run_id = r.id LIMIT 2001) m)

-- name: mark_run
-- That alone.
SELECT /* include mark */
  FROM runs_run r
 WHERE r.tenant_id = %(tenant)s AND r.id = %(run)s
