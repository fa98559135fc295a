-- Decisions and what is said of tasks are evidence: append-only, links of a chain for each tenant.
CREATE OR REPLACE TRIGGER tasks_evidence_append_only BEFORE UPDATE OR DELETE ON tasks_inbox_taskdecision
    FOR EACH ROW EXECUTE FUNCTION runs_history_is_append_only();
CREATE OR REPLACE TRIGGER tasks_remarks_append_only BEFORE UPDATE OR DELETE ON tasks_inbox_taskcomment
    FOR EACH ROW EXECUTE FUNCTION runs_history_is_append_only();

-- No table of evidence can be emptied at once.
CREATE OR REPLACE FUNCTION tasks_never_emptied() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END $$;
CREATE OR REPLACE TRIGGER never_emptied BEFORE TRUNCATE ON runs_historyevent EXECUTE FUNCTION tasks_never_emptied();
CREATE OR REPLACE TRIGGER never_emptied BEFORE TRUNCATE ON runs_runseal EXECUTE FUNCTION tasks_never_emptied();
CREATE OR REPLACE TRIGGER never_emptied BEFORE TRUNCATE ON tasks_inbox_taskdecision EXECUTE FUNCTION tasks_never_emptied();
CREATE OR REPLACE TRIGGER never_emptied BEFORE TRUNCATE ON tasks_inbox_taskcomment EXECUTE FUNCTION tasks_never_emptied();
CREATE OR REPLACE TRIGGER never_emptied BEFORE TRUNCATE ON tasks_inbox_evidencehead EXECUTE FUNCTION tasks_never_emptied();
