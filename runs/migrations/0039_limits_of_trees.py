"""Runs know for whom they act."""

from django.db import migrations, models

from lib.schema_sql import SchemaSql


class Migration(migrations.Migration):

    dependencies = [
        ('runs', '0035_index_of_trees'),
    ]

    operations = [
        migrations.AddField(
            model_name='run',
            name='acts_for',
            field=models.TextField(null=True),
        ),
        SchemaSql('runs', 'e86cf6eeade5'),
    ]
