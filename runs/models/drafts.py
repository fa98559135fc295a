"""What people have typed to start a workflow and not sent yet."""

from django.conf import settings
from django.db import models

from accounts.scoping import TenantOwned
from lib.stored_json import StoredJson


class StartDraft(TenantOwned):
    """What somebody typed into the form that starts a workflow, as they left it: theirs alone, gone once it is started.

    `kind` says what of: the fields of the form, or JSON. `entries` are texts by the names of their fields.
    """

    workflow = models.ForeignKey("workflows.Workflow", on_delete=models.CASCADE, related_name="+")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    kind = models.CharField(max_length=8)
    entries = StoredJson(default=dict)
    saved_at = models.DateTimeField()

    class Meta(TenantOwned.Meta):
        constraints = (models.UniqueConstraint(fields=["workflow", "user"], name="start_draft_once_each"),)
