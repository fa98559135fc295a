"""Events since a time are sent to a webhook again; a run's messages are in the order of its events, each there once."""


import django.db.models.deletion
import django.db.models.functions.comparison
import django.db.models.functions.datetime
import django.db.models.manager
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0010_decide'),
        ('runs', '0045_index_of_changed_runs'),
    ]

    operations = [
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
    ]
