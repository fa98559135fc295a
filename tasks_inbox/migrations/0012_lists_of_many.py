"""Lists of a million open tasks: their order and values as columns, and a row for each mark that an open task asks."""

import datetime

import django.contrib.postgres.fields
import django.contrib.postgres.indexes
import django.db.models.deletion
import django.db.models.expressions
import django.db.models.functions.comparison
import django.db.models.manager
from django.db import migrations, models

TOLD = """
-- The single values of a task's facts, by label, and of what was filled in: `{"amount_in_eur": 40}`.
CREATE FUNCTION tasks_inbox_told(facts jsonb, data jsonb) RETURNS jsonb LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
    RETURN (
        SELECT coalesce(jsonb_object_agg(v.key, v.value ORDER BY v.place), '{}')
          FROM (SELECT * FROM (
                   SELECT 1 AS place, replace(lower(btrim(f ->> 'label')), ' ', '_') AS key, f -> 'value' AS value
                     FROM jsonb_array_elements(CASE jsonb_typeof(facts) WHEN 'array' THEN facts ELSE '[]' END) f
                   UNION ALL
                   SELECT 2, lower(d.key), d.value
                     FROM jsonb_each(CASE jsonb_typeof(data) WHEN 'object' THEN data ELSE '{}' END) d) w
                 WHERE jsonb_typeof(w.value) IN ('string', 'number', 'boolean') AND octet_length(w.value::text) <= 400
                   AND octet_length(w.key) BETWEEN 1 AND 100
                 LIMIT 100) v);
END $$;
"""
NOT_TOLD = "DROP FUNCTION tasks_inbox_told(jsonb, jsonb);"

MARKED = """
-- An open task that nobody has, and that is with nobody for changes, has a row for each mark that it asks, and no other task has one.
CREATE FUNCTION tasks_inbox_mark_new() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO tasks_inbox_taskmark (tenant_id, mark, task_id, due, unimportance, barred, told)
    SELECT DISTINCT ON (n.tenant_id, m.mark, n.id)
           n.tenant_id, m.mark, n.id, n.due, n.unimportance, n.exclude || n.voted, n.told
      FROM fresh n CROSS JOIN unnest(n.audience) m(mark)
     WHERE n.status = 'OPEN' AND n.assignee IS NULL AND n.returned_to IS NULL
     ORDER BY n.tenant_id, m.mark, n.id;
    RETURN NULL;
END $$;

CREATE FUNCTION tasks_inbox_mark_anew() RETURNS trigger LANGUAGE plpgsql AS $$
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

CREATE TRIGGER tasks_inbox_marked AFTER INSERT ON tasks_inbox_manualtask
    REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT EXECUTE FUNCTION tasks_inbox_mark_new();
CREATE TRIGGER tasks_inbox_marked_anew AFTER UPDATE ON tasks_inbox_manualtask FOR EACH ROW
    WHEN ((OLD.status, OLD.assignee, OLD.returned_to, OLD.audience, OLD.exclude, OLD.voted, OLD.due, OLD.unimportance,
           OLD.told) IS DISTINCT FROM
          (NEW.status, NEW.assignee, NEW.returned_to, NEW.audience, NEW.exclude, NEW.voted, NEW.due, NEW.unimportance,
           NEW.told))
    EXECUTE FUNCTION tasks_inbox_mark_anew();
CREATE TRIGGER tasks_inbox_unmarked AFTER DELETE ON tasks_inbox_manualtask FOR EACH ROW
    WHEN (OLD.status = 'OPEN') EXECUTE FUNCTION tasks_inbox_mark_anew();

INSERT INTO tasks_inbox_taskmark (tenant_id, mark, task_id, due, unimportance, barred, told)
SELECT DISTINCT ON (t.tenant_id, m.mark, t.id)
       t.tenant_id, m.mark, t.id, t.due, t.unimportance, t.exclude || t.voted, t.told
  FROM tasks_inbox_manualtask t CROSS JOIN unnest(t.audience) m(mark)
 WHERE t.status = 'OPEN' AND t.assignee IS NULL AND t.returned_to IS NULL;
"""
UNMARKED = """
DROP TRIGGER tasks_inbox_marked ON tasks_inbox_manualtask;
DROP TRIGGER tasks_inbox_marked_anew ON tasks_inbox_manualtask;
DROP TRIGGER tasks_inbox_unmarked ON tasks_inbox_manualtask;
DROP FUNCTION tasks_inbox_mark_new();
DROP FUNCTION tasks_inbox_mark_anew();
"""


class Migration(migrations.Migration):

    dependencies = [
        ('tasks_inbox', '0011_undo'),
    ]

    operations = [
        migrations.RunSQL(TOLD, NOT_TOLD),
        migrations.RemoveIndex(
            model_name='manualtask',
            name='task_mine',
        ),
        migrations.AddField(
            model_name='manualtask',
            name='due',
            field=models.GeneratedField(db_persist=True, expression=django.db.models.functions.comparison.Coalesce('due_at', models.Value(datetime.datetime(9999, 1, 1, 0, 0, tzinfo=datetime.timezone.utc))), output_field=models.DateTimeField()),
        ),
        migrations.AddField(
            model_name='manualtask',
            name='told',
            field=models.GeneratedField(db_persist=True, expression=models.Func('facts', 'data', function='tasks_inbox_told'), output_field=models.JSONField()),
        ),
        migrations.AddField(
            model_name='manualtask',
            name='unimportance',
            field=models.GeneratedField(db_persist=True, expression=django.db.models.expressions.CombinedExpression(models.Value(0), '-', models.F('priority')), output_field=models.SmallIntegerField()),
        ),
        migrations.AddIndex(
            model_name='manualtask',
            index=models.Index(condition=models.Q(('assignee__isnull', False), ('status', 'OPEN')), fields=['tenant_id', 'assignee', 'due', 'unimportance', 'id'], name='task_mine'),
        ),
        migrations.AddIndex(
            model_name='manualtask',
            index=models.Index(condition=models.Q(('delegated_by__isnull', False), ('status', 'OPEN')), fields=['tenant_id', 'delegated_by', 'due', 'unimportance', 'id'], name='task_delegated'),
        ),
        migrations.AddIndex(
            model_name='manualtask',
            index=models.Index(condition=models.Q(('returned_to__isnull', False), ('status', 'OPEN')), fields=['tenant_id', 'returned_to'], name='task_returned'),
        ),
        migrations.AddIndex(
            model_name='manualtask',
            index=models.Index(condition=models.Q(('asked_of__isnull', False), ('status', 'OPEN')), fields=['tenant_id', 'asked_of'], name='task_questions'),
        ),
        migrations.AddIndex(
            model_name='manualtask',
            index=django.contrib.postgres.indexes.GinIndex(condition=models.Q(('voted', []), _negated=True), fields=['voted'], name='task_voted'),
        ),
        migrations.AddIndex(
            model_name='manualtask',
            index=django.contrib.postgres.indexes.GinIndex(fields=['told'], name='task_told', opclasses=['jsonb_path_ops']),
        ),
        migrations.CreateModel(
            name='TaskMark',
            fields=[
                ('tenant_id', models.BigIntegerField()),
                ('pk', models.CompositePrimaryKey('tenant_id', 'mark', 'task_id', blank=True, editable=False, primary_key=True, serialize=False)),
                ('mark', models.TextField()),
                ('task', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='marks', to='tasks_inbox.manualtask')),
                ('due', models.DateTimeField()),
                ('unimportance', models.SmallIntegerField()),
                ('barred', django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), size=None)),
                ('told', models.JSONField()),
            ],
            options={
                'abstract': False,
                'base_manager_name': 'unsafe_all_tenants',
                'default_manager_name': 'unsafe_all_tenants',
                'indexes': [models.Index(fields=['tenant_id', 'mark', 'due', 'unimportance', 'task'], name='task_mark_order')],
            },
            managers=[
                ('unsafe_all_tenants', django.db.models.manager.Manager()),
            ],
        ),
        migrations.RunSQL(MARKED, UNMARKED),
    ]
