"""Whether the decision of a task covers what steps after it do."""

from django.db import migrations, models

from lib.schema_sql import SchemaSql


class Migration(migrations.Migration):

    dependencies = [
        ('tasks_inbox', '0002_undecidable_view'),
    ]

    operations = [
        migrations.AddField(
            model_name='manualtask',
            name='covers',
            field=models.BooleanField(db_default=False),
        ),
        SchemaSql('tasks_inbox', '5932c2c81160'),
    ]
