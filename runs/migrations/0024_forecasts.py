"""How long runs took is counted by week, and it is kept when open ones are probably done."""

import django.db.models.manager
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('runs', '0023_bulk_verbs'),
    ]

    operations = [
        migrations.CreateModel(
            name='Forecast',
            fields=[
                ('tenant_id', models.BigIntegerField()),
                ('run_id', models.UUIDField(primary_key=True, serialize=False)),
                ('p50', models.DateTimeField()),
                ('p90', models.DateTimeField()),
                ('risk', models.FloatField(null=True)),
                ('made_at', models.DateTimeField()),
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
            name='ForecastCursor',
            fields=[
                ('id', models.SmallIntegerField(primary_key=True, serialize=False)),
                ('after', models.BigIntegerField()),
                ('looked_at', models.UUIDField(null=True)),
            ],
        ),
        migrations.CreateModel(
            name='RestTime',
            fields=[
                ('tenant_id', models.BigIntegerField()),
                ('pk', models.CompositePrimaryKey('tenant_id', 'workflow_id', 'node', 'week', 'version_id', 'is_working', 'lasted', 'bucket', blank=True, editable=False, primary_key=True, serialize=False)),
                ('workflow_id', models.BigIntegerField()),
                ('node', models.TextField()),
                ('week', models.DateField()),
                ('version_id', models.BigIntegerField()),
                ('is_working', models.BooleanField()),
                ('lasted', models.SmallIntegerField()),
                ('bucket', models.SmallIntegerField()),
                ('times', models.BigIntegerField()),
            ],
            options={
                'abstract': False,
                'base_manager_name': 'unsafe_all_tenants',
                'default_manager_name': 'unsafe_all_tenants',
                'indexes': [models.Index(fields=['week'], name='rest_times_age')],
            },
            managers=[
                ('unsafe_all_tenants', django.db.models.manager.Manager()),
            ],
        ),
    ]
