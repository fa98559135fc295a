"""The queues and folders that a token is limited to; tokens that are there already keep all of them. The tenant that
made a user: of those that are there already, the one of which they were a member first.
"""

import django.contrib.postgres.fields
import django.db.models.deletion
from django.db import migrations, models

_HOMES = """
    UPDATE accounts_user u SET home_id = m.tenant_id
      FROM (SELECT DISTINCT ON (user_id) user_id, tenant_id FROM accounts_membership ORDER BY user_id, id) m
     WHERE m.user_id = u.id;
    SET CONSTRAINTS ALL IMMEDIATE;
"""


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
        migrations.AddField(
            model_name='user',
            name='home',
            field=models.ForeignKey(blank=True, help_text='The tenant that made it', null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='accounts.tenant'),
        ),
        migrations.RunSQL(_HOMES, migrations.RunSQL.noop),
    ]
