"""The tables of accounts in release 0.1."""

import django.contrib.auth.validators
import django.contrib.postgres.fields
import django.db.models.deletion
import django.db.models.functions.datetime
import django.db.models.functions.text
import django.db.models.manager
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    # A database that has all of these has what is made here.
    replaces = [
        ('accounts', '0001_initial'),
        ('accounts', '0002_groups'),
        ('accounts', '0003_tenant_keys'),
        ('accounts', '0004_managers'),
        ('accounts', '0005_mail'),
        ('accounts', '0006_tokens_end_together'),
        ('accounts', '0007_failures_of_names'),
        ('accounts', '0008_kept_answers'),
        ('accounts', '0001_tables'),
        ('accounts', '0002_folders'),
        ('accounts', '0003_reader'),
        ('accounts', '0004_requester_and_density'),
        ('accounts', '0005_sessions_and_mails'),
        ('accounts', '0006_digests'),
        ('accounts', '0007_mentioned'),
        ('accounts', '0008_webhook_off'),
        ('accounts', '0009_tokens'),
    ]

    initial = True

    dependencies = [
    ]

    operations = [
        migrations.CreateModel(
            name='LoginAttempt',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('username', models.CharField(max_length=150)),
                ('address', models.CharField(max_length=64)),
                ('at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
            ],
            options={
                'indexes': [models.Index(fields=['address', 'at'], name='loginattempt_recent'), models.Index(fields=['username', 'at'], name='loginattempt_of_name')],
            },
        ),
        migrations.CreateModel(
            name='Tenant',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('slug', models.SlugField(max_length=64, unique=True)),
                ('name', models.CharField(max_length=200)),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
            ],
        ),
        migrations.CreateModel(
            name='Folder',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=150)),
                ('key', models.CharField(max_length=150)),
                ('is_default', models.BooleanField(default=False)),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('tenant', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.tenant')),
            ],
            options={
                'abstract': False,
                'base_manager_name': 'unsafe_all_tenants',
                'default_manager_name': 'unsafe_all_tenants',
                'constraints': [models.UniqueConstraint(fields=('tenant', 'key'), name='folder_key_once'), models.UniqueConstraint(condition=models.Q(('is_default', True)), fields=('tenant',), name='folder_one_default')],
            },
            managers=[
                ('unsafe_all_tenants', django.db.models.manager.Manager()),
            ],
        ),
        migrations.CreateModel(
            name='Group',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=150)),
                ('key', models.CharField(max_length=150)),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('tenant', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.tenant')),
            ],
            options={
                'abstract': False,
                'base_manager_name': 'unsafe_all_tenants',
                'default_manager_name': 'unsafe_all_tenants',
                'constraints': [models.UniqueConstraint(fields=('tenant', 'key'), name='group_key_once')],
            },
            managers=[
                ('unsafe_all_tenants', django.db.models.manager.Manager()),
            ],
        ),
        migrations.CreateModel(
            name='FolderGrant',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('role', models.CharField(blank=True, choices=[('viewer', 'viewer'), ('author', 'author'), ('operator', 'operator'), ('requester', 'requester'), ('approver', 'approver'), ('admin', 'admin')], max_length=16)),
                ('verbs', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=16), size=None)),
                ('folder', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='grants', to='accounts.folder')),
                ('group', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.group')),
                ('tenant', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.tenant')),
            ],
            options={
                'abstract': False,
                'base_manager_name': 'unsafe_all_tenants',
                'default_manager_name': 'unsafe_all_tenants',
                'constraints': [models.UniqueConstraint(condition=models.Q(('role', ''), _negated=True), fields=('folder', 'role'), name='foldergrant_role_once'), models.UniqueConstraint(fields=('folder', 'group'), name='foldergrant_group_once'), models.CheckConstraint(condition=models.Q(('verbs__contained_by', ['read', 'start', 'edit', 'publish', 'operate']), ('verbs__len__gt', 0)), name='foldergrant_known_verbs'), models.CheckConstraint(condition=models.Q(models.Q(('group__isnull', False), ('role', '')), models.Q(('group__isnull', True), ('role__in', ('viewer', 'author', 'operator', 'requester', 'approver', 'admin'))), _connector='OR'), name='foldergrant_to_role_or_group')],
            },
            managers=[
                ('unsafe_all_tenants', django.db.models.manager.Manager()),
            ],
        ),
        migrations.CreateModel(
            name='TenantKey',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.IntegerField()),
                ('wrapped', models.BinaryField()),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('tenant', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.tenant')),
            ],
            options={
                'abstract': False,
                'base_manager_name': 'unsafe_all_tenants',
                'default_manager_name': 'unsafe_all_tenants',
                'constraints': [models.UniqueConstraint(fields=('tenant', 'number'), name='tenantkey_once')],
            },
            managers=[
                ('unsafe_all_tenants', django.db.models.manager.Manager()),
            ],
        ),
        migrations.CreateModel(
            name='User',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('password', models.CharField(max_length=128, verbose_name='password')),
                ('last_login', models.DateTimeField(blank=True, null=True, verbose_name='last login')),
                ('username', models.CharField(max_length=150, unique=True, validators=[django.contrib.auth.validators.UnicodeUsernameValidator()])),
                ('name', models.CharField(blank=True, max_length=200)),
                ('email', models.EmailField(blank=True, max_length=254)),
                ('mail', models.CharField(choices=[('everything', 'everything'), ('assigned', 'assigned'), ('nothing', 'nothing')], db_default='everything', help_text='Of which tasks they get mail', max_length=16)),
                ('is_active', models.BooleanField(default=True)),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('locale', models.CharField(blank=True, db_default='', help_text='How dates and numbers are written (lib/locales.py); empty: as the browser says', max_length=16)),
                ('time_zone', models.CharField(blank=True, db_default='', help_text='The name of one; empty: that of the browser', max_length=64)),
                ('density', models.CharField(choices=[('comfortable', 'comfortable'), ('compact', 'compact')], db_default='comfortable', help_text='How much of a list stands on one screen', max_length=16)),
                ('digest_day', models.DateField(blank=True, help_text='Their day of which the mail was written', null=True)),
                ('digest_hour', models.SmallIntegerField(blank=True, help_text='At which hour of their day they get the mail of the day; null: they want none', null=True)),
                ('is_service', models.BooleanField(db_default=False, help_text='It is no person: no login and no seat, only tokens act in its name')),
            ],
            options={
                'constraints': [models.UniqueConstraint(django.db.models.functions.text.Lower('username'), name='user_username_unique_without_case'), models.CheckConstraint(condition=models.Q(('digest_hour', None), ('digest_hour__range', (0, 23)), _connector='OR'), name='user_digest_hour_of_a_day')],
                'indexes': [models.Index(condition=models.Q(('digest_hour__isnull', False)), fields=['time_zone', 'digest_hour'], name='user_digest')],
            },
        ),
        migrations.CreateModel(
            name='AccountMail',
            fields=[
                ('id', models.UUIDField(primary_key=True, serialize=False)),
                ('kind', models.CharField(choices=[('forgotten', 'forgotten'), ('invited', 'invited'), ('sent', 'sent'), ('moved', 'moved'), ('digest', 'digest'), ('mentioned', 'mentioned'), ('webhook_off', 'webhook_off'), ('token_ends', 'token_ends')], max_length=16)),
                ('to', models.EmailField(blank=True, db_default='', max_length=254)),
                ('by', models.CharField(blank=True, db_default='', max_length=150)),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('next_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), null=True)),
                ('attempts', models.SmallIntegerField(db_default=0)),
                ('error', models.TextField(db_default='')),
                ('sent_at', models.DateTimeField(null=True)),
                ('tenant', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.tenant')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'abstract': False,
                'base_manager_name': 'unsafe_all_tenants',
                'default_manager_name': 'unsafe_all_tenants',
                'indexes': [models.Index(condition=models.Q(('next_at__isnull', False)), fields=['next_at', 'id'], name='accountmail_due'), models.Index(condition=models.Q(('next_at__isnull', True)), fields=['created_at'], name='accountmail_done')],
            },
            managers=[
                ('unsafe_all_tenants', django.db.models.manager.Manager()),
            ],
        ),
        migrations.CreateModel(
            name='ApiToken',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(blank=True, max_length=200)),
                ('public_id', models.CharField(max_length=16, unique=True)),
                ('prefix', models.CharField(max_length=40)),
                ('secret_sha256', models.BinaryField(max_length=32)),
                ('role', models.CharField(choices=[('viewer', 'viewer'), ('author', 'author'), ('operator', 'operator'), ('requester', 'requester'), ('approver', 'approver'), ('admin', 'admin'), ('worker', 'worker')], max_length=16)),
                ('scopes', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=40), help_text="Fewer than the role's; null: all", null=True, size=None)),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('expires_at', models.DateTimeField(null=True)),
                ('revoked_at', models.DateTimeField(null=True)),
                ('last_used_at', models.DateTimeField(null=True)),
                ('made_with', models.ForeignKey(help_text='The token it ends with', null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.apitoken')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('tenant', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.tenant')),
                ('allowed_ips', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=43), help_text='Networks from where alone it opens anything; null: from everywhere', null=True, size=None)),
                ('warned_days', models.SmallIntegerField(help_text='Its user was told so many days ahead that it ends; null: not yet', null=True)),
            ],
            options={
                'abstract': False,
                'base_manager_name': 'unsafe_all_tenants',
                'default_manager_name': 'unsafe_all_tenants',
                'constraints': [models.CheckConstraint(condition=models.Q(('role__in', ('viewer', 'author', 'operator', 'requester', 'approver', 'admin', 'worker'))), name='apitoken_known_role')],
            },
            managers=[
                ('unsafe_all_tenants', django.db.models.manager.Manager()),
            ],
        ),
        migrations.CreateModel(
            name='KeptAnswer',
            fields=[
                ('id', models.UUIDField(primary_key=True, serialize=False)),
                ('key', models.CharField(max_length=255)),
                ('digest', models.BinaryField(max_length=32)),
                ('answer', models.BinaryField()),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('tenant', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.tenant')),
            ],
            options={
                'abstract': False,
                'base_manager_name': 'unsafe_all_tenants',
                'default_manager_name': 'unsafe_all_tenants',
                'indexes': [models.Index(fields=['created_at'], name='keptanswer_by_age')],
                'constraints': [models.UniqueConstraint(fields=('tenant', 'user', 'key'), name='keptanswer_once')],
            },
            managers=[
                ('unsafe_all_tenants', django.db.models.manager.Manager()),
            ],
        ),
        migrations.CreateModel(
            name='Membership',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('role', models.CharField(choices=[('viewer', 'viewer'), ('author', 'author'), ('operator', 'operator'), ('requester', 'requester'), ('approver', 'approver'), ('admin', 'admin')], max_length=16)),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('manager', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='accounts.membership')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('tenant', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.tenant')),
            ],
            options={
                'abstract': False,
                'base_manager_name': 'unsafe_all_tenants',
                'default_manager_name': 'unsafe_all_tenants',
                'constraints': [models.UniqueConstraint(fields=('tenant', 'user'), name='membership_one_role'), models.CheckConstraint(condition=models.Q(('role__in', ('viewer', 'author', 'operator', 'requester', 'approver', 'admin'))), name='membership_known_role')],
            },
            managers=[
                ('unsafe_all_tenants', django.db.models.manager.Manager()),
            ],
        ),
        migrations.CreateModel(
            name='GroupMember',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('group', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.group')),
                ('membership', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.membership')),
                ('tenant', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.tenant')),
            ],
            options={
                'abstract': False,
                'base_manager_name': 'unsafe_all_tenants',
                'default_manager_name': 'unsafe_all_tenants',
                'constraints': [models.UniqueConstraint(fields=('group', 'membership'), name='group_member_once')],
            },
            managers=[
                ('unsafe_all_tenants', django.db.models.manager.Manager()),
            ],
        ),
        migrations.CreateModel(
            name='Session',
            fields=[
                ('session_key', models.CharField(max_length=40, primary_key=True, serialize=False, verbose_name='session key')),
                ('session_data', models.TextField(verbose_name='session data')),
                ('expire_date', models.DateTimeField(db_index=True, verbose_name='expire date')),
                ('user', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name': 'session',
                'verbose_name_plural': 'sessions',
                'abstract': False,
            },
        ),
        migrations.AddField(
            model_name='group',
            name='members',
            field=models.ManyToManyField(related_name='+', through='accounts.GroupMember', to='accounts.membership'),
        ),
    ]
