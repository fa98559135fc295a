"""What is repaired, and what can't be, is counted for each item of a container."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('runs', '0032_outbox_aside'),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name='repair',
            name='repair_reported_once',
        ),
        migrations.AddField(
            model_name='repair',
            name='index',
            field=models.IntegerField(null=True),
        ),
        migrations.AddConstraint(
            model_name='repair',
            constraint=models.UniqueConstraint(condition=models.Q(('done', False)), fields=('run_id', 'life', 'what', 'node', 'index'), name='repair_reported_once', nulls_distinct=False),
        ),
    ]
