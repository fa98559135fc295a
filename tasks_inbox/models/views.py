"""A search that somebody keeps."""

from django.db import models
from django.db.models.functions import Now

from accounts.scoping import TenantOwned


class InboxView(TenantOwned):
    """A search that somebody keeps under a name, in one of the inbox' views; shared, those in a group see it, too.

    It is data, never code: what `search` takes and an order. Everybody finds by it what they themselves may see there.
    """

    owner = models.TextField()
    name = models.TextField()
    view = models.TextField()
    filter = models.TextField(db_default="")
    sort = models.TextField()
    group = models.ForeignKey("accounts.Group", models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField(db_default=Now())

    class Meta(TenantOwned.Meta):
        constraints = [
            models.UniqueConstraint(fields=["tenant", "owner", "name"], name="inbox_view_name_once"),
        ]
