"""The refused messages of a webhook are found without reading the others; nobody who sends one waits for the index."""

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):

    atomic = False

    dependencies = [
        ('runs', '0007_webhooks_act_for_somebody'),
    ]

    operations = [
        # One that was interrupted leaves an index that is no good.
        migrations.RunSQL('DROP INDEX CONCURRENTLY IF EXISTS delivery_refused', migrations.RunSQL.noop),
        AddIndexConcurrently(
            model_name='webhookdelivery',
            index=models.Index(condition=models.Q(('refused__isnull', False)), fields=['webhook_id', '-received_at'], name='delivery_refused'),
        ),
    ]
