"""The changed runs of a tree are found; nobody who starts runs waits for the index."""

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models
from django.db.models.functions import Coalesce


class Migration(migrations.Migration):

    atomic = False

    dependencies = [
        ('runs', '0044_changed_runs'),
    ]

    operations = [
        # One that was interrupted leaves an index that is no good.
        migrations.RunSQL('DROP INDEX CONCURRENTLY IF EXISTS run_changed_in_tree', migrations.RunSQL.noop),
        AddIndexConcurrently(
            model_name='run',
            index=models.Index(Coalesce('tree_id', 'root_id'), condition=models.Q(('changed_at__isnull', False)), name='run_changed_in_tree'),
        ),
    ]
