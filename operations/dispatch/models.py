"""How workers hear of work, and whether that is enough: a sample a minute."""

from django.db import models


class DispatchSample(models.Model):
    """How things stood at a moment, in all tenants: what the gauges of `/operations/dispatch` are made of.

    `lock_waits`: sessions of this database that waited for a lock, among those that this role may look at;
    `hidden_sessions`: those at which it may not. `processes` are workers of Handoff's own, `outside` external ones.
    The last four are what the processes of `host` have counted since Handoff began there; None where nobody can sum
    it.
    """

    at = models.DateTimeField(primary_key=True)
    host = models.TextField()
    lock_waits = models.IntegerField()
    hidden_sessions = models.IntegerField()
    processes = models.IntegerField()
    processes_here = models.IntegerField()
    outside = models.IntegerField()
    ready = models.IntegerField()
    finished = models.BigIntegerField(null=True)
    claims = models.BigIntegerField(null=True)
    contended = models.BigIntegerField(null=True)
    empty = models.BigIntegerField(null=True)

    objects = models.Manager()

    class Meta:
        db_table = "runs_dispatchsample"
