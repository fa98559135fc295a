"""Workflows lie in folders: those that are there in the default folder of their tenant."""

from typing import Any

import django.db.models.deletion
from django.db import migrations, models
from django.db.migrations.exceptions import IrreversibleError

# Authors and operators go on as before. Viewers and approvers read what an admin lets them read.
GRANTS = {"author": ["read", "start", "edit", "publish", "operate"], "operator": ["read", "start", "operate"]}


def place(apps: Any, schema_editor: Any) -> None:
    Folder, Grant = (apps.get_model("accounts", name) for name in ("Folder", "FolderGrant"))
    Workflow = apps.get_model("workflows", "Workflow")
    for tenant in apps.get_model("accounts", "Tenant").objects.all():
        folder, is_new = Folder.unsafe_all_tenants.get_or_create(
            tenant=tenant, is_default=True, defaults={"name": "General", "key": "general"}
        )
        if is_new:
            for role, verbs in GRANTS.items():
                Grant.unsafe_all_tenants.create(tenant=tenant, folder=folder, role=role, verbs=verbs)
        Workflow.unsafe_all_tenants.filter(tenant=tenant, folder=None).update(folder=folder)


def refuse_with_folders(apps: Any, schema_editor: Any) -> None:
    """On the way back: raises IrreversibleError where folders keep somebody out, which nothing would do any more."""
    others = apps.get_model("accounts", "Folder")._base_manager.filter(is_default=False)
    if count := others.count():
        raise IrreversibleError(
            f"workflows.0002 can't be reversed: there are {count} folders beside the default ones, and whoever they keep"
            " out would see what lies in them; move the workflows and delete these folders first."
        )


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0002_folders"),
        ("workflows", "0001_tables"),
    ]

    operations = [
        migrations.AddField(
            model_name="workflow",
            name="folder",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="accounts.folder",
            ),
        ),
        migrations.RunPython(place, migrations.RunPython.noop, elidable=True),
        # A table can't be altered while checks of its rows are put off.
        migrations.RunSQL("SET CONSTRAINTS ALL IMMEDIATE", migrations.RunSQL.noop),
        migrations.AlterField(
            model_name="workflow",
            name="folder",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="+", to="accounts.folder"
            ),
        ),
        # The last operation is the first on the way back.
        migrations.RunPython(migrations.RunPython.noop, refuse_with_folders),
    ]
