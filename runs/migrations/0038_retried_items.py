"""Items of containers are tried again, and paused, by themselves."""

from django.db import migrations, models

from lib.schema_sql import SchemaSql


class Migration(migrations.Migration):

    dependencies = [
        ('runs', '0035_index_of_trees'),
    ]

    operations = [
        migrations.AddField(
            model_name='container',
            name='retried',
            field=models.BooleanField(db_default=False),
        ),
        SchemaSql('runs', '4fe0ae36c4e7'),
    ]
