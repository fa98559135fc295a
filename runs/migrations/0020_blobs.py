"""Large payloads are kept beside the database: which of them rows refer to."""

import django.db.models.functions.datetime
import django.db.models.manager
from django.db import migrations, models



class Migration(migrations.Migration):

    dependencies = [
        ('runs', '0019_outgoing_webhooks'),
    ]

    operations = [
        migrations.CreateModel(
            name='SweptDay',
            fields=[
                ('day', models.TextField(primary_key=True, serialize=False)),
                ('swept_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
            ],
        ),
        migrations.CreateModel(
            name='Blob',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('tenant_id', models.BigIntegerField()),
                ('run_id', models.UUIDField()),
                ('day', models.TextField()),
                ('sha256', models.TextField()),
            ],
            options={
                'abstract': False,
                'base_manager_name': 'unsafe_all_tenants',
                'default_manager_name': 'unsafe_all_tenants',
                'constraints': [models.UniqueConstraint(fields=('run_id', 'day', 'sha256'), name='blob_once')],
            },
            managers=[
                ('unsafe_all_tenants', django.db.models.manager.Manager()),
            ],
        ),
    ]
