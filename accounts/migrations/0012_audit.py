"""The audit log: records, their places in the chain of their tenant, and what waits for a place."""

import django.db.models.deletion
import django.db.models.functions.datetime
import django.db.models.manager
from django.db import migrations, models

from lib.schema_sql import SchemaSql


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0011_token_reach'),
    ]

    operations = [
        migrations.CreateModel(
            name='AuditRecord',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('by', models.CharField(max_length=150)),
                ('via', models.CharField(max_length=16)),
                ('token', models.CharField(help_text='The public id of the token that was used; or empty', max_length=16)),
                ('door', models.CharField(max_length=16)),
                ('address', models.CharField(help_text='From where: an address, or os:NAME for a command', max_length=64)),
                ('act', models.CharField(db_collation='C', max_length=100)),
                ('target', models.CharField(max_length=300)),
                ('before', models.TextField()),
                ('after', models.TextField()),
                ('reason', models.TextField()),
                ('count', models.IntegerField(help_text='Of refusals: how many; else 1')),
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
            name='AuditPending',
            fields=[
                ('record_id', models.BigIntegerField(primary_key=True, serialize=False)),
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
            name='AuditHead',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('seq', models.BigIntegerField()),
                ('digest', models.BinaryField(max_length=32)),
                ('tenant', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.tenant')),
            ],
            options={
                'abstract': False,
                'base_manager_name': 'unsafe_all_tenants',
                'default_manager_name': 'unsafe_all_tenants',
                'constraints': [models.UniqueConstraint(fields=('tenant',), name='audithead_once')],
            },
            managers=[
                ('unsafe_all_tenants', django.db.models.manager.Manager()),
            ],
        ),
        migrations.CreateModel(
            name='AuditLink',
            fields=[
                ('record', models.OneToOneField(db_constraint=False, on_delete=django.db.models.deletion.DO_NOTHING, primary_key=True, related_name='link', serialize=False, to='accounts.auditrecord')),
                ('seq', models.BigIntegerField()),
                ('digest', models.BinaryField(max_length=32)),
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
        migrations.AddIndex(
            model_name='auditrecord',
            index=models.Index(fields=['tenant', 'id'], name='auditrecord_list'),
        ),
        migrations.AddIndex(
            model_name='auditrecord',
            index=models.Index(fields=['tenant', 'act', 'id'], name='auditrecord_act'),
        ),
        migrations.AddIndex(
            model_name='auditrecord',
            index=models.Index(fields=['tenant', 'by', 'id'], name='auditrecord_by'),
        ),
        migrations.AddIndex(
            model_name='auditrecord',
            index=models.Index(fields=['tenant', 'target', 'id'], name='auditrecord_target'),
        ),
        migrations.AddIndex(
            model_name='auditrecord',
            index=models.Index(fields=['tenant', 'at'], name='auditrecord_at'),
        ),
        migrations.AddConstraint(
            model_name='auditlink',
            constraint=models.UniqueConstraint(fields=('tenant', 'seq'), name='auditlink_once'),
        ),
        SchemaSql('accounts', '86d638ed17f1'),
    ]
