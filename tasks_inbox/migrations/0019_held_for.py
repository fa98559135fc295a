from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('tasks_inbox', '0018_words_of_titles'),
    ]

    operations = [
        migrations.AddField(
            model_name='helddecision',
            name='on_behalf_of',
            field=models.TextField(null=True),
        ),
    ]
