"""Runs that people ask for themselves become their requests."""

import django.db.models.manager
from django.db import migrations, models

MOST = 100_000


def fill(most: int) -> str:
    """The statement that makes requests of the past: of each tenant the newest runs that a username stands at. Nothing
    says of them whether a program had that user's token, and reading all there ever were would hold up an upgrade.
    """
    return f"""
INSERT INTO runs_request (run_id, tenant_id, user_id, workflow_id)
SELECT r.id, r.tenant_id, u.id, r.workflow_id
  FROM accounts_tenant t
 CROSS JOIN LATERAL (SELECT id, tenant_id, workflow_id, created_by, is_test, parent_step_id, root_id
                       FROM runs_run
                      WHERE tenant_id = t.id
                      ORDER BY id DESC
                      LIMIT {most}) r
  JOIN accounts_user u ON lower(u.username) = lower(r.created_by)
 WHERE NOT r.is_test AND r.parent_step_id IS NULL AND r.root_id = r.id
"""


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0001_tables'),
        ('runs', '0004_start_drafts'),
    ]

    operations = [
        migrations.CreateModel(
            name='Request',
            fields=[
                ('tenant_id', models.BigIntegerField()),
                ('run_id', models.UUIDField(primary_key=True, serialize=False)),
                ('user_id', models.BigIntegerField()),
                ('workflow_id', models.BigIntegerField()),
            ],
            options={
                'abstract': False,
                'base_manager_name': 'unsafe_all_tenants',
                'default_manager_name': 'unsafe_all_tenants',
                'indexes': [models.Index(fields=['tenant_id', 'user_id', '-run_id'], name='request_list')],
            },
            managers=[
                ('unsafe_all_tenants', django.db.models.manager.Manager()),
            ],
        ),
        migrations.RunSQL(fill(MOST), migrations.RunSQL.noop),
    ]
