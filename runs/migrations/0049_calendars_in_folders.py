"""Runs are never deleted, calendars belong to folders, and versions keep the ids of those that they name."""

import django.db.models.deletion
from django.db import migrations, models

PIN = """
SET CONSTRAINTS ALL IMMEDIATE;
ALTER TABLE workflows_workflowversion DISABLE TRIGGER workflowversion_immutable;
WITH named AS (
    SELECT DISTINCT v.id, v.tenant_id, n.name #>> '{}' AS name
      FROM workflows_workflowversion v
     CROSS JOIN LATERAL (SELECT jsonb_path_query(v.definition, '$.**.calendar ? (@.type() == "string")') AS name
                          UNION ALL
                         SELECT jsonb_path_query(v.definition, '$.sla_calendar ? (@.type() == "string")')) n
     WHERE EXISTS (SELECT 1 FROM runs_calendar c WHERE c.tenant_id = v.tenant_id)
),
pinned AS (
    SELECT n.id, jsonb_object_agg(c.name, c.id) AS calendars
      FROM named n JOIN runs_calendar c ON c.tenant_id = n.tenant_id AND c.name = n.name
     GROUP BY n.id
)
UPDATE workflows_workflowversion v SET calendars = p.calendars FROM pinned p WHERE v.id = p.id;
ALTER TABLE workflows_workflowversion ENABLE TRIGGER workflowversion_immutable;
SET CONSTRAINTS ALL DEFERRED;
"""


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0010_decide'),
        ('runs', '0048_history_checks'),
        ('workflows', '0006_calendars_of_versions'),
    ]

    operations = [
        migrations.AddField(
            model_name='calendar',
            name='folder',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.folder'),
        ),
        migrations.AddField(
            model_name='calendar',
            name='revision',
            field=models.PositiveIntegerField(db_default=1, default=1),
        ),
        migrations.AddField(
            model_name='run',
            name='sla_calendar',
            field=models.JSONField(null=True),
        ),
        migrations.AddField(
            model_name='timer',
            name='calendar',
            field=models.JSONField(null=True),
        ),
        migrations.RunSQL(PIN, migrations.RunSQL.noop),
    ]
