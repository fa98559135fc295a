"""Events that were set aside stand in an index of their own: those behind which others wait stay few."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('runs', '0031_outbox_due_again'),
    ]

    operations = [
        migrations.RemoveIndex(
            model_name='dispatchoutbox',
            name='outbox_failing',
        ),
        migrations.AddIndex(
            model_name='dispatchoutbox',
            index=models.Index(condition=models.Q(('published_at', None), ('tries__gt', 0), ('tries__lt', 10)), fields=['run_id', 'queue'], name='outbox_failing'),
        ),
        migrations.AddIndex(
            model_name='dispatchoutbox',
            index=models.Index(condition=models.Q(('published_at', None), ('tries__gte', 10)), fields=['tenant_id', 'id'], name='outbox_aside'),
        ),
    ]
