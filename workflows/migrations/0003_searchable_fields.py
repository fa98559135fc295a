"""An index of the versions that mark fields of their input as searchable, in `sql/schema/versions.sql`."""

from django.db import migrations

from lib.schema_sql import SchemaSql


class Migration(migrations.Migration):

    dependencies = [
        ('workflows', '0002_release_0_2'),
    ]

    operations = [
        SchemaSql('workflows', 'f757d5e00a85'),
    ]
