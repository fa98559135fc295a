-- Files of tasks never change; one is taken back only before somebody has decided with it.
CREATE OR REPLACE FUNCTION tasks_files_stay() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' AND current_setting('handoff.archiving', true) = 'on' THEN
        RETURN OLD;
    ELSIF TG_OP = 'UPDATE' AND OLD.withdrawn_at IS NULL AND NEW.withdrawn_at IS NOT NULL
       AND to_jsonb(NEW) - ARRAY['withdrawn_at', 'withdrawn_by'] = to_jsonb(OLD) - ARRAY['withdrawn_at', 'withdrawn_by']
       AND NOT EXISTS (SELECT 1 FROM tasks_inbox_taskdecision d WHERE d.task_id = OLD.task_id AND d.at >= OLD.at) THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION 'files of tasks are append-only' USING ERRCODE = 'restrict_violation';
END $$;
-- Bytes that a run of another tree uses move there when those of the task are archived.
CREATE OR REPLACE FUNCTION tasks_file_contents_stay() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' AND current_setting('handoff.archiving', true) = 'on' THEN
        INSERT INTO files_storedfilecontent (id, tenant_id, content)
        SELECT OLD.id, OLD.tenant_id, OLD.content WHERE EXISTS (SELECT 1 FROM files_fileuse u WHERE u.file_id = OLD.id)
            ON CONFLICT (id) DO NOTHING;
    END IF;
    IF TG_OP = 'DELETE' AND (current_setting('handoff.archiving', true) = 'on' OR EXISTS (
           SELECT 1 FROM tasks_inbox_taskfile f WHERE f.id = OLD.id AND f.withdrawn_at IS NOT NULL)) THEN
        RETURN OLD;
    END IF;
    RAISE EXCEPTION 'files of tasks are append-only' USING ERRCODE = 'restrict_violation';
END $$;
CREATE OR REPLACE TRIGGER tasks_files_stay BEFORE UPDATE OR DELETE ON tasks_inbox_taskfile
    FOR EACH ROW EXECUTE FUNCTION tasks_files_stay();
CREATE OR REPLACE TRIGGER tasks_files_stay BEFORE UPDATE OR DELETE ON tasks_inbox_taskfilecontent
    FOR EACH ROW EXECUTE FUNCTION tasks_file_contents_stay();
