"""Searches in the list of runs that people keep."""

from django.db import models
from django.db.models.functions import Now

from accounts.scoping import TenantOwned


class SavedSearch(TenantOwned):
    """A search in the list of runs that somebody keeps under a name; shared, those in a group see it, too.

    It is data, never code: the query string of the list, with its columns. Everybody finds by it what they may read.
    """

    owner = models.TextField()
    name = models.TextField()
    query = models.TextField()
    group = models.ForeignKey("accounts.Group", models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField(db_default=Now())

    class Meta(TenantOwned.Meta):
        constraints = [
            models.UniqueConstraint(fields=["tenant", "owner", "name"], name="saved_search_name_once"),
        ]
