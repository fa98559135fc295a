"""Runs are never deleted."""

from django.db import migrations

from lib.schema_sql import SchemaSql


class Migration(migrations.Migration):

    dependencies = [
        ('runs', '0048_history_checks'),
    ]

    operations = [
        SchemaSql('runs', '5f25149b99d4'),
    ]
