"""Whether what a run did is undone when it has closed, and whether it was cancelled."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('runs', '0004_waits'),
    ]

    operations = [
        migrations.AddField(
            model_name='run',
            name='cancelled',
            field=models.BooleanField(db_default=False),
        ),
        migrations.AddField(
            model_name='run',
            name='undo',
            field=models.BooleanField(db_default=False),
        ),
    ]
