"""Why somebody discarded a dead letter."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('runs', '0005_saga'),
    ]

    operations = [
        migrations.AddField(
            model_name='deadletter',
            name='reason',
            field=models.TextField(null=True),
        ),
    ]
