-- An open task that nobody has, and that is with nobody for changes, has a row for each mark that it asks, and no other
-- task has one.
CREATE OR REPLACE FUNCTION tasks_inbox_mark_new() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO tasks_inbox_taskmark (tenant_id, mark, task_id, due, unimportance, barred, told)
    SELECT DISTINCT ON (n.tenant_id, m.mark, n.id)
           n.tenant_id, m.mark, n.id, n.due, n.unimportance, n.exclude || n.voted, n.told
      FROM fresh n CROSS JOIN unnest(n.audience) m(mark)
     WHERE n.status = 'OPEN' AND n.assignee IS NULL AND n.returned_to IS NULL
     ORDER BY n.tenant_id, m.mark, n.id;
    RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION tasks_inbox_mark_anew() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM tasks_inbox_taskmark k
     WHERE k.tenant_id = OLD.tenant_id AND k.task_id = OLD.id
       AND k.mark = ANY (OLD.audience || ARRAY(SELECT 'proxy:' || (p ->> 'to_key') FROM jsonb_array_elements(OLD.proxies) p));
    IF TG_OP = 'UPDATE' AND NEW.status = 'OPEN' AND NEW.assignee IS NULL AND NEW.returned_to IS NULL THEN
        INSERT INTO tasks_inbox_taskmark (tenant_id, mark, task_id, due, unimportance, barred, told)
        SELECT DISTINCT NEW.tenant_id, m.mark, NEW.id, NEW.due, NEW.unimportance,
               NEW.exclude || NEW.voted || ARRAY(SELECT p ->> 'by_key' FROM jsonb_array_elements(NEW.proxies) p), NEW.told
          FROM (SELECT unnest(NEW.audience)
                 UNION ALL
                SELECT 'proxy:' || (p ->> 'to_key') FROM jsonb_array_elements(NEW.proxies) p) m(mark);
    END IF;
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER tasks_inbox_marked_anew AFTER UPDATE ON tasks_inbox_manualtask FOR EACH ROW
    WHEN ((OLD.status, OLD.assignee, OLD.returned_to, OLD.audience, OLD.exclude, OLD.voted, OLD.proxies, OLD.due,
           OLD.unimportance, OLD.told) IS DISTINCT FROM
          (NEW.status, NEW.assignee, NEW.returned_to, NEW.audience, NEW.exclude, NEW.voted, NEW.proxies, NEW.due,
           NEW.unimportance, NEW.told))
    EXECUTE FUNCTION tasks_inbox_mark_anew();
CREATE OR REPLACE TRIGGER tasks_inbox_marked AFTER INSERT ON tasks_inbox_manualtask
    REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT EXECUTE FUNCTION tasks_inbox_mark_new();
CREATE OR REPLACE TRIGGER tasks_inbox_unmarked AFTER DELETE ON tasks_inbox_manualtask FOR EACH ROW
    WHEN (OLD.status = 'OPEN') EXECUTE FUNCTION tasks_inbox_mark_anew();
