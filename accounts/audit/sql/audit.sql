-- name: add_audit_records
-- With the change that they are about. They wait to be chained, so that nobody waits for the end of the chain here.
WITH added AS (
    INSERT INTO accounts_auditrecord
           (tenant_id, at, by, via, token, door, address, act, target, before, after, reason, count)
    SELECT tenant_id, clock(), by, via, token, door, address, act, target, before,
           after, reason, count
      FROM jsonb_to_recordset(%(records)s::jsonb)
           AS r(tenant_id bigint, by text, via text, token text, door text, address text, act text, target text,
                before text, after text, reason text, count integer)
    RETURNING id, tenant_id
)
INSERT INTO accounts_auditpending (record_id, tenant_id) SELECT id, tenant_id FROM added

-- name: hold_audit_chain
-- One process at a time, until its transaction ends; nobody waits.
SELECT pg_try_advisory_xact_lock(hashtext('accounts.audit.chain'))

-- name: chain_audit_records
-- Who holds the chain: records that have been committed get the next places of their tenants, in the order of their ids.
WITH due AS (
    DELETE FROM accounts_auditpending
     WHERE record_id IN (SELECT record_id FROM accounts_auditpending ORDER BY record_id LIMIT %(limit)s)
    RETURNING record_id
), links AS (
    SELECT r.tenant_id, r.id, coalesce(h.seq, 0) + row_number() OVER records AS seq,
           accounts_audit_chain(accounts_audit_text(r), h.digest) OVER records AS digest
      FROM due JOIN accounts_auditrecord r ON r.id = due.record_id
      LEFT JOIN accounts_audithead h ON h.tenant_id = r.tenant_id
    WINDOW records AS (PARTITION BY r.tenant_id ORDER BY r.id)
), linked AS (
    INSERT INTO accounts_auditlink (tenant_id, record_id, seq, digest) SELECT tenant_id, id, seq, digest FROM links
), ends AS (
    INSERT INTO accounts_audithead (tenant_id, seq, digest)
    SELECT DISTINCT ON (tenant_id) tenant_id, seq, digest FROM links ORDER BY tenant_id, seq DESC
    ON CONFLICT (tenant_id) DO UPDATE SET seq = excluded.seq, digest = excluded.digest
)
SELECT count(*) FROM links

-- name: audit_links
SELECT l.seq, l.digest, CASE WHEN r.id IS NOT NULL THEN accounts_audit_text(r) END
  FROM accounts_auditlink l LEFT JOIN accounts_auditrecord r ON r.id = l.record_id AND r.tenant_id = l.tenant_id
 WHERE l.tenant_id = %(tenant)s AND l.seq > %(after)s AND l.seq <= %(until)s
 ORDER BY l.seq LIMIT %(limit)s

-- name: audit_records_outside
-- Records of a tenant that are in no chain and do not wait to be.
SELECT r.id FROM accounts_auditrecord r
 WHERE r.tenant_id = %(tenant)s
   AND NOT EXISTS (SELECT FROM accounts_auditlink l WHERE l.record_id = r.id)
   AND NOT EXISTS (SELECT FROM accounts_auditpending p WHERE p.record_id = r.id)
 ORDER BY r.id LIMIT %(limit)s

-- name: close_audit_records
-- Of every tenant with old records, up to so many.
SELECT coalesce(sum(accounts_audit_close(t.id, now() - make_interval(days => %(days)s), %(limit)s)), 0)::bigint
  FROM accounts_tenant t
 WHERE EXISTS (SELECT FROM accounts_auditrecord r
                WHERE r.tenant_id = t.id AND r.at < now() - make_interval(days => %(days)s))
