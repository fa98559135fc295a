-- name: who_may_start
-- Runs begin others whose names came out of expressions: for each name that is there the folder, whether that is the one of the run that
-- begins it, and as which member of the tenant that run acts (NULLs: as none).
WITH a AS MATERIALIZED (
    SELECT a.place, a.tenant, lower(a.person) AS person, a.origin, a.name
      FROM unnest(%(tenants)s::bigint[], %(people)s::text[], %(origins)s::bigint[], %(names)s::text[])
           WITH ORDINALITY a(tenant, person, origin, name, place)
),
p AS MATERIALIZED (
    SELECT p.tenant, p.person, seat.role, seat.granted
      FROM (SELECT DISTINCT a.tenant, a.person FROM a) p
      JOIN accounts_user u ON lower(u.username) = p.person AND u.is_active AND NOT u.is_service
     CROSS JOIN LATERAL (
           /* include seat */
            WHERE m.user_id = u.id AND m.tenant_id = p.tenant
            LIMIT 1) seat
)
SELECT a.place, w.folder_id, w.folder_id = o.folder_id, p.role, p.granted
  FROM a
  JOIN workflows_workflow w ON w.tenant_id = a.tenant AND w.name = a.name
  LEFT JOIN workflows_workflow o ON o.id = a.origin AND o.tenant_id = a.tenant
  LEFT JOIN p ON p.tenant = a.tenant AND p.person = a.person
