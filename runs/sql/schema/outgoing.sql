-- The id of a message follows from what it is about: sent again, even when its delivery is forgotten, it has the same.
CREATE OR REPLACE FUNCTION runs_outgoing_message(uuid, bigint) RETURNS uuid LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN md5($1::text || '/' || $2::text)::uuid;

-- What is sent of an event to webhooks is written by the statement that writes the event: both are there, or neither. Once
-- for each statement, whatever its number of events; where no webhook is on it looks at one small table and no more.
CREATE OR REPLACE FUNCTION runs_outgoing_events() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (SELECT 1 FROM runs_outgoingwebhook w WHERE w.enabled) THEN
        RETURN NULL;
    END IF;
    INSERT INTO runs_outgoingdelivery (tenant_id, webhook_id, run_id, event_id, type, message)
    SELECT e.tenant_id, w.id, e.run_id, e.id, e.type, runs_outgoing_message(w.id, e.id)
      FROM events e
      JOIN runs_outgoingwebhook w ON w.tenant_id = e.tenant_id AND w.enabled AND e.type = ANY (w.types)
      JOIN runs_run r ON r.id = e.run_id AND NOT r.is_test
                     AND (w.workflow_id IS NULL OR w.workflow_id = r.workflow_id)
     ORDER BY e.id, w.id;
    RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER runs_outgoing_events AFTER INSERT ON runs_historyevent
    REFERENCING NEW TABLE AS events FOR EACH STATEMENT EXECUTE FUNCTION runs_outgoing_events();
