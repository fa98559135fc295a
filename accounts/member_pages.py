"""The page of a member, and what is done with them there: groups, sessions, a link to set a password, an end."""

from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache

from accounts import impacts, members, pages, passwords, people, ports, queries, services, sessions, tokens
from accounts.access import PageRequest, page
from accounts.limits import MEMBER_PAGE_TOKENS
from accounts.models import INVITED, SENT, Membership
from accounts.outgoing import last_written
from accounts.pages import Context, typed
from accounts.principal import Forbidden, Principal
from accounts.queries import member_principal
from accounts.roles import ADMIN, MEMBERS_MANAGE, SCOPES_OF_ROLE, TOKENS_MANAGE, VERB_OF_SCOPE, VERBS
from lib.refusals import Conflict, Missing


@page(MEMBERS_MANAGE, "GET", "POST")
def member(request: PageRequest, username: str) -> HttpResponse:
    """A member with all that is theirs; posted, they are changed."""
    membership = members.find_any(request.principal.tenant_id, username)
    if request.method != "POST":
        return _shown(request, membership, pages.member_form(request, membership))
    impact = impacts.of_role(request.principal, username, typed(request, "role"))
    if (first := _asked_first(request, membership, impact, "Change the role of")) is not None:
        return first
    wrong = pages.change_member(request, membership)
    if wrong is not None:
        return _shown(request, membership, *wrong)
    messages.success(request, f"{membership.user.username} is changed.")
    return redirect("settings-member", membership.user.username)


@page(MEMBERS_MANAGE, "POST")
def remove_member(request: PageRequest, username: str) -> HttpResponse:
    """Ends a membership."""
    membership = members.find_any(request.principal.tenant_id, username)
    if typed(request, "reason"):
        impact = impacts.of_leaving(request.principal, username)
        if (first := _asked_first(request, membership, impact, "Remove")) is not None:
            return first
    wrong = pages.remove_member(request, membership)
    if wrong is not None:
        return _shown(request, membership, *wrong)
    messages.success(request, f"{membership.user.username} is no longer a member.")
    return redirect("settings-members")


@page(MEMBERS_MANAGE, "POST")
def change_groups(request: PageRequest, username: str) -> HttpResponse:
    """Puts a member into the groups that are ticked, and takes them out of the others."""
    group_ids = [int(one) for one in request.POST.getlist("groups") if one.isascii() and one.isdigit()]
    membership = members.find_any(request.principal.tenant_id, username)
    impact = impacts.of_groups(request.principal, username, group_ids)
    if (first := _asked_first(request, membership, impact, "Change the groups of")) is not None:
        return first
    services.change_groups_of(request.principal, username, group_ids)
    messages.success(request, "Their groups are changed.")
    return redirect("settings-member", username)


@page(MEMBERS_MANAGE, "POST")
def end_sessions(request: PageRequest, username: str) -> HttpResponse:
    """Logs a member out everywhere."""
    return _tried(
        request,
        username,
        lambda: members.end_sessions(request.principal, username),
        "Their sessions are ended.",
    )


@page(MEMBERS_MANAGE, "POST")
def set_active(request: PageRequest, username: str) -> HttpResponse:
    """Deactivates a member, or activates them again."""
    active = request.POST.get("active") == "yes"
    reason = typed(request, "why")
    membership = members.find_any(request.principal.tenant_id, username)
    if not reason and not active:
        missing = {"why_error": "Give a reason: it is kept in the log."}
        return _shown(request, membership, pages.member_form(request, membership) | missing, 422)
    if not active:
        impact = impacts.of_leaving(request.principal, username)
        if (first := _asked_first(request, membership, impact, "Deactivate")) is not None:
            return first
    return _tried(
        request,
        username,
        lambda: members.set_active(request.principal, username, active, reason=reason or None),
        "They can log in again." if active else "They are deactivated.",
    )


@page(MEMBERS_MANAGE, "POST")
def send_link(request: PageRequest, username: str) -> HttpResponse:
    """Has a member mailed a link to set their password."""
    return _tried(
        request,
        username,
        lambda: passwords.send_link(request.principal, username),
        "A mail with a link is on its way.",
    )


@never_cache
@page(MEMBERS_MANAGE, "POST")
def make_link(request: PageRequest, username: str) -> HttpResponse:
    """Shows a link to hand over to a member whom no mail reaches, only now."""
    membership = members.find(request.principal.tenant_id, username)
    try:
        link = passwords.make_link(request.principal, username)
    except (Conflict, Forbidden) as error:
        refused = pages.member_form(request, membership) | {"refused": error.message}
        return _shown(request, membership, refused, 409 if isinstance(error, Conflict) else 403)
    context = {"whose": membership.user, "link": link.address, "days": link.lifetime.days}
    return render(request, "settings/member_link.html", context, status=201)


def _asked_first(
    request: PageRequest, membership: Membership, impact: ports.Impact, verb: str
) -> HttpResponse | None:
    name = membership.user.username
    title = f"{verb} {people.called(membership.user)}"
    over = reverse("settings-member-hand-over", args=[name])
    return impacts.asked_first(request, impact, title, reverse("settings-member", args=[name]), over)


def _tried(request: PageRequest, username: str, act: Any, message: str) -> HttpResponse:
    """Do something with a member, and say so on their page, or why not."""
    membership = members.find_any(request.principal.tenant_id, username)
    try:
        act()
    except Conflict as error:
        refused = pages.member_form(request, membership) | {"refused": error.message}
        return _shown(request, membership, refused, 409)
    messages.success(request, message)
    return redirect("settings-member", membership.user.username)


def _shown(request: PageRequest, membership: Membership, context: Context, status: int = 200) -> HttpResponse:
    whole = _about(request.principal, membership) | context
    return render(request, "settings/member.html", whole, status=status)


def _about(principal: Principal, membership: Membership) -> Context:
    """All that is theirs, in as many statements for little as for much."""
    user, tenant = membership.user, membership.tenant_id
    seen = sessions.seen_of(user)
    own_tokens = _tokens(principal, user.username)
    times = [user.last_login, *seen, *(token["last_used_at"] for token in own_tokens)]
    waiting = _open_with(membership)
    return {
        "whose": user,
        "groups_with": queries.groups_with(membership),
        "is_admin": membership.role == ADMIN,
        "grants": _grants(membership),
        "tokens": own_tokens,
        "sessions": seen,
        "last_seen": max((at for at in times if at), default=None),
        "open_with": waiting,
        "why_not_mailed": passwords.why_not_mailed(membership),
        "why_not_handed": passwords.why_not_handed(principal, membership),
        "last_mail": last_written(tenant, user.pk, (INVITED, SENT)),
    }


def _tokens(principal: Principal, username: str) -> list[dict[str, Any]]:
    if TOKENS_MANAGE not in principal.scopes:
        return []
    return tokens.rows(tokens.visible(principal, user=username).order_by("-pk")[:MEMBER_PAGE_TOKENS])


def _open_with(membership: Membership) -> list[ports.OpenWith]:
    try:
        who = member_principal(membership.tenant_id, membership.user.username, "session")
    except Missing:
        return []
    return ports.open_with(who)


def _grants(membership: Membership) -> list[dict[str, Any]]:
    """By folder and what it is through: what their role allows of the verbs, and what it doesn't."""
    able = {VERB_OF_SCOPE[scope] for scope in SCOPES_OF_ROLE[membership.role] if scope in VERB_OF_SCOPE}
    return [
        {
            "folder": folder,
            "group": group,
            "may": [verb for verb in VERBS if verb in verbs and verb in able],
            "in_vain": [verb for verb in VERBS if verb in verbs and verb not in able],
        }
        for folder, group, verbs in queries.grants_to(membership)
    ]
