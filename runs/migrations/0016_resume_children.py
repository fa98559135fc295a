"""Runs that have others begun tell them to go on when they are resumed."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('runs', '0015_variables'),
    ]

    operations = [
        migrations.AlterField(
            model_name='runmessage',
            name='kind',
            field=models.TextField(choices=[('child_ended', 'child_ended'), ('cancel', 'cancel'), ('pause', 'pause'), ('unpause', 'unpause'), ('start_next', 'start_next'), ('continue', 'continue'), ('resume', 'resume')]),
        ),
    ]
