"""The runs of a tree are found; nobody who starts runs waits for the index."""

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):

    atomic = False

    dependencies = [
        ('runs', '0034_trees'),
    ]

    operations = [
        # One that was interrupted leaves an index that is no good.
        migrations.RunSQL('DROP INDEX CONCURRENTLY IF EXISTS run_of_tree', migrations.RunSQL.noop),
        AddIndexConcurrently(
            model_name='run',
            index=models.Index(condition=models.Q(('tree_id__isnull', False)), fields=['tree_id', 'id'], name='run_of_tree'),
        ),
    ]
