"""Seals of history: one for each life of a run that has ended (event count, SHA-256 chain)."""

import django.db.models.functions.datetime
import django.db.models.manager
from django.db import migrations, models

# link = sha256(link before || text of the event); the first link before is the id of the run.
CHAIN = """
CREATE FUNCTION runs_chain_link(bytea, text, text) RETURNS bytea LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN sha256(coalesce($1, convert_to($2, 'UTF8')) || convert_to($3, 'UTF8'));
CREATE AGGREGATE runs_chain(text, text) (sfunc = runs_chain_link, stype = bytea);
CREATE TRIGGER runs_seals_append_only BEFORE UPDATE OR DELETE ON runs_runseal
    FOR EACH ROW EXECUTE FUNCTION runs_history_is_append_only();
"""
NO_CHAIN = """
DROP TRIGGER runs_seals_append_only ON runs_runseal;
DROP AGGREGATE runs_chain(text, text);
DROP FUNCTION runs_chain_link(bytea, text, text);
"""


class Migration(migrations.Migration):

    dependencies = [
        ('runs', '0008_operators'),
    ]

    operations = [
        migrations.CreateModel(
            name='RunSeal',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('tenant_id', models.BigIntegerField()),
                ('run_id', models.UUIDField()),
                ('shard', models.SmallIntegerField()),
                ('life', models.IntegerField()),
                ('events', models.IntegerField()),
                ('last_event', models.BigIntegerField()),
                ('digest', models.BinaryField()),
                ('sealed_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
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
            model_name='run',
            name='sealed_life',
            field=models.IntegerField(db_default=0),
        ),
        migrations.AddConstraint(
            model_name='runseal',
            constraint=models.UniqueConstraint(fields=('run_id', 'life'), name='seal_once_per_life'),
        ),
        migrations.AddIndex(
            model_name='run',
            index=models.Index(condition=models.Q(('completed_at__isnull', False), ('sealed_life__lt', models.F('life'))), fields=['completed_at', 'id'], name='run_unsealed'),
        ),
        migrations.RunSQL(CHAIN, NO_CHAIN),
    ]
