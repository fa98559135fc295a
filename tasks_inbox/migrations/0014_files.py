"""Files of tasks: never changed; taken back only before somebody has decided with them."""

import django.db.models.functions.datetime
import django.db.models.manager
from django.db import migrations, models


FILES_STAY = """
CREATE FUNCTION tasks_files_stay() RETURNS trigger LANGUAGE plpgsql AS $$
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
CREATE FUNCTION tasks_file_contents_stay() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' AND (current_setting('handoff.archiving', true) = 'on' OR EXISTS (
           SELECT 1 FROM tasks_inbox_taskfile f WHERE f.id = OLD.id AND f.withdrawn_at IS NOT NULL)) THEN
        RETURN OLD;
    END IF;
    RAISE EXCEPTION 'files of tasks are append-only' USING ERRCODE = 'restrict_violation';
END $$;
CREATE TRIGGER tasks_files_stay BEFORE UPDATE OR DELETE ON tasks_inbox_taskfile
    FOR EACH ROW EXECUTE FUNCTION tasks_files_stay();
CREATE TRIGGER tasks_files_stay BEFORE UPDATE OR DELETE ON tasks_inbox_taskfilecontent
    FOR EACH ROW EXECUTE FUNCTION tasks_file_contents_stay();
"""
FILES_GO = """
DROP TRIGGER tasks_files_stay ON tasks_inbox_taskfile;
DROP TRIGGER tasks_files_stay ON tasks_inbox_taskfilecontent;
DROP FUNCTION tasks_files_stay();
DROP FUNCTION tasks_file_contents_stay();
"""


class Migration(migrations.Migration):

    dependencies = [
        ('tasks_inbox', '0013_inbox_views'),
    ]

    operations = [
        migrations.CreateModel(
            name='TaskFileContent',
            fields=[
                ('tenant_id', models.BigIntegerField()),
                ('id', models.UUIDField(primary_key=True, serialize=False)),
                ('content', models.BinaryField()),
            ],
            options={
                'abstract': False,
                'base_manager_name': 'unsafe_all_tenants',
                'default_manager_name': 'unsafe_all_tenants',
            },
            managers=[
                ('unsafe_all_tenants', django.db.models.manager.Manager()),
            ],
        ),
        migrations.CreateModel(
            name='TaskFile',
            fields=[
                ('tenant_id', models.BigIntegerField()),
                ('id', models.UUIDField(primary_key=True, serialize=False)),
                ('run_id', models.UUIDField()),
                ('task_id', models.UUIDField()),
                ('name', models.TextField()),
                ('media_type', models.TextField()),
                ('size', models.IntegerField()),
                ('sha256', models.TextField()),
                ('by', models.TextField()),
                ('at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('withdrawn_by', models.TextField(null=True)),
                ('withdrawn_at', models.DateTimeField(null=True)),
            ],
            options={
                'abstract': False,
                'base_manager_name': 'unsafe_all_tenants',
                'default_manager_name': 'unsafe_all_tenants',
                'indexes': [models.Index(fields=['task_id', 'id'], name='task_files')],
            },
            managers=[
                ('unsafe_all_tenants', django.db.models.manager.Manager()),
            ],
        ),
        migrations.RunSQL(FILES_STAY, FILES_GO),
    ]
