"""Webhooks know what they were called before: what they did stands in history under the name of then."""

from django.db import migrations, models

from lib.schema_sql import SchemaSql


class Migration(migrations.Migration):

    dependencies = [
        ('runs', '0008_refused_deliveries'),
    ]

    operations = [
        migrations.AddField(
            model_name='inboundwebhook',
            name='former_names',
            field=models.JSONField(null=True),
        ),
        SchemaSql('runs', '1651f8c025b2'),
    ]
