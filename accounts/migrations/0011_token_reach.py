"""The queues and folders that a token is limited to; tokens that are there already keep all of them."""

import django.contrib.postgres.fields
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0010_decide'),
    ]

    operations = [
        migrations.AddField(
            model_name='apitoken',
            name='queues',
            field=django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=129), help_text="Whose jobs alone it takes; a name that ends in * stands for all that begin so; null: every queue's", null=True, size=None),
        ),
        migrations.AddField(
            model_name='apitoken',
            name='folders',
            field=django.contrib.postgres.fields.ArrayField(base_field=models.BigIntegerField(), help_text='The ids of the folders in which alone it reaches anything; null: all that its user reaches', null=True, size=None),
        ),
    ]
