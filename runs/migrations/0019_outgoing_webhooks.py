"""Webhooks that go out: endpoints, their secrets, and each event that is to be sent, written by a trigger on history."""

import django.contrib.postgres.fields
import django.contrib.postgres.functions
import django.db.models.deletion
import django.db.models.functions.datetime
import django.db.models.manager
from django.db import migrations, models


REMOVE = """
DROP TRIGGER IF EXISTS runs_outgoing_events ON runs_historyevent;
DROP FUNCTION IF EXISTS runs_outgoing_events();
"""


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0008_webhook_off'),
        ('runs', '0018_workers'),
        ('workflows', '0003_comments'),
    ]

    operations = [
        migrations.CreateModel(
            name='OutgoingDelivery',
            fields=[
                ('tenant_id', models.BigIntegerField()),
                ('id', models.BigAutoField(primary_key=True, serialize=False)),
                ('webhook_id', models.UUIDField()),
                ('message', models.UUIDField(db_default=django.contrib.postgres.functions.RandomUUID())),
                ('run_id', models.UUIDField(null=True)),
                ('event_id', models.BigIntegerField(null=True)),
                ('type', models.TextField()),
                ('state', models.TextField(choices=[('pending', 'pending'), ('delivered', 'delivered'), ('failed', 'failed'), ('dropped', 'dropped')], db_default='pending')),
                ('attempts', models.SmallIntegerField(db_default=0)),
                ('due_at', models.DateTimeField(null=True)),
                ('tried_at', models.DateTimeField(null=True)),
                ('status', models.SmallIntegerField(null=True)),
                ('error', models.TextField(blank=True, db_default='')),
                ('took_ms', models.IntegerField(null=True)),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
            ],
            options={
                'abstract': False,
                'base_manager_name': 'unsafe_all_tenants',
                'default_manager_name': 'unsafe_all_tenants',
                'indexes': [models.Index(fields=['webhook_id', '-id'], name='outgoing_of_webhook'), models.Index(condition=models.Q(('state', 'pending')), fields=['webhook_id', 'id'], name='outgoing_pending'), models.Index(condition=models.Q(('state', 'pending')), fields=['webhook_id', 'run_id', 'id'], name='outgoing_heads'), models.Index(fields=['created_at'], name='outgoing_age')],
            },
            managers=[
                ('unsafe_all_tenants', django.db.models.manager.Manager()),
            ],
        ),
        migrations.CreateModel(
            name='OutgoingWebhook',
            fields=[
                ('id', models.UUIDField(primary_key=True, serialize=False)),
                ('url', models.TextField()),
                ('description', models.TextField(blank=True)),
                ('all_events', models.BooleanField()),
                ('types', django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), size=None)),
                ('enabled', models.BooleanField(default=True)),
                ('off_reason', models.TextField(blank=True, db_default='')),
                ('off_at', models.DateTimeField(null=True)),
                ('made_by', models.TextField()),
                ('failures', models.IntegerField(db_default=0)),
                ('failing_since', models.DateTimeField(null=True)),
                ('paused_until', models.DateTimeField(null=True)),
                ('leased_until', models.DateTimeField(null=True)),
                ('leased_by', models.TextField(null=True)),
                ('served_at', models.DateTimeField(null=True)),
                ('delivered_at', models.DateTimeField(null=True)),
                ('last_error', models.TextField(blank=True, db_default='')),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('tenant', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.tenant')),
                ('workflow', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='workflows.workflow')),
            ],
            options={
                'abstract': False,
                'base_manager_name': 'unsafe_all_tenants',
                'default_manager_name': 'unsafe_all_tenants',
                'indexes': [models.Index(fields=['tenant', '-id'], name='outgoing_list')],
            },
            managers=[
                ('unsafe_all_tenants', django.db.models.manager.Manager()),
            ],
        ),
        migrations.CreateModel(
            name='OutgoingSecret',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.IntegerField()),
                ('sealed', models.BinaryField()),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('expires_at', models.DateTimeField(null=True)),
                ('tenant', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.tenant')),
                ('webhook', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='secrets', to='runs.outgoingwebhook')),
            ],
            options={
                'abstract': False,
                'base_manager_name': 'unsafe_all_tenants',
                'default_manager_name': 'unsafe_all_tenants',
                'constraints': [models.UniqueConstraint(fields=('webhook', 'number'), name='outgoing_secret_once')],
            },
            managers=[
                ('unsafe_all_tenants', django.db.models.manager.Manager()),
            ],
        ),
        # On the way back: history would go on to call what has no tables any more.
        migrations.RunSQL(migrations.RunSQL.noop, REMOVE),
    ]
