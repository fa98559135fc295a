"""Child runs know the root of their tree and their place in it."""

from django.db import migrations, models

import lib.stored_json

FILL = """
WITH RECURSIVE t AS (
    SELECT c.id, coalesce(p.root_id, p.id) AS tree, jsonb_build_array(jsonb_build_array(e.payload -> 'parent_step', e.payload -> 'index')) AS place
      FROM runs_run c
      JOIN runs_run p ON p.id = c.parent_id AND p.parent_id IS NULL
      LEFT JOIN LATERAL (SELECT e.payload FROM runs_historyevent e
                          WHERE e.run_id = c.root_id AND e.type = 'RUN_STARTED' ORDER BY e.id LIMIT 1) e ON true
    UNION ALL
    SELECT c.id, t.tree, t.place || jsonb_build_array(jsonb_build_array(e.payload -> 'parent_step', e.payload -> 'index'))
      FROM t
      JOIN runs_run c ON c.parent_id = t.id
      LEFT JOIN LATERAL (SELECT e.payload FROM runs_historyevent e
                          WHERE e.run_id = c.root_id AND e.type = 'RUN_STARTED' ORDER BY e.id LIMIT 1) e ON true
)
UPDATE runs_run r
   SET tree_id = t.tree, place = t.place
  FROM t
 WHERE r.id = t.id
"""


class Migration(migrations.Migration):

    dependencies = [
        ('runs', '0033_repairs_of_items'),
    ]

    operations = [
        migrations.AddField(
            model_name='run',
            name='tree_id',
            field=models.UUIDField(null=True),
        ),
        migrations.AddField(
            model_name='run',
            name='place',
            field=lib.stored_json.StoredJson(null=True),
        ),
        migrations.RunSQL(FILL, migrations.RunSQL.noop),
    ]
