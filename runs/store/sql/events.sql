-- name: read_events
-- What happened to a run, but to containers' children, of which there may be 10,000, and the version that it is of. As
-- one text: a row with its times would take longer to be read than to be found.
SELECT r.version_id,
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
SELECT r.version_id, e.count, e.last, e.at
  FROM runs_run r
 CROSS JOIN LATERAL (
    SELECT count(*) AS count, max(f.id) AS last, max(f.created_at) AS at
      FROM (SELECT h.id, h.created_at FROM runs_historyevent h
             WHERE h.tenant_id = %(tenant)s AND h.run_id = r.id AND NOT h.payload ? 'index'
             ORDER BY h.id
             LIMIT %(most)s) f) e
 WHERE r.tenant_id = %(tenant)s AND r.id = %(run)s
