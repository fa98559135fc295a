"""Sessions know whose they are, and mails about accounts have an outbox. Who is logged in stays so."""

import django.db.models.deletion
import django.db.models.functions.datetime
import django.db.models.manager
from django.conf import settings
from django.contrib.auth import SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore
from django.db import migrations, models
from django.db.models.functions import Now


def move_sessions(apps, schema_editor):
    """Sessions that have not ended move to the new table, each with whose it is."""
    old = apps.get_model("sessions", "Session").objects
    new = apps.get_model("accounts", "Session")
    users = set(apps.get_model("accounts", "User").objects.values_list("pk", flat=True))
    batch = []
    for row in old.filter(expire_date__gt=Now()).iterator(2_000):
        whose = int(SessionStore().decode(row.session_data).get(SESSION_KEY, 0))
        kept = {"session_data": row.session_data, "expire_date": row.expire_date}
        batch.append(new(session_key=row.session_key, user_id=whose if whose in users else None, **kept))
    new.objects.bulk_create(batch, batch_size=2_000)
    old.all().delete()


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0004_requester_and_density'),
        ('sessions', '0001_initial'),
    ]

    operations = [
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
        migrations.RunPython(move_sessions, migrations.RunPython.noop),
        migrations.CreateModel(
            name='AccountMail',
            fields=[
                ('id', models.UUIDField(primary_key=True, serialize=False)),
                ('kind', models.CharField(choices=[('forgotten', 'forgotten'), ('invited', 'invited'), ('sent', 'sent'), ('moved', 'moved')], max_length=16)),
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
    ]
