from django.db import migrations, models


class Migration(migrations.Migration):
    """When a person has changed what a run below another one does."""

    dependencies = [
        ('runs', '0043_stopped_schedules'),
    ]

    operations = [
        migrations.AddField(
            model_name='run',
            name='changed_at',
            field=models.DateTimeField(null=True),
        ),
    ]
