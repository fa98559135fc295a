"""What people design: workflows with their draft, and published versions, which never change (R-009, R-025)."""

from typing import Any, ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from accounts.scoping import TenantManager, TenantOwned
from engine.limits import WORKFLOW_NAME_CHARACTERS
from engine.ports import RULES
from lib.stored_json import StoredJson

_NAME_CHARACTERS = r"^[A-Za-z0-9_:\-]+$"
"""PostgreSQL's expressions count to 255 only: the column says how many."""


class VersionIsImmutable(Exception):
    """A published version never changes; publish a new one."""


class Workflow(TenantOwned):
    """A named definition: its one draft is here, what was published in its versions."""

    name = models.CharField(max_length=WORKFLOW_NAME_CHARACTERS)
    title = models.CharField(max_length=200, blank=True)
    description = models.TextField(blank=True)
    folder = models.ForeignKey("accounts.Folder", on_delete=models.PROTECT, related_name="+")
    draft_definition = StoredJson()
    draft_layout = StoredJson(default=dict)
    draft_revision = models.PositiveIntegerField(default=1)
    draft_updated_at = models.DateTimeField(db_default=Now())
    comments_number = models.PositiveIntegerField(
        default=0, db_default=0, help_text="Rises with whatever happens to the comments on its steps"
    )
    draft_updated_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(db_default=Now())
    archived_at = models.DateTimeField(null=True)

    class Meta(TenantOwned.Meta):
        constraints = (
            models.UniqueConstraint(fields=["tenant", "name"], name="workflow_name_once_per_tenant"),
            models.CheckConstraint(condition=Q(name__regex=_NAME_CHARACTERS), name="workflow_name_pattern"),
            models.CheckConstraint(
                condition=Q(draft_revision__gte=1), name="workflow_draft_revision_positive"
            ),
        )
        indexes = (models.Index(fields=["tenant", "-created_at", "-id"], name="workflow_list"),)

    def __str__(self) -> str:
        return self.name


class PublishedVersions(TenantManager["WorkflowVersion"]):
    """The door to what was published: what tests and parts run is found by `with_tests` alone."""

    def for_tenant(self, tenant_id: int) -> models.QuerySet["WorkflowVersion"]:
        """The published versions of one tenant."""
        return super().for_tenant(tenant_id).filter(is_test=False)


class AllVersions(TenantManager["WorkflowVersion"]):
    """The door to what tests run, too."""


class WorkflowVersion(TenantOwned):
    """One published graph. Runs are pinned to it, so the database refuses any change (a trigger, too).

    `rules`: those of the engine under which it was published, and by which it runs for good (`engine.ports`).
    `calendars`: the ids of the working calendars that it names, whatever these are called later.
    `is_test`: the graph of test runs, or of what a container does for its items, without a number; it is never listed,
    started otherwise, or the latest.
    """

    workflow = models.ForeignKey(Workflow, on_delete=models.PROTECT, related_name="versions")
    number = models.PositiveIntegerField(null=True)
    is_test = models.BooleanField(default=False, db_default=False)
    definition = StoredJson()
    layout = StoredJson(default=dict)
    content_hash = models.CharField(max_length=64)
    rules = models.PositiveSmallIntegerField(default=RULES, db_default=1)
    calendars = StoredJson(default=dict, db_default={})
    note = models.TextField(blank=True)
    published_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    published_at = models.DateTimeField(db_default=Now())

    objects: ClassVar[PublishedVersions] = PublishedVersions()
    with_tests: ClassVar[AllVersions] = AllVersions()

    class Meta(TenantOwned.Meta):
        indexes = (
            models.Index(
                fields=["id"],
                name="workflowversion_first_rules",
                condition=Q(rules=1, is_test=False),
            ),
            models.Index(
                fields=["tenant", "id"],
                name="workflowversion_calendars",
                condition=~Q(calendars={}) & Q(is_test=False),
            ),
        )
        constraints = (
            models.UniqueConstraint(fields=["workflow", "number"], name="workflowversion_number_once"),
            models.CheckConstraint(
                condition=Q(is_test=False, number__isnull=False, number__gte=1)
                | Q(is_test=True, number__isnull=True),
                name="workflowversion_numbered_unless_test",
            ),
            models.UniqueConstraint(
                fields=["workflow", "content_hash"],
                condition=Q(is_test=True),
                name="workflowversion_test_once",
            ),
            models.CheckConstraint(
                condition=Q(content_hash__regex=r"^[0-9a-f]{64}$"), name="workflowversion_hash_is_sha256"
            ),
        )

    def __str__(self) -> str:
        return f"{self.workflow_id} v{self.number}"

    @property
    def withdrawn(self) -> "VersionWithdrawal | None":
        """Why no new runs are started with it, by whom and since when; None for one that is not withdrawn."""
        return getattr(self, "withdrawal", None)

    def save(self, *args: Any, **options: Any) -> None:
        """Writes a new version. Raises VersionIsImmutable for one that is stored already."""
        if not self._state.adding:
            raise VersionIsImmutable
        super().save(*args, **options)


class VersionWithdrawal(TenantOwned):
    """A version that starts no new runs until it is restored; then the row is gone, and the audit log has both."""

    version = models.OneToOneField(WorkflowVersion, on_delete=models.CASCADE, related_name="withdrawal")
    reason = models.TextField()
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField(db_default=Now())

    def __str__(self) -> str:
        return f"{self.version_id}: {self.reason}"


class DraftChange(TenantOwned):
    """What somebody did to a draft in one go; the last 1,000 of each workflow are kept.

    `changes` are null where they can't be said or are too many: the draft was replaced as a whole.
    """

    workflow = models.ForeignKey(Workflow, on_delete=models.CASCADE, related_name="draft_changes")
    revision = models.PositiveIntegerField()
    group_id = models.UUIDField()
    label = models.CharField(max_length=200, blank=True)
    changes = StoredJson(null=True)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField(db_default=Now())

    class Meta(TenantOwned.Meta):
        constraints = (models.UniqueConstraint(fields=["workflow", "group_id"], name="draftchange_once"),)
        indexes = (models.Index(fields=["workflow", "-id"], name="draftchange_list"),)

    def __str__(self) -> str:
        return f"{self.workflow_id} r{self.revision}: {self.label}"


class StepThread(TenantOwned):
    """What is said of a step of a draft until that is resolved; the next comment begins another thread then.

    It names the step by its id, goes with it where it gets another one, and stays when the step is deleted.
    """

    workflow = models.ForeignKey(Workflow, on_delete=models.CASCADE, related_name="+")
    node = models.CharField(max_length=256)
    resolved_at = models.DateTimeField(null=True)
    resolved_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+"
    )

    class Meta(TenantOwned.Meta):
        indexes = (models.Index(fields=["workflow", "node"], name="stepthread_of_step"),)

    def __str__(self) -> str:
        return f"{self.workflow_id} {self.node}"


class StepComment(TenantOwned):
    """What somebody said of a step, as plain text; it is no part of the definition and of no version."""

    thread = models.ForeignKey(StepThread, on_delete=models.CASCADE, related_name="comments")
    text = models.TextField()
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField(db_default=Now())

    def __str__(self) -> str:
        return f"{self.thread_id} {self.pk}"


class StepMention(TenantOwned):
    """Which comment a mail of the outbox (`AccountMail`) tells somebody of."""

    mail_id = models.UUIDField(primary_key=True)
    comment = models.ForeignKey(StepComment, on_delete=models.CASCADE, related_name="+")

    def __str__(self) -> str:
        return f"{self.comment_id} {self.mail_id}"


class TestCase(TenantOwned):
    """An input of a workflow with what the outside answers, and what is expected then; run before publishing.

    `stubs`: `{node: {"output"} or {"error": {"code", "message"}}}`; `expect`: `{"status", "path", "output"?}`.
    """

    workflow = models.ForeignKey(Workflow, on_delete=models.PROTECT, related_name="+")
    name = models.CharField(max_length=200)
    input = StoredJson()
    stubs = StoredJson(default=dict)
    expect = StoredJson()
    revision = models.PositiveIntegerField(default=1)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(db_default=Now())
    updated_at = models.DateTimeField(db_default=Now())

    class Meta(TenantOwned.Meta):
        constraints = (
            models.UniqueConstraint(fields=["workflow", "name"], name="testcase_name_once_per_workflow"),
        )

    def __str__(self) -> str:
        return self.name
