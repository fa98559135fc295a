-- name: event_text (fragment)
-- One event as seals and verify_history read it: everything that is kept of it but where it belongs, in jsonb's own
-- one spelling. To change this is to break every seal.
jsonb_build_array(h.id, h.ordinal, h.type, h.node, h.attempt, h.xid, h.payload,
                  (extract(epoch FROM h.created_at) * 1000000)::bigint)::text

-- name: lock_unsealed
-- Runs with a life that has ended and has no seal; those that somebody is busy with are for the next time.
SELECT coalesce(json_agg(l.id), '[]')
  FROM (SELECT r.id
          FROM runs_run r
         WHERE r.completed_at IS NOT NULL AND r.sealed_life < r.life
         ORDER BY r.completed_at, r.id
         LIMIT %(limit)s
           FOR UPDATE SKIP LOCKED) l

-- name: seal_runs
-- In a statement after the one that locked the runs: whoever wrote history of them has committed, and it is seen. The
-- order is that of the ids: nobody writes history of a run without a lock that its end excludes, so what belongs before
-- the end has an id before it. Each seal is over all that came before, former lives too.
WITH clock AS MATERIALIZED (SELECT clock() AS now),
r AS MATERIALIZED (
    SELECT r.id, r.tenant_id, r.shard, r.life, r.sealed_life
      FROM runs_run r
     WHERE r.id = ANY (%(runs)s::uuid[]) AND r.completed_at IS NOT NULL AND r.sealed_life < r.life
),
e AS MATERIALIZED (
    SELECT r.id AS run_id, r.tenant_id, r.shard, r.sealed_life, t.life, t.last
      FROM r
     CROSS JOIN LATERAL (SELECT h.id AS last, row_number() OVER (ORDER BY h.id) AS life
                           FROM runs_historyevent h
                          WHERE h.run_id = r.id
                            AND h.type IN ('RUN_COMPLETED', 'RUN_CONTINUED', 'RUN_FAILED', 'RUN_CANCELLED',
                                           'RUN_COMPENSATED')) t
     WHERE t.life > r.sealed_life
),
s AS (
    INSERT INTO runs_runseal (tenant_id, run_id, shard, life, events, last_event, digest, sealed_at)
    SELECT e.tenant_id, e.run_id, e.shard, e.life, c.events, e.last, c.digest, clock.now
      FROM e CROSS JOIN clock
     CROSS JOIN LATERAL (SELECT count(*) AS events, runs_chain(e.run_id::text, h.text ORDER BY h.id) AS digest
                           FROM (SELECT h.id, /* include event_text */ AS text
                                   FROM runs_historyevent h
                                  WHERE h.run_id = e.run_id AND h.id <= e.last) h) c
     ORDER BY e.run_id, e.life
    ON CONFLICT (run_id, life) DO NOTHING
),
u AS (
    UPDATE runs_run u SET sealed_life = r.life FROM r WHERE u.id = r.id AND u.id = ANY (%(runs)s::uuid[])
    RETURNING u.id
)
SELECT count(*) FROM u

-- name: told_runs
-- Runs with their history, their seals and their rows, digests in place of payloads: one statement, so one snapshot.
SELECT json_build_array(
           r.id, r.tenant_id, r.version_id, r.status, r.life, r.sealed_life, v.number,
           encode(sha256(convert_to(r.input::text, 'UTF8')), 'hex'),
           encode(sha256(convert_to(r.output::text, 'UTF8')), 'hex'),
           (SELECT coalesce(json_agg(json_build_array(
                       s.node || coalesce('[' || s.index || ']', ''), s.status, s.attempt, s.epoch, encode(sha256(convert_to(s.output::text, 'UTF8')), 'hex'),
                       coalesce(s.fired, '{}'), s.edges_pending) ORDER BY s.id), '[]')
              FROM runs_stepexecution s WHERE s.run_id = r.id),
           (SELECT coalesce(json_agg(json_build_array(j.node, j.arrived, j.taken, j.fired) ORDER BY j.id), '[]')
              FROM runs_stepjoin j WHERE j.run_id = r.id),
           (SELECT coalesce(json_agg(/* include event_text */ ORDER BY h.id), '[]')
              FROM runs_historyevent h WHERE h.run_id = r.id),
           (SELECT coalesce(json_agg(json_build_array(z.life, z.events, z.last_event, encode(z.digest, 'hex'))
                                     ORDER BY z.life), '[]')
              FROM runs_runseal z WHERE z.run_id = r.id),
           (SELECT coalesce(json_agg(json_build_array(w.node, w.name, w.index,
                                                      encode(sha256(convert_to(w.value::text, 'UTF8')), 'hex'))
                                     ORDER BY w.name, w.place), '[]')
              FROM runs_runvariable w WHERE w.run_id = r.id))::text
  FROM runs_run r
  LEFT JOIN workflows_workflowversion v ON v.id = r.version_id
 WHERE r.id = ANY (%(runs)s::uuid[])
 ORDER BY r.id
