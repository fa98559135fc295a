"""What is with somebody who leaves, to be handed over: read for who manages members, each kind by its own rights.

Each kind is read in as many statements for many as for one, `LEFT_ITEMS` of each at most.
"""

from collections import Counter
from collections.abc import Iterable, Iterator

from django.db.models import Count, Q
from django.db.models.functions import Lower, Now
from django.urls import reverse

from accounts import tokens
from accounts.models import Membership
from accounts.names import key_of
from accounts.ports import Left, SeatChange
from accounts.principal import Principal
from accounts.queries import find_member
from accounts.roles import MEMBERS_MANAGE, TASKS_READ, TOKENS_MANAGE
from lib.clock import now_there
from tasks_inbox.eligibility import policies
from tasks_inbox.eligibility.electors import members_of
from tasks_inbox.forms.texts import title_of
from tasks_inbox.limits import LEFT_ITEMS
from tasks_inbox.models import OPEN, AwayRule, ManualTask
from tasks_inbox.ports import LEFT_KINDS, LeftItem, LeftKind
from tasks_inbox.reading.impact import stuck_by, would_be_stuck
from tasks_inbox.store import queries

HAND, GIVE_BACK, STOP, REVOKE, END, KEEP = "hand", "give_back", "stop", "revoke", "end", "keep"
ACTIONS = (HAND, GIVE_BACK, STOP, REVOKE, END, KEEP)
TASK, TOKEN, ABSENCE, REPORT = "task", "token", "absence", "report"


def items_of(principal: Principal, username: str) -> list[LeftItem]:
    """What is with somebody, who may have left already: only the kinds that whoever asks may read."""
    principal.require(MEMBERS_MANAGE)
    seen = [kind for kind in kinds() if kind.scope in principal.scopes]
    return [item for kind in seen for item in kind.read(principal, username)]


def _tasks(principal: Principal, username: str) -> Iterator[LeftItem]:
    tenant, key = principal.tenant_id, key_of(username)
    is_theirs = Q(assignee=username) | Q(delegated_by=username) | Q(audience__contains=[f"user:{key}"])
    tasks = ManualTask.objects.for_tenant(tenant).filter(is_theirs, status=OPEN, is_test=False)
    rows = [
        task
        for task in tasks.defer(*queries.LARGE).order_by("due", "id")[:LEFT_ITEMS]
        if not policies.has_voted(task, username)
    ]
    is_active, ids = find_member(tenant, username) is not None, {task.pk for task in rows}
    if is_active:
        stuck = stuck_by(tenant, SeatChange(gone=frozenset({key})))[0]
        rows = [*rows, *(task for task in stuck if task.pk not in ids)][:LEFT_ITEMS]
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
        yield LeftItem(TASK, str(task.pk), title_of(task), detail, actions, reverse("task", args=[task.pk]))


def _tokens(principal: Principal, username: str) -> Iterator[LeftItem]:
    rows = tokens.visible(principal, user=username).exclude(expires_at__lte=Now())
    for row in rows.order_by("-pk")[:LEFT_ITEMS]:
        title = row.name or f"{row.prefix}…"
        yield LeftItem(TOKEN, row.public_id, title, f"Acts for them as {row.role}", (REVOKE, KEEP))


def _absences(principal: Principal, username: str) -> Iterator[LeftItem]:
    rules = AwayRule.objects.for_tenant(principal.tenant_id).filter(ends_at__gt=now_there())
    rules = rules.filter(Q(username__iexact=username) | Q(substitute__iexact=username)).order_by("pk")
    for rule in rules[:LEFT_ITEMS]:
        title = f"{rule.substitute} for {rule.username}"
        until = f"until {rule.ends_at:%Y-%m-%d}"
        if key_of(rule.substitute) == key_of(username):
            yield LeftItem(ABSENCE, str(rule.pk), title, f"They stand in {until}", (HAND, END, KEEP))
        else:
            yield LeftItem(ABSENCE, str(rule.pk), title, f"They are away {until}", (END, KEEP))


def _reports(principal: Principal, username: str) -> Iterator[LeftItem]:
    rows = Membership.objects.for_tenant(principal.tenant_id).select_related("user")
    rows = rows.filter(manager__user__username__iexact=username, user__is_active=True)
    for row in rows.order_by("user__username")[:LEFT_ITEMS]:
        name, address = row.user.username, reverse("settings-member", args=[row.user.username])
        title = row.user.name or name
        yield LeftItem(REPORT, name, title, "They are the manager", (HAND, END, KEEP), address)


_OWN = (
    LeftKind(TASK, 10, "Tasks", TASKS_READ, _tasks),
    LeftKind(TOKEN, 40, "API tokens", TOKENS_MANAGE, _tokens),
    LeftKind(ABSENCE, 50, "Absences", TASKS_READ, _absences),
    LeftKind(REPORT, 60, "People whose manager they are", MEMBERS_MANAGE, _reports),
)


def kinds() -> list[LeftKind]:
    """All kinds in their order."""
    return sorted((*_OWN, *LEFT_KINDS), key=lambda kind: kind.place)


def left_by(tenant: int) -> list[Left]:
    """Who is no active member and has left schedules, webhooks, absences in which they stand in, or people of whom they
    are the manager; in five statements.
    """
    counts: Counter[str] = Counter()
    rules = AwayRule.objects.for_tenant(tenant).filter(ends_at__gt=now_there())
    reports = Membership.objects.for_tenant(tenant).filter(
        manager__user__is_active=False, user__is_active=True
    )
    for rows, field in (
        *(kind.held(tenant) for kind in LEFT_KINDS if kind.held),
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


def is_complete(items: Iterable[LeftItem]) -> bool:
    """Whether these are all: none of a kind was left out because there are many."""
    return max(Counter(item.kind for item in items).values(), default=0) < LEFT_ITEMS
