"""An index of the versions that mark fields of their input as searchable, in `sql/schema/versions.sql`; the newest
migration makes it.
"""

from django.db import migrations


class Migration(migrations.Migration):

    dependencies = [
        ('workflows', '0002_release_0_2'),
    ]

    operations = []
