"""Admins are mailed of webhooks that were switched off."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0007_mentioned"),
    ]

    operations = [
        migrations.AlterField(
            model_name="accountmail",
            name="kind",
            field=models.CharField(
                choices=[
                    ("forgotten", "forgotten"),
                    ("invited", "invited"),
                    ("sent", "sent"),
                    ("moved", "moved"),
                    ("digest", "digest"),
                    ("mentioned", "mentioned"),
                    ("webhook_off", "webhook_off"),
                ],
                max_length=16,
            ),
        ),
    ]
