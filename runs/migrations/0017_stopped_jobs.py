"""Bulk jobs can be stopped, and are listed by workflow."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0007_mentioned'),
        ('runs', '0016_resume_children'),
        ('workflows', '0003_comments'),
    ]

    operations = [
        migrations.AddField(
            model_name='bulkjob',
            name='stopped_by',
            field=models.TextField(blank=True, db_default=''),
        ),
        migrations.AlterField(
            model_name='bulkitem',
            name='result',
            field=models.TextField(choices=[('pending', 'pending'), ('able', 'able'), ('moved', 'moved'), ('refused', 'refused'), ('ended', 'ended'), ('stopped', 'stopped')], db_default='pending'),
        ),
        migrations.AddIndex(
            model_name='bulkjob',
            index=models.Index(fields=['tenant', 'workflow', '-id'], name='bulk_jobs_of_workflow'),
        ),
    ]
