"""Lists of open runs stand in the order of what is foretold of them, however many there are."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('runs', '0026_step_logs'),
    ]

    operations = [
        migrations.AddIndex(
            model_name='forecast',
            index=models.Index(fields=['tenant_id', 'p50', 'run_id'], name='forecast_likely'),
        ),
        migrations.AddIndex(
            model_name='forecast',
            index=models.Index(condition=models.Q(('risk__isnull', False)), fields=['tenant_id', 'risk', 'run_id'], name='forecast_risk'),
        ),
    ]
