-- Records of the audit log and their places in the chain are append-only. What is old goes by accounts_audit_close alone.
CREATE OR REPLACE FUNCTION accounts_audit_is_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' AND current_setting('handoff.archiving', true) = 'on' THEN
        RETURN OLD;
    END IF;
    RAISE EXCEPTION 'the audit log is append-only' USING ERRCODE = 'restrict_violation';
END $$;
CREATE OR REPLACE TRIGGER accounts_audit_append_only BEFORE UPDATE OR DELETE ON accounts_auditrecord
    FOR EACH ROW EXECUTE FUNCTION accounts_audit_is_append_only();
CREATE OR REPLACE TRIGGER accounts_audit_append_only BEFORE UPDATE OR DELETE ON accounts_auditlink
    FOR EACH ROW EXECUTE FUNCTION accounts_audit_is_append_only();
CREATE OR REPLACE TRIGGER never_emptied BEFORE TRUNCATE ON accounts_auditrecord
    EXECUTE FUNCTION accounts_audit_is_append_only();
CREATE OR REPLACE TRIGGER never_emptied BEFORE TRUNCATE ON accounts_auditlink
    EXECUTE FUNCTION accounts_audit_is_append_only();

-- What a digest is of: all columns of a record, in this order.
CREATE OR REPLACE FUNCTION accounts_audit_text(r accounts_auditrecord) RETURNS text LANGUAGE sql STABLE PARALLEL SAFE
RETURN jsonb_build_array(r.id, r.tenant_id, extract(epoch FROM r.at)::text, r.by, r.via, r.token, r.door, r.address, r.act,
                         r.target, r.before, r.after, r.reason, r.count)::text;

-- digest = sha256(digest before || text of the record); before the first one nothing.
CREATE OR REPLACE FUNCTION accounts_audit_link(bytea, text, bytea) RETURNS bytea LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN sha256(coalesce($1, $3, ''::bytea) || convert_to($2, 'UTF8'));
CREATE OR REPLACE AGGREGATE accounts_audit_chain(text, bytea) (sfunc = accounts_audit_link, stype = bytea);

-- The one way by which records go: the oldest of a tenant, of before a time that is 30 days ago at least, and a closing
-- record says which these were. It has the rights of the owner of the tables, since Handoff's own role deletes nothing.
CREATE OR REPLACE FUNCTION accounts_audit_close(closed_tenant bigint, until timestamptz, most integer) RETURNS bigint
LANGUAGE plpgsql security definer SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    closed record;
    closing bigint;
BEGIN
    IF until > now() - interval '30 days' THEN
        RAISE EXCEPTION 'audit records are kept for 30 days at least' USING ERRCODE = 'restrict_violation';
    END IF;
    PERFORM FROM accounts_audithead WHERE tenant_id = closed_tenant FOR UPDATE;
    WITH oldest AS (
        SELECT l.seq, l.digest, l.record_id, r.at
          FROM accounts_auditlink l LEFT JOIN accounts_auditrecord r ON r.id = l.record_id
         WHERE l.tenant_id = closed_tenant ORDER BY l.seq LIMIT most
    ), old AS (
        SELECT * FROM oldest
         WHERE seq < coalesce((SELECT min(seq) FROM oldest WHERE at IS NULL OR at >= until), 9223372036854775807)
    )
    SELECT min(seq) AS first, max(seq) AS last, count(*) AS count, min(at) AS since, max(at) AS until,
           (array_agg(digest ORDER BY seq DESC))[1] AS digest, array_agg(record_id) AS records
      INTO closed FROM old;
    IF closed.count = 0 THEN
        RETURN 0;
    END IF;
    INSERT INTO accounts_auditrecord
           (tenant_id, by, via, token, door, address, act, target, before, after, reason, count)
    VALUES (closed_tenant, 'handoff:server', 'server', '', 'server', '', 'audit.close', 'audit',
            '', jsonb_build_object('first', closed.first, 'last', closed.last, 'count', closed.count,
                                   'since', closed.since, 'until', closed.until,
                                   'digest', encode(closed.digest, 'hex'))::text, 'retention', 1)
    RETURNING id INTO closing;
    INSERT INTO accounts_auditpending (record_id, tenant_id) VALUES (closing, closed_tenant);
    PERFORM set_config('handoff.archiving', 'on', true);
    DELETE FROM accounts_auditlink WHERE tenant_id = closed_tenant AND seq <= closed.last;
    DELETE FROM accounts_auditrecord WHERE tenant_id = closed_tenant AND id = ANY (closed.records);
    PERFORM set_config('handoff.archiving', 'off', true);
    RETURN closed.count;
END $$;
