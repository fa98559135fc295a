"""The rules of the engine under which a version was published; those that are there keep the first."""

from django.db import migrations, models

from lib.schema_sql import SchemaSql


class Migration(migrations.Migration):

    dependencies = [
        ('workflows', '0003_comments'),
    ]

    operations = [
        migrations.AddField(
            model_name='workflowversion',
            name='rules',
            field=models.PositiveSmallIntegerField(db_default=1, default=2),
        ),
        SchemaSql("workflows", "f1780508436b"),
    ]
