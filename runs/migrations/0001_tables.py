"""The tables of runs."""

import django.contrib.postgres.fields
import django.db.models.deletion
import django.db.models.functions.datetime
import django.db.models.manager
import engine.statuses
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    # A database that has all of these has what is made here.
    replaces = [
        ('runs', '0001_initial'),
        ('runs', '0002_hot_tables'),
        ('runs', '0003_find_runs'),
        ('runs', '0004_waits'),
        ('runs', '0005_saga'),
        ('runs', '0006_letters'),
        ('runs', '0007_webhooks'),
        ('runs', '0008_operators'),
        ('runs', '0009_seals'),
        ('runs', '0010_never_stuck'),
        ('runs', '0011_test_runs'),
        ('runs', '0012_delivery_bodies'),
        ('runs', '0013_waiting_compensations'),
        ('runs', '0014_duties'),
    ]

    dependencies = [
        ('accounts', '0001_tables'),
        ('workflows', '0001_tables'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Duty',
            fields=[
                ('name', models.TextField(primary_key=True, serialize=False)),
                ('begun_at', models.DateTimeField()),
                ('begun_by', models.TextField()),
                ('done_at', models.DateTimeField(null=True)),
            ],
        ),
        migrations.CreateModel(
            name='DutyCursor',
            fields=[
                ('duty', models.TextField(primary_key=True, serialize=False)),
                ('after', models.UUIDField()),
            ],
        ),
        migrations.CreateModel(
            name='Worker',
            fields=[
                ('id', models.TextField(primary_key=True, serialize=False)),
                ('queue', models.TextField()),
                ('host', models.TextField()),
                ('pid', models.IntegerField()),
                ('started_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('seen_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('claimed_at', models.DateTimeField(null=True)),
            ],
        ),
        migrations.CreateModel(
            name='HistoryEvent',
            fields=[
                ('tenant_id', models.BigIntegerField()),
                ('id', models.BigAutoField(primary_key=True, serialize=False)),
                ('run_id', models.UUIDField()),
                ('shard', models.SmallIntegerField()),
                ('ordinal', models.SmallIntegerField(db_default=0)),
                ('type', models.TextField()),
                ('node', models.TextField(null=True)),
                ('attempt', models.IntegerField(null=True)),
                ('xid', models.BigIntegerField()),
                ('payload', models.JSONField(default=dict)),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
            ],
            options={
                'abstract': False,
                'base_manager_name': 'unsafe_all_tenants',
                'default_manager_name': 'unsafe_all_tenants',
                'indexes': [models.Index(fields=['run_id', 'id'], name='history_of_run')],
            },
            managers=[
                ('unsafe_all_tenants', django.db.models.manager.Manager()),
            ],
        ),
        migrations.CreateModel(
            name='InboundWebhook',
            fields=[
                ('id', models.UUIDField(primary_key=True, serialize=False)),
                ('name', models.TextField()),
                ('token_sha256', models.BinaryField(unique=True)),
                ('token_sealed', models.BinaryField()),
                ('action', models.TextField(choices=[('signal', 'signal'), ('start', 'start')])),
                ('mapping', models.JSONField()),
                ('allow_unsigned', models.BooleanField(default=False)),
                ('enabled', models.BooleanField(default=True)),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('tenant', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.tenant')),
                ('workflow', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='workflows.workflow')),
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
            name='QueuePoll',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('tenant_id', models.BigIntegerField()),
                ('queue', models.TextField()),
                ('polled_at', models.DateTimeField()),
            ],
            options={
                'abstract': False,
                'base_manager_name': 'unsafe_all_tenants',
                'default_manager_name': 'unsafe_all_tenants',
                'constraints': [models.UniqueConstraint(fields=('tenant_id', 'queue'), name='queue_polled_once')],
            },
            managers=[
                ('unsafe_all_tenants', django.db.models.manager.Manager()),
            ],
        ),
        migrations.CreateModel(
            name='Repair',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('tenant_id', models.BigIntegerField()),
                ('run_id', models.UUIDField()),
                ('life', models.IntegerField()),
                ('node', models.TextField(null=True)),
                ('what', models.TextField()),
                ('done', models.BooleanField()),
                ('detail', models.TextField(db_default='')),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
            ],
            options={
                'abstract': False,
                'base_manager_name': 'unsafe_all_tenants',
                'default_manager_name': 'unsafe_all_tenants',
                'indexes': [models.Index(fields=['run_id'], name='repair_of_run')],
                'constraints': [models.UniqueConstraint(condition=models.Q(('done', False)), fields=('run_id', 'life', 'what', 'node'), name='repair_reported_once', nulls_distinct=False)],
            },
            managers=[
                ('unsafe_all_tenants', django.db.models.manager.Manager()),
            ],
        ),
        migrations.CreateModel(
            name='Run',
            fields=[
                ('tenant_id', models.BigIntegerField()),
                ('id', models.UUIDField(primary_key=True, serialize=False)),
                ('workflow_id', models.BigIntegerField()),
                ('shard', models.SmallIntegerField()),
                ('business_key', models.TextField(null=True)),
                ('status', models.TextField(choices=[('RUNNING', 'RUNNING'), ('PAUSED', 'PAUSED'), ('COMPLETED', 'COMPLETED'), ('CONTINUED', 'CONTINUED'), ('FAILING', 'FAILING'), ('CANCELLING', 'CANCELLING'), ('FAILED', 'FAILED'), ('CANCELLED', 'CANCELLED'), ('COMPENSATING', 'COMPENSATING'), ('COMPENSATED', 'COMPENSATED'), ('WAITING_FOR_MANUAL_ACTION', 'WAITING_FOR_MANUAL_ACTION')], db_default=engine.statuses.RunStatus['RUNNING'])),
                ('life', models.IntegerField(db_default=1)),
                ('sealed_life', models.IntegerField(db_default=0)),
                ('priority', models.SmallIntegerField(default=0)),
                ('input', models.JSONField()),
                ('output', models.JSONField(null=True)),
                ('error', models.JSONField(null=True)),
                ('open_sinks', models.IntegerField()),
                ('undo', models.BooleanField(db_default=False)),
                ('cancelled', models.BooleanField(db_default=False)),
                ('is_test', models.BooleanField(db_default=False)),
                ('sla_deadline', models.DateTimeField(null=True)),
                ('sla_look_at', models.DateTimeField(null=True)),
                ('root_id', models.UUIDField()),
                ('parent_step_id', models.UUIDField(null=True)),
                ('rerun_of', models.UUIDField(null=True)),
                ('created_by', models.TextField()),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('completed_at', models.DateTimeField(null=True)),
                ('version', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='workflows.workflowversion')),
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
            name='RunKey',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('tenant_id', models.BigIntegerField()),
                ('workflow_id', models.BigIntegerField()),
                ('business_key', models.TextField()),
                ('run_id', models.UUIDField()),
                ('generation', models.IntegerField(db_default=0)),
            ],
            options={
                'abstract': False,
                'base_manager_name': 'unsafe_all_tenants',
                'default_manager_name': 'unsafe_all_tenants',
                'constraints': [models.UniqueConstraint(fields=('tenant_id', 'workflow_id', 'business_key'), name='run_key_once')],
            },
            managers=[
                ('unsafe_all_tenants', django.db.models.manager.Manager()),
            ],
        ),
        migrations.CreateModel(
            name='RunSeal',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('tenant_id', models.BigIntegerField()),
                ('run_id', models.UUIDField()),
                ('shard', models.SmallIntegerField()),
                ('life', models.IntegerField()),
                ('events', models.IntegerField()),
                ('last_event', models.BigIntegerField()),
                ('digest', models.BinaryField()),
                ('sealed_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
            ],
            options={
                'abstract': False,
                'base_manager_name': 'unsafe_all_tenants',
                'default_manager_name': 'unsafe_all_tenants',
                'constraints': [models.UniqueConstraint(fields=('run_id', 'life'), name='seal_once_per_life')],
            },
            managers=[
                ('unsafe_all_tenants', django.db.models.manager.Manager()),
            ],
        ),
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
                'indexes': [models.Index(condition=models.Q(('consumed_at__isnull', True)), fields=['root_id', 'name', 'id'], name='signal_unread')],
                'constraints': [models.UniqueConstraint(fields=('root_id', 'signal_id'), name='signal_once_per_chain')],
            },
            managers=[
                ('unsafe_all_tenants', django.db.models.manager.Manager()),
            ],
        ),
        migrations.CreateModel(
            name='StepExecution',
            fields=[
                ('tenant_id', models.BigIntegerField()),
                ('id', models.UUIDField(primary_key=True, serialize=False)),
                ('run_id', models.UUIDField()),
                ('version_id', models.BigIntegerField()),
                ('shard', models.SmallIntegerField()),
                ('node', models.TextField()),
                ('index', models.IntegerField(null=True)),
                ('type', models.TextField()),
                ('queue', models.TextField()),
                ('priority', models.SmallIntegerField(default=0)),
                ('status', models.TextField(choices=[('QUEUED', 'QUEUED'), ('RUNNING', 'RUNNING'), ('WAITING', 'WAITING'), ('COMPLETED', 'COMPLETED'), ('FAILED', 'FAILED'), ('SKIPPED', 'SKIPPED'), ('CANCELLED', 'CANCELLED')])),
                ('held', models.BooleanField(db_default=False)),
                ('solo', models.BooleanField(db_default=False)),
                ('attempt', models.IntegerField(db_default=0)),
                ('epoch', models.IntegerField(db_default=0)),
                ('available_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('worker', models.TextField(null=True)),
                ('lease_seconds', models.IntegerField()),
                ('timeout_seconds', models.IntegerField(null=True)),
                ('lease_expires_at', models.DateTimeField(null=True)),
                ('hard_deadline', models.DateTimeField(null=True)),
                ('lease_token_hash', models.BinaryField(null=True)),
                ('progress', models.JSONField(null=True)),
                ('input', models.JSONField(null=True)),
                ('input_from', models.UUIDField(null=True)),
                ('output', models.JSONField(null=True)),
                ('error', models.JSONField(null=True)),
                ('waiting', models.JSONField(null=True)),
                ('fired', django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), null=True, size=None)),
                ('cancel_cause', models.TextField(null=True)),
                ('edges_pending', models.BooleanField(db_default=False)),
                ('kept_from', models.UUIDField(null=True)),
                ('queued_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('started_at', models.DateTimeField(null=True)),
                ('completed_at', models.DateTimeField(null=True)),
            ],
            options={
                'abstract': False,
                'base_manager_name': 'unsafe_all_tenants',
                'default_manager_name': 'unsafe_all_tenants',
                'indexes': [models.Index(condition=models.Q(('held', False), ('status', engine.statuses.StepStatus['QUEUED'])), fields=['queue', 'tenant_id', '-priority', 'available_at', 'id'], name='step_ready'), models.Index(condition=models.Q(('held', False), ('solo', True), ('status', engine.statuses.StepStatus['QUEUED'])), fields=['queue', 'available_at'], name='step_ready_alone'), models.Index(condition=models.Q(('status', engine.statuses.StepStatus['WAITING'])), fields=['tenant_id', 'run_id'], name='step_waiting'), models.Index(condition=models.Q(('status', engine.statuses.StepStatus['RUNNING'])), fields=['worker'], name='step_running')],
                'constraints': [models.UniqueConstraint(fields=('run_id', 'node', 'index'), name='step_once_per_run', nulls_distinct=False), models.CheckConstraint(condition=models.Q(models.Q(('status', engine.statuses.StepStatus['RUNNING']), _negated=True), models.Q(('lease_expires_at__isnull', False), ('worker__isnull', False)), _connector='OR'), name='step_leased_while_running')],
            },
            managers=[
                ('unsafe_all_tenants', django.db.models.manager.Manager()),
            ],
        ),
        migrations.CreateModel(
            name='StepJoin',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('tenant_id', models.BigIntegerField()),
                ('run_id', models.UUIDField()),
                ('shard', models.SmallIntegerField()),
                ('node', models.TextField()),
                ('arrived', models.IntegerField(default=0)),
                ('taken', django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), default=list, size=None)),
                ('failed', models.IntegerField(db_default=0)),
                ('fired', models.BooleanField(db_default=False)),
            ],
            options={
                'abstract': False,
                'base_manager_name': 'unsafe_all_tenants',
                'default_manager_name': 'unsafe_all_tenants',
                'constraints': [models.UniqueConstraint(fields=('run_id', 'node'), name='join_once_per_run')],
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
                'indexes': [models.Index(condition=models.Q(('status', 'PENDING')), fields=['fire_at'], name='timer_due'), models.Index(condition=models.Q(('status', 'PENDING')), fields=['run_id'], name='timer_of_run')],
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
            ],
            options={
                'abstract': False,
                'base_manager_name': 'unsafe_all_tenants',
                'default_manager_name': 'unsafe_all_tenants',
                'indexes': [models.Index(fields=['received_at'], name='delivery_age')],
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
                ('number', models.IntegerField()),
                ('sealed', models.BinaryField()),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('expires_at', models.DateTimeField(null=True)),
                ('tenant', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.tenant')),
                ('webhook', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='secrets', to='runs.inboundwebhook')),
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
            name='DeadLetter',
            fields=[
                ('tenant_id', models.BigIntegerField()),
                ('id', models.UUIDField(primary_key=True, serialize=False)),
                ('run_id', models.UUIDField()),
                ('step_id', models.UUIDField()),
                ('node', models.TextField()),
                ('error', models.JSONField()),
                ('attempts', models.IntegerField()),
                ('resolution', models.TextField(null=True)),
                ('reason', models.TextField(null=True)),
                ('resolved_at', models.DateTimeField(null=True)),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('resolved_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'abstract': False,
                'base_manager_name': 'unsafe_all_tenants',
                'default_manager_name': 'unsafe_all_tenants',
                'indexes': [models.Index(fields=['tenant_id', '-id'], name='dead_letter_list'), models.Index(fields=['run_id'], name='dead_letter_of_run')],
            },
            managers=[
                ('unsafe_all_tenants', django.db.models.manager.Manager()),
            ],
        ),
        migrations.AddConstraint(
            model_name='inboundwebhook',
            constraint=models.UniqueConstraint(fields=('tenant', 'name'), name='webhook_name_once'),
        ),
        migrations.AddIndex(
            model_name='run',
            index=models.Index(fields=['tenant_id', '-id'], name='run_list'),
        ),
        migrations.AddIndex(
            model_name='run',
            index=models.Index(fields=['workflow_id', '-id'], name='run_of_workflow'),
        ),
        migrations.AddIndex(
            model_name='run',
            index=models.Index(condition=models.Q(('business_key__isnull', False)), fields=['tenant_id', 'business_key', 'id'], name='run_business_key'),
        ),
        migrations.AddIndex(
            model_name='run',
            index=models.Index(condition=models.Q(('status', engine.statuses.RunStatus['COMPLETED']), _negated=True), fields=['tenant_id', 'status', '-id'], name='run_not_completed'),
        ),
        migrations.AddIndex(
            model_name='run',
            index=models.Index(condition=models.Q(('sla_look_at__isnull', False)), fields=['sla_look_at'], name='run_sla_due'),
        ),
        migrations.AddIndex(
            model_name='run',
            index=models.Index(condition=models.Q(('is_test', True)), fields=['tenant_id', '-id'], name='run_tests'),
        ),
        migrations.AddIndex(
            model_name='run',
            index=models.Index(condition=models.Q(('completed_at__isnull', True)), fields=['id'], name='run_open'),
        ),
        migrations.AddIndex(
            model_name='run',
            index=models.Index(condition=models.Q(('completed_at__isnull', False), ('sealed_life__lt', models.F('life'))), fields=['completed_at', 'id'], name='run_unsealed'),
        ),
        migrations.AddConstraint(
            model_name='run',
            constraint=models.CheckConstraint(condition=models.Q(('status__in', [engine.statuses.RunStatus['CANCELLED'], engine.statuses.RunStatus['COMPENSATED'], engine.statuses.RunStatus['COMPLETED'], engine.statuses.RunStatus['CONTINUED'], engine.statuses.RunStatus['FAILED']]), ('completed_at__isnull', True), _connector='XOR'), name='run_completed_at_iff_ended'),
        ),
        migrations.AddConstraint(
            model_name='webhooksecret',
            constraint=models.UniqueConstraint(fields=('webhook', 'number'), name='webhook_secret_once'),
        ),
    ]
