"""Who may do what: every route of Handoff with, for each method, the scope that it needs (SECURITY Decision 10).

`PUBLIC` needs no credentials. A route or method that is not here fails `test_authorisation.py`.
"""

from dataclasses import dataclass, field

PUBLIC = "public"


@dataclass(frozen=True)
class Route:
    """One route: `methods` says the scope of each, `path` is an address that fits it."""

    methods: dict[str, str]
    path: str
    page: bool = False
    # Whether the address names an object, which another tenant must get a 404 for.
    names_object: bool = False
    headers: dict[str, str] = field(default_factory=dict)


def _page(methods: dict[str, str], path: str) -> Route:
    return Route(methods, path, page=True)


_DRAFT = {"HTTP_IF_MATCH": '"1"'}

MATRIX: dict[str, Route] = {
    "healthz": _page({"GET": PUBLIC}, "/healthz"),
    "readyz": _page({"GET": PUBLIC}, "/readyz"),
    "login": _page({"GET": PUBLIC, "POST": PUBLIC}, "/login"),
    "logout": _page({"POST": PUBLIC}, "/logout"),
    "api-docs": _page({"GET": PUBLIC}, "/api/docs"),
    "api-schema": Route({"GET": PUBLIC}, "/api/v1/schema"),
    "api-unknown": Route({}, "/api/none"),
    "api-workflows": Route({"GET": "workflows:read", "POST": "workflows:write"}, "/api/v1/workflows"),
    "api-workflows-validate": Route({"POST": "workflows:read"}, "/api/v1/workflows/validate"),
    "api-workflows-import": Route({"POST": "workflows:write"}, "/api/v1/workflows/import"),
    "api-workflow": Route(
        {"GET": "workflows:read", "PATCH": "workflows:write", "DELETE": "workflows:write"},
        "/api/v1/workflows/ours",
        names_object=True,
    ),
    "api-workflow-export": Route(
        {"GET": "workflows:read"}, "/api/v1/workflows/ours/export", names_object=True
    ),
    "api-workflow-draft": Route(
        {"GET": "workflows:read", "PUT": "workflows:write"},
        "/api/v1/workflows/ours/draft",
        names_object=True,
        headers=_DRAFT,
    ),
    "api-workflow-publish": Route(
        {"POST": "workflows:publish"}, "/api/v1/workflows/ours/publish", names_object=True
    ),
    "api-workflow-versions": Route(
        {"GET": "workflows:read"}, "/api/v1/workflows/ours/versions", names_object=True
    ),
    "api-workflow-version": Route(
        {"GET": "workflows:read"}, "/api/v1/workflows/ours/versions/1", names_object=True
    ),
}

# Bodies that are good, so that only the authorisation can refuse them.
BODIES: dict[tuple[str, str], dict[str, object]] = {
    ("api-workflow-draft", "PUT"): {"definition": {"name": "ours"}},
}
