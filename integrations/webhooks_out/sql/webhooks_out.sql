-- name: lease_outgoing
-- One webhook that has something to be sent now, for a while: of the tenant that is served least just then, the one that
-- was served longest ago. One at which the last attempts failed only where the caller has room for such.
WITH clock AS MATERIALIZED (SELECT clock() AS now),
one AS MATERIALIZED (
    SELECT w.id
      FROM runs_outgoingwebhook w
     CROSS JOIN clock
     WHERE w.enabled AND (w.paused_until IS NULL OR w.paused_until <= clock.now)
       AND (w.leased_until IS NULL OR w.leased_until <= clock.now)
       AND (w.failures = 0 OR %(failing)s)
       AND EXISTS (SELECT 1
                     FROM runs_outgoingdelivery d
                    WHERE d.webhook_id = w.id AND d.state = 'pending' AND (d.due_at IS NULL OR d.due_at <= clock.now)
                      AND NOT EXISTS (SELECT 1 FROM runs_outgoingdelivery b
                                       WHERE b.webhook_id = d.webhook_id AND b.run_id = d.run_id
                                         AND b.state = 'pending' AND b.event_id < d.event_id))
     ORDER BY (SELECT count(*) FROM runs_outgoingwebhook o
                WHERE o.tenant_id = w.tenant_id AND o.leased_until > clock.now),
              w.served_at NULLS FIRST, w.id
     LIMIT 1
       FOR UPDATE OF w SKIP LOCKED
)
UPDATE runs_outgoingwebhook w
   SET leased_until = clock.now + %(seconds)s * interval '1 second', leased_by = %(worker)s, served_at = clock.now
  FROM clock
 WHERE w.id = (SELECT id FROM one)
RETURNING json_build_object('webhook', w.id, 'tenant', w.tenant_id, 'url', w.url, 'failures', w.failures)

-- name: due_outgoing
-- What is to be sent now, of each run the oldest alone: what comes behind it waits until that is done with.
WITH clock AS MATERIALIZED (SELECT clock() AS now),
heads AS MATERIALIZED (
    SELECT d.id, d.message, d.run_id, d.event_id, d.type, d.attempts, d.created_at
      FROM runs_outgoingdelivery d
     CROSS JOIN clock
     WHERE d.webhook_id = %(webhook)s AND d.state = 'pending' AND (d.due_at IS NULL OR d.due_at <= clock.now)
       AND NOT EXISTS (SELECT 1 FROM runs_outgoingdelivery b
                        WHERE b.webhook_id = d.webhook_id AND b.run_id = d.run_id
                          AND b.state = 'pending' AND b.event_id < d.event_id)
     -- Tests first: somebody waits for them.
     ORDER BY d.run_id IS NOT NULL, d.id
     LIMIT %(limit)s
)
SELECT coalesce(json_agg(json_build_object(
           'id', d.id, 'message', d.message, 'run', d.run_id, 'event', d.event_id, 'type', d.type,
           'attempts', d.attempts, 'at', coalesce(h.created_at, d.created_at), 'node', h.node, 'attempt', h.attempt,
           'payload', coalesce(h.payload, '{}'), 'workflow', f.name, 'version', v.number,
           'business_key', r.business_key, 'traceparent', r.traceparent, 'tracestate', r.tracestate) ORDER BY d.id), '[]')
  FROM heads d
  LEFT JOIN LATERAL (SELECT h.created_at, h.node, h.attempt, h.payload FROM runs_historyevent h
                      WHERE h.run_id = d.run_id AND h.id = d.event_id) h ON true
  LEFT JOIN runs_run r ON r.id = d.run_id
  LEFT JOIN workflows_workflow f ON f.id = r.workflow_id
  LEFT JOIN workflows_workflowversion v ON v.id = r.version_id

-- name: outgoing_secrets
SELECT json_build_array(s.number, encode(s.sealed, 'hex'))::text
  FROM runs_outgoingsecret s
 WHERE s.webhook_id = %(webhook)s
   AND (s.expires_at IS NULL OR s.expires_at > clock())
 ORDER BY s.number DESC

-- name: note_outgoing
-- What came of some attempts. What was switched off or given up meanwhile stays so, unless it arrived.
UPDATE runs_outgoingdelivery d
   SET state = o.state, attempts = d.attempts + 1, tried_at = clock.now, status = o.status, error = o.error,
       took_ms = o.took_ms, due_at = CASE WHEN o.state = 'pending' THEN clock.now + o.pause * interval '1 second' END
  FROM jsonb_to_recordset(%(outcomes)s::jsonb)
         AS o (id bigint, state text, status smallint, error text, took_ms int, pause float8)
 CROSS JOIN (SELECT clock() AS now) clock
 WHERE d.id = o.id AND (d.state = 'pending' OR o.state = 'delivered')

-- name: note_served
-- How a webhook stands after some attempts; gives for how many seconds it has failed, where the lease is still the caller's.
UPDATE runs_outgoingwebhook w
   SET failures = CASE WHEN %(delivered)s THEN 0 ELSE w.failures + 1 END,
       failing_since = CASE WHEN NOT %(delivered)s THEN CASE
           -- Nothing was to be sent for a day after a pause: what fails now has not failed since then.
           WHEN w.paused_until < clock.now - interval '1 day' THEN clock.now
           ELSE coalesce(w.failing_since, clock.now) END END,
       paused_until = CASE WHEN %(pause)s > 0 THEN clock.now + %(pause)s * interval '1 second' END,
       delivered_at = CASE WHEN %(delivered)s THEN clock.now ELSE w.delivered_at END,
       last_error = %(error)s,
       leased_until = clock.now + %(seconds)s * interval '1 second'
  FROM (SELECT clock() AS now) clock
 WHERE w.id = %(webhook)s AND w.leased_by = %(worker)s
RETURNING json_build_object('failures', w.failures,
                            'seconds', extract(epoch FROM clock.now - coalesce(w.failing_since, clock.now)))

-- name: note_unsent
-- Why messages could not be sent that nobody was asked to take: no attempt of theirs, and nothing against the webhook.
WITH clock AS MATERIALIZED (SELECT clock() AS now),
late AS (
    UPDATE runs_outgoingdelivery d
       SET error = %(error)s, tried_at = clock.now, due_at = clock.now + %(seconds)s * interval '1 second'
      FROM clock
     WHERE d.id = ANY (%(deliveries)s) AND d.state = 'pending'
)
UPDATE runs_outgoingwebhook w SET last_error = %(error)s WHERE w.id = %(webhook)s

-- name: release_outgoing
UPDATE runs_outgoingwebhook w SET leased_until = NULL, leased_by = NULL
 WHERE w.id = %(webhook)s AND w.leased_by = %(worker)s

-- name: switch_outgoing_off
-- Gives whose it is and what it is called, where it was on.
UPDATE runs_outgoingwebhook w
   SET enabled = false, off_reason = %(reason)s, off_at = clock(),
       last_error = CASE WHEN %(error)s = '' THEN w.last_error ELSE %(error)s END
 WHERE w.id = %(webhook)s AND w.enabled
RETURNING json_build_object('tenant', w.tenant_id, 'url', w.url, 'description', w.description)

-- name: wake_outgoing
-- What waits for a webhook is tried at once.
UPDATE runs_outgoingdelivery d SET due_at = NULL
 WHERE d.webhook_id = %(webhook)s AND d.state = 'pending' AND d.due_at IS NOT NULL

-- name: discard_outgoing
-- Gives up some of what waits for a webhook, as somebody said. What is being written down just now is left for the next call.
WITH gone AS MATERIALIZED (
    SELECT d.id
      FROM runs_outgoingdelivery d
     WHERE d.webhook_id = %(webhook)s AND d.state = 'pending'
     ORDER BY d.id
     LIMIT %(limit)s
       FOR UPDATE SKIP LOCKED
)
UPDATE runs_outgoingdelivery d
   SET state = 'dropped', due_at = NULL, error = %(error)s
 WHERE d.id = ANY (ARRAY(SELECT id FROM gone))

-- name: drop_outgoing
-- What waits for webhooks that were deleted is not sent any more.
WITH gone AS MATERIALIZED (
    SELECT d.id
      FROM runs_outgoingdelivery d
     WHERE d.state = 'pending'
       AND NOT EXISTS (SELECT 1 FROM runs_outgoingwebhook w WHERE w.id = d.webhook_id)
     ORDER BY d.id
     LIMIT %(limit)s
       FOR UPDATE SKIP LOCKED
)
UPDATE runs_outgoingdelivery d
   SET state = 'dropped', due_at = NULL, error = 'The webhook was deleted.'
 WHERE d.id = ANY (ARRAY(SELECT id FROM gone))

-- name: ask_outgoing_replay
-- Has the events since a time sent again, unless some are. Ids and times of events rise together, but for how long
-- their transactions took: an hour covers that. So the first is found by halving.
WITH RECURSIVE half AS (
    SELECT coalesce(min(h.id), 1) - 1 AS low, coalesce(max(h.id), 0) AS high FROM runs_historyevent h
     UNION ALL
    SELECT CASE WHEN m.is_before THEN m.middle ELSE l.low END, CASE WHEN m.is_before THEN l.high ELSE m.middle - 1 END
      FROM half l
     CROSS JOIN LATERAL (
         SELECT (l.low + l.high + 1) / 2 AS middle,
                (SELECT h.created_at FROM runs_historyevent h WHERE h.id >= (l.low + l.high + 1) / 2 ORDER BY h.id LIMIT 1)
                    < %(since)s::timestamptz - interval '1 hour' AS is_before) m
     WHERE l.low < l.high
)
INSERT INTO runs_outgoingreplay (tenant_id, webhook_id, since, after, asked_by)
SELECT %(tenant)s, %(webhook)s, %(since)s, l.low, %(by)s FROM half l WHERE l.low >= l.high
ON CONFLICT (webhook_id) DO NOTHING
RETURNING true

-- name: page_outgoing_replay
-- Has the next events of a replay sent, those of the one that is furthest behind; gives how many were looked at, null
-- where no replay can go on: its webhook is off, or enough waits for it. What was never recorded for it is now; what waits
-- already is left alone. A replay begins when the transactions of the time when it was asked for are over, with the newest
-- event of then as its end, and is over when there is nothing left to look at.
WITH one AS MATERIALIZED (
    SELECT p.id, p.webhook_id, p.since, p.after, w.types, w.workflow_id, w.tenant_id,
           coalesce(p.until, (SELECT max(h.id) FROM runs_historyevent h), 0) AS until
      FROM runs_outgoingreplay p
      JOIN runs_outgoingwebhook w ON w.id = p.webhook_id
     WHERE w.enabled AND (p.xid < pg_snapshot_xmin(pg_current_snapshot())::text::bigint
                          -- The number is of another server, from before a restore.
                          OR p.xid >= pg_snapshot_xmax(pg_current_snapshot())::text::bigint)
       AND (SELECT count(*) FROM (SELECT 1 FROM runs_outgoingdelivery d
                                   WHERE d.webhook_id = w.id AND d.state = 'pending' LIMIT %(room)s) few) < %(room)s
     ORDER BY p.after, p.id
     LIMIT 1
       FOR UPDATE OF p SKIP LOCKED
),
looked_at AS MATERIALIZED (
    SELECT h.id, h.run_id, h.type, h.tenant_id, h.created_at
      FROM one
     CROSS JOIN LATERAL (SELECT h.* FROM runs_historyevent h
                          WHERE h.id > one.after AND h.id <= one.until ORDER BY h.id LIMIT %(limit)s) h
),
again AS (
    INSERT INTO runs_outgoingdelivery AS d (tenant_id, webhook_id, run_id, event_id, type, message)
    SELECT e.tenant_id, one.webhook_id, e.run_id, e.id, e.type, runs_outgoing_message(one.webhook_id, e.id)
      FROM looked_at e
     CROSS JOIN one
      JOIN runs_run r ON r.id = e.run_id AND NOT r.is_test
                     AND (one.workflow_id IS NULL OR one.workflow_id = r.workflow_id)
     WHERE e.tenant_id = one.tenant_id AND e.type = ANY (one.types) AND e.created_at >= one.since
     ORDER BY e.id
    ON CONFLICT (webhook_id, event_id) DO UPDATE SET state = 'pending', attempts = 0, due_at = NULL
     WHERE d.state <> 'pending'
),
moved AS (
    UPDATE runs_outgoingreplay p SET after = (SELECT max(id) FROM looked_at), until = one.until
      FROM one WHERE p.id = one.id AND (SELECT count(*) FROM looked_at) = %(limit)s
),
done AS (
    DELETE FROM runs_outgoingreplay p
     USING one WHERE p.id = one.id AND (SELECT count(*) FROM looked_at) < %(limit)s
)
SELECT (SELECT count(*) FROM looked_at) FROM one

-- name: overfull_outgoing
-- Webhooks for which more waits than may.
SELECT w.id::text
  FROM runs_outgoingwebhook w
 WHERE w.enabled
   AND (SELECT count(*)
          FROM (SELECT 1 FROM runs_outgoingdelivery d
                 WHERE d.webhook_id = w.id AND d.state = 'pending' LIMIT w.most_pending + 1) few) > w.most_pending

-- name: outgoing_pending
-- How much waits for each of these webhooks, counted up to some.
SELECT w.id::text,
       (SELECT count(*) FROM (SELECT 1 FROM runs_outgoingdelivery d
                               WHERE d.webhook_id = w.id AND d.state = 'pending' LIMIT %(most)s) few)
  FROM unnest(%(webhooks)s::uuid[]) AS w(id)

-- name: replay_outgoing
UPDATE runs_outgoingdelivery d SET state = 'pending', attempts = 0, due_at = NULL
 WHERE d.tenant_id = %(tenant)s AND d.webhook_id = %(webhook)s AND d.id = %(delivery)s
RETURNING true

-- name: retire_outgoing_secrets
-- As with webhooks that come in: what counted until now counts a little longer, never longer than was said before.
WITH clock AS MATERIALIZED (SELECT clock() AS now),
gone AS (
    DELETE FROM runs_outgoingsecret s USING clock
     WHERE s.tenant_id = %(tenant)s AND s.webhook_id = %(webhook)s AND s.expires_at <= clock.now
)
UPDATE runs_outgoingsecret s
   SET expires_at = least(s.expires_at, clock.now + %(seconds)s * interval '1 second')
  FROM clock
 WHERE s.tenant_id = %(tenant)s AND s.webhook_id = %(webhook)s AND (s.expires_at IS NULL OR s.expires_at > clock.now)

-- name: forget_outgoing
WITH old AS MATERIALIZED (
    SELECT d.id
      FROM runs_outgoingdelivery d
     WHERE d.created_at < clock() - %(days)s * interval '1 day'
       AND d.state <> 'pending'
     ORDER BY d.created_at
     LIMIT %(limit)s
       FOR UPDATE SKIP LOCKED
),
gone AS (
    DELETE FROM runs_outgoingdelivery WHERE id = ANY (ARRAY(SELECT id FROM old)) RETURNING 1
)
SELECT count(*) FROM gone
