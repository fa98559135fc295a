"""The index of searchable fields of inputs."""

import django.contrib.postgres.fields
import django.db.models.manager
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('runs', '0004_run_starter'),
    ]

    operations = [
        migrations.CreateModel(
            name='InputIndex',
            fields=[
                ('tenant_id', models.BigIntegerField()),
                ('workflow_id', models.BigIntegerField(primary_key=True, serialize=False)),
                ('paths', django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), size=None)),
                ('low', models.UUIDField()),
                ('top', models.UUIDField()),
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
            name='InputField',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('tenant_id', models.BigIntegerField()),
                ('run_id', models.UUIDField()),
                ('path', models.TextField()),
                ('text', models.TextField(db_collation='C')),
                ('number', models.FloatField(null=True)),
            ],
            options={
                'abstract': False,
                'base_manager_name': 'unsafe_all_tenants',
                'default_manager_name': 'unsafe_all_tenants',
                'indexes': [models.Index(condition=models.Q(('number__isnull', False)), fields=['tenant_id', 'path', 'number', 'run_id'], name='input_field_number')],
                'constraints': [models.UniqueConstraint(fields=('tenant_id', 'path', 'text', 'run_id'), name='input_field_once')],
            },
            managers=[
                ('unsafe_all_tenants', django.db.models.manager.Manager()),
            ],
        ),
    ]
