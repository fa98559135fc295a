"""What release 0.2 changed."""

import django.db.models.deletion
import django.db.models.functions.datetime
import django.db.models.manager
from django.conf import settings
from django.db import migrations, models



class Migration(migrations.Migration):

    # A database that has all of these has what is made here.
    replaces = [
        ('workflows', '0004_rules_of_versions'),
        ('workflows', '0005_withdrawals'),
        ('workflows', '0006_calendars_of_versions'),
    ]

    dependencies = [
        ('accounts', '0001_release_0_1'),
        ('workflows', '0001_release_0_1'),
    ]

    operations = [
        migrations.AddField(
            model_name='workflowversion',
            name='rules',
            field=models.PositiveSmallIntegerField(db_default=1, default=3),
        ),
        migrations.AddIndex(
            model_name='workflowversion',
            index=models.Index(condition=models.Q(('is_test', False), ('rules', 1)), fields=['id'], name='workflowversion_first_rules'),
        ),
        migrations.CreateModel(
            name='VersionWithdrawal',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('reason', models.TextField()),
                ('at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('tenant', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='accounts.tenant')),
                ('version', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='withdrawal', to='workflows.workflowversion')),
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
        migrations.AddField(
            model_name='workflowversion',
            name='calendars',
            field=models.JSONField(db_default={}, default=dict),
        ),
        migrations.AddIndex(
            model_name='workflowversion',
            index=models.Index(condition=models.Q(models.Q(('calendars', {}), _negated=True), ('is_test', False)), fields=['tenant', 'id'], name='workflowversion_calendars'),
        ),
    ]
