"""An index of runs by who started them, made beside the work that goes on."""

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):

    atomic = False

    dependencies = [
        ('runs', '0003_requests'),
    ]

    operations = [
        AddIndexConcurrently(
            model_name='run',
            index=models.Index(condition=models.Q(('is_part', False)), fields=['tenant_id', 'created_by', 'id'], name='run_starter'),
        ),
    ]
