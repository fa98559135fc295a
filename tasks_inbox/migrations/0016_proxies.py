"""Votes in somebody else's hands: an open task also asks who has one, and bars whose it was."""

from django.db import migrations, models

WITH_PROXIES = """
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

DROP TRIGGER tasks_inbox_marked_anew ON tasks_inbox_manualtask;
CREATE TRIGGER tasks_inbox_marked_anew AFTER UPDATE ON tasks_inbox_manualtask FOR EACH ROW
    WHEN ((OLD.status, OLD.assignee, OLD.returned_to, OLD.audience, OLD.exclude, OLD.voted, OLD.proxies, OLD.due,
           OLD.unimportance, OLD.told) IS DISTINCT FROM
          (NEW.status, NEW.assignee, NEW.returned_to, NEW.audience, NEW.exclude, NEW.voted, NEW.proxies, NEW.due,
           NEW.unimportance, NEW.told))
    EXECUTE FUNCTION tasks_inbox_mark_anew();
"""
WITHOUT = """
-- While the trigger still writes the marks anew.
UPDATE tasks_inbox_manualtask SET proxies = '[]' WHERE proxies <> '[]';
DROP TRIGGER tasks_inbox_marked_anew ON tasks_inbox_manualtask;

CREATE OR REPLACE FUNCTION tasks_inbox_mark_anew() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM tasks_inbox_taskmark k
     WHERE k.tenant_id = OLD.tenant_id AND k.mark = ANY (OLD.audience) AND k.task_id = OLD.id;
    IF TG_OP = 'UPDATE' AND NEW.status = 'OPEN' AND NEW.assignee IS NULL AND NEW.returned_to IS NULL THEN
        INSERT INTO tasks_inbox_taskmark (tenant_id, mark, task_id, due, unimportance, barred, told)
        SELECT DISTINCT NEW.tenant_id, m.mark, NEW.id, NEW.due, NEW.unimportance, NEW.exclude || NEW.voted, NEW.told
          FROM unnest(NEW.audience) m(mark);
    END IF;
    RETURN NULL;
END $$;

CREATE TRIGGER tasks_inbox_marked_anew AFTER UPDATE ON tasks_inbox_manualtask FOR EACH ROW
    WHEN ((OLD.status, OLD.assignee, OLD.returned_to, OLD.audience, OLD.exclude, OLD.voted, OLD.due, OLD.unimportance,
           OLD.told) IS DISTINCT FROM
          (NEW.status, NEW.assignee, NEW.returned_to, NEW.audience, NEW.exclude, NEW.voted, NEW.due, NEW.unimportance,
           NEW.told))
    EXECUTE FUNCTION tasks_inbox_mark_anew();
"""


class Migration(migrations.Migration):

    dependencies = [
        ('tasks_inbox', '0015_incidents'),
    ]

    operations = [
        migrations.AddField(
            model_name='manualtask',
            name='proxies',
            field=models.JSONField(db_default=models.Value([], models.JSONField()), default=list),
        ),
        migrations.AddIndex(
            model_name='manualtask',
            index=models.Index(condition=models.Q(('status', 'OPEN'), models.Q(('proxies', []), _negated=True)), fields=['tenant_id'], name='task_proxies'),
        ),
        migrations.RunSQL(WITH_PROXIES, WITHOUT),
    ]
