-- name: make_alert_rules
-- The built-in rules that tenants do not have yet, of so many tenants at once.
INSERT INTO runs_alertrule (tenant_id, kind, name, built_in, params, severity, cooldown_seconds, channels, escalate_channels)
SELECT t.id, d.kind, d.name, true, d.params, d.severity, d.cooldown,
       coalesce((SELECT array_agg(c.id ORDER BY c.id) FROM runs_alertchannel c
                  WHERE c.tenant_id = t.id AND c.is_default), '{}'), '{}'
  FROM jsonb_to_recordset(%(defaults)s::jsonb) AS d(kind text, name text, params jsonb, severity text, cooldown int)
  JOIN accounts_tenant t ON (%(tenant)s::bigint IS NULL OR t.id = %(tenant)s::bigint)
 WHERE NOT EXISTS (SELECT 1 FROM runs_alertrule a WHERE a.tenant_id = t.id AND a.kind = d.kind AND a.built_in)
 ORDER BY t.id, d.kind
 LIMIT %(limit)s
ON CONFLICT DO NOTHING

-- name: open_alerts
-- The open alerts of these keys, and so many of those that are over: of rules that are off, and of kinds of which all
-- that holds was found; of the `kept` kinds, and of some rules (`kept_rules`), it was not.
WITH k AS MATERIALIZED (
    SELECT DISTINCT k.rule, k.key FROM jsonb_to_recordset(%(keys)s::jsonb) AS k(rule bigint, key text)
),
o AS (
    SELECT o.* FROM k JOIN runs_alert o ON o.rule_id = k.rule AND o.key = k.key AND o.status <> 'resolved'
    UNION ALL
    (SELECT o.*
       FROM runs_alert o JOIN runs_alertrule a ON a.id = o.rule_id
      WHERE o.status <> 'resolved' AND NOT (a.enabled AND (a.kind = ANY (%(kept)s::text[]) OR a.id = ANY (%(kept_rules)s::bigint[])))
        AND NOT EXISTS (SELECT 1 FROM k WHERE k.rule = o.rule_id AND k.key = o.key)
      ORDER BY o.id
      LIMIT %(limit)s)
)
SELECT json_build_object('id', o.id, 'rule', o.rule_id, 'key', o.key, 'status', o.status,
           'quiet_until', o.quiet_until, 'muted_until', o.muted_until, 'told_at', o.told_at, 'escalated', o.escalated_at IS NOT NULL)::text
  FROM o
 ORDER BY o.id

-- name: rules_of_alerts
SELECT json_build_object('id', a.id, 'tenant_id', a.tenant_id, 'kind', a.kind, 'cooldown_seconds', a.cooldown_seconds, 'muted_until', a.muted_until,
           'escalate_minutes', a.escalate_minutes, 'now', clock())::text
  FROM runs_alertrule a
 WHERE a.id = ANY (%(rules)s::bigint[])

-- name: former_alerts
-- The last alert of each of these keys that is over.
SELECT json_build_object('rule', f.rule_id, 'key', f.key, 'told_at', f.told_at, 'resolved_at', f.resolved_at,
           'by_hand', f.resolved_by <> '')::text
  FROM jsonb_to_recordset(%(keys)s::jsonb) AS k(rule bigint, key text)
 CROSS JOIN LATERAL (
           SELECT o.rule_id, o.key, o.told_at, o.resolved_at, o.resolved_by
             FROM runs_alert o
            WHERE o.rule_id = k.rule AND o.key = k.key AND o.status = 'resolved'
            ORDER BY o.id DESC
            LIMIT 1) f

-- name: raise_alerts
-- One alert is open of a rule and key: who comes second adds none. Gives the ids of those that tell at once.
INSERT INTO runs_alert (tenant_id, rule_id, kind, key, severity, subject, message, advice, link, workflow_id, run_id, value,
                        quiet_until, first_seen_at, last_seen_at)
SELECT a.tenant_id, a.id, a.kind, n.key, a.severity, n.subject, n.message, n.advice, n.link, n.workflow, n.run, n.value,
       n.quiet_until, n.at, n.at
  FROM jsonb_to_recordset(%(raised)s::jsonb) AS n(rule bigint, key text, subject text, message text, advice text, link text,
                                                  workflow bigint, run uuid, value float8, quiet_until timestamptz, at timestamptz)
  JOIN runs_alertrule a ON a.id = n.rule
 ORDER BY n.rule, n.key
ON CONFLICT DO NOTHING
RETURNING json_build_array(id, rule_id, key)::text

-- name: see_alerts
-- They are still so: what is said of them is as it is now.
UPDATE runs_alert o
   SET seen = o.seen + 1, last_seen_at = n.at, subject = n.subject, message = n.message, value = n.value,
       run_id = n.run, link = n.link
  FROM jsonb_to_recordset(%(seen)s::jsonb) AS n(id bigint, subject text, message text, value float8, run uuid, link text, at timestamptz)
 WHERE o.id = n.id AND o.status <> 'resolved'

-- name: resolve_alerts
UPDATE runs_alert o
   SET status = 'resolved', resolved_at = clock(), resolved_by = %(by)s
 WHERE o.id = ANY (%(alerts)s::bigint[]) AND o.status <> 'resolved'
RETURNING o.id

-- name: note_alerts_told
-- `escalated`: those who come next are told.
UPDATE runs_alert o
   SET told_at = CASE WHEN %(escalated)s THEN o.told_at ELSE clock() END,
       escalated_at = CASE WHEN %(escalated)s THEN clock() END
 WHERE o.id = ANY (%(alerts)s::bigint[]) AND o.status = 'open'
   AND CASE WHEN %(escalated)s THEN o.escalated_at IS NULL ELSE o.told_at IS NULL END
RETURNING o.id

-- name: write_alert_deliveries
-- A message for each channel of the rule that is on. That an alert is over is told to those who were told of it.
INSERT INTO runs_alertdelivery (tenant_id, alert_id, channel_id, event, due_at, created_at)
SELECT o.tenant_id, o.id, c.id, %(event)s, now.at, now.at
  FROM runs_alert o
 CROSS JOIN (SELECT clock() AS at) now
  JOIN runs_alertrule a ON a.id = o.rule_id
  JOIN runs_alertchannel c ON c.tenant_id = o.tenant_id AND c.enabled
   AND CASE %(event)s
            WHEN 'raised' THEN c.id = ANY (a.channels)
            WHEN 'escalated' THEN c.id = ANY (a.escalate_channels)
            ELSE EXISTS (SELECT 1 FROM runs_alertdelivery d WHERE d.alert_id = o.id AND d.channel_id = c.id)
       END
 WHERE o.id = ANY (%(alerts)s::bigint[])
 ORDER BY o.id, c.id
ON CONFLICT DO NOTHING

-- name: lease_alert_deliveries
-- The messages that are due, put off until their next attempt, whatever becomes of who has them now. One of an alert
-- waits for those to the same channel before it.
UPDATE runs_alertdelivery d
   SET attempts = d.attempts + 1,
       due_at = n.at + least(%(longest)s, %(first)s * 2 ^ d.attempts) * interval '1 second'
  FROM (SELECT clock() AS at) n
 WHERE d.id = ANY (ARRAY(
           SELECT x.id FROM runs_alertdelivery x
            WHERE x.state = 'pending' AND x.due_at <= clock()
              AND NOT EXISTS (SELECT 1 FROM runs_alertdelivery b
                               WHERE b.alert_id = x.alert_id AND b.channel_id = x.channel_id AND b.id < x.id
                                 AND b.state = 'pending')
            ORDER BY x.due_at, x.id
            LIMIT %(limit)s
              FOR UPDATE SKIP LOCKED))
RETURNING json_build_object('id', d.id, 'tenant', d.tenant_id, 'message', d.message, 'event', d.event, 'attempts', d.attempts,
              'alert', d.alert_id, 'channel', d.channel_id)::text

-- name: read_alert_messages
-- What is to be said in these messages, and to whom; one whose channel is gone or off is not here.
SELECT json_build_object('id', d.id, 'kind', c.kind, 'number', c.number, 'sealed', encode(c.sealed, 'hex'), 'channel_name', c.name,
           'subject', o.subject, 'text', o.message, 'advice', o.advice, 'link', o.link, 'severity', o.severity, 'rule', o.kind,
           'status', o.status, 'value', o.value, 'key', o.rule_id || ':' || o.key, 'first_seen_at', o.first_seen_at)::text
  FROM runs_alertdelivery d
  JOIN runs_alertchannel c ON c.id = d.channel_id AND c.tenant_id = d.tenant_id AND (c.enabled OR d.event = 'test')
  LEFT JOIN runs_alert o ON o.id = d.alert_id
 WHERE d.id = ANY (%(deliveries)s::bigint[]) AND (o.id IS NOT NULL OR d.event = 'test')

-- name: note_alert_deliveries
UPDATE runs_alertdelivery d
   SET state = n.state, error = n.error,
       sent_at = CASE n.state WHEN 'sent' THEN clock() END
  FROM jsonb_to_recordset(%(outcomes)s::jsonb) AS n(id bigint, state text, error text)
 WHERE d.id = n.id AND d.state = 'pending'

-- name: forget_alerts
-- What was over long ago, and the messages of it.
WITH old AS MATERIALIZED (
    SELECT o.id FROM runs_alert o
     WHERE o.status = 'resolved'
       AND o.resolved_at < clock() - %(days)s * interval '1 day'
     ORDER BY o.resolved_at
     LIMIT %(limit)s
       FOR UPDATE SKIP LOCKED
),
gone AS (
    DELETE FROM runs_alert WHERE id = ANY (ARRAY(SELECT id FROM old)) RETURNING 1
),
messages AS (
    DELETE FROM runs_alertdelivery WHERE id = ANY (ARRAY(
        SELECT d.id FROM runs_alertdelivery d
         WHERE d.created_at < clock() - %(days)s * interval '1 day'
         ORDER BY d.created_at
         LIMIT %(limit)s
           FOR UPDATE SKIP LOCKED))
    RETURNING 1
)
SELECT (SELECT count(*) FROM gone) + (SELECT count(*) FROM messages)
