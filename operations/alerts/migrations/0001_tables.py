"""The tables of alerts, which the migrations of runs have made."""

import django.contrib.postgres.fields
import django.contrib.postgres.functions
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
                    name='AlertChannel',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('tenant', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.tenant')),
                        ('kind', models.TextField(choices=[('mail', 'mail'), ('slack', 'slack'), ('teams', 'teams'), ('pagerduty', 'pagerduty'), ('webhook', 'webhook')])),
                        ('name', models.TextField()),
                        ('number', models.IntegerField(db_default=1)),
                        ('sealed', models.BinaryField()),
                        ('shown', models.TextField()),
                        ('enabled', models.BooleanField(db_default=True)),
                        ('made_by', models.TextField()),
                        ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                    ],
                    options={
                        'db_table': 'runs_alertchannel',
                        'abstract': False,
                        'base_manager_name': 'unsafe_all_tenants',
                        'default_manager_name': 'unsafe_all_tenants',
                        'constraints': [models.UniqueConstraint(fields=('tenant', 'name'), name='alert_channel_name_once')],
                    },
                    managers=[
                        ('unsafe_all_tenants', django.db.models.manager.Manager()),
                    ],
                ),
                migrations.CreateModel(
                    name='AlertDelivery',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('tenant_id', models.BigIntegerField()),
                        ('alert_id', models.BigIntegerField(null=True)),
                        ('channel_id', models.BigIntegerField()),
                        ('message', models.UUIDField(db_default=django.contrib.postgres.functions.RandomUUID())),
                        ('event', models.TextField(choices=[('raised', 'raised'), ('escalated', 'escalated'), ('resolved', 'resolved'), ('test', 'test')])),
                        ('state', models.TextField(choices=[('pending', 'pending'), ('sent', 'sent'), ('failed', 'failed')], db_default='pending')),
                        ('attempts', models.SmallIntegerField(db_default=0)),
                        ('due_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                        ('sent_at', models.DateTimeField(null=True)),
                        ('error', models.TextField(blank=True, db_default='')),
                        ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                    ],
                    options={
                        'db_table': 'runs_alertdelivery',
                        'abstract': False,
                        'base_manager_name': 'unsafe_all_tenants',
                        'default_manager_name': 'unsafe_all_tenants',
                        'indexes': [models.Index(condition=models.Q(('state', 'pending')), fields=['due_at', 'id'], name='alert_delivery_due'), models.Index(fields=['channel_id', '-id'], name='alert_delivery_of_channel'), models.Index(fields=['created_at'], name='alert_delivery_age')],
                        'constraints': [models.UniqueConstraint(condition=models.Q(('alert_id__isnull', False)), fields=('alert_id', 'channel_id', 'event'), name='alert_told_once')],
                    },
                    managers=[
                        ('unsafe_all_tenants', django.db.models.manager.Manager()),
                    ],
                ),
                migrations.CreateModel(
                    name='AlertRule',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('tenant', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.tenant')),
                        ('kind', models.TextField()),
                        ('name', models.TextField()),
                        ('built_in', models.BooleanField(db_default=False)),
                        ('params', models.JSONField(default=dict)),
                        ('severity', models.TextField(choices=[('critical', 'critical'), ('warning', 'warning'), ('info', 'info')])),
                        ('cooldown_seconds', models.IntegerField()),
                        ('enabled', models.BooleanField(db_default=True)),
                        ('muted_until', models.DateTimeField(null=True)),
                        ('channels', django.contrib.postgres.fields.ArrayField(base_field=models.BigIntegerField(), default=list, size=None)),
                        ('escalate_minutes', models.IntegerField(null=True)),
                        ('escalate_channels', django.contrib.postgres.fields.ArrayField(base_field=models.BigIntegerField(), default=list, size=None)),
                        ('changed_by', models.TextField(blank=True, db_default='')),
                        ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                    ],
                    options={
                        'db_table': 'runs_alertrule',
                        'abstract': False,
                        'base_manager_name': 'unsafe_all_tenants',
                        'default_manager_name': 'unsafe_all_tenants',
                        'constraints': [models.UniqueConstraint(condition=models.Q(('built_in', True)), fields=('tenant', 'kind'), name='alert_rule_built_in_once')],
                    },
                    managers=[
                        ('unsafe_all_tenants', django.db.models.manager.Manager()),
                    ],
                ),
                migrations.CreateModel(
                    name='Alert',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('tenant', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.tenant')),
                        ('rule', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='alerts.alertrule')),
                        ('kind', models.TextField()),
                        ('key', models.TextField()),
                        ('status', models.TextField(choices=[('open', 'open'), ('acknowledged', 'acknowledged'), ('resolved', 'resolved')], db_default='open')),
                        ('severity', models.TextField(choices=[('critical', 'critical'), ('warning', 'warning'), ('info', 'info')])),
                        ('subject', models.TextField()),
                        ('message', models.TextField()),
                        ('advice', models.TextField(blank=True)),
                        ('link', models.TextField(blank=True)),
                        ('workflow', models.ForeignKey(db_constraint=False, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='workflows.workflow')),
                        ('run_id', models.UUIDField(null=True)),
                        ('value', models.FloatField(null=True)),
                        ('seen', models.IntegerField(db_default=1)),
                        ('first_seen_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                        ('last_seen_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                        ('quiet_until', models.DateTimeField(null=True)),
                        ('muted_until', models.DateTimeField(null=True)),
                        ('told_at', models.DateTimeField(null=True)),
                        ('escalated_at', models.DateTimeField(null=True)),
                        ('acknowledged_at', models.DateTimeField(null=True)),
                        ('acknowledged_by', models.TextField(blank=True, db_default='')),
                        ('note', models.TextField(blank=True, db_default='')),
                        ('resolved_at', models.DateTimeField(null=True)),
                        ('resolved_by', models.TextField(blank=True, db_default='')),
                    ],
                    options={
                        'db_table': 'runs_alert',
                        'abstract': False,
                        'base_manager_name': 'unsafe_all_tenants',
                        'default_manager_name': 'unsafe_all_tenants',
                        'indexes': [models.Index(fields=['tenant', 'status', '-id'], name='alert_list'), models.Index(fields=['rule', 'key', '-id'], name='alert_of_key'), models.Index(condition=models.Q(('status', 'resolved')), fields=['resolved_at'], name='alert_age')],
                        'constraints': [models.UniqueConstraint(condition=models.Q(('status', 'resolved'), _negated=True), fields=('rule', 'key'), name='alert_open_once')],
                    },
                    managers=[
                        ('unsafe_all_tenants', django.db.models.manager.Manager()),
                    ],
                ),
            ],
        ),
    ]
