"""What release 0.2 changed."""

from django.db import migrations, models



class Migration(migrations.Migration):

    # A database that has all of these has what is made here.
    replaces = [
        ('tasks_inbox', '0003_covers'),
    ]

    dependencies = [
        ('tasks_inbox', '0001_release_0_1'),
    ]

    operations = [
        migrations.AddField(
            model_name='manualtask',
            name='covers',
            field=models.BooleanField(db_default=False),
        ),
    ]
