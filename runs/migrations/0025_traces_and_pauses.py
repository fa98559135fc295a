"""Runs keep the trace in which they were started; deadlines stand still in a pause, where a version says so."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('runs', '0024_forecasts'),
    ]

    operations = [
        migrations.AddField(
            model_name='run',
            name='sla_kept_look_at',
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name='run',
            name='sla_paused_at',
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name='run',
            name='sla_paused_seconds',
            field=models.FloatField(db_default=0),
        ),
        migrations.AddField(
            model_name='run',
            name='traceparent',
            field=models.TextField(null=True),
        ),
        migrations.AddField(
            model_name='run',
            name='tracestate',
            field=models.TextField(null=True),
        ),
    ]
