"""The page of away rules, below settings: who is away, who stands in, and the form to say so."""

from typing import Any

from django.contrib import messages
from django.db.models import Q
from django.http import HttpResponse
from django.shortcuts import redirect, render

from accounts import people
from accounts.access import PageRequest, page
from accounts.pages import form_of, local_moment, neighbours, status_of, typed
from accounts.principal import Principal
from accounts.queries import members_of_roles
from accounts.roles import MEMBERS_MANAGE, READ, TASKS_DECIDE, TASKS_READ
from lib.api.pagination import keyset_page
from lib.clock import now_here
from lib.reader import reader
from lib.refusals import Conflict, Invalid
from tasks_inbox.actions import absences
from tasks_inbox.eligibility import identity
from tasks_inbox.limits import ABSENCE_CHOICES, ABSENCE_MATCHES, ABSENCE_SEARCH_CHARACTERS, ABSENCE_WORKFLOWS
from workflows import titles
from workflows.access import open_to

ON_A_PAGE = 50
FIELDS = ("username", "substitute", "from", "until", "note")


@page(TASKS_READ)
def away_list(request: PageRequest) -> HttpResponse:
    """The rules that are not over, and the form of another one."""
    return render(request, "settings/away.html", _context(request, dict.fromkeys(FIELDS, "")))


@page(TASKS_DECIDE, "POST")
def away_add(request: PageRequest) -> HttpResponse:
    """Says who is away; what is wrong is shown at its field, with all that was typed."""
    values = {name: typed(request, name) for name in FIELDS}
    workflows = request.POST.getlist("workflows")[: ABSENCE_WORKFLOWS + 1]
    if (choice := _choosing(request, workflows)) is not None:
        workflows, extra = choice
        return render(request, "settings/away.html", _context(request, values, workflows) | extra)
    try:
        rule = absences.add_rule(
            request.principal,
            values["substitute"],
            username=values["username"],
            starts_at=local_moment(values["from"], "from"),
            ends_at=local_moment(values["until"], "until"),
            workflows=workflows,
            note=values["note"],
        )
    except (Invalid, Conflict) as error:
        context = _context(request, values, workflows, error)
        return render(request, "settings/away.html", context, status=status_of(error))
    people.learn(rule.tenant_id, [rule.substitute, rule.username])
    pair = people.name_of(rule.substitute), people.name_of(rule.username)
    messages.success(request, "{} stands in for {}.".format(*pair))
    return redirect("settings-away")


@page(TASKS_DECIDE, "POST")
def away_end(request: PageRequest, rule_id: int) -> HttpResponse:
    """Ends a rule."""
    absences.end_rule(request.principal, rule_id)
    messages.success(request, "The rule has ended: nobody stands in under it any more.")
    return redirect("settings-away")


def _context(
    request: PageRequest,
    values: dict[str, Any],
    workflows: list[str] | None = None,
    error: Invalid | Conflict | None = None,
) -> dict[str, Any]:
    principal = request.principal
    rules, cursor = absences.rules_that_hold(principal), request.GET.get("cursor") or None
    rules_page = keyset_page(rules, request, keys=("id",), limit=ON_A_PAGE, cursor=cursor)
    manages, now = MEMBERS_MANAGE in principal.scopes, now_here()
    rows = [
        absences.rule_row(rule)
        | {"holds": rule.starts_at <= now, "may_end": manages or rule.username == principal.username}
        for rule in rules_page.rows
    ]
    decides = TASKS_DECIDE in principal.scopes
    members, workflows_ = (_people(request), _workflows(request)) if decides else ([], [])
    people.learn_names(members)
    names = {name for row in rows for name in row["workflows"]} | set(workflows or ())
    # What a workflow is called is for those who may read it.
    readable = open_to(principal, READ).filter(name__in=names)
    titles.learn_titles([*workflows_, *readable.values_list("name", "title")])
    people.learn(principal.tenant_id, [name for row in rows for name in (row["username"], row["substitute"])])
    return (
        form_of(values | {"workflows": workflows or []}, error)
        | {"rules": rows, "may_manage": manages, "decides": decides, "zone": reader().zone_words}
        | {"people": members, "workflows": workflows_}
        | neighbours(rules_page)
    )


def _people(request: PageRequest) -> list[tuple[str, str]]:
    members = members_of_roles(request.principal.tenant_id, identity.DECIDING_ROLES)
    return list(members.values_list("user__username", "user__name"))


def _workflows(request: PageRequest) -> list[tuple[str, str]]:
    workflows = open_to(request.principal, READ).filter(archived_at=None)
    return list(workflows.order_by("name").values_list("name", "title")[:ABSENCE_CHOICES])


def _choosing(request: PageRequest, names: list[str]) -> tuple[list[str], dict[str, Any]] | None:
    """What is chosen once one is left out or looked for, what was found; None where the form sets the substitute."""
    if dropped := request.POST.get("drop"):
        return [name for name in names if name != dropped], {}
    search = typed(request, "search")[:ABSENCE_SEARCH_CHARACTERS]
    # Nothing is set while something is still being looked for.
    return _searched(request.principal, search, names) if search else None


def _searched(principal: Principal, search: str, names: list[str]) -> tuple[list[str], dict[str, Any]]:
    """Those that were chosen with the one that was meant, where that is clear; otherwise those that may be meant."""
    workflows = open_to(principal, READ).filter(archived_at=None)
    exact = Q(name__iexact=search) | Q(title__iexact=search)
    rows = list(workflows.filter(exact).order_by("name").values_list("name", "title")[:ABSENCE_MATCHES])
    if not rows:
        words = Q(name__icontains=search) | Q(title__icontains=search)
        rows = list(workflows.filter(words).order_by("name").values_list("name", "title")[:ABSENCE_MATCHES])
    if len(rows) == 1:
        return list(dict.fromkeys([*names, rows[0][0]])), {}
    return names, {"search": search, "found": rows, "is_unknown": not rows}
