"""What people note of tasks for themselves: snoozed until then, watched."""

import django.db.models.manager
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('tasks_inbox', '0005_clock'),
    ]

    operations = [
        migrations.CreateModel(
            name='TaskNote',
            fields=[
                ('tenant_id', models.BigIntegerField()),
                ('id', models.UUIDField(primary_key=True, serialize=False)),
                ('task_id', models.UUIDField()),
                ('username', models.TextField()),
                ('snoozed_until', models.DateTimeField(null=True)),
                ('watching', models.BooleanField(db_default=False)),
            ],
            options={
                'abstract': False,
                'base_manager_name': 'unsafe_all_tenants',
                'default_manager_name': 'unsafe_all_tenants',
                'indexes': [models.Index(fields=['tenant_id', 'username'], name='task_notes_of')],
                'constraints': [models.UniqueConstraint(fields=('task_id', 'username'), name='task_note_once_each')],
            },
            managers=[
                ('unsafe_all_tenants', django.db.models.manager.Manager()),
            ],
        ),
    ]
