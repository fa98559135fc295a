-- name: given_input (fragment)
CASE WHEN s.input_from IS NULL THEN s.input
     ELSE coalesce((SELECT p.output FROM runs_stepexecution p WHERE p.id = s.input_from),
                   (SELECT r.input FROM runs_run r WHERE r.id = s.input_from)) END


-- name: is_listened (fragment)
CASE WHEN s.status <> 'QUEUED' OR s.held THEN NULL
     WHEN s.type = ANY (%(external)s::text[]) THEN EXISTS (
         SELECT 1 FROM runs_queuepoll q WHERE q.tenant_id = s.tenant_id AND q.queue = s.queue
            AND q.polled_at > statement_timestamp() - interval '2 minutes')
     ELSE EXISTS (SELECT 1 FROM runs_worker w WHERE w.queue = s.queue
                     AND w.seen_at > statement_timestamp() - %(silent)s * interval '1 second') END

-- name: write_history (fragment)
INSERT INTO runs_historyevent (tenant_id, run_id, shard, ordinal, type, node, attempt, payload, created_at)

-- name: queues_found (fragment)
-- The queues that have steps to claim, by a loose scan of the index.
found(queue, place) AS (
    (SELECT s.queue, 1
       FROM runs_stepexecution s
      WHERE s.status = 'QUEUED' AND NOT s.held
      ORDER BY s.queue
      LIMIT 1)
    UNION ALL
    SELECT (SELECT s.queue
              FROM runs_stepexecution s
             WHERE s.status = 'QUEUED' AND NOT s.held AND s.queue > found.queue
             ORDER BY s.queue
             LIMIT 1),
           found.place + 1
      FROM found
     WHERE found.queue IS NOT NULL AND found.place < %(most_queues)s
)

-- name: queues_served (fragment)
-- What each of the `tenants` has to claim in the queues `found`, who is at work, and who was heard of lately in which
-- queue. What is ready or comes later is counted up to a bound.
queued AS MATERIALIZED (
    SELECT t.tenant_id, q.queue, c.ready, c.later, c.oldest
      FROM tenants t CROSS JOIN found q CROSS JOIN clock CROSS JOIN LATERAL (
           SELECT count(*) FILTER (WHERE x.available_at <= clock.now) AS ready,
                  count(*) FILTER (WHERE x.available_at > clock.now) AS later,
                  min(x.available_at) FILTER (WHERE x.available_at <= clock.now) AS oldest
             FROM (SELECT s.available_at FROM runs_stepexecution s
                    WHERE s.queue = q.queue AND s.tenant_id = t.tenant_id AND s.status = 'QUEUED' AND NOT s.held
                    LIMIT %(most)s) x) c
     WHERE q.queue IS NOT NULL AND c.ready + c.later > 0
),
at_work AS MATERIALIZED (
    SELECT s.tenant_id, s.queue, s.worker, s.type, s.heartbeat_at, s.started_at
      FROM tenants t JOIN runs_stepexecution s ON s.tenant_id = t.tenant_id
     WHERE s.status = 'RUNNING' AND s.worker > ''
),
heard AS MATERIALIZED (
    SELECT c.tenant_id, unnest(c.queues) AS queue, c.worker
      FROM tenants t JOIN runs_workercontact c ON c.tenant_id = t.tenant_id CROSS JOIN clock
     WHERE c.seen_at > clock.now - make_interval(secs => %(stale)s)
    UNION
    -- Who is at work on a long job polls no more, and beats.
    SELECT w.tenant_id, w.queue, w.worker
      FROM at_work w CROSS JOIN clock
     WHERE w.type = ANY (%(external)s::text[]) AND coalesce(w.heartbeat_at, w.started_at) > clock.now - make_interval(secs => %(stale)s)
    UNION
    SELECT t.tenant_id, p.queue, p.id
      FROM tenants t CROSS JOIN runs_worker p CROSS JOIN clock
     WHERE p.seen_at > clock.now - make_interval(secs => %(silent)s)
)

-- name: sla_goes_on (fragment)
-- A deadline that stood still while the run was paused is as far away again as it was then.
sla_deadline = r.sla_deadline + coalesce(clock.now - r.sla_paused_at, interval '0'),
sla_paused_seconds = r.sla_paused_seconds + coalesce(extract(epoch FROM clock.now - r.sla_paused_at), 0),
sla_counted_at = CASE WHEN r.sla_paused_at IS NULL THEN r.sla_counted_at ELSE clock.now END

-- name: sla_waited (fragment)
-- The time that does not count toward the deadline of `r` because its version says `"sla_pauses": "waiting"`: `waited` since
-- `sla_counted_at`; `since`: when the wait began that goes on now; `before`: `waited` up to `since` (negative, where part of
-- that wait is counted already). A run waits while a step of it or of a run below it waits and none is to be done, is done
-- or is retried; a step that waits for such a run or for its items is neither. So does one whose compensation failed and is
-- for a person to settle. Steps and history have the exact times. Of other runs, and of those that are not looked at any
-- more, nothing is read.
SELECT coalesce(g.waited, interval '0') AS waited, g.since,
       coalesce(g.waited, interval '0') - coalesce(statement_clock() - g.since, interval '0') AS before
  FROM (
       WITH RECURSIVE tree AS (
           SELECT r.id
            WHERE r.sla_look_at IS NOT NULL
              AND EXISTS (SELECT 1 FROM workflows_workflowversion v
                           WHERE v.id = r.version_id AND v.definition @> '{"sla_pauses": "waiting"}')
           UNION ALL
           SELECT c.id
             FROM tree CROSS JOIN LATERAL (
                  SELECT c.id FROM runs_run c
                   WHERE c.parent_id = tree.id
                     AND (c.completed_at IS NULL OR c.completed_at > coalesce(r.sla_counted_at, r.created_at)) OFFSET 0) c
       ),
       moments AS (
           -- One run after another by the index: a plan for all of them at once may read whole tables.
           SELECT s.run_id, s.node, s.index, s.queued_at AS at, 0::bigint AS id, 'works' AS state,
                  9223372036854775807 AS place, 0 AS withdrawn
             FROM tree CROSS JOIN LATERAL (
                  SELECT s.run_id, s.node, s.index, s.queued_at FROM runs_stepexecution s WHERE s.run_id = tree.id OFFSET 0) s
            UNION ALL
           SELECT h.run_id, h.node, (h.payload ->> 'index')::int, m.at, m.id, m.state, h.id, m.withdrawn
             FROM tree CROSS JOIN LATERAL (
                  SELECT * FROM runs_historyevent h WHERE h.run_id = tree.id AND h.created_at >= r.created_at OFFSET 0) h
            CROSS JOIN LATERAL (
                  SELECT h.created_at AS at, h.id,
                         CASE WHEN h.type = 'RUN_WAITING_FOR_MANUAL_ACTION'
                                   OR h.type = 'STEP_WAITING' AND h.payload ->> 'kind' NOT IN ('run', 'children') THEN 'waits'
                              WHEN h.type IN ('STEP_REQUEUED', 'STEP_RELEASED', 'ATTEMPT_FAILED', 'LEASE_LOST') THEN 'works'
                              -- Until it is resumed nothing of it waits, whatever the runs below do by themselves.
                              WHEN h.run_id = r.id AND h.type IN ('RUN_FAILED', 'RUN_CANCELLED') THEN 'works'
                              ELSE 'over' END AS state, (h.type = 'STEP_WITHDRAWN')::int AS withdrawn
                  UNION ALL
                  -- A step that is gone has no row that says since when it was to be done.
                  SELECT (h.payload ->> 'queued_at')::timestamptz, 0, 'works', 1
                   WHERE h.type = 'STEP_WITHDRAWN' AND h.payload ? 'queued_at') m
            WHERE h.type IN ('STEP_WAITING', 'STEP_REQUEUED', 'STEP_RELEASED', 'ATTEMPT_FAILED', 'LEASE_LOST', 'STEP_COMPLETED',
                             'STEP_FAILED', 'STEP_SKIPPED', 'STEP_CANCELLED', 'STEP_WITHDRAWN', 'RUN_WAITING_FOR_MANUAL_ACTION',
                             'RUN_COMPENSATING', 'RUN_COMPENSATED', 'RUN_CANCELLED', 'RUN_FAILED', 'RUN_REOPENED')
       ),
       lives AS (
           -- A step that was withdrawn and one that begins anew in its place are two.
           SELECT m.*, count(*) FILTER (WHERE m.withdrawn = 1 AND m.id > 0) OVER (
                           PARTITION BY m.run_id, m.node, m.index ORDER BY m.place) - m.withdrawn AS life
             FROM moments m
       ),
       states AS (
           SELECT m.state, tstzrange(m.at, lead(m.at) OVER (PARTITION BY m.run_id, m.node, m.index, m.life ORDER BY m.at, m.id)) AS times
             FROM lives m
       ),
       waits AS (
           SELECT unnest(coalesce(range_agg(s.times) FILTER (WHERE s.state = 'waits'), '{}')
                         - coalesce(range_agg(s.times) FILTER (WHERE s.state = 'works'), '{}')) AS times
             FROM states s
       )
       SELECT sum(least(upper(w.times), c.now) - greatest(lower(w.times), c.since))
                  FILTER (WHERE w.times && tstzrange(c.since, c.now)) AS waited,
              max(lower(w.times)) FILTER (WHERE r.completed_at IS NULL AND w.times @> c.now) AS since
         FROM waits w
        CROSS JOIN (SELECT least(coalesce(r.sla_counted_at, r.created_at), n.now) AS since, n.now
                      FROM (SELECT coalesce(r.completed_at, statement_clock()) AS now) n) c) g

-- name: held (fragment)
s.id, s.epoch, s.run_id, s.tenant_id, s.shard, s.version_id, s.node, s.undoes, s.index, s.attempt, s.priority, s.solo, s.revision

-- name: cancel_locked (fragment)
cancelled_steps AS (
    UPDATE runs_stepexecution s
       SET status = 'CANCELLED', epoch = s.epoch + 1, cancel_cause = %(cause)s, completed_at = clock.now, held = false,
           waiting = NULL
      FROM clock
     WHERE s.id = ANY (ARRAY(SELECT id FROM locked)) AND s.status = ANY (%(statuses)s::text[])
    RETURNING s.run_id, s.tenant_id, s.shard, s.node, s.index, s.attempt, s.epoch
)
/* include write_history */
SELECT c.tenant_id, c.run_id, c.shard, 100, 'STEP_CANCELLED', c.node, c.attempt,
       jsonb_strip_nulls(jsonb_build_object('index', c.index, 'epoch', c.epoch, 'cause', %(cause)s)), clock.now
  FROM cancelled_steps c CROSS JOIN clock
 ORDER BY c.run_id, c.node, c.index

-- name: tell_parents (fragment)
messages AS (
    -- Whoever ends a run must not wait for its parent, which may wait for it: a message is delivered later.
    INSERT INTO runs_runmessage (tenant_id, run_id, shard, kind, from_id, step_id, due_at)
    SELECT r.tenant_id, r.parent_id, r.shard, 'child_ended', r.id, r.parent_step_id, clock.now
      FROM ended_runs r CROSS JOIN clock
     WHERE r.parent_step_id IS NOT NULL
     ORDER BY r.id
    RETURNING 1
)

-- name: tell_parents_of_undoing (fragment)
messages AS (
    -- Of runs that begin to undo, or wait for a person since, or no longer: their parents stand accordingly.
    INSERT INTO runs_runmessage (tenant_id, run_id, shard, kind, from_id, due_at)
    SELECT r.tenant_id, r.parent_id, r.shard, 'child_undoing', r.id, clock.now
      FROM changed_runs r CROSS JOIN clock
     WHERE r.parent_id IS NOT NULL
     ORDER BY r.id
    RETURNING 1
)

-- name: current_variables (fragment)
(SELECT coalesce(json_object_agg(v.name, v.value), '{}')
   FROM (SELECT DISTINCT ON (v.name) v.name, v.value FROM runs_runvariable v
          WHERE v.run_id = r.id ORDER BY v.name, v.place DESC) v)

-- name: owner_of (fragment)
-- Whoever `s` acts for, if they are an active member: their role, and what the folder of the workflow `w` grants them.
SELECT m.role, ARRAY(SELECT unnest(g.verbs)
                       FROM accounts_foldergrant g
                      WHERE g.folder_id = w.folder_id
                        AND (g.role = m.role OR g.group_id IN (SELECT i.group_id FROM accounts_groupmember i
                                                                WHERE i.membership_id = m.id))) AS verbs
  FROM accounts_user u
  JOIN accounts_membership m ON m.user_id = u.id AND m.tenant_id = s.tenant_id
 WHERE lower(u.username) = lower(s.acts_for) AND u.is_active
