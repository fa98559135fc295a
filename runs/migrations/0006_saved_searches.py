"""Searches in the list of runs are kept under a name."""

import django.db.models.deletion
import django.db.models.functions.datetime
import django.db.models.manager
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0004_requester_and_density'),
        ('runs', '0005_requests'),
    ]

    operations = [
        migrations.CreateModel(
            name='SavedSearch',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('owner', models.TextField()),
                ('name', models.TextField()),
                ('query', models.TextField()),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('group', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='accounts.group')),
                ('tenant', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.tenant')),
            ],
            options={
                'abstract': False,
                'base_manager_name': 'unsafe_all_tenants',
                'default_manager_name': 'unsafe_all_tenants',
                'constraints': [models.UniqueConstraint(fields=('tenant', 'owner', 'name'), name='saved_search_name_once')],
            },
            managers=[
                ('unsafe_all_tenants', django.db.models.manager.Manager()),
            ],
        ),
    ]
