"""Bulk jobs do any verb with the runs that a search has found; open dead letters are found by an index."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0009_tokens'),
        ('runs', '0022_alerts'),
        ('workflows', '0003_comments'),
    ]

    operations = [
        migrations.AddField(
            model_name='bulkjob',
            name='compensate',
            field=models.BooleanField(db_default=False),
        ),
        migrations.AddField(
            model_name='bulkjob',
            name='query',
            field=models.TextField(blank=True, db_default=''),
        ),
        migrations.AddField(
            model_name='bulkjob',
            name='verb',
            field=models.TextField(db_default='migrate'),
        ),
        migrations.AlterField(
            model_name='bulkitem',
            name='result',
            field=models.TextField(choices=[('pending', 'pending'), ('able', 'able'), ('moved', 'moved'), ('done', 'done'), ('refused', 'refused'), ('ended', 'ended'), ('stopped', 'stopped')], db_default='pending'),
        ),
        migrations.AlterField(
            model_name='bulkjob',
            name='from_version',
            field=models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='workflows.workflowversion'),
        ),
        migrations.AlterField(
            model_name='bulkjob',
            name='to_version',
            field=models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='workflows.workflowversion'),
        ),
        migrations.AlterField(
            model_name='bulkjob',
            name='workflow',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='workflows.workflow'),
        ),
        migrations.AddIndex(
            model_name='bulkjob',
            index=models.Index(fields=['tenant', '-id'], name='bulk_jobs_of_tenant'),
        ),
        migrations.AddConstraint(
            model_name='bulkjob',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('verb', 'migrate'), _negated=True), models.Q(('from_version__isnull', False), ('to_version__isnull', False), ('workflow__isnull', False)), _connector='OR'), name='bulk_job_has_versions'),
        ),
        migrations.AddIndex(
            model_name='deadletter',
            index=models.Index(condition=models.Q(('resolution', None)), fields=['tenant_id', '-id'], name='dead_letter_open'),
        ),
    ]
