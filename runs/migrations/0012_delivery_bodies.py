"""Webhook messages are known by their bodies, too: the same id with another one is told."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('runs', '0011_test_runs'),
    ]

    operations = [
        migrations.AddField(
            model_name='webhookdelivery',
            name='body_sha256',
            field=models.BinaryField(null=True),
        ),
    ]
