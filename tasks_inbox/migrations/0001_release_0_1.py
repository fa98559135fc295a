"""The tables of the inbox in release 0.1."""

import datetime
import django.contrib.postgres.fields
import django.contrib.postgres.indexes
import django.db.models.deletion
import django.db.models.expressions
import django.db.models.functions.comparison
import django.db.models.functions.datetime
import django.db.models.manager
from django.db import migrations, models

from lib.schema_sql import SchemaFunctions


class Migration(migrations.Migration):

    # A database that has all of these has what is made here.
    replaces = [
        ('tasks_inbox', '0001_initial'),
        ('tasks_inbox', '0002_delegation_and_comments'),
        ('tasks_inbox', '0003_tasks_of_tests'),
        ('tasks_inbox', '0004_quorum_and_evidence'),
        ('tasks_inbox', '0005_clock'),
        ('tasks_inbox', '0006_notes'),
        ('tasks_inbox', '0007_notifications'),
        ('tasks_inbox', '0008_away'),
        ('tasks_inbox', '0009_rounds'),
        ('tasks_inbox', '0010_drafts'),
        ('tasks_inbox', '0011_undo'),
        ('tasks_inbox', '0012_lists_of_many'),
        ('tasks_inbox', '0013_inbox_views'),
        ('tasks_inbox', '0014_files'),
        ('tasks_inbox', '0015_incidents'),
        ('tasks_inbox', '0016_proxies'),
        ('tasks_inbox', '0017_held_together'),
        ('tasks_inbox', '0018_words_of_titles'),
        ('tasks_inbox', '0019_held_for'),
        ('tasks_inbox', '0020_named_and_undecidable'),
        ('tasks_inbox', '0021_remarks_are_evidence'),
        ('tasks_inbox', '0001_tables'),
        ('tasks_inbox', '0002_undecidable_view'),
    ]

    initial = True

    dependencies = [
        ('accounts', '0001_release_0_1'),
        ('runs', '0001_release_0_1'),
    ]

    operations = [
        SchemaFunctions('tasks_inbox'),
        migrations.CreateModel(
            name='AwayRule',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('username', models.TextField()),
                ('substitute', models.TextField()),
                ('starts_at', models.DateTimeField()),
                ('ends_at', models.DateTimeField()),
                ('workflows', django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), default=list, size=None)),
                ('note', models.TextField(db_default='')),
                ('created_by', models.TextField()),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('tenant', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.tenant')),
            ],
            options={
                'abstract': False,
                'base_manager_name': 'unsafe_all_tenants',
                'default_manager_name': 'unsafe_all_tenants',
                'indexes': [models.Index(fields=['tenant', 'substitute', 'ends_at'], name='away_substitute'), models.Index(fields=['tenant', 'username', 'ends_at'], name='away_person')],
                'constraints': [models.CheckConstraint(condition=models.Q(('ends_at__gt', models.F('starts_at'))), name='away_ends_after_it_starts'), models.CheckConstraint(condition=models.Q(('username', models.F('substitute')), _negated=True), name='away_by_another')],
            },
            managers=[
                ('unsafe_all_tenants', django.db.models.manager.Manager()),
            ],
        ),
        migrations.CreateModel(
            name='EvidenceHead',
            fields=[
                ('tenant_id', models.BigIntegerField(primary_key=True, serialize=False)),
                ('seq', models.BigIntegerField()),
                ('digest', models.TextField()),
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
            name='HeldDecision',
            fields=[
                ('tenant_id', models.BigIntegerField()),
                ('id', models.UUIDField(primary_key=True, serialize=False)),
                ('task_id', models.UUIDField()),
                ('username', models.TextField()),
                ('via', models.TextField()),
                ('outcome', models.TextField()),
                ('data', models.JSONField(null=True)),
                ('comment', models.TextField()),
                ('seen', models.TextField(null=True)),
                ('until', models.DateTimeField()),
                ('refused', models.TextField(null=True)),
                ('batch', models.UUIDField(null=True)),
                ('on_behalf_of', models.TextField(null=True)),
            ],
            options={
                'abstract': False,
                'base_manager_name': 'unsafe_all_tenants',
                'default_manager_name': 'unsafe_all_tenants',
                'indexes': [models.Index(fields=['tenant_id', 'username'], name='held_by'), models.Index(condition=models.Q(('refused__isnull', True)), fields=['until'], name='held_until')],
                'constraints': [models.UniqueConstraint(fields=('task_id', 'username'), name='held_once_each')],
            },
            managers=[
                ('unsafe_all_tenants', django.db.models.manager.Manager()),
            ],
        ),
        migrations.CreateModel(
            name='InboxView',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('owner', models.TextField()),
                ('name', models.TextField()),
                ('view', models.TextField()),
                ('filter', models.TextField(db_default='')),
                ('sort', models.TextField()),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('group', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='accounts.group')),
                ('tenant', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.tenant')),
            ],
            options={
                'abstract': False,
                'base_manager_name': 'unsafe_all_tenants',
                'default_manager_name': 'unsafe_all_tenants',
                'constraints': [models.UniqueConstraint(fields=('tenant', 'owner', 'name'), name='inbox_view_name_once')],
            },
            managers=[
                ('unsafe_all_tenants', django.db.models.manager.Manager()),
            ],
        ),
        migrations.CreateModel(
            name='ManualTask',
            fields=[
                ('tenant_id', models.BigIntegerField()),
                ('id', models.UUIDField(primary_key=True, serialize=False)),
                ('shard', models.SmallIntegerField()),
                ('workflow_id', models.BigIntegerField()),
                ('run_id', models.UUIDField()),
                ('step_id', models.UUIDField()),
                ('node', models.TextField()),
                ('kind', models.TextField(choices=[('approval', 'approval'), ('form', 'form'), ('compensation', 'compensation'), ('incident', 'incident')])),
                ('title', models.TextField()),
                ('instructions', models.TextField(db_default='')),
                ('facts', models.JSONField(default=list)),
                ('outcomes', models.JSONField()),
                ('form', models.JSONField(null=True)),
                ('candidates', models.JSONField(default=dict)),
                ('audience', django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), size=None)),
                ('exclude', django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), default=list, size=None)),
                ('assignee', models.TextField(null=True)),
                ('delegated_by', models.TextField(null=True)),
                ('quorum', models.JSONField(null=True)),
                ('round', models.SmallIntegerField(db_default=1)),
                ('earlier', models.JSONField(db_default=models.Value([], models.JSONField()), default=list)),
                ('returned_to', models.TextField(null=True)),
                ('voted', django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), db_default=[], default=list, size=None)),
                ('proxies', models.JSONField(db_default=models.Value([], models.JSONField()), default=list)),
                ('why_excluded', models.JSONField(null=True)),
                ('bars_deciders', models.BooleanField(db_default=False)),
                ('status', models.TextField(choices=[('OPEN', 'OPEN'), ('COMPLETED', 'COMPLETED'), ('CANCELLED', 'CANCELLED')], db_default='OPEN')),
                ('priority', models.SmallIntegerField(db_default=0)),
                ('due_at', models.DateTimeField(null=True)),
                ('clock', models.JSONField(null=True)),
                ('clock_from', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('next_at', models.DateTimeField(null=True)),
                ('stopped_at', models.DateTimeField(null=True)),
                ('stopped_by', models.TextField(null=True)),
                ('asked_of', models.TextField(null=True)),
                ('undo_seconds', models.SmallIntegerField(null=True)),
                ('outcome', models.TextField(null=True)),
                ('data', models.JSONField(null=True)),
                ('comment', models.TextField(db_default='')),
                ('decided_by', models.TextField(null=True)),
                ('decided_for', models.TextField(null=True)),
                ('decided_at', models.DateTimeField(null=True)),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('is_test', models.BooleanField(db_default=False)),
                ('named', models.JSONField(null=True)),
                ('undecidable_since', models.DateTimeField(null=True)),
                ('due', models.GeneratedField(db_persist=True, expression=django.db.models.functions.comparison.Coalesce('due_at', models.Value(datetime.datetime(9999, 1, 1, 0, 0, tzinfo=datetime.timezone.utc))), output_field=models.DateTimeField())),
                ('unimportance', models.GeneratedField(db_persist=True, expression=django.db.models.expressions.CombinedExpression(models.Value(0), '-', models.F('priority')), output_field=models.SmallIntegerField())),
                ('told', models.GeneratedField(db_persist=True, expression=models.Func('facts', 'data', function='tasks_inbox_told'), output_field=models.JSONField())),
            ],
            options={
                'abstract': False,
                'base_manager_name': 'unsafe_all_tenants',
                'default_manager_name': 'unsafe_all_tenants',
                'indexes': [models.Index(condition=models.Q(('status', 'OPEN')), fields=['tenant_id', '-id'], name='task_open'), models.Index(fields=['tenant_id', '-id'], name='task_list'), models.Index(condition=models.Q(('assignee__isnull', False), ('status', 'OPEN')), fields=['tenant_id', 'assignee', 'due', 'unimportance', 'id'], name='task_mine'), models.Index(condition=models.Q(('delegated_by__isnull', False), ('status', 'OPEN')), fields=['tenant_id', 'delegated_by', 'due', 'unimportance', 'id'], name='task_delegated'), models.Index(condition=models.Q(('returned_to__isnull', False), ('status', 'OPEN')), fields=['tenant_id', 'returned_to'], name='task_returned'), models.Index(condition=models.Q(('asked_of__isnull', False), ('status', 'OPEN')), fields=['tenant_id', 'asked_of'], name='task_questions'), models.Index(condition=models.Q(('status', 'COMPLETED')), fields=['tenant_id', 'decided_by', '-id'], name='task_decided'), models.Index(fields=['run_id'], name='task_of_run'), models.Index(condition=models.Q(('kind', 'incident'), ('status', 'OPEN')), fields=['tenant_id'], name='task_incidents'), models.Index(condition=models.Q(('status', 'OPEN'), models.Q(('proxies', []), _negated=True)), fields=['tenant_id'], name='task_proxies'), models.Index(condition=models.Q(('next_at__isnull', False), ('status', 'OPEN')), fields=['next_at'], name='task_clock'), django.contrib.postgres.indexes.GinIndex(condition=models.Q(('status', 'OPEN')), fields=['audience'], name='task_audience'), django.contrib.postgres.indexes.GinIndex(condition=models.Q(('voted', []), _negated=True), fields=['voted'], name='task_voted'), django.contrib.postgres.indexes.GinIndex(fields=['told'], name='task_told', opclasses=['jsonb_path_ops']), django.contrib.postgres.indexes.GinIndex(models.Func('title', function='tasks_inbox_letters'), name='task_title'), models.Index(condition=models.Q(('status', 'OPEN'), ('undecidable_since__isnull', False)), fields=['tenant_id', '-id'], name='task_undecidable')],
                'constraints': [models.UniqueConstraint(condition=models.Q(('status', 'OPEN')), fields=('step_id',), name='task_open_once'), models.CheckConstraint(condition=models.Q(models.Q(('decided_at__isnull', False), ('decided_by__isnull', False), ('outcome__isnull', False), ('status', 'COMPLETED')), models.Q(models.Q(('status', 'COMPLETED'), _negated=True), ('decided_at__isnull', True), ('decided_by__isnull', True), ('outcome__isnull', True)), _connector='OR'), name='task_decided_iff_completed'), models.CheckConstraint(condition=models.Q(('delegated_by__isnull', True), ('assignee__isnull', False), _connector='OR'), name='task_delegated_to_somebody')],
            },
            managers=[
                ('unsafe_all_tenants', django.db.models.manager.Manager()),
            ],
        ),
        migrations.CreateModel(
            name='Notification',
            fields=[
                ('tenant_id', models.BigIntegerField()),
                ('id', models.UUIDField(primary_key=True, serialize=False)),
                ('task_id', models.UUIDField()),
                ('run_id', models.UUIDField()),
                ('kind', models.TextField(choices=[('asked', 'asked'), ('assigned', 'assigned'), ('delegated', 'delegated'), ('reminded', 'reminded'), ('escalated', 'escalated'), ('mentioned', 'mentioned'), ('question', 'question'), ('answered', 'answered'), ('returned', 'returned'), ('resubmitted', 'resubmitted'), ('cancelled', 'cancelled')])),
                ('username', models.TextField(null=True)),
                ('audience', django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), null=True, size=None)),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('next_at', models.DateTimeField(null=True)),
                ('attempts', models.SmallIntegerField(db_default=0)),
                ('error', models.TextField(db_default='')),
                ('sent_at', models.DateTimeField(null=True)),
                ('opened_at', models.DateTimeField(null=True)),
            ],
            options={
                'abstract': False,
                'base_manager_name': 'unsafe_all_tenants',
                'default_manager_name': 'unsafe_all_tenants',
                'indexes': [models.Index(condition=models.Q(('next_at__isnull', False)), fields=['next_at', 'id'], name='note_due'), models.Index(condition=models.Q(('next_at__isnull', True)), fields=['created_at'], name='note_done')],
            },
            managers=[
                ('unsafe_all_tenants', django.db.models.manager.Manager()),
            ],
        ),
        migrations.CreateModel(
            name='TaskComment',
            fields=[
                ('tenant_id', models.BigIntegerField()),
                ('id', models.UUIDField(primary_key=True, serialize=False)),
                ('shard', models.SmallIntegerField()),
                ('run_id', models.UUIDField()),
                ('task_id', models.UUIDField()),
                ('by', models.TextField()),
                ('text', models.TextField()),
                ('kind', models.TextField(db_default='said')),
                ('at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('seq', models.BigIntegerField(null=True)),
                ('record', models.TextField(null=True)),
                ('digest', models.TextField(null=True)),
            ],
            options={
                'abstract': False,
                'base_manager_name': 'unsafe_all_tenants',
                'default_manager_name': 'unsafe_all_tenants',
                'indexes': [models.Index(fields=['task_id', 'id'], name='task_comments')],
                'constraints': [models.UniqueConstraint(fields=('tenant_id', 'seq'), name='comment_place_once')],
            },
            managers=[
                ('unsafe_all_tenants', django.db.models.manager.Manager()),
            ],
        ),
        migrations.CreateModel(
            name='TaskDecision',
            fields=[
                ('tenant_id', models.BigIntegerField()),
                ('id', models.UUIDField(primary_key=True, serialize=False)),
                ('shard', models.SmallIntegerField()),
                ('run_id', models.UUIDField()),
                ('task_id', models.UUIDField()),
                ('round', models.SmallIntegerField()),
                ('seq', models.BigIntegerField()),
                ('by', models.TextField()),
                ('on_behalf_of', models.TextField(null=True)),
                ('outcome', models.TextField()),
                ('ended_with', models.TextField(null=True)),
                ('groups', django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), size=None)),
                ('data', models.JSONField(null=True)),
                ('comment', models.TextField()),
                ('record', models.TextField()),
                ('digest', models.TextField()),
                ('at', models.DateTimeField()),
            ],
            options={
                'abstract': False,
                'base_manager_name': 'unsafe_all_tenants',
                'default_manager_name': 'unsafe_all_tenants',
                'indexes': [models.Index(fields=['run_id', 'seq'], name='decision_of_run')],
                'constraints': [models.UniqueConstraint(fields=('tenant_id', 'seq'), name='decision_place_once'), models.UniqueConstraint(fields=('task_id', 'round', 'by'), name='decision_once_each')],
            },
            managers=[
                ('unsafe_all_tenants', django.db.models.manager.Manager()),
            ],
        ),
        migrations.CreateModel(
            name='TaskDraft',
            fields=[
                ('tenant_id', models.BigIntegerField()),
                ('id', models.UUIDField(primary_key=True, serialize=False)),
                ('task_id', models.UUIDField()),
                ('user_id', models.BigIntegerField()),
                ('data', models.JSONField(default=dict)),
                ('comment', models.TextField(db_default='')),
                ('shown_hash', models.TextField()),
                ('saved_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
            ],
            options={
                'abstract': False,
                'base_manager_name': 'unsafe_all_tenants',
                'default_manager_name': 'unsafe_all_tenants',
                'constraints': [models.UniqueConstraint(fields=('task_id', 'user_id'), name='task_draft_once_each')],
            },
            managers=[
                ('unsafe_all_tenants', django.db.models.manager.Manager()),
            ],
        ),
        migrations.CreateModel(
            name='TaskFile',
            fields=[
                ('tenant_id', models.BigIntegerField()),
                ('id', models.UUIDField(primary_key=True, serialize=False)),
                ('run_id', models.UUIDField()),
                ('task_id', models.UUIDField()),
                ('name', models.TextField()),
                ('media_type', models.TextField()),
                ('size', models.IntegerField()),
                ('sha256', models.TextField()),
                ('by', models.TextField()),
                ('at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('withdrawn_by', models.TextField(null=True)),
                ('withdrawn_at', models.DateTimeField(null=True)),
            ],
            options={
                'abstract': False,
                'base_manager_name': 'unsafe_all_tenants',
                'default_manager_name': 'unsafe_all_tenants',
                'indexes': [models.Index(fields=['task_id', 'id'], name='task_files')],
            },
            managers=[
                ('unsafe_all_tenants', django.db.models.manager.Manager()),
            ],
        ),
        migrations.CreateModel(
            name='TaskFileContent',
            fields=[
                ('tenant_id', models.BigIntegerField()),
                ('id', models.UUIDField(primary_key=True, serialize=False)),
                ('content', models.BinaryField()),
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
            name='TaskMark',
            fields=[
                ('tenant_id', models.BigIntegerField()),
                ('pk', models.CompositePrimaryKey('tenant_id', 'mark', 'task_id', blank=True, editable=False, primary_key=True, serialize=False)),
                ('mark', models.TextField()),
                ('due', models.DateTimeField()),
                ('unimportance', models.SmallIntegerField()),
                ('barred', django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), size=None)),
                ('told', models.JSONField()),
                ('task', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.DO_NOTHING, related_name='marks', to='tasks_inbox.manualtask')),
            ],
            options={
                'abstract': False,
                'base_manager_name': 'unsafe_all_tenants',
                'default_manager_name': 'unsafe_all_tenants',
                'indexes': [models.Index(fields=['tenant_id', 'mark', 'due', 'unimportance', 'task'], name='task_mark_order')],
            },
            managers=[
                ('unsafe_all_tenants', django.db.models.manager.Manager()),
            ],
        ),
        migrations.CreateModel(
            name='TaskNote',
            fields=[
                ('tenant_id', models.BigIntegerField()),
                ('id', models.UUIDField(primary_key=True, serialize=False)),
                ('task_id', models.UUIDField()),
                ('username', models.TextField()),
                ('snoozed_until', models.DateTimeField(null=True)),
                ('watching', models.BooleanField(db_default=False)),
            ],
            options={
                'abstract': False,
                'base_manager_name': 'unsafe_all_tenants',
                'default_manager_name': 'unsafe_all_tenants',
                'indexes': [models.Index(fields=['tenant_id', 'username'], name='task_notes_of')],
                'constraints': [models.UniqueConstraint(fields=('task_id', 'username'), name='task_note_once_each')],
            },
            managers=[
                ('unsafe_all_tenants', django.db.models.manager.Manager()),
            ],
        ),
    ]
