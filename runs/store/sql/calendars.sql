-- name: work_calendars
-- The calendar of each key: that which the version has pinned under the name, else the one that is called so and is the
-- tenant's or its folder's, else the tenant's default one: called so, or the oldest. NULL where there is none.
SELECT coalesce(json_agg(json_build_array(k.tenant, k.version, k.name, CASE WHEN c.id IS NOT NULL THEN json_build_object(
           'id', c.id, 'revision', c.revision, 'name', c.name, 'timezone', c.timezone, 'region', c.region, 'weekdays', c.weekdays,
           'opens', c.opens, 'closes', c.closes, 'exceptions', c.exceptions, 'is_named', c.is_named) END)), '[]')
  FROM (SELECT k.*, w.folder_id
          FROM jsonb_to_recordset(%(keys)s::jsonb) AS k(tenant bigint, version bigint, name text, pinned bigint)
          LEFT JOIN workflows_workflowversion v ON v.id = k.version AND k.name IS NOT NULL AND k.pinned IS NULL
          LEFT JOIN workflows_workflow w ON w.id = v.workflow_id) k
  LEFT JOIN LATERAL (
            SELECT o.*, o.rank < 2 AS is_named
              FROM (SELECT o.*, CASE WHEN o.id = k.pinned THEN 0
                                     WHEN o.name = k.name AND (o.folder_id IS NULL OR o.folder_id = k.folder_id) THEN 1
                                     WHEN o.folder_id IS NOT NULL THEN NULL
                                     WHEN o.name = 'default' THEN 2
                                     ELSE 3 END AS rank
                      FROM runs_calendar o
                     WHERE o.tenant_id = k.tenant) o
             WHERE o.rank IS NOT NULL
             ORDER BY o.rank, o.id
             LIMIT 1) c ON true

-- name: hold_calendars
-- Of these names those of calendars that workflows of a folder may use: nobody removes or moves them until the transaction
-- ends.
SELECT coalesce(json_object_agg(c.name, c.id), '{}')
  FROM (SELECT c.name, c.id
          FROM runs_calendar c
         WHERE c.tenant_id = %(tenant)s AND c.name = ANY (%(names)s::text[])
           AND (c.folder_id IS NULL OR c.folder_id = %(folder)s)
         ORDER BY c.id
           FOR KEY SHARE) c

-- name: calendar_versions
-- The versions that have pinned a calendar and start runs, or have open ones: the newest of each workflow that is not
-- archived, and others with open runs; of these up to so many each.
WITH v AS MATERIALIZED (
    SELECT v.id, v.number, v.workflow_id,
           w.archived_at IS NULL AND NOT EXISTS (
               SELECT 1 FROM workflows_workflowversion n
                WHERE n.workflow_id = v.workflow_id AND n.number > v.number AND NOT n.is_test
                  AND NOT EXISTS (SELECT 1 FROM workflows_versionwithdrawal z WHERE z.version_id = n.id)) AS is_newest
      FROM workflows_workflowversion v JOIN workflows_workflow w ON w.id = v.workflow_id
     WHERE v.tenant_id = %(tenant)s AND v.calendars <> '{}' AND NOT v.is_test
       AND EXISTS (SELECT 1 FROM jsonb_each(v.calendars) p WHERE p.value = to_jsonb(%(calendar)s::bigint))
),
o AS MATERIALIZED (
    SELECT r.version_id, count(*) AS runs
      FROM (SELECT r.version_id
              FROM runs_run r
             WHERE r.tenant_id = %(tenant)s AND r.completed_at IS NULL AND NOT r.is_test
               AND r.status = ANY (%(open)s::text[]) AND r.version_id = ANY (SELECT v.id FROM v)
             LIMIT %(most)s) r
     GROUP BY r.version_id
)
SELECT coalesce(json_agg(json_build_array(w.id, w.name, w.title, w.folder_id, u.number, u.is_newest, u.runs) ORDER BY w.name, u.number), '[]')
  FROM (SELECT v.workflow_id, v.number, v.is_newest, coalesce(o.runs, 0) AS runs
          FROM v LEFT JOIN o ON o.version_id = v.id
         WHERE v.is_newest OR o.runs > 0) u
  JOIN workflows_workflow w ON w.id = u.workflow_id

-- name: calendar_due_dates
-- Of the newest open runs, of these workflows if some are given, the times that were counted by a calendar: deadlines, waits
-- and timers beside steps; and the runs that were looked at.
WITH r AS MATERIALIZED (
    SELECT r.id, r.workflow_id, r.version_id, r.created_at, r.completed_at, r.sla_deadline, r.sla_calendar, r.sla_look_at,
           r.sla_counted_at
      FROM runs_run r
     WHERE r.tenant_id = %(tenant)s AND r.completed_at IS NULL AND NOT r.is_test AND r.status = ANY (%(open)s::text[])
       AND (%(workflows)s::bigint[] IS NULL OR r.workflow_id = ANY (%(workflows)s::bigint[]))
     ORDER BY r.id DESC
     LIMIT %(most)s
),
by_deadline AS MATERIALIZED (
    SELECT r.* FROM r WHERE r.sla_deadline IS NOT NULL AND (r.sla_calendar ->> 'id')::bigint = %(calendar)s
),
-- Asked once for each version, and not for each of thousands of runs.
waits_pause AS MATERIALIZED (
    SELECT v.id FROM workflows_workflowversion v
     WHERE v.id IN (SELECT r.version_id FROM by_deadline r) AND v.definition @> '{"sla_pauses": "waiting"}'
),
d AS (
    SELECT r.id AS run_id, r.workflow_id, NULL AS node, 'deadline' AS kind, r.sla_deadline AS due_at,
           r.sla_calendar AS counted
      FROM by_deadline r WHERE r.version_id NOT IN (SELECT v.id FROM waits_pause v)
    UNION ALL
    -- As its page shows it: with what the run has waited that is not counted yet.
    SELECT r.id, r.workflow_id, NULL, 'deadline', r.sla_deadline + w.before, r.sla_calendar
      FROM by_deadline r CROSS JOIN LATERAL (/* include sla_waited */) w
     WHERE r.version_id IN (SELECT v.id FROM waits_pause v)
    UNION ALL
    SELECT r.id, r.workflow_id, t.node, CASE t.kind WHEN 'wait' THEN 'wait' ELSE 'timer' END, t.fire_at,
           coalesce(t.calendar, CASE WHEN t.kind = 'wait' THEN s.waiting -> 'calendar' END)
      FROM r JOIN runs_timer t ON t.run_id = r.id AND t.status = 'PENDING'
      JOIN runs_stepexecution s ON s.id = t.step_id
)
SELECT json_build_array(
           (SELECT coalesce(json_agg(r.id), '[]') FROM r),
           (SELECT coalesce(json_agg(json_build_array(d.run_id, d.workflow_id, d.node, d.kind, d.due_at, d.counted -> 'revision')), '[]')
              FROM d WHERE (d.counted ->> 'id')::bigint = %(calendar)s))

-- name: moment
SELECT clock()
