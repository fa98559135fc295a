"""Bytes of archived tasks that a run of another tree uses move to the files of runs."""

from django.db import migrations

from lib.schema_sql import SchemaSql


class Migration(migrations.Migration):

    dependencies = [
        ('files', '0001_tables'),
        ('tasks_inbox', '0002_release_0_2'),
    ]

    operations = [
        SchemaSql('tasks_inbox', 'fc63399294a1'),
    ]
