-- A step of an external queue that can be claimed from now on is told to a broker's consumers: who makes it so writes the
-- row of the outbox in the same transaction, by whatever statement. Only where a connection says that there is a broker
-- (`handoff.dispatch`, docs/dispatch.md); else the triggers' conditions are all that is looked at.
CREATE OR REPLACE FUNCTION runs_dispatch() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO dispatch_outbox AS o (tenant_id, step_id, run_id, queue, epoch, due_at)
    VALUES (NEW.tenant_id, NEW.id, NEW.run_id, NEW.queue, NEW.epoch, NEW.available_at)
    ON CONFLICT (step_id) DO UPDATE
       SET id = excluded.id, queue = excluded.queue, epoch = excluded.epoch, due_at = excluded.due_at,
           created_at = excluded.created_at, published_at = NULL, sends = 0, tries = 0, error = NULL;
    RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER runs_dispatch_new AFTER INSERT ON runs_stepexecution
    FOR EACH ROW WHEN (NEW.status = 'QUEUED' AND NOT NEW.held AND NEW.queue NOT IN ('default', 'blocking', 'engine')
                       AND current_setting('handoff.dispatch', true) = 'outbox')
    EXECUTE FUNCTION runs_dispatch();
CREATE OR REPLACE TRIGGER runs_dispatch_again AFTER UPDATE OF status, held, queue, available_at ON runs_stepexecution
    FOR EACH ROW WHEN (NEW.status = 'QUEUED' AND NOT NEW.held AND NEW.queue NOT IN ('default', 'blocking', 'engine')
                       AND (OLD.status <> 'QUEUED' OR OLD.held OR OLD.queue <> NEW.queue
                            OR OLD.available_at <> NEW.available_at)
                       AND current_setting('handoff.dispatch', true) = 'outbox')
    EXECUTE FUNCTION runs_dispatch();
