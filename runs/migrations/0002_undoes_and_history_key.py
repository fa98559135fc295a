"""A step says in a column what it undoes, and the key of history has the time in it, as partitions by month need it.

How the tables are kept, the seals of history and the wake sources are in `sql/schema/`.
"""

from django.db import migrations, models
from django.db.models.functions import Cast

# The view reads the names of nodes until the migration behind this one makes it anew.
NAMED = """
UPDATE runs_stepexecution SET undoes = left(node, -length(':compensate')) WHERE node LIKE '%:compensate';
"""
TIMED_KEY = """
ALTER TABLE runs_historyevent DROP CONSTRAINT runs_historyevent_pkey, ADD PRIMARY KEY (id, created_at);
"""
PLAIN_KEY = """
ALTER TABLE runs_historyevent DROP CONSTRAINT runs_historyevent_pkey, ADD PRIMARY KEY (id);
"""


class Migration(migrations.Migration):

    dependencies = [
        ('runs', '0001_tables'),
    ]
    # Read by `config/startup.py`: it says beforehand how many rows these tables have.
    rebuilds = ('runs_historyevent',)

    operations = [
        migrations.AddField('stepexecution', 'undoes', models.TextField(null=True)),
        migrations.RunSQL(NAMED, migrations.RunSQL.noop),
        migrations.RunSQL(
            TIMED_KEY,
            PLAIN_KEY,
            state_operations=[
                migrations.AlterField('historyevent', 'id', models.BigIntegerField()),
                migrations.AddField('historyevent', 'pk', models.CompositePrimaryKey('id', 'created_at', blank=True, editable=False, primary_key=True, serialize=False)),
            ],
        ),
        migrations.AlterField(
            'historyevent',
            'xid',
            models.BigIntegerField(
                db_default=Cast(
                    Cast(models.Func(function='pg_current_xact_id'), models.TextField()), models.BigIntegerField()
                )
            ),
        ),
    ]
