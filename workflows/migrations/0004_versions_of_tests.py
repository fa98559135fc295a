"""Versions that test runs run: without a number, each content once."""

from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0003_tenant_keys'),
        ('workflows', '0003_draft_changes'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name='workflowversion',
            name='workflowversion_number_from_one',
        ),
        migrations.AddField(
            model_name='workflowversion',
            name='is_test',
            field=models.BooleanField(db_default=False, default=False),
        ),
        migrations.AlterField(
            model_name='workflowversion',
            name='number',
            field=models.PositiveIntegerField(null=True),
        ),
        migrations.AddConstraint(
            model_name='workflowversion',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('is_test', False), ('number__gte', 1), ('number__isnull', False)), models.Q(('is_test', True), ('number__isnull', True)), _connector='OR'), name='workflowversion_numbered_unless_test'),
        ),
        migrations.AddConstraint(
            model_name='workflowversion',
            constraint=models.UniqueConstraint(condition=models.Q(('is_test', True)), fields=('workflow', 'content_hash'), name='workflowversion_test_once'),
        ),
        # On the way back there is no place for them; the runs that took them are gone already.
        migrations.RunSQL(migrations.RunSQL.noop, "DELETE FROM workflows_workflowversion WHERE is_test"),
    ]
