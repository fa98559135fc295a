"""Signals belong to the tree of runs, and may name the descendant or the item that they are for."""

from django.db import migrations, models

# What was sent to a child was for that child. Two children of a tree may have had one id each: the later ones are told apart.
SIGNALS = """
WITH m AS (
    SELECT g.id, r.tree_id, r.root_id AS child,
           g.signal_id IN (SELECT o.signal_id FROM runs_signal o WHERE o.root_id = r.tree_id)
           OR row_number() OVER (PARTITION BY r.tree_id, g.signal_id ORDER BY g.id) > 1 AS is_taken
      FROM runs_signal g
      JOIN runs_run r ON r.id = g.run_id
     WHERE r.tree_id IS NOT NULL
)
UPDATE runs_signal g
   SET root_id = m.tree_id, child_id = m.child,
       signal_id = CASE WHEN m.is_taken THEN concat(g.signal_id, ' (', g.id, ')') ELSE g.signal_id END
  FROM m
 WHERE g.id = m.id
"""

# Each open wait of a child run knows its tree, and asks the root for what was sent there.
WAITS = """
WITH s AS (
    UPDATE runs_stepexecution s
       SET waiting = s.waiting || jsonb_build_object('tree', r.tree_id)
      FROM runs_run r
     WHERE s.status = 'WAITING' AND s.waiting ->> 'kind' = 'signal' AND r.id = s.run_id AND r.tree_id IS NOT NULL
    RETURNING s.id, s.tenant_id, s.run_id, s.shard, r.tree_id
)
INSERT INTO runs_runmessage (tenant_id, run_id, shard, kind, from_id, step_id)
SELECT s.tenant_id,
       coalesce((SELECT n.id FROM runs_run n WHERE n.root_id = s.tree_id AND n.root_id <> n.id ORDER BY n.id DESC LIMIT 1), s.tree_id),
       s.shard, 'signal_wanted', s.run_id, s.id
  FROM s
 ORDER BY s.id
"""

KINDS = (
    'child_ended', 'cancel', 'pause', 'unpause', 'start_next', 'continue', 'resume', 'signal', 'signal_wanted', 'signal_returned',
    'undo', 'undone', 'child_undoing', 'close', 'migrate',
)


class Migration(migrations.Migration):

    dependencies = [
        ('runs', '0039_index_of_open_trees'),
    ]

    operations = [
        migrations.AddField(
            model_name='signal',
            name='child_id',
            field=models.UUIDField(null=True),
        ),
        migrations.AddField(
            model_name='signal',
            name='index',
            field=models.IntegerField(null=True),
        ),
        migrations.AlterField(
            model_name='runmessage',
            name='kind',
            field=models.TextField(choices=[(kind, kind) for kind in KINDS]),
        ),
        migrations.RunSQL(SIGNALS, migrations.RunSQL.noop),
        migrations.RunSQL(WAITS, migrations.RunSQL.noop),
        migrations.RemoveConstraint(model_name='signal', name='signal_once_per_chain'),
        migrations.AddConstraint(
            model_name='signal',
            constraint=models.UniqueConstraint(fields=('root_id', 'signal_id'), name='signal_once_per_tree'),
        ),
        migrations.AddIndex(
            model_name='runmessage',
            index=models.Index(
                condition=models.Q(('kind__in', ['signal', 'signal_wanted', 'signal_returned'])), fields=['step_id'], name='message_of_signal'
            ),
        ),
    ]
