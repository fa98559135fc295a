"""The tables of dispatch, which the migrations of runs have made."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('runs', '0002_release_0_2'),
    ]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.CreateModel(
                    name='DispatchSample',
                    fields=[
                        ('at', models.DateTimeField(primary_key=True, serialize=False)),
                        ('host', models.TextField()),
                        ('lock_waits', models.IntegerField()),
                        ('hidden_sessions', models.IntegerField()),
                        ('processes', models.IntegerField()),
                        ('processes_here', models.IntegerField()),
                        ('outside', models.IntegerField()),
                        ('ready', models.IntegerField()),
                        ('finished', models.BigIntegerField(null=True)),
                        ('claims', models.BigIntegerField(null=True)),
                        ('contended', models.BigIntegerField(null=True)),
                    ],
                    options={
                        'db_table': 'runs_dispatchsample',
                    },
                ),
            ],
        ),
    ]
