"""The role requester; how dense pages are."""

from typing import Any

from django.db import migrations, models
from django.db.migrations.exceptions import IrreversibleError


def refuse_with_requesters(apps: Any, schema_editor: Any) -> None:
    """On the way back: raises IrreversibleError where somebody has the role, which there is not before."""
    for name, where in (("Membership", "members"), ("ApiToken", "tokens"), ("FolderGrant", "grants of folders")):
        if count := apps.get_model("accounts", name)._base_manager.filter(role="requester").count():
            raise IrreversibleError(
                f"accounts.0004 can't be reversed: {count} {where} have the role requester; give them another one first."
            )


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0003_reader'),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name='apitoken',
            name='apitoken_known_role',
        ),
        migrations.RemoveConstraint(
            model_name='foldergrant',
            name='foldergrant_to_role_or_group',
        ),
        migrations.RemoveConstraint(
            model_name='membership',
            name='membership_known_role',
        ),
        migrations.AddField(
            model_name='user',
            name='density',
            field=models.CharField(choices=[('comfortable', 'comfortable'), ('compact', 'compact')], db_default='comfortable', help_text='How much of a list stands on one screen', max_length=16),
        ),
        migrations.AlterField(
            model_name='apitoken',
            name='role',
            field=models.CharField(choices=[('viewer', 'viewer'), ('author', 'author'), ('operator', 'operator'), ('requester', 'requester'), ('approver', 'approver'), ('admin', 'admin'), ('worker', 'worker')], max_length=16),
        ),
        migrations.AlterField(
            model_name='foldergrant',
            name='role',
            field=models.CharField(blank=True, choices=[('viewer', 'viewer'), ('author', 'author'), ('operator', 'operator'), ('requester', 'requester'), ('approver', 'approver'), ('admin', 'admin')], max_length=16),
        ),
        migrations.AlterField(
            model_name='membership',
            name='role',
            field=models.CharField(choices=[('viewer', 'viewer'), ('author', 'author'), ('operator', 'operator'), ('requester', 'requester'), ('approver', 'approver'), ('admin', 'admin')], max_length=16),
        ),
        migrations.AddConstraint(
            model_name='apitoken',
            constraint=models.CheckConstraint(condition=models.Q(('role__in', ('viewer', 'author', 'operator', 'requester', 'approver', 'admin', 'worker'))), name='apitoken_known_role'),
        ),
        migrations.AddConstraint(
            model_name='foldergrant',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('group__isnull', False), ('role', '')), models.Q(('group__isnull', True), ('role__in', ('viewer', 'author', 'operator', 'requester', 'approver', 'admin'))), _connector='OR'), name='foldergrant_to_role_or_group'),
        ),
        migrations.AddConstraint(
            model_name='membership',
            constraint=models.CheckConstraint(condition=models.Q(('role__in', ('viewer', 'author', 'operator', 'requester', 'approver', 'admin'))), name='membership_known_role'),
        ),
        # The last operation is the first on the way back.
        migrations.RunPython(migrations.RunPython.noop, refuse_with_requesters),
    ]
