"""What is done with many open runs in the background, and what became of each."""

import django.db.models.deletion
import django.db.models.functions.datetime
import django.db.models.manager
from django.db import migrations, models



class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0007_mentioned'),
        ('runs', '0012_child_run_indexes'),
        ('workflows', '0003_comments'),
    ]

    operations = [
        migrations.CreateModel(
            name='BulkItem',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('tenant_id', models.BigIntegerField()),
                ('job_id', models.UUIDField()),
                ('run_id', models.UUIDField()),
                ('result', models.TextField(choices=[('pending', 'pending'), ('able', 'able'), ('moved', 'moved'), ('refused', 'refused'), ('ended', 'ended')], db_default='pending')),
                ('code', models.TextField(blank=True, db_default='')),
                ('node', models.TextField(null=True)),
                ('message', models.TextField(blank=True, db_default='')),
                ('tries', models.SmallIntegerField(db_default=0)),
                ('done_at', models.DateTimeField(null=True)),
            ],
            options={
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
                ('id', models.UUIDField(primary_key=True, serialize=False)),
                ('dry_run', models.BooleanField()),
                ('total', models.IntegerField()),
                ('reason', models.TextField(blank=True)),
                ('created_by', models.TextField()),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('finished_at', models.DateTimeField(null=True)),
                ('from_version', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='workflows.workflowversion')),
                ('tenant', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.tenant')),
                ('to_version', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='workflows.workflowversion')),
                ('workflow', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='workflows.workflow')),
            ],
            options={
                'abstract': False,
                'base_manager_name': 'unsafe_all_tenants',
                'default_manager_name': 'unsafe_all_tenants',
                'indexes': [models.Index(condition=models.Q(('finished_at__isnull', True)), fields=['id'], name='bulk_job_open')],
            },
            managers=[
                ('unsafe_all_tenants', django.db.models.manager.Manager()),
            ],
        ),
    ]
