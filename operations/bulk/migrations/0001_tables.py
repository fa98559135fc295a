"""The tables of bulk, which the migrations of runs have made."""

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
                    name='BulkItem',
                    fields=[
                        ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                        ('tenant_id', models.BigIntegerField()),
                        ('job_id', models.UUIDField()),
                        ('run_id', models.UUIDField()),
                        ('result', models.TextField(choices=[('pending', 'pending'), ('able', 'able'), ('moved', 'moved'), ('done', 'done'), ('refused', 'refused'), ('ended', 'ended'), ('stopped', 'stopped')], db_default='pending')),
                        ('code', models.TextField(blank=True, db_default='')),
                        ('node', models.TextField(null=True)),
                        ('message', models.TextField(blank=True, db_default='')),
                        ('tries', models.SmallIntegerField(db_default=0)),
                        ('done_at', models.DateTimeField(null=True)),
                    ],
                    options={
                        'db_table': 'runs_bulkitem',
                        'abstract': False,
                        'base_manager_name': 'unsafe_all_tenants',
                        'default_manager_name': 'unsafe_all_tenants',
                        'indexes': [models.Index(condition=models.Q(('result', 'pending')), fields=['job_id', 'tries', 'id'], name='bulk_item_left'), models.Index(fields=['job_id', 'result', 'id'], name='bulk_item_result')],
                        'constraints': [models.UniqueConstraint(fields=('job_id', 'run_id'), name='bulk_item_once')],
                    },
                    managers=[
                        ('unsafe_all_tenants', django.db.models.manager.Manager()),
                    ],
                ),
                migrations.CreateModel(
                    name='BulkJob',
                    fields=[
                        ('tenant', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.tenant')),
                        ('id', models.UUIDField(primary_key=True, serialize=False)),
                        ('verb', models.TextField(db_default='migrate')),
                        ('query', models.TextField(blank=True, db_default='')),
                        ('compensate', models.BooleanField(db_default=False)),
                        ('workflow', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='workflows.workflow')),
                        ('from_version', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='workflows.workflowversion')),
                        ('to_version', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='workflows.workflowversion')),
                        ('assignee', models.TextField(blank=True, db_default='')),
                        ('to_group', models.TextField(blank=True, db_default='')),
                        ('dry_run', models.BooleanField()),
                        ('total', models.IntegerField()),
                        ('reason', models.TextField(blank=True)),
                        ('created_by', models.TextField()),
                        ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                        ('finished_at', models.DateTimeField(null=True)),
                        ('stopped_by', models.TextField(blank=True, db_default='')),
                    ],
                    options={
                        'db_table': 'runs_bulkjob',
                        'abstract': False,
                        'base_manager_name': 'unsafe_all_tenants',
                        'default_manager_name': 'unsafe_all_tenants',
                        'indexes': [models.Index(condition=models.Q(('finished_at__isnull', True)), fields=['id'], name='bulk_job_open'), models.Index(fields=['tenant', 'workflow', '-id'], name='bulk_jobs_of_workflow'), models.Index(fields=['tenant', '-id'], name='bulk_jobs_of_tenant')],
                        'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('verb', 'migrate'), _negated=True), models.Q(('to_version__isnull', False), ('workflow__isnull', False)), _connector='OR'), name='bulk_job_has_versions')],
                    },
                    managers=[
                        ('unsafe_all_tenants', django.db.models.manager.Manager()),
                    ],
                ),
            ],
        ),
    ]
