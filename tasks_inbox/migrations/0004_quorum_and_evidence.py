"""Several may have to decide a task, and what they decide is evidence: append-only, chained for each tenant."""

import django.contrib.postgres.fields
import django.db.models.manager
from django.db import migrations, models

EVIDENCE_STAYS = """
CREATE TRIGGER tasks_evidence_append_only BEFORE UPDATE OR DELETE ON tasks_inbox_taskdecision
    FOR EACH ROW EXECUTE FUNCTION runs_history_is_append_only();
"""
EVIDENCE_GOES = "DROP TRIGGER tasks_evidence_append_only ON tasks_inbox_taskdecision;"


class Migration(migrations.Migration):

    dependencies = [
        ('tasks_inbox', '0003_tasks_of_tests'),
        ('runs', '0009_seals'),
    ]

    operations = [
        migrations.CreateModel(
            name='EvidenceHead',
            fields=[
                ('tenant_id', models.BigIntegerField(primary_key=True, serialize=False)),
                ('seq', models.BigIntegerField()),
                ('digest', models.TextField()),
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
        migrations.AddField(
            model_name='manualtask',
            name='bars_deciders',
            field=models.BooleanField(db_default=False),
        ),
        migrations.AddField(
            model_name='manualtask',
            name='quorum',
            field=models.JSONField(null=True),
        ),
        migrations.AddField(
            model_name='manualtask',
            name='round',
            field=models.SmallIntegerField(db_default=1),
        ),
        migrations.AddField(
            model_name='manualtask',
            name='voted',
            field=django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), db_default=[], default=list, size=None),
        ),
        migrations.AddField(
            model_name='manualtask',
            name='why_excluded',
            field=models.JSONField(null=True),
        ),
        migrations.CreateModel(
            name='TaskDecision',
            fields=[
                ('tenant_id', models.BigIntegerField()),
                ('id', models.UUIDField(primary_key=True, serialize=False)),
                ('shard', models.SmallIntegerField()),
                ('run_id', models.UUIDField()),
                ('task_id', models.UUIDField()),
                ('round', models.SmallIntegerField()),
                ('seq', models.BigIntegerField()),
                ('by', models.TextField()),
                ('on_behalf_of', models.TextField(null=True)),
                ('outcome', models.TextField()),
                ('ended_with', models.TextField(null=True)),
                ('groups', django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), size=None)),
                ('data', models.JSONField(null=True)),
                ('comment', models.TextField()),
                ('record', models.TextField()),
                ('digest', models.TextField()),
                ('at', models.DateTimeField()),
            ],
            options={
                'abstract': False,
                'base_manager_name': 'unsafe_all_tenants',
                'default_manager_name': 'unsafe_all_tenants',
                'indexes': [models.Index(fields=['run_id', 'seq'], name='decision_of_run')],
                'constraints': [models.UniqueConstraint(fields=('tenant_id', 'seq'), name='decision_place_once'), models.UniqueConstraint(fields=('task_id', 'round', 'by'), name='decision_once_each')],
            },
            managers=[
                ('unsafe_all_tenants', django.db.models.manager.Manager()),
            ],
        ),
        migrations.RunSQL(EVIDENCE_STAYS, EVIDENCE_GOES),
    ]
