"""External workers are listed, and steps say when their workers spoke last."""
import django.contrib.postgres.fields
import django.db.models.manager
from django.db import migrations, models



class Migration(migrations.Migration):

    dependencies = [
        ('runs', '0017_stopped_jobs'),
    ]

    operations = [
        migrations.AddField(
            model_name='stepexecution',
            name='heartbeat_at',
            field=models.DateTimeField(null=True),
        ),
        migrations.CreateModel(
            name='WorkerContact',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('tenant_id', models.BigIntegerField()),
                ('worker', models.TextField()),
                ('queues', django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), size=None)),
                ('version', models.TextField(null=True)),
                ('slots', models.IntegerField(null=True)),
                ('seen_at', models.DateTimeField()),
            ],
            options={
                'abstract': False,
                'base_manager_name': 'unsafe_all_tenants',
                'default_manager_name': 'unsafe_all_tenants',
                'constraints': [models.UniqueConstraint(fields=('tenant_id', 'worker'), name='worker_contact_once')],
            },
            managers=[
                ('unsafe_all_tenants', django.db.models.manager.Manager()),
            ],
        ),
    ]
