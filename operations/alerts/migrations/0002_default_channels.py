"""Channels that new rules notify."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('alerts', '0001_tables'),
    ]

    operations = [
        migrations.AddField(
            model_name='alertchannel',
            name='is_default',
            field=models.BooleanField(db_default=False),
        ),
    ]
