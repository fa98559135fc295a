"""Webhooks act for somebody, and keep what was refused; those that are there have nobody and act as before."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('runs', '0006_saved_searches'),
    ]

    operations = [
        migrations.AddField(
            model_name='inboundwebhook',
            name='acts_for',
            field=models.TextField(null=True),
        ),
        migrations.AddField(
            model_name='webhookdelivery',
            name='refused',
            field=models.TextField(null=True),
        ),
    ]
