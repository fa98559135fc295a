"""What a run began, what follows it and what continues it is found; nobody who starts runs waits for the indexes."""

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models

NAMES = ('run_children', 'run_followers', 'run_of_chain')


class Migration(migrations.Migration):

    atomic = False

    dependencies = [
        ('runs', '0011_child_runs'),
    ]

    operations = [
        # Those that were interrupted leave indexes that are no good.
        *(migrations.RunSQL(f'DROP INDEX CONCURRENTLY IF EXISTS {name}', migrations.RunSQL.noop) for name in NAMES),
        AddIndexConcurrently(
            model_name='run',
            index=models.Index(condition=models.Q(('parent_id__isnull', False)), fields=['parent_id', 'parent_step_id', 'id'], name='run_children'),
        ),
        AddIndexConcurrently(
            model_name='run',
            index=models.Index(condition=models.Q(('follows__isnull', False)), fields=['follows'], name='run_followers'),
        ),
        AddIndexConcurrently(
            model_name='run',
            index=models.Index(condition=models.Q(('root_id', models.F('id')), _negated=True), fields=['root_id', 'id'], name='run_of_chain'),
        ),
    ]
