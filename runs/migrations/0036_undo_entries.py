"""Trees of runs undo what they did by plans."""

import django.contrib.postgres.fields
import django.db.models.manager
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('runs', '0035_index_of_trees'),
    ]

    operations = [
        migrations.CreateModel(
            name='UndoEntry',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('tenant_id', models.BigIntegerField()),
                ('run_id', models.UUIDField()),
                ('shard', models.SmallIntegerField()),
                ('seq', models.IntegerField()),
                ('target_id', models.UUIDField(null=True)),
                ('node', models.TextField(null=True)),
                ('blocked', models.IntegerField()),
                ('releases', django.contrib.postgres.fields.ArrayField(base_field=models.IntegerField(), default=list, size=None)),
                ('state', models.TextField(choices=[('planned', 'planned'), ('begun', 'begun'), ('undone', 'undone'), ('abandoned', 'abandoned')], db_default='planned')),
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
        migrations.AlterField(
            model_name='runmessage',
            name='kind',
            field=models.TextField(choices=[('child_ended', 'child_ended'), ('cancel', 'cancel'), ('pause', 'pause'), ('unpause', 'unpause'), ('start_next', 'start_next'), ('continue', 'continue'), ('resume', 'resume'), ('undo', 'undo'), ('undone', 'undone'), ('child_undoing', 'child_undoing'), ('close', 'close')]),
        ),
        migrations.AddIndex(
            model_name='undoentry',
            index=models.Index(condition=models.Q(('target_id__isnull', False)), fields=['target_id'], name='undo_entry_of_target'),
        ),
        migrations.AddIndex(
            model_name='undoentry',
            index=models.Index(condition=models.Q(('blocked', 0), ('state', 'planned')), fields=['run_id'], name='undo_entry_free'),
        ),
        migrations.AddConstraint(
            model_name='undoentry',
            constraint=models.UniqueConstraint(fields=('run_id', 'seq'), name='undo_entry_once'),
        ),
        migrations.AddIndex(
            model_name='runmessage',
            index=models.Index(fields=['run_id'], name='message_of_run'),
        ),
        migrations.AddIndex(
            model_name='runmessage',
            index=models.Index(fields=['from_id'], name='message_from_run'),
        ),
    ]
