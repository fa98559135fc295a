"""How far the check of ended runs is, and the runs that differ from their history."""

import django.db.models.functions.datetime
import django.db.models.manager
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('runs', '0047_installation'),
    ]

    operations = [
        migrations.CreateModel(
            name='HistoryCheck',
            fields=[
                ('id', models.SmallIntegerField(primary_key=True, serialize=False)),
                ('after', models.UUIDField()),
                ('began_at', models.DateTimeField()),
                ('ended_at', models.DateTimeField(null=True)),
                ('runs', models.BigIntegerField(default=0)),
                ('left_out', models.BigIntegerField(default=0)),
            ],
        ),
        migrations.CreateModel(
            name='HistoryDifference',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('tenant_id', models.BigIntegerField()),
                ('run_id', models.UUIDField()),
                ('workflow_id', models.BigIntegerField()),
                ('differences', models.IntegerField()),
                ('detail', models.TextField()),
                ('found_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
            ],
            options={
                'abstract': False,
                'base_manager_name': 'unsafe_all_tenants',
                'default_manager_name': 'unsafe_all_tenants',
                'indexes': [models.Index(fields=['tenant_id', '-id'], name='history_difference_list')],
                'constraints': [models.UniqueConstraint(fields=('run_id',), name='history_difference_once')],
            },
            managers=[
                ('unsafe_all_tenants', django.db.models.manager.Manager()),
            ],
        ),
    ]
