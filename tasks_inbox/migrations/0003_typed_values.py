"""Texts of tasks keep the types of their values; mails to one person are counted."""

from django.db import migrations, models

from lib.schema_sql import SchemaSql


class Migration(migrations.Migration):

    dependencies = [
        ('files', '0001_tables'),
        ('tasks_inbox', '0002_release_0_2'),
    ]

    operations = [
        migrations.AddField(
            model_name='manualtask',
            name='title_parts',
            field=models.JSONField(null=True),
        ),
        migrations.AddField(
            model_name='manualtask',
            name='texts',
            field=models.JSONField(null=True),
        ),
        migrations.AddIndex(
            model_name='notification',
            index=models.Index(condition=models.Q(('sent_at__isnull', False)), fields=['tenant_id', 'username', 'sent_at'], name='note_lately'),
        ),
        SchemaSql('tasks_inbox', 'fc63399294a1'),
    ]
