"""Runs begin others, and tell one another what becomes of that."""

import django.db.models.functions.datetime
import django.db.models.manager
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('runs', '0010_schedules'),
    ]

    operations = [
        migrations.CreateModel(
            name='RunMessage',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('tenant_id', models.BigIntegerField()),
                ('run_id', models.UUIDField()),
                ('shard', models.SmallIntegerField()),
                ('kind', models.TextField(choices=[('child_ended', 'child_ended'), ('cancel', 'cancel'), ('pause', 'pause'), ('unpause', 'unpause'), ('start_next', 'start_next')])),
                ('from_id', models.UUIDField(null=True)),
                ('step_id', models.UUIDField(null=True)),
                ('payload', models.JSONField(null=True)),
                ('tries', models.SmallIntegerField(db_default=0)),
                ('due_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
            ],
            options={
                'abstract': False,
                'base_manager_name': 'unsafe_all_tenants',
                'default_manager_name': 'unsafe_all_tenants',
                'indexes': [models.Index(fields=['due_at', 'id'], name='message_due')],
            },
            managers=[
                ('unsafe_all_tenants', django.db.models.manager.Manager()),
            ],
        ),
        migrations.AddField(model_name='run', name='parent_id', field=models.UUIDField(null=True)),
        migrations.AddField(model_name='run', name='depth', field=models.SmallIntegerField(db_default=0)),
        migrations.AddField(model_name='run', name='follows', field=models.UUIDField(null=True)),
        migrations.AddField(model_name='run', name='chained', field=models.SmallIntegerField(db_default=0)),
    ]
