"""By what a store of payloads knows the database that it belongs to."""

import django.contrib.postgres.functions
from django.db import migrations, models



class Migration(migrations.Migration):

    dependencies = [
        ('runs', '0046_outgoing_replays'),
    ]

    operations = [
        migrations.CreateModel(
            name='Installation',
            fields=[
                ('id', models.SmallIntegerField(primary_key=True, serialize=False)),
                ('number', models.UUIDField(db_default=django.contrib.postgres.functions.RandomUUID())),
            ],
        ),
    ]
