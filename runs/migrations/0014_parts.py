"""Runs that are what a container does for one of its items."""

from django.db import migrations, models

from lib.schema_sql import SchemaSql


class Migration(migrations.Migration):

    dependencies = [
        ('runs', '0012_child_run_indexes'),
    ]

    operations = [
        migrations.AddField(
            model_name='run',
            name='is_part',
            field=models.BooleanField(db_default=False),
        ),
        SchemaSql('runs', '1651f8c025b2'),
    ]
