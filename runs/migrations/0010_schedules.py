"""Schedules, what was done when they were due, and working calendars."""

import django.db.models.deletion
import django.db.models.functions.datetime
import django.db.models.manager
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0007_mentioned'),
        ('runs', '0009_former_names_of_webhooks'),
        ('workflows', '0003_comments'),
    ]

    operations = [
        migrations.CreateModel(
            name='Calendar',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.TextField()),
                ('timezone', models.TextField()),
                ('region', models.TextField(blank=True)),
                ('weekdays', models.JSONField()),
                ('opens', models.SmallIntegerField()),
                ('closes', models.SmallIntegerField()),
                ('exceptions', models.JSONField(default=list)),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('tenant', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.tenant')),
            ],
            options={
                'abstract': False,
                'base_manager_name': 'unsafe_all_tenants',
                'default_manager_name': 'unsafe_all_tenants',
                'constraints': [models.UniqueConstraint(fields=('tenant', 'name'), name='calendar_name_once')],
            },
            managers=[
                ('unsafe_all_tenants', django.db.models.manager.Manager()),
            ],
        ),
        migrations.CreateModel(
            name='Schedule',
            fields=[
                ('id', models.UUIDField(primary_key=True, serialize=False)),
                ('name', models.TextField()),
                ('input', models.JSONField()),
                ('cron', models.TextField(null=True)),
                ('every_seconds', models.IntegerField(null=True)),
                ('at', models.DateTimeField(null=True)),
                ('anchor_at', models.DateTimeField()),
                ('timezone', models.TextField()),
                ('overlap', models.TextField(choices=[('skip', 'skip'), ('buffer_one', 'buffer_one'), ('allow', 'allow'), ('cancel_previous', 'cancel_previous')])),
                ('catchup_seconds', models.IntegerField()),
                ('jitter_seconds', models.IntegerField(default=0)),
                ('enabled', models.BooleanField(default=True)),
                ('note', models.TextField(blank=True)),
                ('paused_at', models.DateTimeField(null=True)),
                ('acts_for', models.TextField()),
                ('created_by', models.TextField()),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('next_due_at', models.DateTimeField(null=True)),
                ('fire_at', models.DateTimeField(null=True)),
                ('buffered_due_at', models.DateTimeField(null=True)),
                ('calendar', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='runs.calendar')),
                ('tenant', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.tenant')),
                ('workflow', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='workflows.workflow')),
            ],
            options={
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
                ('schedule', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='entries', to='runs.schedule')),
            ],
            options={
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
    ]
