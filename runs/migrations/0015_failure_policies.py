"""Branches that are undone at the same time: a compensation goes on while another one waits for a person."""

from django.db import migrations

from lib.schema_sql import SchemaSql


class Migration(migrations.Migration):

    dependencies = [
        ('runs', '0014_parts'),
    ]

    operations = [
        SchemaSql('runs', '5748c1202adc'),
    ]
