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
    ]
