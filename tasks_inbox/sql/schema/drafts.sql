-- What people have typed and not sent is theirs alone, and gone with the task or with their decision. By triggers, however a
-- task ends: a statement that ends many would not see what was typed while it waited for them.
CREATE OR REPLACE FUNCTION tasks_drafts_go_with_the_task() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM tasks_inbox_taskdraft WHERE task_id = NEW.id;
    RETURN NULL;
END $$;
CREATE OR REPLACE FUNCTION tasks_drafts_go_with_the_decision() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM tasks_inbox_taskdraft d USING accounts_user u
     WHERE d.task_id = NEW.task_id AND d.user_id = u.id AND u.username = NEW."by";
    RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER tasks_drafts_go AFTER UPDATE OF status ON tasks_inbox_manualtask
    FOR EACH ROW WHEN (OLD.status = 'OPEN' AND NEW.status <> 'OPEN') EXECUTE FUNCTION tasks_drafts_go_with_the_task();
CREATE OR REPLACE TRIGGER tasks_drafts_go AFTER INSERT ON tasks_inbox_taskdecision
    FOR EACH ROW EXECUTE FUNCTION tasks_drafts_go_with_the_decision();
