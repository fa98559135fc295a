"""The tables of schedules, which the migrations of runs have made."""

import django.db.models.deletion
import django.db.models.functions.datetime
import django.db.models.manager
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0002_release_0_2'),
        ('runs', '0002_release_0_2'),
        ('workflows', '0002_release_0_2'),
    ]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.CreateModel(
                    name='Schedule',
                    fields=[
                        ('tenant', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.tenant')),
                        ('id', models.UUIDField(primary_key=True, serialize=False)),
                        ('name', models.TextField()),
                        ('workflow', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='workflows.workflow')),
                        ('input', models.JSONField()),
                        ('cron', models.TextField(null=True)),
                        ('every_seconds', models.IntegerField(null=True)),
                        ('at', models.DateTimeField(null=True)),
                        ('anchor_at', models.DateTimeField()),
                        ('timezone', models.TextField()),
                        ('calendar', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='runs.calendar')),
                        ('overlap', models.TextField(choices=[('skip', 'skip'), ('buffer_one', 'buffer_one'), ('allow', 'allow'), ('cancel_previous', 'cancel_previous')])),
                        ('catchup_seconds', models.IntegerField()),
                        ('jitter_seconds', models.IntegerField(default=0)),
                        ('enabled', models.BooleanField(default=True)),
                        ('note', models.TextField(blank=True)),
                        ('off_reason', models.TextField(blank=True, db_default='')),
                        ('paused_at', models.DateTimeField(null=True)),
                        ('acts_for', models.TextField()),
                        ('created_by', models.TextField()),
                        ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                        ('next_due_at', models.DateTimeField(null=True)),
                        ('fire_at', models.DateTimeField(null=True)),
                        ('buffered_due_at', models.DateTimeField(null=True)),
                    ],
                    options={
                        'db_table': 'runs_schedule',
                        'abstract': False,
                        'base_manager_name': 'unsafe_all_tenants',
                        'default_manager_name': 'unsafe_all_tenants',
                        'indexes': [models.Index(condition=models.Q(('fire_at__isnull', False)), fields=['fire_at', 'id'], name='schedule_due'), models.Index(condition=models.Q(('buffered_due_at__isnull', False)), fields=['buffered_due_at', 'id'], name='schedule_buffered')],
                        'constraints': [models.UniqueConstraint(fields=('tenant', 'name'), name='schedule_name_once'), models.CheckConstraint(condition=models.Q(models.Q(('at__isnull', True), ('cron__isnull', False), ('every_seconds__isnull', True)), models.Q(('at__isnull', True), ('cron__isnull', True), ('every_seconds__isnull', False)), models.Q(('at__isnull', False), ('cron__isnull', True), ('every_seconds__isnull', True)), _connector='OR'), name='schedule_one_timing')],
                    },
                    managers=[
                        ('unsafe_all_tenants', django.db.models.manager.Manager()),
                    ],
                ),
                migrations.CreateModel(
                    name='ScheduleEntry',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('tenant_id', models.BigIntegerField()),
                        ('schedule', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='entries', to='schedules.schedule')),
                        ('due_at', models.DateTimeField()),
                        ('last_due_at', models.DateTimeField()),
                        ('due_count', models.IntegerField(default=1)),
                        ('done_at', models.DateTimeField()),
                        ('status', models.TextField(choices=[('started', 'started'), ('skipped', 'skipped'), ('buffered', 'buffered')])),
                        ('reason', models.TextField(blank=True)),
                        ('message', models.TextField(blank=True)),
                        ('run_id', models.UUIDField(null=True)),
                        ('cancelled', models.JSONField(default=list)),
                        ('is_manual', models.BooleanField(default=False)),
                        ('by', models.TextField(blank=True)),
                    ],
                    options={
                        'db_table': 'runs_scheduleentry',
                        'abstract': False,
                        'base_manager_name': 'unsafe_all_tenants',
                        'default_manager_name': 'unsafe_all_tenants',
                        'indexes': [models.Index(fields=['schedule', '-id'], name='entry_list'), models.Index(condition=models.Q(('status', 'started')), fields=['schedule', '-id'], name='entry_started'), models.Index(fields=['done_at'], name='entry_age')],
                        'constraints': [models.UniqueConstraint(condition=models.Q(('is_manual', False)), fields=('schedule', 'due_at'), name='schedule_due_once')],
                    },
                    managers=[
                        ('unsafe_all_tenants', django.db.models.manager.Manager()),
                    ],
                ),
            ],
        ),
    ]
