"""Tasks that test runs open."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('runs', '0011_test_runs'),
        ('tasks_inbox', '0002_delegation_and_comments'),
    ]

    operations = [
        migrations.AddField(
            model_name='manualtask',
            name='is_test',
            field=models.BooleanField(db_default=False),
        ),
        migrations.RunSQL(migrations.RunSQL.noop, "DELETE FROM tasks_inbox_manualtask WHERE is_test"),
    ]
