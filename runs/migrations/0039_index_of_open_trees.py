"""The open runs of a tree are found; nobody who starts runs waits for the index."""

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):

    atomic = False

    dependencies = [
        ('runs', '0038_limits_of_trees'),
    ]

    operations = [
        # One that was interrupted leaves an index that is no good.
        migrations.RunSQL('DROP INDEX CONCURRENTLY IF EXISTS run_open_in_tree', migrations.RunSQL.noop),
        AddIndexConcurrently(
            model_name='run',
            index=models.Index(
                condition=Q(('completed_at__isnull', True), ('is_part', False), ('tree_id__isnull', False)),
                fields=['tree_id'],
                name='run_open_in_tree',
            ),
        ),
    ]
