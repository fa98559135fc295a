"""What release 0.2 changed."""

import django.contrib.postgres.fields
import django.contrib.postgres.functions
import django.db.models.deletion
import django.db.models.fields.json
import django.db.models.functions.comparison
import django.db.models.functions.datetime
import django.db.models.manager
from django.db import migrations, models

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
PIN = """
SET CONSTRAINTS ALL IMMEDIATE;
ALTER TABLE workflows_workflowversion DISABLE TRIGGER USER;
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
ALTER TABLE workflows_workflowversion ENABLE TRIGGER USER;
SET CONSTRAINTS ALL DEFERRED;
"""


class Migration(migrations.Migration):

    # A database that has all of these has what is made here.
    replaces = [
        ('runs', '0034_trees'),
        ('runs', '0035_index_of_trees'),
        ('runs', '0036_undo_entries'),
        ('runs', '0037_child_indexes'),
        ('runs', '0038_limits_of_trees'),
        ('runs', '0039_index_of_open_trees'),
        ('runs', '0040_signals_of_trees'),
        ('runs', '0041_waits_of_trees'),
        ('runs', '0042_approvals'),
        ('runs', '0043_stopped_schedules'),
        ('runs', '0044_changed_runs'),
        ('runs', '0045_index_of_changed_runs'),
        ('runs', '0046_outgoing_replays'),
        ('runs', '0047_installation'),
        ('runs', '0048_history_checks'),
        ('runs', '0049_calendars_in_folders'),
        ('runs', '0050_started_from'),
    ]

    dependencies = [
        ('accounts', '0002_release_0_2'),
        ('runs', '0001_release_0_1'),
        ('workflows', '0002_release_0_2'),
    ]

    operations = [
        # What follows changes rows and then their tables.
        migrations.RunSQL('SET CONSTRAINTS ALL IMMEDIATE', migrations.RunSQL.noop),
        migrations.AddField(
            model_name='run',
            name='tree_id',
            field=models.UUIDField(null=True),
        ),
        migrations.AddField(
            model_name='run',
            name='place',
            field=models.JSONField(null=True),
        ),
        migrations.RunSQL(FILL, migrations.RunSQL.noop),
        migrations.AddIndex(
            model_name='run',
            index=models.Index(condition=models.Q(('tree_id__isnull', False)), fields=['tree_id', 'id'], name='run_of_tree'),
        ),
        migrations.AlterField(
            model_name='runmessage',
            name='kind',
            field=models.TextField(choices=[('child_ended', 'child_ended'), ('cancel', 'cancel'), ('pause', 'pause'), ('unpause', 'unpause'), ('start_next', 'start_next'), ('continue', 'continue'), ('resume', 'resume'), ('undo', 'undo'), ('undone', 'undone'), ('child_undoing', 'child_undoing'), ('close', 'close')]),
        ),
        migrations.CreateModel(
            name='UndoEntry',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('tenant_id', models.BigIntegerField()),
                ('run_id', models.UUIDField()),
                ('shard', models.SmallIntegerField()),
                ('seq', models.IntegerField()),
                ('target_id', models.UUIDField(null=True)),
                ('node', models.TextField(null=True)),
                ('blocked', models.IntegerField()),
                ('releases', django.contrib.postgres.fields.ArrayField(base_field=models.IntegerField(), default=list, size=None)),
                ('state', models.TextField(choices=[('planned', 'planned'), ('begun', 'begun'), ('undone', 'undone'), ('abandoned', 'abandoned')], db_default='planned')),
            ],
            options={
                'abstract': False,
                'base_manager_name': 'unsafe_all_tenants',
                'default_manager_name': 'unsafe_all_tenants',
                'indexes': [models.Index(condition=models.Q(('target_id__isnull', False)), fields=['target_id'], name='undo_entry_of_target'), models.Index(condition=models.Q(('blocked', 0), ('state', 'planned')), fields=['run_id'], name='undo_entry_free')],
                'constraints': [models.UniqueConstraint(fields=('run_id', 'seq'), name='undo_entry_once')],
            },
            managers=[
                ('unsafe_all_tenants', django.db.models.manager.Manager()),
            ],
        ),
        migrations.AddIndex(
            model_name='runmessage',
            index=models.Index(fields=['run_id'], name='message_of_run'),
        ),
        migrations.AddIndex(
            model_name='runmessage',
            index=models.Index(fields=['from_id'], name='message_from_run'),
        ),
        migrations.AddIndex(
            model_name='run',
            index=models.Index(models.F('parent_id'), models.Func(models.F('place'), template='(%(expressions)s -> -1)'), condition=models.Q(('parent_id__isnull', False)), name='run_child_places'),
        ),
        migrations.AddIndex(
            model_name='run',
            index=models.Index(condition=models.Q(('parent_id__isnull', False), models.Q(('status', 'COMPLETED'), _negated=True)), fields=['parent_id'], name='run_unfinished_children'),
        ),
        migrations.AddField(
            model_name='run',
            name='acts_for',
            field=models.TextField(null=True),
        ),
        migrations.AddField(
            model_name='run',
            name='counted_in',
            field=models.UUIDField(null=True),
        ),
        migrations.CreateModel(
            name='TreeCount',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('tenant_id', models.BigIntegerField()),
                ('tree_id', models.UUIDField()),
                ('slot', models.SmallIntegerField()),
                ('runs', models.IntegerField()),
            ],
            options={
                'abstract': False,
                'base_manager_name': 'unsafe_all_tenants',
                'default_manager_name': 'unsafe_all_tenants',
                'constraints': [models.UniqueConstraint(fields=('tree_id', 'slot'), name='tree_count_once')],
            },
            managers=[
                ('unsafe_all_tenants', django.db.models.manager.Manager()),
            ],
        ),
        migrations.AddIndex(
            model_name='run',
            index=models.Index(condition=models.Q(('completed_at__isnull', True), ('is_part', False), ('tree_id__isnull', False)), fields=['tree_id'], name='run_open_in_tree'),
        ),
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
            field=models.TextField(choices=[('child_ended', 'child_ended'), ('cancel', 'cancel'), ('pause', 'pause'), ('unpause', 'unpause'), ('start_next', 'start_next'), ('continue', 'continue'), ('resume', 'resume'), ('signal', 'signal'), ('signal_wanted', 'signal_wanted'), ('signal_returned', 'signal_returned'), ('undo', 'undo'), ('undone', 'undone'), ('child_undoing', 'child_undoing'), ('close', 'close'), ('migrate', 'migrate')]),
        ),
        migrations.RunSQL(SIGNALS, migrations.RunSQL.noop),
        migrations.RunSQL(WAITS, migrations.RunSQL.noop),
        migrations.RemoveConstraint(
            model_name='signal',
            name='signal_once_per_chain',
        ),
        migrations.AddConstraint(
            model_name='signal',
            constraint=models.UniqueConstraint(fields=('root_id', 'signal_id'), name='signal_once_per_tree'),
        ),
        migrations.AddIndex(
            model_name='runmessage',
            index=models.Index(condition=models.Q(('kind__in', ['signal', 'signal_wanted', 'signal_returned'])), fields=['step_id'], name='message_of_signal'),
        ),
        migrations.AddIndex(
            model_name='stepexecution',
            index=models.Index(django.db.models.fields.json.KeyTextTransform('tree', 'waiting'), django.db.models.fields.json.KeyTextTransform('name', 'waiting'), models.F('id'), condition=models.Q(('status', 'WAITING'), ('waiting__has_key', 'tree')), name='step_signal_of_tree'),
        ),
        migrations.AddField(
            model_name='stepexecution',
            name='revision',
            field=models.SmallIntegerField(db_default=0),
        ),
        migrations.CreateModel(
            name='Approval',
            fields=[
                ('tenant_id', models.BigIntegerField()),
                ('id', models.UUIDField(primary_key=True, serialize=False)),
                ('run_id', models.UUIDField()),
                ('shard', models.SmallIntegerField()),
                ('step_id', models.UUIDField()),
                ('node', models.TextField()),
                ('outcome', models.TextField()),
                ('digest', models.TextField()),
                ('covers', models.JSONField()),
                ('decided_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
            ],
            options={
                'abstract': False,
                'base_manager_name': 'unsafe_all_tenants',
                'default_manager_name': 'unsafe_all_tenants',
                'indexes': [models.Index(fields=['step_id', 'id'], name='approval_of_step'), models.Index(fields=['run_id'], name='approval_of_run')],
            },
            managers=[
                ('unsafe_all_tenants', django.db.models.manager.Manager()),
            ],
        ),
        migrations.CreateModel(
            name='ApprovalUse',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('tenant_id', models.BigIntegerField()),
                ('approval_id', models.UUIDField()),
                ('node', models.TextField()),
                ('run_id', models.UUIDField()),
                ('shard', models.SmallIntegerField()),
                ('used_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
            ],
            options={
                'abstract': False,
                'base_manager_name': 'unsafe_all_tenants',
                'default_manager_name': 'unsafe_all_tenants',
                'indexes': [models.Index(fields=['run_id'], name='approval_use_of_run')],
                'constraints': [models.UniqueConstraint(fields=('approval_id', 'node'), name='approval_used_once')],
            },
            managers=[
                ('unsafe_all_tenants', django.db.models.manager.Manager()),
            ],
        ),
        migrations.AddField(
            model_name='schedule',
            name='off_reason',
            field=models.TextField(blank=True, db_default=''),
        ),
        migrations.AddField(
            model_name='run',
            name='changed_at',
            field=models.DateTimeField(null=True),
        ),
        migrations.AddIndex(
            model_name='run',
            index=models.Index(django.db.models.functions.comparison.Coalesce('tree_id', 'root_id'), condition=models.Q(('changed_at__isnull', False)), name='run_changed_in_tree'),
        ),
        migrations.CreateModel(
            name='OutgoingReplay',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('since', models.DateTimeField()),
                ('after', models.BigIntegerField()),
                ('until', models.BigIntegerField(null=True)),
                ('xid', models.BigIntegerField(db_default=django.db.models.functions.comparison.Cast(django.db.models.functions.comparison.Cast(models.Func(function='pg_current_xact_id'), models.TextField()), models.BigIntegerField()))),
                ('asked_by', models.TextField()),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
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
        migrations.RemoveIndex(
            model_name='outgoingdelivery',
            name='outgoing_heads',
        ),
        migrations.AddField(
            model_name='outgoingwebhook',
            name='most_pending',
            field=models.IntegerField(db_default=100000),
        ),
        migrations.AddIndex(
            model_name='outgoingdelivery',
            index=models.Index(condition=models.Q(('state', 'pending')), fields=['webhook_id', 'run_id', 'event_id'], name='outgoing_heads'),
        ),
        migrations.AddConstraint(
            model_name='outgoingdelivery',
            constraint=models.UniqueConstraint(fields=('webhook_id', 'event_id'), name='outgoing_event_once'),
        ),
        migrations.AddField(
            model_name='outgoingreplay',
            name='tenant',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.tenant'),
        ),
        migrations.AddField(
            model_name='outgoingreplay',
            name='webhook',
            field=models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='replay', to='runs.outgoingwebhook'),
        ),
        migrations.CreateModel(
            name='Installation',
            fields=[
                ('id', models.SmallIntegerField(primary_key=True, serialize=False)),
                ('number', models.UUIDField(db_default=django.contrib.postgres.functions.RandomUUID())),
            ],
        ),
        migrations.CreateModel(
            name='HistoryCheck',
            fields=[
                ('id', models.SmallIntegerField(primary_key=True, serialize=False)),
                ('after', models.UUIDField()),
                ('began_at', models.DateTimeField()),
                ('ended_at', models.DateTimeField(null=True)),
                ('runs', models.BigIntegerField(default=0)),
                ('left_out', models.BigIntegerField(default=0)),
            ],
        ),
        migrations.CreateModel(
            name='HistoryDifference',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('tenant_id', models.BigIntegerField()),
                ('run_id', models.UUIDField()),
                ('workflow_id', models.BigIntegerField()),
                ('differences', models.IntegerField()),
                ('detail', models.TextField()),
                ('found_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
            ],
            options={
                'abstract': False,
                'base_manager_name': 'unsafe_all_tenants',
                'default_manager_name': 'unsafe_all_tenants',
                'indexes': [models.Index(fields=['tenant_id', '-id'], name='history_difference_list')],
                'constraints': [models.UniqueConstraint(fields=('run_id',), name='history_difference_once')],
            },
            managers=[
                ('unsafe_all_tenants', django.db.models.manager.Manager()),
            ],
        ),
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
        migrations.AddField(
            model_name='run',
            name='started_from',
            field=models.TextField(choices=[('page', 'Page'), ('rest', 'REST API'), ('sdk', 'SDK'), ('grpc', 'gRPC'), ('orchestration', 'Orchestration API'), ('rochallor', 'rochallor API'), ('command', 'Command line'), ('webhook', 'Webhook'), ('schedule', 'Schedule'), ('parent', 'Parent run'), ('previous', 'Previous run'), ('rerun', 'Rerun'), ('test', 'Test')], null=True),
        ),
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.DeleteModel(
                    name='WebhookDelivery',
                ),
                migrations.DeleteModel(
                    name='WebhookSecret',
                ),
                migrations.DeleteModel(
                    name='ScheduleEntry',
                ),
                migrations.DeleteModel(
                    name='BulkItem',
                ),
                migrations.DeleteModel(
                    name='BulkJob',
                ),
                migrations.DeleteModel(
                    name='OutgoingDelivery',
                ),
                migrations.DeleteModel(
                    name='OutgoingSecret',
                ),
                migrations.DeleteModel(
                    name='TelemetryCursor',
                ),
                migrations.DeleteModel(
                    name='RunTelemetry',
                ),
                migrations.DeleteModel(
                    name='StepTelemetry',
                ),
                migrations.DeleteModel(
                    name='TelemetryBucket',
                ),
                migrations.DeleteModel(
                    name='Alert',
                ),
                migrations.DeleteModel(
                    name='AlertChannel',
                ),
                migrations.DeleteModel(
                    name='AlertDelivery',
                ),
                migrations.DeleteModel(
                    name='DispatchSample',
                ),
                migrations.DeleteModel(
                    name='OutgoingReplay',
                ),
                migrations.DeleteModel(
                    name='InboundWebhook',
                ),
                migrations.DeleteModel(
                    name='Schedule',
                ),
                migrations.DeleteModel(
                    name='OutgoingWebhook',
                ),
                migrations.DeleteModel(
                    name='AlertRule',
                ),
            ],
        ),
    ]
