"""Runs that are what a container does for one of its items; loops that go on in a new run."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('runs', '0013_bulk_jobs'),
    ]

    operations = [
        migrations.AddField(
            model_name='run',
            name='is_part',
            field=models.BooleanField(db_default=False),
        ),
        migrations.AddField(
            model_name='container',
            name='first',
            field=models.IntegerField(db_default=0),
        ),
        migrations.AlterField(
            model_name='runmessage',
            name='kind',
            field=models.TextField(choices=[('child_ended', 'child_ended'), ('cancel', 'cancel'), ('pause', 'pause'), ('unpause', 'unpause'), ('start_next', 'start_next'), ('continue', 'continue')]),
        ),
    ]
