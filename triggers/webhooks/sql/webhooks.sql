-- name: find_webhook
-- All that decides on a message, by the database's clock; asked before anybody knows whose the token is.
WITH clock AS MATERIALIZED (SELECT clock() AS now)
SELECT json_build_object(
           'id', w.id, 'tenant_id', w.tenant_id, 'name', w.name, 'workflow', f.name, 'action', w.action,
           'mapping', w.mapping, 'preset', w.preset, 'settings', coalesce(w.settings, '{}'), 'allow_unsigned', w.allow_unsigned, 'enabled', w.enabled,
           'folder', f.folder_id, 'acts_for', w.acts_for,
           'has_refused', EXISTS (SELECT 1 FROM runs_webhookdelivery d WHERE d.webhook_id = w.id AND d.refused IS NOT NULL),
           'now', extract(epoch FROM clock.now),
           'secrets', (SELECT coalesce(json_agg(json_build_array(s.number, encode(s.sealed, 'hex')) ORDER BY s.number DESC),
                                       '[]')
                         FROM runs_webhooksecret s
                        WHERE s.webhook_id = w.id AND (s.expires_at IS NULL OR s.expires_at > clock.now)))
  FROM runs_inboundwebhook w
  JOIN workflows_workflow f ON f.id = w.workflow_id
 CROSS JOIN clock
 WHERE w.token_sha256 = %(token_sha256)s

-- name: delivered
-- Messages that were taken before bodies were kept apart had any body.
SELECT d.body_sha256 IS NULL OR d.body_sha256 = %(body_sha256)s
  FROM runs_webhookdelivery d
 WHERE d.webhook_id = %(webhook)s AND d.message_id = %(message_id)s AND d.refused IS NULL

-- name: insert_delivery
-- Of two at once the second waits here until the first has committed, and is the repetition; or goes on if that failed.
INSERT INTO runs_webhookdelivery (tenant_id, webhook_id, message_id, body_sha256, received_at)
VALUES (%(tenant)s, %(webhook)s, %(message_id)s, %(body_sha256)s, clock())
-- One that was refused is looked at anew.
ON CONFLICT (webhook_id, message_id) DO UPDATE
   SET body_sha256 = excluded.body_sha256, received_at = excluded.received_at, refused = NULL
 WHERE runs_webhookdelivery.refused IS NOT NULL
RETURNING true

-- name: last_deliveries
-- When each of these webhooks took a message that was signed. No index has one webhook's times: most are among the newest
-- of all webhooks, and of one that is seldom sent to all are few.
WITH newest AS MATERIALIZED (
    SELECT d.webhook_id, d.received_at FROM runs_webhookdelivery d
     WHERE d.refused IS NULL ORDER BY d.received_at DESC LIMIT %(window)s
)
SELECT w.id::text,
       coalesce((SELECT max(n.received_at) FROM newest n WHERE n.webhook_id = w.id),
                (SELECT max(few.received_at)
                   FROM (SELECT d.received_at
                           FROM runs_webhookdelivery d
                          WHERE d.webhook_id = w.id AND d.tenant_id = %(tenant)s AND d.refused IS NULL
                          LIMIT %(few)s) few))
  FROM unnest(%(webhooks)s::uuid[]) AS w(id)

-- name: refuse_delivery
-- What was taken meanwhile stays so.
INSERT INTO runs_webhookdelivery (tenant_id, webhook_id, message_id, body_sha256, received_at, refused)
VALUES (%(tenant)s, %(webhook)s, %(message_id)s, %(body_sha256)s, clock(), %(reason)s)
ON CONFLICT (webhook_id, message_id) DO UPDATE
   SET body_sha256 = excluded.body_sha256, received_at = excluded.received_at, refused = excluded.refused
 WHERE runs_webhookdelivery.refused IS NOT NULL

-- name: clear_refusals
DELETE FROM runs_webhookdelivery d WHERE d.webhook_id = %(webhook)s AND d.refused IS NOT NULL

-- name: forget_deliveries
WITH old AS MATERIALIZED (
    SELECT d.id
      FROM runs_webhookdelivery d
     WHERE d.received_at < clock() - %(days)s * interval '1 day'
     ORDER BY d.received_at
     LIMIT %(limit)s
       FOR UPDATE SKIP LOCKED
),
gone AS (
    DELETE FROM runs_webhookdelivery WHERE id = ANY (ARRAY(SELECT id FROM old)) RETURNING 1
)
SELECT count(*) FROM gone

-- name: retire_secrets
-- The secrets that counted until now count a little longer, never longer than was said before; what is over is removed.
WITH clock AS MATERIALIZED (SELECT clock() AS now),
gone AS (
    DELETE FROM runs_webhooksecret s USING clock
     WHERE s.tenant_id = %(tenant)s AND s.webhook_id = %(webhook)s AND s.expires_at <= clock.now
)
UPDATE runs_webhooksecret s
   SET expires_at = least(s.expires_at, clock.now + %(seconds)s * interval '1 second')
  FROM clock
 WHERE s.tenant_id = %(tenant)s AND s.webhook_id = %(webhook)s AND (s.expires_at IS NULL OR s.expires_at > clock.now)
