"""Variables of runs: what each step has set; how the deadline of a run was counted, in words."""

import django.contrib.postgres.fields
import django.db.models.functions.datetime
import django.db.models.manager
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('runs', '0014_parts'),
    ]

    operations = [
        migrations.CreateModel(
            name='RunVariable',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('tenant_id', models.BigIntegerField()),
                ('run_id', models.UUIDField()),
                ('shard', models.SmallIntegerField()),
                ('node', models.TextField()),
                ('name', models.TextField()),
                ('value', models.JSONField()),
                ('index', models.IntegerField(null=True)),
                ('place', models.IntegerField()),
                ('beside', django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), default=list, size=None)),
                ('set_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
            ],
            options={
                'abstract': False,
                'base_manager_name': 'unsafe_all_tenants',
                'default_manager_name': 'unsafe_all_tenants',
                'constraints': [models.UniqueConstraint(fields=('run_id', 'name', 'node'), name='variable_once_per_step')],
            },
            managers=[
                ('unsafe_all_tenants', django.db.models.manager.Manager()),
            ],
        ),
        migrations.AddField(
            model_name='run',
            name='sla_counts',
            field=models.TextField(null=True),
        ),
    ]
