"""What started each run; NULL of those that there are, so that no row is written anew."""

from django.db import migrations, models

from lib.schema_sql import SchemaSql

CHOICES = [
    ('page', 'Page'),
    ('rest', 'REST API'),
    ('sdk', 'SDK'),
    ('grpc', 'gRPC'),
    ('orchestration', 'Orchestration API'),
    ('rochallor', 'rochallor API'),
    ('command', 'Command line'),
    ('webhook', 'Webhook'),
    ('schedule', 'Schedule'),
    ('parent', 'Parent run'),
    ('previous', 'Previous run'),
    ('rerun', 'Rerun'),
    ('test', 'Test'),
]


class Migration(migrations.Migration):

    dependencies = [
        ('runs', '0049_calendars_in_folders'),
    ]

    operations = [
        migrations.AddField(
            model_name='run',
            name='started_from',
            field=models.TextField(choices=CHOICES, null=True),
        ),
        SchemaSql('runs', '5f25149b99d4'),
    ]
