-- name: keys_begun
-- Business keys of these workflows from a text on, as their index has them: of each workflow the first few are read, however
-- many keys there are, and of those the ones that begin with the text are told.
SELECT coalesce(json_agg(json_build_array(f.business_key, f.workflow_id) ORDER BY f.business_key, f.workflow_id), '[]')
  FROM (SELECT k.business_key, w.id AS workflow_id
          FROM unnest(%(workflows)s::bigint[]) AS w(id)
         CROSS JOIN LATERAL (
               SELECT k.business_key FROM runs_runkey k
                WHERE k.tenant_id = %(tenant)s AND k.workflow_id = w.id AND k.business_key >= %(begun)s
                ORDER BY k.business_key
                LIMIT %(most)s) k
         WHERE starts_with(k.business_key, %(begun)s)
         ORDER BY k.business_key, w.id
         LIMIT %(most)s) f
