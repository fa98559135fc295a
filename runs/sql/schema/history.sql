-- History and seals are append-only (R-037). The archiver says so in its transaction before it deletes what it has stored
-- elsewhere.
CREATE OR REPLACE FUNCTION runs_history_is_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' AND current_setting('handoff.archiving', true) = 'on' THEN
        RETURN OLD;
    END IF;
    RAISE EXCEPTION 'history is append-only' USING ERRCODE = 'restrict_violation';
END $$;
-- Runs change, but none is ever deleted, so that no history stands alone.
CREATE OR REPLACE FUNCTION runs_are_kept() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' AND current_setting('handoff.archiving', true) = 'on' THEN
        RETURN OLD;
    END IF;
    RAISE EXCEPTION 'runs are never deleted' USING ERRCODE = 'restrict_violation';
END $$;
CREATE OR REPLACE TRIGGER runs_are_kept BEFORE DELETE ON runs_run FOR EACH ROW EXECUTE FUNCTION runs_are_kept();
CREATE OR REPLACE TRIGGER runs_are_not_emptied BEFORE TRUNCATE ON runs_run EXECUTE FUNCTION runs_are_kept();
CREATE OR REPLACE TRIGGER runs_history_append_only BEFORE UPDATE OR DELETE ON runs_historyevent
    FOR EACH ROW EXECUTE FUNCTION runs_history_is_append_only();
CREATE OR REPLACE TRIGGER runs_seals_append_only BEFORE UPDATE OR DELETE ON runs_runseal
    FOR EACH ROW EXECUTE FUNCTION runs_history_is_append_only();

-- The seal of a life: link = sha256(link before || text of the event); the first link before is the id of the run.
CREATE OR REPLACE FUNCTION runs_chain_link(bytea, text, text) RETURNS bytea LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN sha256(coalesce($1, convert_to($2, 'UTF8')) || convert_to($3, 'UTF8'));
CREATE OR REPLACE AGGREGATE runs_chain(text, text) (sfunc = runs_chain_link, stype = bytea);
