"""Open dead letters are found by their step: an alert of it is over when none is left, however many others there are."""

from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):

    dependencies = [
        ('runs', '0026_step_logs'),
    ]

    operations = [
        migrations.AddIndex(
            model_name='deadletter',
            index=models.Index(condition=Q(('resolution', None)), fields=['tenant_id', 'node', '-id'], name='dead_letter_open_step'),
        ),
    ]
