"""Containers count their children in rows of their own; what joins had for that is gone."""

import django.db.models.manager
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('runs', '0002_undoes_and_history_key'),
    ]

    operations = [
        migrations.RemoveField(
            model_name='stepjoin',
            name='failed',
        ),
        migrations.CreateModel(
            name='Container',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('tenant_id', models.BigIntegerField()),
                ('run_id', models.UUIDField()),
                ('shard', models.SmallIntegerField()),
                ('node', models.TextField()),
                ('items', models.JSONField()),
                ('total', models.IntegerField()),
                ('at_once', models.IntegerField()),
                ('tolerated', models.IntegerField()),
                ('next', models.IntegerField(db_default=0)),
                ('opened', models.IntegerField(db_default=0)),
                ('ended', models.IntegerField(db_default=0)),
                ('failed', models.IntegerField(db_default=0)),
            ],
            options={
                'abstract': False,
                'base_manager_name': 'unsafe_all_tenants',
                'default_manager_name': 'unsafe_all_tenants',
                'constraints': [models.UniqueConstraint(fields=('run_id', 'node'), name='container_once_per_run')],
            },
            managers=[
                ('unsafe_all_tenants', django.db.models.manager.Manager()),
            ],
        ),
    ]
