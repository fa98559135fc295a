"""The calendars that say on which days work is done."""

from django.db import models
from django.db.models.functions import Now

from accounts.scoping import TenantOwned
from lib.stored_json import StoredJson


class Calendar(TenantOwned):
    """On which days work is done, and from when to when: `weekdays` (Monday is 1), the holidays of a region, and
    `exceptions`, a list of `{date, works, name}`. `opens` and `closes` are minutes since midnight in its time zone.

    It is of a folder, or, without one, of the tenant. `revision` rises with each change of its rules.
    """

    name = models.TextField()
    folder = models.ForeignKey("accounts.Folder", on_delete=models.PROTECT, null=True, related_name="+")
    revision = models.PositiveIntegerField(default=1, db_default=1)
    timezone = models.TextField()
    region = models.TextField(blank=True)
    weekdays = StoredJson()
    opens = models.SmallIntegerField()
    closes = models.SmallIntegerField()
    exceptions = StoredJson(default=list)
    created_at = models.DateTimeField(db_default=Now())

    class Meta(TenantOwned.Meta):
        constraints = [models.UniqueConstraint(fields=["tenant", "name"], name="calendar_name_once")]
