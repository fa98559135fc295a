"""Names of workflows have up to 256 characters."""

from django.conf import settings
from django.db import migrations, models

from lib.schema_sql import SchemaSql


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0002_release_0_2'),
        ('workflows', '0003_searchable_fields'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name='workflow',
            name='workflow_name_pattern',
        ),
        migrations.AlterField(
            model_name='workflow',
            name='name',
            field=models.CharField(max_length=256),
        ),
        migrations.AddConstraint(
            model_name='workflow',
            constraint=models.CheckConstraint(condition=models.Q(('name__regex', '^[A-Za-z0-9_:\\-]+$')), name='workflow_name_pattern'),
        ),
        SchemaSql('workflows', 'f757d5e00a85'),
    ]
