"""The tables of telemetry, which the migrations of runs have made."""

import django.db.models.manager
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('runs', '0002_release_0_2'),
    ]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.CreateModel(
                    name='RunTelemetry',
                    fields=[
                        ('tenant_id', models.BigIntegerField()),
                        ('span', models.TextField()),
                        ('at', models.DateTimeField()),
                        ('workflow_id', models.BigIntegerField()),
                        ('version_id', models.BigIntegerField()),
                        ('pk', models.CompositePrimaryKey('tenant_id', 'span', 'at', 'workflow_id', 'version_id', blank=True, editable=False, primary_key=True, serialize=False)),
                        ('started', models.BigIntegerField()),
                        ('completed', models.BigIntegerField()),
                        ('failed', models.BigIntegerField()),
                        ('cancelled', models.BigIntegerField()),
                        ('interventions', models.BigIntegerField()),
                        ('duration_ms', models.BigIntegerField()),
                    ],
                    options={
                        'db_table': 'runs_runtelemetry',
                        'abstract': False,
                        'base_manager_name': 'unsafe_all_tenants',
                        'default_manager_name': 'unsafe_all_tenants',
                        'indexes': [models.Index(condition=models.Q(('span', 'hour')), fields=['at'], name='run_telemetry_hours')],
                    },
                    managers=[
                        ('unsafe_all_tenants', django.db.models.manager.Manager()),
                    ],
                ),
                migrations.CreateModel(
                    name='StepTelemetry',
                    fields=[
                        ('tenant_id', models.BigIntegerField()),
                        ('span', models.TextField()),
                        ('at', models.DateTimeField()),
                        ('workflow_id', models.BigIntegerField()),
                        ('version_id', models.BigIntegerField()),
                        ('pk', models.CompositePrimaryKey('tenant_id', 'span', 'at', 'workflow_id', 'version_id', 'node', 'type', blank=True, editable=False, primary_key=True, serialize=False)),
                        ('node', models.TextField()),
                        ('type', models.TextField()),
                        ('completed', models.BigIntegerField()),
                        ('failed', models.BigIntegerField()),
                        ('skipped', models.BigIntegerField()),
                        ('cancelled', models.BigIntegerField()),
                        ('retried', models.BigIntegerField()),
                        ('queue_ms', models.BigIntegerField()),
                        ('machine_ms', models.BigIntegerField()),
                        ('human_ms', models.BigIntegerField()),
                        ('waiting_ms', models.BigIntegerField()),
                        ('lost_ms', models.BigIntegerField()),
                    ],
                    options={
                        'db_table': 'runs_steptelemetry',
                        'abstract': False,
                        'base_manager_name': 'unsafe_all_tenants',
                        'default_manager_name': 'unsafe_all_tenants',
                        'indexes': [models.Index(condition=models.Q(('span', 'hour')), fields=['at'], name='step_telemetry_hours')],
                    },
                    managers=[
                        ('unsafe_all_tenants', django.db.models.manager.Manager()),
                    ],
                ),
                migrations.CreateModel(
                    name='TelemetryBucket',
                    fields=[
                        ('tenant_id', models.BigIntegerField()),
                        ('span', models.TextField()),
                        ('at', models.DateTimeField()),
                        ('workflow_id', models.BigIntegerField()),
                        ('version_id', models.BigIntegerField()),
                        ('pk', models.CompositePrimaryKey('tenant_id', 'span', 'at', 'workflow_id', 'version_id', 'node', 'type', 'measure', 'bucket', blank=True, editable=False, primary_key=True, serialize=False)),
                        ('node', models.TextField()),
                        ('type', models.TextField()),
                        ('measure', models.TextField()),
                        ('bucket', models.SmallIntegerField()),
                        ('times', models.BigIntegerField()),
                    ],
                    options={
                        'db_table': 'runs_telemetrybucket',
                        'abstract': False,
                        'base_manager_name': 'unsafe_all_tenants',
                        'default_manager_name': 'unsafe_all_tenants',
                        'indexes': [models.Index(condition=models.Q(('span', 'hour')), fields=['at'], name='telemetry_bucket_hours')],
                    },
                    managers=[
                        ('unsafe_all_tenants', django.db.models.manager.Manager()),
                    ],
                ),
                migrations.CreateModel(
                    name='TelemetryCursor',
                    fields=[
                        ('id', models.SmallIntegerField(primary_key=True, serialize=False)),
                        ('after', models.BigIntegerField()),
                        ('upto', models.BigIntegerField()),
                        ('ahead', models.BigIntegerField()),
                        ('seen', models.BigIntegerField()),
                        ('fence', models.BigIntegerField()),
                        ('counted_at', models.DateTimeField(null=True)),
                    ],
                    options={
                        'db_table': 'runs_telemetrycursor',
                    },
                ),
            ],
        ),
    ]
