"""The tables of webhooks, which the migrations of runs have made."""

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
                    name='InboundWebhook',
                    fields=[
                        ('tenant', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.tenant')),
                        ('id', models.UUIDField(primary_key=True, serialize=False)),
                        ('workflow', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='workflows.workflow')),
                        ('name', models.TextField()),
                        ('token_sha256', models.BinaryField(unique=True)),
                        ('token_sealed', models.BinaryField()),
                        ('action', models.TextField(choices=[('signal', 'signal'), ('start', 'start')])),
                        ('mapping', models.JSONField()),
                        ('allow_unsigned', models.BooleanField(default=False)),
                        ('enabled', models.BooleanField(default=True)),
                        ('acts_for', models.TextField(null=True)),
                        ('former_names', models.JSONField(null=True)),
                        ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                    ],
                    options={
                        'db_table': 'runs_inboundwebhook',
                        'abstract': False,
                        'base_manager_name': 'unsafe_all_tenants',
                        'default_manager_name': 'unsafe_all_tenants',
                        'constraints': [models.UniqueConstraint(fields=('tenant', 'name'), name='webhook_name_once')],
                    },
                    managers=[
                        ('unsafe_all_tenants', django.db.models.manager.Manager()),
                    ],
                ),
                migrations.CreateModel(
                    name='WebhookDelivery',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('tenant_id', models.BigIntegerField()),
                        ('webhook_id', models.UUIDField()),
                        ('message_id', models.TextField()),
                        ('body_sha256', models.BinaryField(null=True)),
                        ('received_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                        ('refused', models.TextField(null=True)),
                    ],
                    options={
                        'db_table': 'runs_webhookdelivery',
                        'abstract': False,
                        'base_manager_name': 'unsafe_all_tenants',
                        'default_manager_name': 'unsafe_all_tenants',
                        'indexes': [models.Index(fields=['received_at'], name='delivery_age'), models.Index(condition=models.Q(('refused__isnull', False)), fields=['webhook_id', '-received_at'], name='delivery_refused')],
                        'constraints': [models.UniqueConstraint(fields=('webhook_id', 'message_id'), name='delivery_once')],
                    },
                    managers=[
                        ('unsafe_all_tenants', django.db.models.manager.Manager()),
                    ],
                ),
                migrations.CreateModel(
                    name='WebhookSecret',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('tenant', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.tenant')),
                        ('webhook', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='secrets', to='webhooks.inboundwebhook')),
                        ('number', models.IntegerField()),
                        ('sealed', models.BinaryField()),
                        ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                        ('expires_at', models.DateTimeField(null=True)),
                    ],
                    options={
                        'db_table': 'runs_webhooksecret',
                        'abstract': False,
                        'base_manager_name': 'unsafe_all_tenants',
                        'default_manager_name': 'unsafe_all_tenants',
                        'constraints': [models.UniqueConstraint(fields=('webhook', 'number'), name='webhook_secret_once')],
                    },
                    managers=[
                        ('unsafe_all_tenants', django.db.models.manager.Manager()),
                    ],
                ),
            ],
        ),
    ]
