"""Child runs are found by their place, and those that are open or stopped; nobody who starts runs waits for the indexes."""

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models

NAMES = ('run_child_places', 'run_unfinished_children')


class Migration(migrations.Migration):

    atomic = False

    dependencies = [
        ('runs', '0036_undo_entries'),
    ]

    operations = [
        # Those that were interrupted leave indexes that are no good.
        *(migrations.RunSQL(f'DROP INDEX CONCURRENTLY IF EXISTS {name}', migrations.RunSQL.noop) for name in NAMES),
        AddIndexConcurrently(
            model_name='run',
            index=models.Index(models.F('parent_id'), models.Func(models.F('place'), template='(%(expressions)s -> -1)'), condition=models.Q(('parent_id__isnull', False)), name='run_child_places'),
        ),
        AddIndexConcurrently(
            model_name='run',
            index=models.Index(condition=models.Q(('parent_id__isnull', False), models.Q(('status', 'COMPLETED'), _negated=True)), fields=['parent_id'], name='run_unfinished_children'),
        ),
    ]
