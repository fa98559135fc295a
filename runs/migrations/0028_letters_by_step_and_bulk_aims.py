"""Open dead letters are found by their step: an alert of it is over when none is left, however many others there are.
Bulk jobs give tasks to somebody else, and have runs of any version go on with one.
"""

from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):

    dependencies = [
        ('runs', '0027_forecast_orders'),
    ]

    operations = [
        migrations.AddField(
            model_name='bulkjob',
            name='assignee',
            field=models.TextField(blank=True, db_default=''),
        ),
        migrations.AddField(
            model_name='bulkjob',
            name='to_group',
            field=models.TextField(blank=True, db_default=''),
        ),
        migrations.RemoveConstraint(model_name='bulkjob', name='bulk_job_has_versions'),
        migrations.AddConstraint(
            model_name='bulkjob',
            constraint=models.CheckConstraint(
                condition=~Q(verb='migrate') | Q(workflow__isnull=False, to_version__isnull=False),
                name='bulk_job_has_versions',
            ),
        ),
        migrations.AddIndex(
            model_name='deadletter',
            index=models.Index(condition=Q(('resolution', None)), fields=['tenant_id', 'node', '-id'], name='dead_letter_open_step'),
        ),
    ]
