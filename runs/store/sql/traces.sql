-- name: read_traces
-- The traces that runs are of, of those that are of one: for steps that tell of it and read nothing else of their run.
SELECT coalesce(json_object_agg(r.id, json_build_array(r.traceparent, r.tracestate)), '{}')
  FROM runs_run r
 WHERE r.id = ANY (%(runs)s::uuid[]) AND r.traceparent IS NOT NULL

-- name: ended_runs
-- What is told of runs that have ended, times in nanoseconds since 1970: not of tests, nor of parts of others.
SELECT coalesce(json_agg(json_build_array(
           r.id, w.name, v.number, r.status, r.life, r.business_key, r.error ->> 'code', r.traceparent, r.tracestate,
           (extract(epoch FROM coalesce(s.began, r.created_at)) * 1000000000)::bigint,
           (extract(epoch FROM r.completed_at) * 1000000000)::bigint, s.many, s.attempts) ORDER BY r.id), '[]')
  FROM runs_run r
  JOIN workflows_workflow w ON w.id = r.workflow_id
  JOIN workflows_workflowversion v ON v.id = r.version_id
 CROSS JOIN LATERAL (
           SELECT min(s.started_at) AS began, count(*) AS many, coalesce(sum(s.attempt), 0) AS attempts
             FROM runs_stepexecution s WHERE s.run_id = r.id) s
 WHERE r.id = ANY (%(runs)s::uuid[]) AND r.completed_at IS NOT NULL AND NOT r.is_test AND NOT r.is_part
