"""Timers, signals, what a step waits for, and when a run's deadline is looked at."""

import django.contrib.postgres.fields
import django.db.models.functions.datetime
import django.db.models.manager
from django.db import migrations, models

HOT = ("runs_timer", "runs_signal")
# As the other hot tables (0002).
TUNED = "".join(
    f"""
    ALTER TABLE {table} SET (
        autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000,
        autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 20000,
        autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 200000);
    """
    for table in HOT
)

class Migration(migrations.Migration):

    dependencies = [
        ('runs', '0003_find_runs'),
        ('workflows', '0002_versions_are_immutable'),
    ]

    operations = [
        migrations.CreateModel(
            name='Signal',
            fields=[
                ('tenant_id', models.BigIntegerField()),
                ('id', models.UUIDField(primary_key=True, serialize=False)),
                ('root_id', models.UUIDField()),
                ('run_id', models.UUIDField()),
                ('shard', models.SmallIntegerField()),
                ('signal_id', models.TextField()),
                ('name', models.TextField()),
                ('payload', models.JSONField(null=True)),
                ('sent_by', models.TextField()),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('consumed_at', models.DateTimeField(null=True)),
                ('step_id', models.UUIDField(null=True)),
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
            name='Timer',
            fields=[
                ('tenant_id', models.BigIntegerField()),
                ('id', models.UUIDField(primary_key=True, serialize=False)),
                ('run_id', models.UUIDField()),
                ('shard', models.SmallIntegerField()),
                ('step_id', models.UUIDField()),
                ('node', models.TextField()),
                ('kind', models.TextField(choices=[('wait', 'wait'), ('timeout', 'timeout'), ('boundary', 'boundary')])),
                ('target', models.TextField(null=True)),
                ('interrupting', models.BooleanField(db_default=False)),
                ('fire_at', models.DateTimeField()),
                ('status', models.TextField(choices=[('PENDING', 'PENDING'), ('FIRED', 'FIRED'), ('CANCELLED', 'CANCELLED')], db_default='PENDING')),
                ('settled_at', models.DateTimeField(null=True)),
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
            model_name='run',
            name='sla_look_at',
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name='stepexecution',
            name='fired',
            field=django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), null=True, size=None),
        ),
        migrations.AddField(
            model_name='stepexecution',
            name='waiting',
            field=models.JSONField(null=True),
        ),
        migrations.AddIndex(
            model_name='run',
            index=models.Index(condition=models.Q(('sla_look_at__isnull', False)), fields=['sla_look_at'], name='run_sla_due'),
        ),
        migrations.AddIndex(
            model_name='signal',
            index=models.Index(condition=models.Q(('consumed_at__isnull', True)), fields=['root_id', 'name', 'id'], name='signal_unread'),
        ),
        migrations.AddConstraint(
            model_name='signal',
            constraint=models.UniqueConstraint(fields=('root_id', 'signal_id'), name='signal_once_per_chain'),
        ),
        migrations.AddIndex(
            model_name='timer',
            index=models.Index(condition=models.Q(('status', 'PENDING')), fields=['fire_at'], name='timer_due'),
        ),
        migrations.AddIndex(
            model_name='timer',
            index=models.Index(condition=models.Q(('status', 'PENDING')), fields=['run_id'], name='timer_of_run'),
        ),
        migrations.RunSQL(TUNED, migrations.RunSQL.noop),
    ]
