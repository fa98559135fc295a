"""Tasks that nobody can decide are found without reading the others; who decides one meanwhile does not wait."""

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):

    atomic = False

    dependencies = [
        ('tasks_inbox', '0001_tables'),
    ]

    operations = [
        # One that was interrupted leaves an index that is no good.
        migrations.RunSQL('DROP INDEX CONCURRENTLY IF EXISTS task_undecidable', migrations.RunSQL.noop),
        AddIndexConcurrently(
            model_name='manualtask',
            index=models.Index(condition=models.Q(('status', 'OPEN'), ('undecidable_since__isnull', False)), fields=['tenant_id', '-id'], name='task_undecidable'),
        ),
    ]
