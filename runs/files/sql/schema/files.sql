-- Files never change, but for when they expire; one that a run uses is not deleted.
CREATE OR REPLACE FUNCTION files_stay() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' AND (current_setting('handoff.archiving', true) = 'on'
                             OR NOT EXISTS (SELECT 1 FROM files_fileuse u WHERE u.file_id = OLD.id)) THEN
        RETURN OLD;
    ELSIF TG_OP = 'UPDATE' AND NEW.expires_at IS NULL
          AND to_jsonb(NEW) - 'expires_at' = to_jsonb(OLD) - 'expires_at' THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION 'files of runs are append-only' USING ERRCODE = 'restrict_violation';
END $$;
CREATE OR REPLACE FUNCTION files_contents_stay() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' AND (current_setting('handoff.archiving', true) = 'on'
                             OR NOT EXISTS (SELECT 1 FROM files_fileuse u WHERE u.file_id = OLD.id)) THEN
        RETURN OLD;
    END IF;
    RAISE EXCEPTION 'files of runs are append-only' USING ERRCODE = 'restrict_violation';
END $$;
CREATE OR REPLACE TRIGGER files_stay BEFORE UPDATE OR DELETE ON files_storedfile
    FOR EACH ROW EXECUTE FUNCTION files_stay();
CREATE OR REPLACE TRIGGER files_stay BEFORE UPDATE OR DELETE ON files_storedfilecontent
    FOR EACH ROW EXECUTE FUNCTION files_contents_stay();

-- Whoever archives the last run of a tree removes its files, but for those that another tree uses.
CREATE OR REPLACE FUNCTION files_leave_with_runs() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    tree uuid := coalesce(OLD.tree_id, OLD.root_id);
BEGIN
    IF NOT EXISTS (SELECT 1 FROM files_fileuse u WHERE u.tree_id = tree)
       OR EXISTS (SELECT 1 FROM runs_run r WHERE r.id = tree)
       OR EXISTS (SELECT 1 FROM runs_run r WHERE r.tree_id = tree)
       OR EXISTS (SELECT 1 FROM runs_run r WHERE r.root_id = tree AND r.root_id <> r.id AND r.tree_id IS NULL) THEN
        RETURN NULL;
    END IF;
    WITH left_files AS (DELETE FROM files_fileuse u WHERE u.tree_id = tree RETURNING u.file_id),
    unused AS (
        DELETE FROM files_storedfile f
         USING left_files l
         WHERE f.id = l.file_id AND f.expires_at IS NULL
           AND NOT EXISTS (SELECT 1 FROM files_fileuse o WHERE o.file_id = f.id AND o.tree_id <> tree)
        RETURNING f.id
    )
    DELETE FROM files_storedfilecontent c USING unused n WHERE c.id = n.id;
    RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER files_leave_with_runs AFTER DELETE ON runs_run
    FOR EACH ROW EXECUTE FUNCTION files_leave_with_runs();
