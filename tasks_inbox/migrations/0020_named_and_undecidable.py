from django.db import migrations, models

import lib.stored_json

# What asks who started its run is theirs whatever their role: they answer to this mark alone.
STARTERS = """
UPDATE tasks_inbox_manualtask t
   SET audience = t.audience || ('starter:' || lower(normalize(r.created_by, NFKC)))
  FROM runs_run r
 WHERE r.id = t.run_id AND t.status = 'OPEN' AND t.kind = 'form'
   AND 'user:' || lower(normalize(r.created_by, NFKC)) = ANY (t.audience);
"""


class Migration(migrations.Migration):

    dependencies = [
        ('tasks_inbox', '0019_held_for'),
        ('runs', '0011_test_runs'),
    ]

    operations = [
        migrations.AddField(
            model_name='manualtask',
            name='named',
            field=lib.stored_json.StoredJson(null=True),
        ),
        migrations.AddField(
            model_name='manualtask',
            name='undecidable_since',
            field=models.DateTimeField(null=True),
        ),
        migrations.RunSQL(STARTERS, migrations.RunSQL.noop),
    ]
