"""The folder verb `decide`. Until now every task that names nobody asked whoever decides tasks, wherever its workflow lies:
in the default folder those roles keep it, other folders grant it to nobody (`manage.py doctor` lists what that narrows).
"""

from django.db import migrations, models

_ROLES = "ARRAY['operator', 'requester', 'approver']"
_GRANT = f"""
    UPDATE accounts_foldergrant g SET verbs = g.verbs || ARRAY['decide']::varchar(16)[]
      FROM accounts_folder f
     WHERE f.id = g.folder_id AND f.is_default AND g.role = ANY ({_ROLES}) AND NOT 'decide' = ANY (g.verbs);
    INSERT INTO accounts_foldergrant (tenant_id, folder_id, role, verbs)
    SELECT f.tenant_id, f.id, r.role, ARRAY['decide']
      FROM accounts_folder f CROSS JOIN unnest({_ROLES}) r(role)
     WHERE f.is_default
       AND NOT EXISTS (SELECT FROM accounts_foldergrant g WHERE g.folder_id = f.id AND g.role = r.role);
"""
_TAKE_BACK = """
    DELETE FROM accounts_foldergrant WHERE verbs = ARRAY['decide']::varchar(16)[];
    UPDATE accounts_foldergrant SET verbs = array_remove(verbs, 'decide') WHERE 'decide' = ANY (verbs);
    SET CONSTRAINTS ALL IMMEDIATE;
"""
_TOLD = (
    "Tasks that name nobody now ask only people who may read or decide in the folder of their workflow. So far nobody is "
    "granted decide in: {folders}. `manage.py doctor` lists the workflows and open tasks that ask fewer people."
)
_MOST = 20


def _tell(apps, schema_editor):
    """Say in which folders fewer people may be asked than before."""
    folders = apps.get_model("accounts", "Folder").unsafe_all_tenants.filter(is_default=False)
    rows = folders.order_by("tenant__slug", "key").values_list("tenant__slug", "name")
    names = [f"{name} ({tenant})" for tenant, name in rows]
    if names:
        more = f" and {len(names) - _MOST} more" if len(names) > _MOST else ""
        print(_TOLD.format(folders=", ".join(names[:_MOST]) + more))


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0009_tokens'),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name='foldergrant',
            name='foldergrant_known_verbs',
        ),
        migrations.RunSQL(migrations.RunSQL.noop, _TAKE_BACK),
        migrations.AddConstraint(
            model_name='foldergrant',
            constraint=models.CheckConstraint(condition=models.Q(('verbs__contained_by', ['read', 'start', 'edit', 'publish', 'operate', 'decide']), ('verbs__len__gt', 0)), name='foldergrant_known_verbs'),
        ),
        migrations.RunSQL(_GRANT, migrations.RunSQL.noop),
        migrations.RunPython(_tell, migrations.RunPython.noop),
    ]
