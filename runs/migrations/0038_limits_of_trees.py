"""Runs know for whom they act, and the runs of a tree are counted."""

import django.db.models.manager
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('runs', '0037_child_indexes'),
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
    ]
