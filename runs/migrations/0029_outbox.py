"""Jobs that a broker's consumers are to be told of, and which relay tells them (docs/dispatch.md)."""

import django.db.models.functions.datetime
import django.db.models.manager
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('runs', '0028_letters_by_step_and_bulk_aims'),
    ]

    operations = [
        migrations.CreateModel(
            name='DispatchLeader',
            fields=[
                ('name', models.TextField(primary_key=True, serialize=False)),
                ('holder', models.TextField()),
                ('epoch', models.BigIntegerField()),
                ('expires_at', models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name='DispatchOutbox',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('tenant_id', models.BigIntegerField()),
                ('step_id', models.UUIDField(unique=True)),
                ('run_id', models.UUIDField()),
                ('queue', models.TextField()),
                ('epoch', models.IntegerField()),
                ('due_at', models.DateTimeField()),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('published_at', models.DateTimeField(null=True)),
                ('sends', models.IntegerField(db_default=0)),
                ('tries', models.IntegerField(db_default=0)),
                ('error', models.TextField(null=True)),
            ],
            options={
                'db_table': 'dispatch_outbox',
                'abstract': False,
                'base_manager_name': 'unsafe_all_tenants',
                'default_manager_name': 'unsafe_all_tenants',
                'indexes': [models.Index(condition=models.Q(('published_at', None)), fields=['due_at', 'id'], name='outbox_due'), models.Index(condition=models.Q(('published_at__isnull', False)), fields=['published_at'], name='outbox_told'), models.Index(condition=models.Q(('published_at', None), ('tries__gt', 0)), fields=['run_id'], name='outbox_failing')],
            },
            managers=[
                ('unsafe_all_tenants', django.db.models.manager.Manager()),
            ],
        ),
    ]
