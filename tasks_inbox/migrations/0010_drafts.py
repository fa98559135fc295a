"""What people have typed and not sent: theirs alone, gone with the task or with their decision."""

import django.db.models.functions.datetime
import django.db.models.manager
from django.db import migrations, models


# By triggers, however a task ends: a statement that ends many would not see what was typed while it waited for them.
DRAFTS_GO = """
CREATE FUNCTION tasks_drafts_go_with_the_task() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM tasks_inbox_taskdraft WHERE task_id = NEW.id;
    RETURN NULL;
END $$;
CREATE FUNCTION tasks_drafts_go_with_the_decision() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM tasks_inbox_taskdraft d USING accounts_user u
     WHERE d.task_id = NEW.task_id AND d.user_id = u.id AND u.username = NEW."by";
    RETURN NULL;
END $$;
CREATE TRIGGER tasks_drafts_go AFTER UPDATE OF status ON tasks_inbox_manualtask
    FOR EACH ROW WHEN (OLD.status = 'OPEN' AND NEW.status <> 'OPEN') EXECUTE FUNCTION tasks_drafts_go_with_the_task();
CREATE TRIGGER tasks_drafts_go AFTER INSERT ON tasks_inbox_taskdecision
    FOR EACH ROW EXECUTE FUNCTION tasks_drafts_go_with_the_decision();
"""
DRAFTS_STAY = """
DROP TRIGGER tasks_drafts_go ON tasks_inbox_manualtask;
DROP TRIGGER tasks_drafts_go ON tasks_inbox_taskdecision;
DROP FUNCTION tasks_drafts_go_with_the_task();
DROP FUNCTION tasks_drafts_go_with_the_decision();
"""


class Migration(migrations.Migration):

    dependencies = [
        ('tasks_inbox', '0009_rounds'),
    ]

    operations = [
        migrations.CreateModel(
            name='TaskDraft',
            fields=[
                ('tenant_id', models.BigIntegerField()),
                ('id', models.UUIDField(primary_key=True, serialize=False)),
                ('task_id', models.UUIDField()),
                ('user_id', models.BigIntegerField()),
                ('data', models.JSONField(default=dict)),
                ('comment', models.TextField(db_default='')),
                ('shown_hash', models.TextField()),
                ('saved_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
            ],
            options={
                'abstract': False,
                'base_manager_name': 'unsafe_all_tenants',
                'default_manager_name': 'unsafe_all_tenants',
                'constraints': [models.UniqueConstraint(fields=('task_id', 'user_id'), name='task_draft_once_each')],
            },
            managers=[
                ('unsafe_all_tenants', django.db.models.manager.Manager()),
            ],
        ),
        migrations.RunSQL(DRAFTS_GO, DRAFTS_STAY),
    ]
