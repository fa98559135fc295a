"""The rules of the engine under which a version was published; those that are there keep the first."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('workflows', '0003_comments'),
    ]

    operations = [
        migrations.AddField(
            model_name='workflowversion',
            name='rules',
            field=models.PositiveSmallIntegerField(db_default=1, default=2),
        ),
        migrations.AddIndex(
            model_name='workflowversion',
            index=models.Index(condition=models.Q(('is_test', False), ('rules', 1)), fields=['id'], name='workflowversion_first_rules'),
        ),
    ]
