"""The pages of API tokens: one's own, and for admins the tenant's."""

from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache

from accounts import people, token_reach, tokens
from accounts.access import PageRequest, page
from accounts.limits import TOKEN_FOLDERS, TOKEN_QUEUES_CHARACTERS
from accounts.models import ApiToken
from accounts.pages import ON_A_PAGE, Context, form_of, neighbours, status_of, typed
from accounts.principal import Forbidden, Principal
from accounts.roles import SCOPES_OF_ROLE, TOKENS_MANAGE, TOKENS_OWN, WORDS_OF_ROLE
from lib.api.pagination import keyset_page
from lib.refusals import Conflict, Invalid

_FIELDS = ("name", "role", "days", "allowed_ips", "service")
_OVERLAPS = (("0", "at once"), ("3600", "in an hour"), ("86400", "in a day"), ("604800", "in a week"))
_LIFETIMES = (("", "until it is revoked"), ("30", "30 days"), ("90", "90 days"), ("365", "a year"))


@never_cache
@page(TOKENS_OWN, "GET", "POST")
def token_list(request: PageRequest) -> HttpResponse:
    """The tokens, and the form of a new one, whose text is shown only in answer to it."""
    if request.method != "POST":
        return render(request, "settings/tokens.html", _listed(request) | form_of(_empty()))
    values = {name: typed(request, name) for name in _FIELDS} | _limits(request)
    try:
        new, text = _make_token(request, values)
    except Forbidden as error:
        wrong = form_of(values, Invalid(error.message, field=error.field or "role"))
        return render(request, "settings/tokens.html", _listed(request) | wrong, status=403)
    except (Invalid, Conflict) as error:
        context = _listed(request) | form_of(values, error)
        return render(request, "settings/tokens.html", context, status=status_of(error))
    context = {"made": tokens.rows([new])[0], "text": text}
    return render(request, "settings/new_token.html", context, status=201)


@page(TOKENS_OWN, "GET", "POST")
def token(request: PageRequest, token_id: str) -> HttpResponse:
    """The queues and folders of a token, which may be changed."""
    one = tokens.find(request.principal, token_id)
    (row,) = tokens.rows([one])
    context: Context = {"token": row, "folders": token_reach.names_known(request.principal)}
    if request.method != "POST":
        values = {
            "queues": "\n".join(one.queues or [token_reach.EVERY]),
            "folders": [token_reach.EVERY] if one.folders is None else row["folders"],
        }
        return render(request, "settings/token.html", context | form_of(values))
    values = _limits(request)
    try:
        queues, folders = _chosen(values)
        tokens.change(request.principal, token_id, queues=queues, folders=folders)
    except (Invalid, Conflict, Forbidden) as error:
        status = 403 if isinstance(error, Forbidden) else status_of(error)
        return render(request, "settings/token.html", context | form_of(values, error), status=status)
    messages.success(request, f"The token {row['name'] or row['prefix']} is limited to these.")
    return redirect("settings-tokens")


@page(TOKENS_OWN, "GET", "POST")
def revoke_token(request: PageRequest, token_id: str) -> HttpResponse:
    """Asks whether to revoke a token, and does."""
    token = tokens.find(request.principal, token_id)
    if request.method != "POST":
        people.learn_user(token.user)
        (row,) = tokens.rows([token])
        return render(request, "settings/revoke_token.html", {"token": row})
    tokens.revoke(request.principal, token_id, reason=typed(request, "reason") or None)
    messages.success(request, f"The token {token.name or token.prefix} is revoked.")
    return redirect("settings-tokens")


@never_cache
@page(TOKENS_OWN, "GET", "POST")
def rotate_token(request: PageRequest, token_id: str) -> HttpResponse:
    """Asks how long the old token is valid beside the new one, and shows the new one's text."""
    old = tokens.find(request.principal, token_id)
    (row,) = tokens.rows([old])
    overlap = typed(request, "overlap")
    context: Context = {"token": row, "overlaps": _OVERLAPS, "overlap": overlap or _OVERLAPS[1][0]}
    if request.method != "POST":
        return render(request, "settings/rotate_token.html", context)
    if overlap not in dict(_OVERLAPS):
        return render(
            request, "settings/rotate_token.html", context | {"error": "Choose one of these."}, status=422
        )
    try:
        token, text = tokens.rotate(request.principal, token_id, overlap_seconds=int(overlap))
    except Conflict as error:
        context["error"] = error.message
        return render(request, "settings/rotate_token.html", context, status=status_of(error))
    (new_row,) = tokens.rows([token])
    return render(request, "settings/new_token.html", {"made": new_row, "text": text, "old": row}, status=201)


def _limits(request: PageRequest) -> dict[str, Any]:
    """What was typed and ticked of queues and folders."""
    queues = request.POST.get("queues", "").replace("\x00", "").strip()[:TOKEN_QUEUES_CHARACTERS]
    return {"queues": queues, "folders": request.POST.getlist("folders")[: TOKEN_FOLDERS + 1]}


def _chosen(values: dict[str, Any]) -> tuple[list[str], list[str]]:
    """Queues and folders. Raises Invalid where one of them is not chosen."""
    queues = values["queues"].replace(",", " ").split()
    if not queues:
        raise Invalid("Enter queues, or * for all.", field="queues")
    if not values["folders"]:
        raise Invalid("Choose folders, or all.", field="folders")
    return queues, values["folders"]


def _make_token(request: PageRequest, values: dict[str, Any]) -> tuple[ApiToken, str]:
    if not values["role"]:
        raise Invalid("Choose one of these.", field="role")
    days = values["days"]
    if days not in dict(_LIFETIMES):
        raise Invalid("Choose one of these.", field="days")
    queues: list[str] | None = None
    folders: list[str] | None = values["folders"] or None
    if values["queues"] or token_reach.takes_jobs(values["role"], None):
        queues, folders = _chosen(values)
    return tokens.make(
        request.principal,
        name=values["name"],
        role=values["role"],
        days=int(days) if days else None,
        allowed_ips=values["allowed_ips"].replace(",", " ").split(),
        queues=queues,
        folders=folders,
        service=values["service"] == "yes",
    )


def _listed(request: PageRequest) -> Context:
    q = request.GET.get("user", "").replace("\x00", "").strip()[:150]
    cursor = request.GET.get("cursor") or None
    rows = tokens.visible(request.principal, user=q)
    page_ = keyset_page(rows, request, keys=("id",), limit=ON_A_PAGE, cursor=cursor)
    for token in page_.rows:
        people.learn_user(token.user)
    context = {
        "tokens": tokens.rows(page_.rows),
        "of_all": TOKENS_MANAGE in request.principal.scopes,
        "q": q,
        "roles": _roles(request.principal),
        "lifetimes": _LIFETIMES,
        "folders": token_reach.names_known(request.principal),
    }
    return context | neighbours(page_)


def _roles(principal: Principal) -> list[tuple[str, str]]:
    return [
        (role, WORDS_OF_ROLE[role]) for role, scopes in SCOPES_OF_ROLE.items() if scopes <= principal.scopes
    ]


def _empty() -> dict[str, Any]:
    return {
        "name": "", "role": "", "days": "90", "allowed_ips": "", "service": "", "queues": "", "folders": []
    }  # fmt: skip
