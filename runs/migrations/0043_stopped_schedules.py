from django.db import migrations, models


class Migration(migrations.Migration):
    """Why a schedule was stopped, but by hand."""

    dependencies = [
        ('runs', '0042_approvals'),
    ]

    operations = [
        migrations.AddField(
            model_name='schedule',
            name='off_reason',
            field=models.TextField(blank=True, db_default=''),
        ),
    ]
