"""Runs that try a definition out."""

from django.db import migrations, models

# On the way back nothing would tell them from others. Their history stays, as all history does.
GONE = "".join(
    f"DELETE FROM {table} WHERE run_id IN (SELECT id FROM runs_run WHERE is_test);\n"
    for table in ("runs_stepexecution", "runs_stepjoin", "runs_timer", "runs_signal", "runs_repair")
) + "DELETE FROM runs_run WHERE is_test;"


class Migration(migrations.Migration):

    dependencies = [
        ('runs', '0010_never_stuck'),
        ('workflows', '0004_versions_of_tests'),
    ]

    operations = [
        migrations.AddField(
            model_name='run',
            name='is_test',
            field=models.BooleanField(db_default=False),
        ),
        migrations.AddIndex(
            model_name='run',
            index=models.Index(condition=models.Q(('is_test', True)), fields=['tenant_id', '-id'], name='run_tests'),
        ),
        migrations.RunSQL(migrations.RunSQL.noop, GONE),
    ]
