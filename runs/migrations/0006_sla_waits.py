"""Up to when the waits of a run are counted that don't count toward its deadline."""

from django.db import migrations, models

from lib.schema_sql import SchemaSql


class Migration(migrations.Migration):

    dependencies = [
        ('runs', '0005_input_index'),
    ]

    operations = [
        migrations.AddField(
            model_name='run',
            name='sla_counted_at',
            field=models.DateTimeField(null=True),
        ),
        SchemaSql('runs', '5f25149b99d4'),
    ]
