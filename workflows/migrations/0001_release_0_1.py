"""The tables of workflows in release 0.1."""

import django.db.models.deletion
import django.db.models.functions.datetime
import django.db.models.manager
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    # A database that has all of these has what is made here.
    replaces = [
        ('workflows', '0001_initial'),
        ('workflows', '0002_versions_are_immutable'),
        ('workflows', '0003_draft_changes'),
        ('workflows', '0004_versions_of_tests'),
        ('workflows', '0005_test_cases'),
        ('workflows', '0001_tables'),
        ('workflows', '0002_folders'),
        ('workflows', '0003_comments'),
    ]

    initial = True

    dependencies = [
        ('accounts', '0001_release_0_1'),
    ]

    operations = [
        migrations.CreateModel(
            name='Workflow',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=128)),
                ('title', models.CharField(blank=True, max_length=200)),
                ('description', models.TextField(blank=True)),
                ('draft_definition', models.JSONField()),
                ('draft_layout', models.JSONField(default=dict)),
                ('draft_revision', models.PositiveIntegerField(default=1)),
                ('draft_updated_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('archived_at', models.DateTimeField(null=True)),
                ('draft_updated_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('tenant', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.tenant')),
                ('folder', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.folder')),
                ('comments_number', models.PositiveIntegerField(db_default=0, default=0, help_text='Rises with whatever happens to the comments on its steps')),
            ],
            options={
                'abstract': False,
                'base_manager_name': 'unsafe_all_tenants',
                'default_manager_name': 'unsafe_all_tenants',
                'indexes': [models.Index(fields=['tenant', '-created_at', '-id'], name='workflow_list')],
                'constraints': [models.UniqueConstraint(fields=('tenant', 'name'), name='workflow_name_once_per_tenant'), models.CheckConstraint(condition=models.Q(('name__regex', '^[A-Za-z0-9_:\\-]{1,128}$')), name='workflow_name_pattern'), models.CheckConstraint(condition=models.Q(('draft_revision__gte', 1)), name='workflow_draft_revision_positive')],
            },
            managers=[
                ('unsafe_all_tenants', django.db.models.manager.Manager()),
            ],
        ),
        migrations.CreateModel(
            name='DraftChange',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('revision', models.PositiveIntegerField()),
                ('group_id', models.UUIDField()),
                ('label', models.CharField(blank=True, max_length=200)),
                ('changes', models.JSONField(null=True)),
                ('at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('tenant', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.tenant')),
                ('workflow', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='draft_changes', to='workflows.workflow')),
            ],
            options={
                'abstract': False,
                'base_manager_name': 'unsafe_all_tenants',
                'default_manager_name': 'unsafe_all_tenants',
                'indexes': [models.Index(fields=['workflow', '-id'], name='draftchange_list')],
                'constraints': [models.UniqueConstraint(fields=('workflow', 'group_id'), name='draftchange_once')],
            },
            managers=[
                ('unsafe_all_tenants', django.db.models.manager.Manager()),
            ],
        ),
        migrations.CreateModel(
            name='StepThread',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('node', models.CharField(max_length=256)),
                ('resolved_at', models.DateTimeField(null=True)),
                ('resolved_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('tenant', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.tenant')),
                ('workflow', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='workflows.workflow')),
            ],
            options={
                'abstract': False,
                'base_manager_name': 'unsafe_all_tenants',
                'default_manager_name': 'unsafe_all_tenants',
                'indexes': [models.Index(fields=['workflow', 'node'], name='stepthread_of_step')],
            },
            managers=[
                ('unsafe_all_tenants', django.db.models.manager.Manager()),
            ],
        ),
        migrations.CreateModel(
            name='StepComment',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('text', models.TextField()),
                ('at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('tenant', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.tenant')),
                ('thread', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='comments', to='workflows.stepthread')),
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
            name='StepMention',
            fields=[
                ('mail_id', models.UUIDField(primary_key=True, serialize=False)),
                ('comment', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='workflows.stepcomment')),
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
            name='TestCase',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=200)),
                ('input', models.JSONField()),
                ('stubs', models.JSONField(default=dict)),
                ('expect', models.JSONField()),
                ('revision', models.PositiveIntegerField(default=1)),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('updated_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('created_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('tenant', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.tenant')),
                ('workflow', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='workflows.workflow')),
            ],
            options={
                'abstract': False,
                'base_manager_name': 'unsafe_all_tenants',
                'default_manager_name': 'unsafe_all_tenants',
                'constraints': [models.UniqueConstraint(fields=('workflow', 'name'), name='testcase_name_once_per_workflow')],
            },
            managers=[
                ('unsafe_all_tenants', django.db.models.manager.Manager()),
            ],
        ),
        migrations.CreateModel(
            name='WorkflowVersion',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveIntegerField(null=True)),
                ('is_test', models.BooleanField(db_default=False, default=False)),
                ('definition', models.JSONField()),
                ('layout', models.JSONField(default=dict)),
                ('content_hash', models.CharField(max_length=64)),
                ('note', models.TextField(blank=True)),
                ('published_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('published_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('tenant', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.tenant')),
                ('workflow', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='versions', to='workflows.workflow')),
            ],
            options={
                'abstract': False,
                'base_manager_name': 'unsafe_all_tenants',
                'default_manager_name': 'unsafe_all_tenants',
                'constraints': [models.UniqueConstraint(fields=('workflow', 'number'), name='workflowversion_number_once'), models.CheckConstraint(condition=models.Q(models.Q(('is_test', False), ('number__gte', 1), ('number__isnull', False)), models.Q(('is_test', True), ('number__isnull', True)), _connector='OR'), name='workflowversion_numbered_unless_test'), models.UniqueConstraint(condition=models.Q(('is_test', True)), fields=('workflow', 'content_hash'), name='workflowversion_test_once'), models.CheckConstraint(condition=models.Q(('content_hash__regex', '^[0-9a-f]{64}$')), name='workflowversion_hash_is_sha256')],
            },
            managers=[
                ('unsafe_all_tenants', django.db.models.manager.Manager()),
            ],
        ),
    ]
