"""Every open run has a wake source: the view that names it, what had to be repaired, and who polls which queue."""

import django.db.models.functions.datetime
import django.db.models.manager
from django.db import migrations, models

VIEW = """
-- What moves each open step of each open run, and the runs that wait for a person without one: exactly one row each.
-- `source` is NULL where nothing does: that must not be. Kinds of waits that others register (`runs/kernel/wait_kinds.py`) are
-- 'person' here; whoever owns the kind knows whether the task is there.
CREATE VIEW runs_wake_source AS
SELECT s.run_id, s.tenant_id, r.status AS run_status, s.id AS step_id, s.node, s.status AS step_status,
       CASE s.status
           WHEN 'RUNNING' THEN 'leased'
           WHEN 'QUEUED' THEN CASE WHEN NOT s.held THEN 'claimable' WHEN r.status = 'PAUSED' THEN 'held' END
           ELSE CASE
               WHEN r.status NOT IN ('RUNNING', 'PAUSED') THEN NULL
               WHEN s.waiting ->> 'until' IS NOT NULL AND t.fire_at IS NULL THEN NULL
               WHEN s.waiting ->> 'kind' = 'timer' THEN CASE WHEN t.fire_at IS NOT NULL THEN 'timer' END
               WHEN s.waiting ->> 'kind' = 'signal' THEN CASE WHEN NOT EXISTS (
                        SELECT 1 FROM runs_signal g
                         WHERE g.root_id = r.root_id AND g.name = s.waiting ->> 'name' AND g.consumed_at IS NULL)
                    THEN 'signal' END
               WHEN s.waiting ->> 'kind' IS NOT NULL THEN 'person' END
           END AS source,
       CASE s.status WHEN 'RUNNING' THEN s.lease_expires_at WHEN 'QUEUED' THEN s.available_at ELSE t.fire_at END AS at
  FROM runs_run r
  JOIN runs_stepexecution s ON s.run_id = r.id AND s.status IN ('QUEUED', 'RUNNING', 'WAITING')
  LEFT JOIN LATERAL (SELECT min(t.fire_at) AS fire_at FROM runs_timer t
                      WHERE s.status = 'WAITING' AND t.run_id = s.run_id AND t.step_id = s.id AND t.status = 'PENDING'
                        AND t.kind <> 'boundary') t ON true
 WHERE r.completed_at IS NULL
UNION ALL
SELECT r.id, r.tenant_id, r.status, s.id, s.node, s.status, 'person', NULL
  FROM runs_run r
  JOIN runs_stepexecution s ON s.run_id = r.id AND s.status = 'FAILED' AND s.node LIKE '%:compensate'
 WHERE r.completed_at IS NULL AND r.status = 'WAITING_FOR_MANUAL_ACTION';
"""


class Migration(migrations.Migration):

    dependencies = [
        ('runs', '0009_seals'),
    ]

    operations = [
        migrations.CreateModel(
            name='DutyCursor',
            fields=[
                ('duty', models.TextField(primary_key=True, serialize=False)),
                ('after', models.UUIDField()),
            ],
        ),
        migrations.CreateModel(
            name='QueuePoll',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('tenant_id', models.BigIntegerField()),
                ('queue', models.TextField()),
                ('polled_at', models.DateTimeField()),
            ],
            options={
                'abstract': False,
                'base_manager_name': 'unsafe_all_tenants',
                'default_manager_name': 'unsafe_all_tenants',
            },
            managers=[
                ('unsafe_all_tenants', django.db.models.manager.Manager()),
            ],
        ),
        migrations.CreateModel(
            name='Repair',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('tenant_id', models.BigIntegerField()),
                ('run_id', models.UUIDField()),
                ('life', models.IntegerField()),
                ('node', models.TextField(null=True)),
                ('what', models.TextField()),
                ('done', models.BooleanField()),
                ('detail', models.TextField(db_default='')),
                ('created_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
            ],
            options={
                'abstract': False,
                'base_manager_name': 'unsafe_all_tenants',
                'default_manager_name': 'unsafe_all_tenants',
            },
            managers=[
                ('unsafe_all_tenants', django.db.models.manager.Manager()),
            ],
        ),
        migrations.AddIndex(
            model_name='run',
            index=models.Index(condition=models.Q(('completed_at__isnull', True)), fields=['id'], name='run_open'),
        ),
        migrations.AddIndex(
            model_name='repair',
            index=models.Index(fields=['run_id'], name='repair_of_run'),
        ),
        migrations.AddConstraint(
            model_name='repair',
            constraint=models.UniqueConstraint(condition=models.Q(('done', False)), fields=('run_id', 'life', 'what', 'node'), name='repair_reported_once', nulls_distinct=False),
        ),
        migrations.AddConstraint(
            model_name='queuepoll',
            constraint=models.UniqueConstraint(fields=('tenant_id', 'queue'), name='queue_polled_once'),
        ),
        migrations.RunSQL(VIEW, 'DROP VIEW runs_wake_source;'),
    ]
