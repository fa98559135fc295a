"""The open waits for a signal are found by tree and name; nobody who begins a wait waits for the index."""

import django.db.models.fields.json
from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):

    atomic = False

    dependencies = [
        ('runs', '0040_signals_of_trees'),
    ]

    operations = [
        # One that was interrupted leaves an index that is no good.
        migrations.RunSQL('DROP INDEX CONCURRENTLY IF EXISTS step_signal_of_tree', migrations.RunSQL.noop),
        AddIndexConcurrently(
            model_name='stepexecution',
            index=models.Index(
                django.db.models.fields.json.KT('waiting__tree'),
                django.db.models.fields.json.KT('waiting__name'),
                models.F('id'),
                condition=models.Q(('status', 'WAITING'), ('waiting__has_key', 'tree')),
                name='step_signal_of_tree',
            ),
        ),
    ]
