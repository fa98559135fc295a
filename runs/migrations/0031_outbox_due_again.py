"""What was published is due again at a moment that stands with it, and found by that."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('runs', '0030_dispatch_samples'),
    ]

    operations = [
        migrations.RemoveIndex(
            model_name='dispatchoutbox',
            name='outbox_told',
        ),
        migrations.AddIndex(
            model_name='dispatchoutbox',
            index=models.Index(condition=models.Q(('published_at__isnull', False)), fields=['due_at'], name='outbox_again'),
        ),
    ]
