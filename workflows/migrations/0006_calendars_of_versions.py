"""The ids of the working calendars that a version names."""

from django.db import migrations, models

from lib.schema_sql import SchemaSql


class Migration(migrations.Migration):

    dependencies = [
        ('workflows', '0005_withdrawals'),
    ]

    operations = [
        migrations.AddField(
            model_name='workflowversion',
            name='calendars',
            field=models.JSONField(db_default={}, default=dict),
        ),
        migrations.AddIndex(
            model_name='workflowversion',
            index=models.Index(condition=models.Q(models.Q(('calendars', {}), _negated=True), ('is_test', False)), fields=['tenant', 'id'], name='workflowversion_calendars'),
        ),
        SchemaSql("workflows", "f1780508436b"),
    ]
