"""Items of bulk jobs may be dead letters and tasks, and verbs of tasks have terms."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('bulk', '0001_tables'),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name='bulkitem',
            name='bulk_item_once',
        ),
        migrations.AddField(
            model_name='bulkitem',
            name='seen',
            field=models.TextField(blank=True, db_default=''),
        ),
        migrations.AddField(
            model_name='bulkitem',
            name='target_id',
            field=models.UUIDField(null=True),
        ),
        migrations.AddField(
            model_name='bulkjob',
            name='terms',
            field=models.JSONField(db_default=models.Value({}, models.JSONField()), default=dict),
        ),
        migrations.AddIndex(
            model_name='bulkitem',
            index=models.Index(condition=models.Q(('target_id__isnull', False)), fields=['job_id', 'run_id'], name='bulk_item_of_run'),
        ),
        migrations.AddConstraint(
            model_name='bulkitem',
            constraint=models.UniqueConstraint(condition=models.Q(('target_id__isnull', True)), fields=('job_id', 'run_id'), name='bulk_item_once'),
        ),
        migrations.AddConstraint(
            model_name='bulkitem',
            constraint=models.UniqueConstraint(condition=models.Q(('target_id__isnull', False)), fields=('job_id', 'target_id'), name='bulk_item_target_once'),
        ),
    ]
