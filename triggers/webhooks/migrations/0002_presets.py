"""Webhooks of senders that sign in their own way."""

from django.db import migrations, models

import lib.stored_json


class Migration(migrations.Migration):

    dependencies = [
        ('webhooks', '0001_tables'),
    ]

    operations = [
        migrations.AddField(
            model_name='inboundwebhook',
            name='preset',
            field=models.TextField(null=True),
        ),
        migrations.AddField(
            model_name='inboundwebhook',
            name='settings',
            field=models.JSONField(null=True),
        ),
    ]
