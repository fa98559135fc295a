"""Tasks that nobody can decide are found without reading the others."""

from django.db import migrations, models

from lib.schema_sql import SchemaSql


class Migration(migrations.Migration):

    dependencies = [
        ('tasks_inbox', '0001_tables'),
    ]

    operations = [
        migrations.AddIndex(
            model_name='manualtask',
            index=models.Index(condition=models.Q(('status', 'OPEN'), ('undecidable_since__isnull', False)), fields=['tenant_id', '-id'], name='task_undecidable'),
        ),
        SchemaSql('tasks_inbox', '5932c2c81160'),
    ]
