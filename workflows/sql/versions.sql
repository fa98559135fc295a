-- name: startable_versions
-- Asked at every start: of each workflow the version that was published last, or the one with this number, and whether
-- the workflow is archived.
-- Of one alone as for tokens (`find_token`).
SELECT a.place, v.id, v.is_archived
  FROM unnest(%(names)s::text[], %(numbers)s::int[]) WITH ORDINALITY a(name, number, place)
 CROSS JOIN LATERAL (
    SELECT v.id, w.archived_at IS NOT NULL AS is_archived
      FROM workflows_workflow w
      JOIN workflows_workflowversion v ON v.workflow_id = w.id
     WHERE w.tenant_id = %(tenant)s AND w.name = a.name AND NOT v.is_test AND (a.number IS NULL OR v.number = a.number)
     ORDER BY v.number DESC
     LIMIT 1) v

-- name: startable_version
SELECT 1, v.id, w.archived_at IS NOT NULL
  FROM workflows_workflow w
  JOIN workflows_workflowversion v ON v.workflow_id = w.id
 WHERE w.tenant_id = %(tenant)s AND w.name = %(name)s AND NOT v.is_test
   AND (%(number)s::int IS NULL OR v.number = %(number)s::int)
 ORDER BY v.number DESC
 LIMIT 1

-- name: titles_of
-- Asked at every page that names workflows.
SELECT w.name, w.title FROM workflows_workflow w WHERE w.tenant_id = %(tenant)s AND w.name = ANY(%(names)s)
