"""The tables of webhooks_out, which the migrations of runs have made."""

import django.contrib.postgres.fields
import django.contrib.postgres.functions
import django.db.models.deletion
import django.db.models.functions.comparison
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
                        'db_table': 'runs_outgoingdelivery',
                        'abstract': False,
                        'base_manager_name': 'unsafe_all_tenants',
                        'default_manager_name': 'unsafe_all_tenants',
                        'indexes': [models.Index(fields=['webhook_id', '-id'], name='outgoing_of_webhook'), models.Index(condition=models.Q(('state', 'pending')), fields=['webhook_id', 'id'], name='outgoing_pending'), models.Index(condition=models.Q(('state', 'pending')), fields=['webhook_id', 'run_id', 'event_id'], name='outgoing_heads'), models.Index(fields=['created_at'], name='outgoing_age')],
                        'constraints': [models.UniqueConstraint(fields=('webhook_id', 'event_id'), name='outgoing_event_once')],
                    },
                    managers=[
                        ('unsafe_all_tenants', django.db.models.manager.Manager()),
                    ],
                ),
                migrations.CreateModel(
                    name='OutgoingWebhook',
                    fields=[
                        ('tenant', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.tenant')),
                        ('id', models.UUIDField(primary_key=True, serialize=False)),
                        ('url', models.TextField()),
                        ('description', models.TextField(blank=True)),
                        ('workflow', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='workflows.workflow')),
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
                        ('most_pending', models.IntegerField(db_default=100000)),
                        ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                    ],
                    options={
                        'db_table': 'runs_outgoingwebhook',
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
                    name='OutgoingReplay',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('tenant', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.tenant')),
                        ('webhook', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='replay', to='webhooks_out.outgoingwebhook')),
                        ('since', models.DateTimeField()),
                        ('after', models.BigIntegerField()),
                        ('until', models.BigIntegerField(null=True)),
                        ('xid', models.BigIntegerField(db_default=django.db.models.functions.comparison.Cast(django.db.models.functions.comparison.Cast(models.Func(function='pg_current_xact_id'), models.TextField()), models.BigIntegerField()))),
                        ('asked_by', models.TextField()),
                        ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                    ],
                    options={
                        'db_table': 'runs_outgoingreplay',
                        'abstract': False,
                        'base_manager_name': 'unsafe_all_tenants',
                        'default_manager_name': 'unsafe_all_tenants',
                    },
                    managers=[
                        ('unsafe_all_tenants', django.db.models.manager.Manager()),
                    ],
                ),
                migrations.CreateModel(
                    name='OutgoingSecret',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('tenant', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.tenant')),
                        ('webhook', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='secrets', to='webhooks_out.outgoingwebhook')),
                        ('number', models.IntegerField()),
                        ('sealed', models.BinaryField()),
                        ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                        ('expires_at', models.DateTimeField(null=True)),
                    ],
                    options={
                        'db_table': 'runs_outgoingsecret',
                        'abstract': False,
                        'base_manager_name': 'unsafe_all_tenants',
                        'default_manager_name': 'unsafe_all_tenants',
                        'constraints': [models.UniqueConstraint(fields=('webhook', 'number'), name='outgoing_secret_once')],
                    },
                    managers=[
                        ('unsafe_all_tenants', django.db.models.manager.Manager()),
                    ],
                ),
            ],
        ),
    ]
