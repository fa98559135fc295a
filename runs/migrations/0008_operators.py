"""Steps that are kept from another run, and the run that was rerun."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("runs", "0007_webhooks")]

    operations = [
        migrations.AddField(
            model_name="stepexecution", name="kept_from", field=models.UUIDField(null=True)
        ),
        migrations.AddField(model_name="run", name="rerun_of", field=models.UUIDField(null=True)),
    ]
