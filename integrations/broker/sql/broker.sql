-- name: lead_outbox
-- Lead the relays from now on, or go on with it as the one of this `epoch`; gives the epoch, and nothing where another
-- leads. The next life of a holder `replaces` the one before.
WITH quickly AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true))
INSERT INTO runs_dispatchleader AS l (name, holder, epoch, expires_at)
SELECT 'relay', %(holder)s, 1, clock_timestamp() + %(seconds)s * interval '1 second' FROM quickly
ON CONFLICT (name) DO UPDATE
   SET holder = excluded.holder, expires_at = excluded.expires_at,
       epoch = l.epoch + CASE WHEN l.holder = excluded.holder AND l.epoch = %(epoch)s THEN 0 ELSE 1 END
 WHERE l.holder = excluded.holder AND (l.epoch = %(epoch)s OR %(replaces)s) OR l.expires_at <= clock_timestamp()
RETURNING epoch

-- name: leave_outbox
UPDATE runs_dispatchleader SET expires_at = clock_timestamp() WHERE holder = %(holder)s AND epoch = %(epoch)s

-- name: aside_tries (fragment)
10

-- name: waits_still (fragment)
-- The step `s` of the row `o` of the outbox can be claimed as that says.
s.status = 'QUEUED' AND NOT s.held AND s.epoch = o.epoch AND s.queue = o.queue

-- name: due_events
-- What is to be published now, in order; and the rows whose step can't be claimed as they say (`gone`). Behind a row
-- that couldn't be published, later ones of its run and queue wait, until it was tried so often that it is set `aside`;
-- other queues have other topics, between which there is no order.
WITH due AS MATERIALIZED (
    SELECT o.*
      FROM dispatch_outbox o
     WHERE o.published_at IS NULL AND o.due_at <= statement_clock()
       AND NOT EXISTS (SELECT 1 FROM dispatch_outbox e
                        WHERE e.run_id = o.run_id AND e.published_at IS NULL AND e.tries > 0 AND e.tries < /* include aside_tries */
                          AND e.queue = o.queue AND e.id < o.id)
     ORDER BY o.due_at, o.id
     LIMIT %(limit)s
)
SELECT json_build_array(
       (SELECT coalesce(json_agg(json_build_array(
                   /* include held */, /* include given_input */,
                   o.id, o.queue, o.created_at, o.tries,
                   extract(epoch FROM clock() - greatest(o.due_at, o.created_at))) ORDER BY o.id), '[]')
          FROM due o JOIN runs_stepexecution s ON s.id = o.step_id
         WHERE /* include waits_still */),
       (SELECT coalesce(json_agg(o.id), '[]')
          FROM due o
         WHERE NOT EXISTS (SELECT 1 FROM runs_stepexecution s WHERE s.id = o.step_id AND /* include waits_still */)))

-- name: settle_events
-- What became of the rows, said by who leads; another may have taken over, and then nothing is written. A row that was
-- written anew meanwhile has another id. What was sent is due again, later each time, until somebody takes it.
WITH leads AS MATERIALIZED (
    SELECT 1 FROM runs_dispatchleader WHERE name = 'relay' AND holder = %(holder)s AND epoch = %(epoch)s FOR SHARE
),
clock AS MATERIALIZED (SELECT clock() AS now),
gone AS (
    DELETE FROM dispatch_outbox WHERE id = ANY (%(gone)s::bigint[]) AND EXISTS (SELECT 1 FROM leads)
),
failed AS (
    UPDATE dispatch_outbox o
       SET tries = f.tries, error = f.why, due_at = clock.now + f.seconds * interval '1 second'
      FROM jsonb_to_recordset(%(failed)s::jsonb) AS f(row bigint, why text, tries int, seconds double precision) CROSS JOIN clock
     WHERE o.id = f.row AND EXISTS (SELECT 1 FROM leads)
),
sent AS (
    UPDATE dispatch_outbox o
       SET published_at = clock.now, sends = o.sends + 1, tries = 0, error = NULL,
           due_at = clock.now + least(%(resend_seconds)s * power(2, least(o.sends, 30)), %(most_seconds)s) * interval '1 second'
      FROM clock
     WHERE o.id = ANY (%(sent)s::bigint[]) AND o.published_at IS NULL AND EXISTS (SELECT 1 FROM leads)
)
SELECT count(*) FROM leads

-- name: resend_events
-- What was published long ago, and nobody has taken since: if it can be taken still it is published anew, and forgotten
-- otherwise.
WITH clock AS MATERIALIZED (SELECT clock() AS now),
late AS MATERIALIZED (
    SELECT o.id, s.id IS NOT NULL AS is_there
      FROM dispatch_outbox o
      LEFT JOIN runs_stepexecution s
        ON s.id = o.step_id AND /* include waits_still */
     WHERE o.published_at IS NOT NULL AND o.due_at <= (SELECT now FROM clock)
     ORDER BY o.due_at
     LIMIT %(limit)s
       FOR UPDATE OF o SKIP LOCKED
),
forgotten AS (DELETE FROM dispatch_outbox o USING late WHERE o.id = late.id AND NOT late.is_there RETURNING 1),
again AS (
    UPDATE dispatch_outbox o
       SET id = nextval(pg_get_serial_sequence('dispatch_outbox', 'id')), published_at = NULL, due_at = clock.now
      FROM late CROSS JOIN clock
     WHERE o.id = late.id AND late.is_there
    RETURNING 1
)
SELECT json_build_array((SELECT count(*) FROM again), (SELECT count(*) FROM forgotten))

-- name: queues_told
-- The queues of consumers that have something to claim.
WITH RECURSIVE /* include queues_found */
SELECT coalesce(json_agg(queue ORDER BY place), '[]')
  FROM found WHERE queue IS NOT NULL AND queue <> ALL (%(built_in)s::text[])

-- name: add_missing_events
-- Jobs of a queue that can be claimed and of which nobody is told: they are from before there was a broker, or were
-- queued by hand. Looks at the next ones behind a place in the order of the index; gives how many those were, how many
-- of them were missing, and the place of the last.
WITH looked AS MATERIALIZED (
    SELECT *
      FROM ((SELECT 1 AS part, s.tenant_id, s.priority, s.available_at, s.id, s.run_id, s.epoch
               FROM runs_stepexecution s
              WHERE s.queue = %(queue)s AND s.status = 'QUEUED' AND NOT s.held
                AND s.tenant_id = %(tenant)s AND s.priority = %(priority)s
                AND (s.available_at, s.id) > (%(available_at)s::timestamptz, %(step)s::uuid)
              ORDER BY s.available_at, s.id
              LIMIT %(limit)s)
            UNION ALL
            (SELECT 2, s.tenant_id, s.priority, s.available_at, s.id, s.run_id, s.epoch
               FROM runs_stepexecution s
              WHERE s.queue = %(queue)s AND s.status = 'QUEUED' AND NOT s.held
                AND s.tenant_id = %(tenant)s AND s.priority < %(priority)s
              ORDER BY s.priority DESC, s.available_at, s.id
              LIMIT %(limit)s)
            UNION ALL
            (SELECT 3, s.tenant_id, s.priority, s.available_at, s.id, s.run_id, s.epoch
               FROM runs_stepexecution s
              WHERE s.queue = %(queue)s AND s.status = 'QUEUED' AND NOT s.held AND s.tenant_id > %(tenant)s
              ORDER BY s.tenant_id, s.priority DESC, s.available_at, s.id
              LIMIT %(limit)s)) s
     ORDER BY part, tenant_id, priority DESC, available_at, id
     LIMIT %(limit)s
),
added AS (
    INSERT INTO dispatch_outbox (tenant_id, step_id, run_id, queue, epoch, due_at)
    SELECT l.tenant_id, l.id, l.run_id, %(queue)s, l.epoch, l.available_at
      FROM looked l
     WHERE l.available_at <= statement_clock() - %(older_seconds)s * interval '1 second'
       AND NOT EXISTS (SELECT 1 FROM dispatch_outbox o WHERE o.step_id = l.id)
     ORDER BY l.id
    ON CONFLICT (step_id) DO NOTHING
    RETURNING 1
)
SELECT json_build_array(
       (SELECT count(*) FROM looked), (SELECT count(*) FROM added),
       (SELECT json_build_array(tenant_id, priority, available_at, id)
          FROM looked ORDER BY part DESC, tenant_id DESC, priority, available_at DESC, id DESC LIMIT 1))

-- name: waiting_asides
-- Of what was set aside of a tenant, the next rows behind one, or those that came last: which of them are of jobs that
-- wait still, each with its node, and behind which row there may be more. Each step has to be looked up for that.
WITH looked AS MATERIALIZED (
    SELECT id, step_id, epoch, queue FROM dispatch_outbox
     WHERE published_at IS NULL AND tries >= /* include aside_tries */ AND tenant_id = %(tenant)s
       AND id > coalesce(%(behind)s::bigint,
                         (SELECT id FROM dispatch_outbox
                           WHERE published_at IS NULL AND tries >= /* include aside_tries */ AND tenant_id = %(tenant)s
                           ORDER BY id DESC OFFSET %(most_looked_at)s LIMIT 1),
                         0)
     ORDER BY id
     LIMIT %(most_looked_at)s
),
waiting AS MATERIALIZED (
    SELECT o.id, s.node
      FROM looked o
     CROSS JOIN LATERAL (SELECT s.node FROM runs_stepexecution s
                          WHERE s.id = o.step_id AND /* include waits_still */
                          LIMIT 1) s
     ORDER BY o.id
     LIMIT %(most)s
)
SELECT json_build_array(
       (SELECT coalesce(json_agg(json_build_array(id, node) ORDER BY id), '[]') FROM waiting),
       CASE WHEN (SELECT count(*) FROM waiting) >= %(most)s THEN (SELECT max(id) FROM waiting)
            WHEN (SELECT count(*) FROM looked) >= %(most_looked_at)s THEN (SELECT max(id) FROM looked) END)

-- name: retry_aside
-- These of what was set aside of a tenant are due now.
WITH clock AS MATERIALIZED (SELECT clock() AS now),
wanted AS MATERIALIZED (
    SELECT o.id
      FROM dispatch_outbox o
     WHERE o.id = ANY (%(rows)s::bigint[]) AND o.tenant_id = %(tenant)s
       AND o.published_at IS NULL AND o.tries >= /* include aside_tries */ AND o.due_at > (SELECT now FROM clock)
     ORDER BY o.id
       FOR UPDATE OF o SKIP LOCKED
)
UPDATE dispatch_outbox o SET due_at = clock.now FROM wanted CROSS JOIN clock WHERE o.id = wanted.id

-- name: empty_outbox
-- There is no broker any more: nobody is told of anything. Where a relay leads another Handoff has one.
WITH first AS MATERIALIZED (
    SELECT id FROM dispatch_outbox
     WHERE NOT EXISTS (SELECT 1 FROM runs_dispatchleader WHERE expires_at > clock_timestamp())
     ORDER BY id
     LIMIT %(limit)s
       FOR UPDATE SKIP LOCKED
)
DELETE FROM dispatch_outbox o USING first WHERE o.id = first.id

-- name: outbox_standing
-- How many rows wait to be published, since when, what couldn't be and why, and what was and nobody has taken. Of what
-- couldn't be, jobs that somebody has got by polling don't count: their rows go when they are due. Each step has to be
-- looked up for that, so few are counted, and those that came last are looked at: who polls takes the first ones.
WITH clock AS MATERIALIZED (SELECT clock() AS now),
waiting AS MATERIALIZED (
    SELECT o.due_at FROM dispatch_outbox o WHERE o.published_at IS NULL AND o.due_at <= (SELECT now FROM clock)
     ORDER BY o.due_at, o.id LIMIT %(most)s
),
failed AS MATERIALIZED (
    (SELECT id, step_id, epoch, queue, error, true AS is_aside FROM dispatch_outbox
      WHERE published_at IS NULL AND tries >= /* include aside_tries */
      ORDER BY tenant_id DESC, id DESC LIMIT %(most_looked_at)s)
    UNION ALL
    (SELECT id, step_id, epoch, queue, error, false FROM dispatch_outbox
      WHERE published_at IS NULL AND tries > 0 AND tries < /* include aside_tries */
      ORDER BY run_id DESC, queue DESC LIMIT %(most_looked_at)s)
),
failing AS MATERIALIZED (
    SELECT o.id, o.error, o.is_aside
      FROM failed o
     CROSS JOIN LATERAL (SELECT 1 FROM runs_stepexecution s
                          WHERE s.id = o.step_id AND /* include waits_still */
                          LIMIT 1) s
     LIMIT %(most_failing)s
)
SELECT json_build_object(
       'waiting', (SELECT count(*) FROM waiting),
       'oldest_seconds', (SELECT extract(epoch FROM clock.now - min(due_at)) FROM waiting, clock GROUP BY clock.now),
       'failing', (SELECT count(*) FROM failing),
       'aside', (SELECT count(*) FROM failing WHERE is_aside),
       'or_more', CASE WHEN (SELECT count(*) FROM failing) >= %(most_failing)s THEN true
                       ELSE (SELECT greatest(count(*) FILTER (WHERE is_aside), count(*) FILTER (WHERE NOT is_aside))
                               FROM failed) >= %(most_looked_at)s END,
       'why', (SELECT error FROM failing ORDER BY is_aside DESC, id LIMIT 1),
       'told', (SELECT count(*) FROM (SELECT 1 FROM dispatch_outbox WHERE published_at IS NOT NULL LIMIT %(most)s) x),
       'leader', (SELECT json_build_array(holder, epoch, extract(epoch FROM expires_at - clock_timestamp()))
                    FROM runs_dispatchleader WHERE name = 'relay'))
