-- name: startable_version
-- Asked at every start: the version that was published last, or the one with this number, and whether it may be started.
SELECT v.id, w.archived_at IS NOT NULL AS is_archived
  FROM workflows_workflow w
  JOIN workflows_workflowversion v ON v.workflow_id = w.id
 WHERE w.tenant_id = %(tenant)s AND w.name = %(name)s AND NOT v.is_test AND (%(number)s::int IS NULL OR v.number = %(number)s::int)
 ORDER BY v.number DESC
 LIMIT 1
