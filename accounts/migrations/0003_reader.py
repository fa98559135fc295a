from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0002_folders'),
    ]

    operations = [
        migrations.AddField(
            model_name='user',
            name='locale',
            field=models.CharField(blank=True, db_default='', help_text='How dates and numbers are written (lib/locales.py); empty: as the browser says', max_length=16),
        ),
        migrations.AddField(
            model_name='user',
            name='time_zone',
            field=models.CharField(blank=True, db_default='', help_text='The name of one; empty: that of the browser', max_length=64),
        ),
    ]
