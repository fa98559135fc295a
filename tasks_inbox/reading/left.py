"""What is with somebody who leaves, to be handed over: read for who manages members, each kind by its own rights.

Each kind is read in as many statements for many as for one, `MOST` of each at most.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from django.db.models import Count, Q
from django.db.models.functions import Lower, Now
from django.urls import reverse

from accounts import tokens
from accounts.models import Membership
from accounts.names import key_of
from accounts.ports import Left, SeatChange
from accounts.principal import Principal
from accounts.queries import find_member
from accounts.roles import MEMBERS_MANAGE, RUNS_READ, TASKS_READ, TOKENS_MANAGE, WEBHOOKS_MANAGE
from lib.clock import now_there
from runs.access import editable_webhooks, readable_schedules
from runs.models import InboundWebhook, Schedule
from tasks_inbox.eligibility import policies
from tasks_inbox.eligibility.electors import members_of
from tasks_inbox.models import OPEN, AwayRule, ManualTask
from tasks_inbox.reading.impact import stuck_by, would_be_stuck
from tasks_inbox.store import queries

MOST = 100
"""So many of each kind are handed over at once; what is left then is shown again."""
HAND, GIVE_BACK, STOP, REVOKE, END, KEEP = "hand", "give_back", "stop", "revoke", "end", "keep"
ACTIONS = (HAND, GIVE_BACK, STOP, REVOKE, END, KEEP)
TASK, SCHEDULE, WEBHOOK, TOKEN, ABSENCE, REPORT = (
    "task", "schedule", "webhook", "token", "absence", "report"
)  # fmt: skip
KINDS = (TASK, SCHEDULE, WEBHOOK, TOKEN, ABSENCE, REPORT)


@dataclass(frozen=True, slots=True)
class Item:
    """One thing of somebody's. `detail` says how it is theirs; of the `actions` the first is proposed."""

    kind: str
    id: str
    title: str
    detail: str
    actions: tuple[str, ...]
    address: str = ""


def items_of(principal: Principal, username: str) -> list[Item]:
    """What is with somebody, who may have left already: only the kinds that whoever asks may read."""
    principal.require(MEMBERS_MANAGE)
    readers = {
        TASKS_READ: (_tasks, _absences),
        RUNS_READ: (_schedules,),
        WEBHOOKS_MANAGE: (_webhooks,),
        TOKENS_MANAGE: (_tokens,),
        MEMBERS_MANAGE: (_reports,),
    }
    items = [
        item
        for scope, kinds in readers.items()
        if scope in principal.scopes
        for read in kinds
        for item in read(principal, username)
    ]
    return sorted(items, key=lambda item: KINDS.index(item.kind))


def _tasks(principal: Principal, username: str) -> Iterator[Item]:
    tenant, key = principal.tenant_id, key_of(username)
    is_theirs = Q(assignee=username) | Q(delegated_by=username) | Q(audience__contains=[f"user:{key}"])
    tasks = ManualTask.objects.for_tenant(tenant).filter(is_theirs, status=OPEN, is_test=False)
    rows = [
        task
        for task in tasks.defer(*queries.LARGE).order_by("due", "id")[:MOST]
        if not policies.has_voted(task, username)
    ]
    is_active, ids = find_member(tenant, username) is not None, {task.pk for task in rows}
    if is_active:
        stuck = stuck_by(tenant, SeatChange(gone=frozenset({key})))[0]
        rows = [*rows, *(task for task in stuck if task.pk not in ids)][:MOST]
    others = [one for one in members_of(tenant) if one.elector.key != key]
    stuck_ids = {task.pk for task in would_be_stuck(tenant, rows, others, [key])}
    for task in rows:
        is_stuck = task.pk in stuck_ids
        actions: tuple[str, ...]
        if task.assignee == username:
            detail = "Delegated to them" if task.delegated_by else "They have it"
            actions = (HAND, GIVE_BACK, KEEP) if is_stuck else (GIVE_BACK, HAND, KEEP)
        elif task.delegated_by == username:
            detail, actions = "They have delegated it", (KEEP, GIVE_BACK)
        elif not policies.names_user(task.audience, username):
            detail, actions = "It asks a group or a role of theirs", (HAND, KEEP)
        elif is_stuck or is_active:
            detail, actions = "It asks them by name", ((HAND, KEEP) if is_stuck else (KEEP, HAND))
        else:
            # Others decide it: it waits for nobody who left.
            continue
        detail += "; nobody else can decide it" if is_stuck else ""
        yield Item(TASK, str(task.pk), task.title, detail, actions, reverse("task", args=[task.pk]))


def _schedules(principal: Principal, username: str) -> Iterator[Item]:
    rows = Schedule.objects.for_tenant(principal.tenant_id).select_related("workflow")
    rows = readable_schedules(rows.filter(acts_for__iexact=username), principal)
    for row in rows.order_by("name")[:MOST]:
        state = "on" if row.enabled else "stopped" if row.off_reason else "off"
        called = row.workflow.title or row.workflow.name
        address = reverse("schedule", args=[row.pk])
        yield Item(
            SCHEDULE, row.name, row.name, f"Starts {called}; it is {state}", (HAND, STOP, KEEP), address
        )


def _webhooks(principal: Principal, username: str) -> Iterator[Item]:
    rows = InboundWebhook.objects.for_tenant(principal.tenant_id).select_related("workflow")
    rows = editable_webhooks(rows.filter(acts_for__iexact=username), principal)
    for row in rows.order_by("name")[:MOST]:
        does, called = (
            ("Starts" if row.action == "start" else "Signals"),
            row.workflow.title or row.workflow.name,
        )
        detail = f"{does} {called}; it is {'on' if row.enabled else 'off'}"
        address = reverse("settings-webhook", args=[row.pk])
        yield Item(WEBHOOK, str(row.pk), row.name, detail, (HAND, STOP, KEEP), address)


def _tokens(principal: Principal, username: str) -> Iterator[Item]:
    rows = tokens.visible(principal, user=username).exclude(expires_at__lte=Now())
    for row in rows.order_by("-pk")[:MOST]:
        title = row.name or f"{row.prefix}…"
        yield Item(TOKEN, row.public_id, title, f"Acts for them as {row.role}", (REVOKE, KEEP))


def _absences(principal: Principal, username: str) -> Iterator[Item]:
    rules = AwayRule.objects.for_tenant(principal.tenant_id).filter(ends_at__gt=now_there())
    rules = rules.filter(Q(username__iexact=username) | Q(substitute__iexact=username)).order_by("pk")
    for rule in rules[:MOST]:
        title = f"{rule.substitute} for {rule.username}"
        until = f"until {rule.ends_at:%Y-%m-%d}"
        if key_of(rule.substitute) == key_of(username):
            yield Item(ABSENCE, str(rule.pk), title, f"They stand in {until}", (HAND, END, KEEP))
        else:
            yield Item(ABSENCE, str(rule.pk), title, f"They are away {until}", (END, KEEP))


def _reports(principal: Principal, username: str) -> Iterator[Item]:
    rows = Membership.objects.for_tenant(principal.tenant_id).select_related("user")
    rows = rows.filter(manager__user__username__iexact=username, user__is_active=True)
    for row in rows.order_by("user__username")[:MOST]:
        name, address = row.user.username, reverse("settings-member", args=[row.user.username])
        title = row.user.name or name
        yield Item(REPORT, name, title, "They are the manager", (HAND, END, KEEP), address)


def left_by(tenant: int) -> list[Left]:
    """Who is no active member and has left schedules, webhooks, absences in which they stand in, or people of whom they
    are the manager; in five statements.
    """
    counts: Counter[str] = Counter()
    webhooks = InboundWebhook.objects.for_tenant(tenant).filter(enabled=True, acts_for__isnull=False)
    rules = AwayRule.objects.for_tenant(tenant).filter(ends_at__gt=now_there())
    reports = Membership.objects.for_tenant(tenant).filter(
        manager__user__is_active=False, user__is_active=True
    )
    for rows, field in (
        (Schedule.objects.for_tenant(tenant).filter(Q(enabled=True) | ~Q(off_reason="")), "acts_for"),
        (webhooks, "acts_for"),
        (rules, "substitute"),
        (reports, "manager__user__username"),
    ):
        for name, count in rows.values_list(field).annotate(count=Count("pk")).order_by():
            counts[name] += count
    active_keys = _active(tenant, counts)
    return [Left(name, count) for name, count in sorted(counts.items()) if key_of(name) not in active_keys]


def _active(tenant: int, names: Iterable[str]) -> set[str]:
    members = Membership.objects.for_tenant(tenant).filter(user__is_active=True)
    keys = [key_of(name) for name in names]
    return set(
        members.annotate(key=Lower("user__username")).filter(key__in=keys).values_list("key", flat=True)
    )


def is_complete(items: Iterable[Item]) -> bool:
    """Whether these are all: none of a kind was left out because there are many."""
    return max(Counter(item.kind for item in items).values(), default=0) < MOST
