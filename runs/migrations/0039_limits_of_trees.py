"""Runs know for whom they act; the runs of a tree are counted, and its open ones found."""

import django.db.models.manager
from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models
from django.db.models import Q

from lib.schema_sql import SchemaSql


class Migration(migrations.Migration):

    atomic = False

    dependencies = [
        ('runs', '0035_index_of_trees'),
    ]

    operations = [
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
            },
            managers=[
                ('unsafe_all_tenants', django.db.models.manager.Manager()),
            ],
        ),
        migrations.AddConstraint(
            model_name='treecount',
            constraint=models.UniqueConstraint(fields=('tree_id', 'slot'), name='tree_count_once'),
        ),
        # One that was interrupted leaves an index that is no good.
        migrations.RunSQL('DROP INDEX CONCURRENTLY IF EXISTS run_open_in_tree', migrations.RunSQL.noop),
        AddIndexConcurrently(
            model_name='run',
            index=models.Index(
                condition=Q(('completed_at__isnull', True), ('is_part', False), ('tree_id__isnull', False)),
                fields=['tree_id'],
                name='run_open_in_tree',
            ),
        ),
        SchemaSql('runs', '900d38b43bb7'),
    ]
