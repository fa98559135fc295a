-- name: startable_versions
-- Asked at every start: of each workflow the newest version that is not withdrawn, or the one with this number; whether
-- the workflow is archived; of one with a number whether it is withdrawn, and whether a newer one is not.
-- Of one alone as for tokens (`find_token`).
SELECT a.place, v.*
  FROM unnest(%(names)s::text[], %(numbers)s::int[]) WITH ORDINALITY a(name, number, place)
 CROSS JOIN LATERAL (
    SELECT v.id, w.archived_at IS NOT NULL AS is_archived, /* include withdrawn */ AS is_withdrawn,
           a.number IS NOT NULL AND EXISTS (/* include newer_version */) AS is_older
      FROM workflows_workflow w
      JOIN workflows_workflowversion v ON v.workflow_id = w.id
     WHERE w.tenant_id = %(tenant)s AND w.name = a.name AND NOT v.is_test
       AND CASE WHEN a.number IS NULL THEN NOT /* include withdrawn */ ELSE v.number = a.number END
     ORDER BY v.number DESC
     LIMIT 1) v

-- name: startable_version
SELECT 1, v.id, w.archived_at IS NOT NULL, /* include withdrawn */,
       %(number)s::int IS NOT NULL AND EXISTS (/* include newer_version */)
  FROM workflows_workflow w
  JOIN workflows_workflowversion v ON v.workflow_id = w.id
 WHERE w.tenant_id = %(tenant)s AND w.name = %(name)s AND NOT v.is_test
   AND CASE WHEN %(number)s::int IS NULL THEN NOT /* include withdrawn */ ELSE v.number = %(number)s::int END
 ORDER BY v.number DESC
 LIMIT 1

-- name: withdrawn (fragment)
EXISTS (SELECT FROM workflows_versionwithdrawal x WHERE x.version_id = v.id)

-- name: newer_version (fragment)
SELECT FROM workflows_workflowversion n
 WHERE n.workflow_id = w.id AND NOT n.is_test AND n.number > v.number
   AND NOT EXISTS (SELECT FROM workflows_versionwithdrawal y WHERE y.version_id = n.id)

-- name: titles_of
-- Asked at every page that names workflows.
SELECT w.name, w.title FROM workflows_workflow w WHERE w.tenant_id = %(tenant)s AND w.name = ANY(%(names)s)

-- name: workflow_named
-- Asked by nearly all that is about one workflow: the number of the version that was published last, its folder, who
-- changed its draft last, and itself; the columns are those of the models, in their order.
SELECT (SELECT v.number
          FROM workflows_workflowversion v
         WHERE v.tenant_id = w.tenant_id AND v.workflow_id = w.id AND NOT v.is_test
         ORDER BY v.number DESC
         LIMIT 1),
       f.id, f.tenant_id, f.name, f.key, f.is_default, f.created_at,
       w.id, w.tenant_id, w.name, w.title, w.description, w.folder_id, w.draft_definition, w.draft_layout,
       w.draft_revision, w.draft_updated_at, w.comments_number, w.draft_updated_by_id, w.created_at, w.archived_at,
       /* include columns_of_user */
  FROM workflows_workflow w
  JOIN accounts_folder f ON f.id = w.folder_id
  JOIN accounts_user u ON u.id = w.draft_updated_by_id
 WHERE w.tenant_id = %(tenant)s AND w.name = %(name)s

-- name: searchable_versions
-- Versions that mark fields of their input as searchable, of all tenants; along `workflowversion_searchable`.
SELECT v.tenant_id, v.workflow_id, v.id
  FROM workflows_workflowversion v
 WHERE NOT v.is_test AND jsonb_path_exists(v.definition, '$.input_schema.**."x-searchable" ? (@ == true)')
 ORDER BY v.id
