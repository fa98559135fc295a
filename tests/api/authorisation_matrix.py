"""Who may do what: every route with, for each method, the scope that its view names (docs/security.md, "Default deny").

`authorisation.txt` is how that stood when somebody last reviewed it. After a change of routes or scopes write it anew
and read what has changed: `make api`.
"""

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import django
from django.urls import URLPattern, URLResolver, get_resolver

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    os.environ.setdefault("DATABASE_URL", "postgresql://nobody@127.0.0.1:1/none")
    django.setup()

from tests import of_features

PUBLIC = "public"
NOBODY = "00000000-0000-7000-8000-000000000000"
METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
REVIEWED = Path(__file__).parent / "authorisation.txt"
PUBLIC_PAGES = {
    "healthz": {"GET"},
    "readyz": {"GET"},
    "metrics": {"GET"},  # It has a token of its own.
    "login": {"GET", "POST"},
    "logout": {"POST"},
    "password-forgotten": {"GET", "POST"},
    "password-link": {"GET", "POST"},
    "inbox-open": {"GET", "POST"},
    "file-link": {"GET"},  # Its token names one file.
    "api-docs": {"GET"},
    **of_features.table("routes", "PUBLIC_PAGES"),
}
"""The methods of the pages that anybody may open."""
OTHERS = {("workflow-definition", "POST"): "workflows:write", ("api-schema", "GET"): PUBLIC}
"""Where another scope is needed than the one that the view names."""
EXAMPLES = {
    "name": "ours",
    "number": "1",
    "node": "a",
    "schedule": "ours",
    "calendar": "ours",
    "username": "operator-of-ours",
    "example": "order-check",
    "token": "none",
    "request_id": "{run}",
    "rule_id": "{away}",
    "alert_channel_id": "{channel}",
}
"""What stands for a part of an address; for others the id of their name."""
EXAMPLES_OF = {
    ("api-run-search", "view_id"): "{search}",
    ("runs-search-change", "view_id"): "{search}",
    ("runs-search-delete", "view_id"): "{search}",
    ("run-items", "node"): "each",
    ("run-items-act", "node"): "each",
    **of_features.table("routes", "EXAMPLES"),
}
QUERIES = {
    "api-run-items": "?node=a",
    "api-workflow-diff": "?from=1",
    "api-calendar-days": "?from=2031-01-01&to=2031-01-31",
    **of_features.table("routes", "QUERIES"),
    "run-params": "?node=a",
}
HEADERS = {"api-workflow-draft": {"HTTP_IF_MATCH": '"1"'}}
_PART = re.compile(r"<(?:\w+:)?(\w+)>")
_NUMBERED = ("delivery", "group", "folder", "case", "comment", "away", "view", "search", "calendar", "alert",
             "alert_rule", "channel")  # fmt: skip


@dataclass(frozen=True)
class Route:
    """One route: `methods` says the scope of each, `path` is an address that fits it, in which `{run}`, `{task}` and
    so on stand for ids (`furnishing.py`), and `pattern` is the address as docs write it.
    """

    methods: dict[str, str]
    path: str
    pattern: str
    page: bool = False
    names_object: bool = False  # Of another tenant it must be a 404.
    headers: dict[str, str] = field(default_factory=dict)


def every_route(resolver: URLResolver | None = None, before: str = "") -> Iterator[tuple[str, URLPattern]]:
    """Each with its whole address, as the routes write it."""
    for entry in (resolver or get_resolver()).url_patterns:
        if isinstance(entry, URLResolver):
            yield from every_route(entry, before + str(entry.pattern))
        else:
            yield before + str(entry.pattern), entry


def _route(address: str, entry: URLPattern) -> Route:
    name = str(entry.name)
    view: Any = getattr(entry.callback, "cls", None)
    # What answers for addresses that are unknown.
    address = "/" + address.replace("^", "none")
    is_page = view is None or not address.startswith(("/api/", "/v1/"))
    path = _PART.sub(lambda part: _example(name, part[1]), address) + QUERIES.get(name, "")
    return Route(
        _scopes_of_page(name, entry.callback) if is_page else _scopes(name, view),
        path,
        _PART.sub(r"{\1}", address),
        is_page,
        names_object=any(each in path for each in ("{", "/ours", "/operator-of-ours")),
        headers=HEADERS.get(name, {}),
    )


def _example(name: str, part: str) -> str:
    other = "{" + part.removesuffix("_id") + "}"
    return EXAMPLES_OF.get((name, part), EXAMPLES.get(part, other))


def _scopes(name: str, view: Any) -> dict[str, str]:
    """By the methods that it has; what names no scope is open to nobody."""
    scopes = getattr(view, "scopes", {})
    return {
        method: OTHERS.get((name, method)) or scopes.get(method, "nobody")
        for method in METHODS
        if hasattr(view, method.lower())
    }


def _scopes_of_page(name: str, view: Any) -> dict[str, str]:
    if name in PUBLIC_PAGES:
        return dict.fromkeys(sorted(PUBLIC_PAGES[name]), PUBLIC)
    return {
        method: OTHERS.get((name, method), view.required_scope)
        for method in METHODS
        if method in view.methods
    }


def written(matrix: Mapping[str, Route]) -> str:
    """A line for each route."""
    lines = (
        f"{route.pattern}  {', '.join(f'{method} {scope}' for method, scope in route.methods.items())}".rstrip()
        for route in matrix.values()
    )
    return "\n".join(sorted(lines)) + "\n"


MATRIX = dict(sorted((str(entry.name), _route(address, entry)) for address, entry in every_route()))
_IDS = {id for route in MATRIX.values() for id in re.findall(r"{(\w+)}", route.path)}
_NONE = {id: 0 if id in _NUMBERED else NOBODY for id in _IDS}


def address(name: str, **ids: str | int) -> str:
    """An address of the route; of what has no id here nobody has one."""
    return MATRIX[name].path.format(**(_NONE | ids))


if __name__ == "__main__":
    REVIEWED.write_text(written(MATRIX))
