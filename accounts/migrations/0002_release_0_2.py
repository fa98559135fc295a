"""What release 0.2 changed."""

import django.contrib.postgres.fields
import django.db.models.deletion
import django.db.models.functions.datetime
import django.db.models.manager
from django.db import migrations, models

from lib.schema_sql import SchemaSql


GRANT = """
    UPDATE accounts_foldergrant g SET verbs = g.verbs || ARRAY['decide']::varchar(16)[]
      FROM accounts_folder f
     WHERE f.id = g.folder_id AND f.is_default AND g.role = ANY (ARRAY['operator', 'requester', 'approver']) AND NOT 'decide' = ANY (g.verbs);
    INSERT INTO accounts_foldergrant (tenant_id, folder_id, role, verbs)
    SELECT f.tenant_id, f.id, r.role, ARRAY['decide']
      FROM accounts_folder f CROSS JOIN unnest(ARRAY['operator', 'requester', 'approver']) r(role)
     WHERE f.is_default
       AND NOT EXISTS (SELECT FROM accounts_foldergrant g WHERE g.folder_id = f.id AND g.role = r.role);
"""
TAKE_BACK = """
    DELETE FROM accounts_foldergrant WHERE verbs = ARRAY['decide']::varchar(16)[];
    UPDATE accounts_foldergrant SET verbs = array_remove(verbs, 'decide') WHERE 'decide' = ANY (verbs);
    SET CONSTRAINTS ALL IMMEDIATE;
"""
HOMES = """
    UPDATE accounts_user u SET home_id = m.tenant_id
      FROM (SELECT DISTINCT ON (user_id) user_id, tenant_id FROM accounts_membership ORDER BY user_id, id) m
     WHERE m.user_id = u.id;
    SET CONSTRAINTS ALL IMMEDIATE;
"""
SAID = (
    "Tasks that name nobody now ask only people who may read or decide in the folder of their workflow. So far nobody is "
    "granted decide in: {folders}. `manage.py doctor` lists the workflows and open tasks that ask fewer people."
)
MOST = 20


def say_who_decides(apps, schema_editor):
    """Say in which folders fewer people may be asked than before."""
    folders = apps.get_model("accounts", "Folder").unsafe_all_tenants.filter(is_default=False)
    rows = folders.order_by("tenant__slug", "key").values_list("tenant__slug", "name")
    names = [f"{name} ({tenant})" for tenant, name in rows]
    if names:
        more = f" and {len(names) - MOST} more" if len(names) > MOST else ""
        print(SAID.format(folders=", ".join(names[:MOST]) + more))


class Migration(migrations.Migration):

    # A database that has all of these has what is made here.
    replaces = [
        ('accounts', '0010_decide'),
        ('accounts', '0011_token_reach'),
        ('accounts', '0012_audit'),
    ]

    dependencies = [
        ('accounts', '0001_release_0_1'),
    ]

    operations = [
        # What follows changes rows and then their tables.
        migrations.RunSQL('SET CONSTRAINTS ALL IMMEDIATE', migrations.RunSQL.noop),
        migrations.RemoveConstraint(
            model_name='foldergrant',
            name='foldergrant_known_verbs',
        ),
        migrations.RunSQL(migrations.RunSQL.noop, TAKE_BACK),
        migrations.AddConstraint(
            model_name='foldergrant',
            constraint=models.CheckConstraint(condition=models.Q(('verbs__contained_by', ['read', 'start', 'edit', 'publish', 'operate', 'decide']), ('verbs__len__gt', 0)), name='foldergrant_known_verbs'),
        ),
        migrations.RunSQL(GRANT, migrations.RunSQL.noop),
        migrations.RunPython(
            code=say_who_decides,
            reverse_code=migrations.RunPython.noop,
        ),
        migrations.AddField(
            model_name='apitoken',
            name='queues',
            field=django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=129), help_text="Whose jobs alone it takes; a name that ends in * stands for all that begin so; null: every queue's", null=True, size=None),
        ),
        migrations.AddField(
            model_name='apitoken',
            name='folders',
            field=django.contrib.postgres.fields.ArrayField(base_field=models.BigIntegerField(), help_text='The ids of the folders in which alone it reaches anything; null: all that its user reaches', null=True, size=None),
        ),
        migrations.AddField(
            model_name='user',
            name='home',
            field=models.ForeignKey(blank=True, help_text='The tenant that made it', null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='accounts.tenant'),
        ),
        migrations.RunSQL(HOMES, migrations.RunSQL.noop),
        migrations.CreateModel(
            name='AuditRecord',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('by', models.CharField(max_length=150)),
                ('via', models.CharField(max_length=16)),
                ('token', models.CharField(help_text='The public id of the token that was used; or empty', max_length=16)),
                ('door', models.CharField(max_length=16)),
                ('address', models.CharField(help_text='From where: an address, or os:NAME for a command', max_length=64)),
                ('act', models.CharField(db_collation='C', max_length=100)),
                ('target', models.CharField(max_length=300)),
                ('before', models.TextField()),
                ('after', models.TextField()),
                ('reason', models.TextField()),
                ('count', models.IntegerField(help_text='Of refusals: how many; else 1')),
                ('tenant', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.tenant')),
            ],
            options={
                'abstract': False,
                'base_manager_name': 'unsafe_all_tenants',
                'default_manager_name': 'unsafe_all_tenants',
            },
            managers=[
                ('unsafe_all_tenants', django.db.models.manager.Manager()),
            ],
        ),
        migrations.CreateModel(
            name='AuditPending',
            fields=[
                ('record_id', models.BigIntegerField(primary_key=True, serialize=False)),
                ('tenant', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.tenant')),
            ],
            options={
                'abstract': False,
                'base_manager_name': 'unsafe_all_tenants',
                'default_manager_name': 'unsafe_all_tenants',
            },
            managers=[
                ('unsafe_all_tenants', django.db.models.manager.Manager()),
            ],
        ),
        migrations.CreateModel(
            name='AuditHead',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('seq', models.BigIntegerField()),
                ('digest', models.BinaryField(max_length=32)),
                ('tenant', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.tenant')),
            ],
            options={
                'abstract': False,
                'base_manager_name': 'unsafe_all_tenants',
                'default_manager_name': 'unsafe_all_tenants',
                'constraints': [models.UniqueConstraint(fields=('tenant',), name='audithead_once')],
            },
            managers=[
                ('unsafe_all_tenants', django.db.models.manager.Manager()),
            ],
        ),
        migrations.CreateModel(
            name='AuditLink',
            fields=[
                ('record', models.OneToOneField(db_constraint=False, on_delete=django.db.models.deletion.DO_NOTHING, primary_key=True, related_name='link', serialize=False, to='accounts.auditrecord')),
                ('seq', models.BigIntegerField()),
                ('digest', models.BinaryField(max_length=32)),
                ('tenant', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.tenant')),
            ],
            options={
                'abstract': False,
                'base_manager_name': 'unsafe_all_tenants',
                'default_manager_name': 'unsafe_all_tenants',
            },
            managers=[
                ('unsafe_all_tenants', django.db.models.manager.Manager()),
            ],
        ),
        migrations.AddIndex(
            model_name='auditrecord',
            index=models.Index(fields=['tenant', 'id'], name='auditrecord_list'),
        ),
        migrations.AddIndex(
            model_name='auditrecord',
            index=models.Index(fields=['tenant', 'act', 'id'], name='auditrecord_act'),
        ),
        migrations.AddIndex(
            model_name='auditrecord',
            index=models.Index(fields=['tenant', 'by', 'id'], name='auditrecord_by'),
        ),
        migrations.AddIndex(
            model_name='auditrecord',
            index=models.Index(fields=['tenant', 'target', 'id'], name='auditrecord_target'),
        ),
        migrations.AddIndex(
            model_name='auditrecord',
            index=models.Index(fields=['tenant', 'at'], name='auditrecord_at'),
        ),
        migrations.AddConstraint(
            model_name='auditlink',
            constraint=models.UniqueConstraint(fields=('tenant', 'seq'), name='auditlink_once'),
        ),
        SchemaSql('accounts', '86d638ed17f1'),
    ]
