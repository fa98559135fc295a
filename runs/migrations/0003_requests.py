"""Who filed a request for somebody else, and when its requester last reminded the deciders."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('runs', '0002_release_0_2'),
    ]

    operations = [
        migrations.AddField(
            model_name='request',
            name='filed_by_id',
            field=models.BigIntegerField(null=True),
        ),
        migrations.AddField(
            model_name='request',
            name='reminded_at',
            field=models.DateTimeField(null=True),
        ),
        migrations.AddIndex(
            model_name='request',
            index=models.Index(condition=models.Q(('filed_by_id__isnull', False)), fields=['tenant_id', 'filed_by_id', '-run_id'], name='request_filed_list'),
        ),
    ]
