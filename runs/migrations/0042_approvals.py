"""What people have approved, and how often a step was given another input by a person."""

import django.db.models.functions.datetime
import django.db.models.manager
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('runs', '0041_waits_of_trees'),
    ]

    operations = [
        migrations.AddField(
            model_name='stepexecution',
            name='revision',
            field=models.SmallIntegerField(db_default=0),
        ),
        migrations.CreateModel(
            name='Approval',
            fields=[
                ('tenant_id', models.BigIntegerField()),
                ('id', models.UUIDField(primary_key=True, serialize=False)),
                ('run_id', models.UUIDField()),
                ('shard', models.SmallIntegerField()),
                ('step_id', models.UUIDField()),
                ('node', models.TextField()),
                ('outcome', models.TextField()),
                ('digest', models.TextField()),
                ('covers', models.JSONField()),
                ('decided_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
            ],
            options={
                'abstract': False,
                'base_manager_name': 'unsafe_all_tenants',
                'default_manager_name': 'unsafe_all_tenants',
                'indexes': [models.Index(fields=['step_id', 'id'], name='approval_of_step'), models.Index(fields=['run_id'], name='approval_of_run')],
            },
            managers=[
                ('unsafe_all_tenants', django.db.models.manager.Manager()),
            ],
        ),
        migrations.CreateModel(
            name='ApprovalUse',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('tenant_id', models.BigIntegerField()),
                ('approval_id', models.UUIDField()),
                ('node', models.TextField()),
                ('run_id', models.UUIDField()),
                ('shard', models.SmallIntegerField()),
                ('used_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
            ],
            options={
                'abstract': False,
                'base_manager_name': 'unsafe_all_tenants',
                'default_manager_name': 'unsafe_all_tenants',
                'indexes': [models.Index(fields=['run_id'], name='approval_use_of_run')],
                'constraints': [models.UniqueConstraint(fields=('approval_id', 'node'), name='approval_used_once')],
            },
            managers=[
                ('unsafe_all_tenants', django.db.models.manager.Manager()),
            ],
        ),
    ]
