"""A robot goes round every door: none may be unknown, and each must be shut to those who don't belong in."""

import orjson
import pytest
from django.apps import apps
from django.conf import settings
from django.test import Client

from accounts.models import Membership
from accounts.roles import SCOPES, SCOPES_OF_ROLE, TOKEN_ROLES
from tests.api.authorisation_bodies import BODIES
from tests.api.authorisation_matrix import MATRIX, NOBODY, PUBLIC, REVIEWED, address, every_route, written

IN_S4 = {"not_authenticated": "unauthenticated", "forbidden": "forbidden", "not_found": "not-found"}
SAYS_NULL = "s4-history"
"""The route that has nothing to tell of what is not there, instead of an error: as the public engine does."""


ROUTES = {pattern.name: pattern for _, pattern in every_route()}
DOORS = [
    (name, method, scope)
    for name, route in MATRIX.items()
    for method, scope in route.methods.items()
    if scope != PUBLIC
]
API_DOORS = [door for door in DOORS if not MATRIX[door[0]].page]


def call(client, name, method, **ids):
    route = MATRIX[name]
    sent = orjson.dumps(BODIES.get((name, method), {})).replace(
        NOBODY.encode(), ids.get("run", NOBODY).encode()
    )
    body = {} if method == "GET" else {"data": sent}
    return client.generic(
        method, address(name, **ids), content_type="application/json", **body, **route.headers
    )


def assert_envelope(answer, status, code=None):
    assert answer.status_code == status, answer.content
    body = answer.json()
    assert set(body) == {"error", "request_id"}
    assert set(body["error"]) == {"code", "message", "field", "details"}
    assert body["request_id"] == answer.headers["X-Request-Id"]
    if code:
        assert body["error"]["code"] == code


def assert_refused(name, answer, status, code):
    """As `assert_envelope`, or, by a route of rochallor's, what its clients are told."""
    assert answer.status_code == status, (name, answer.content)
    if not name.startswith("s4-"):
        assert_envelope(answer, status, code)
        return
    assert set(answer.json()) == {"error", "reason"}
    assert answer.json()["error"] == IN_S4[code]


def assert_absent(name, answer):
    """What the address names is not there for who asks."""
    if name == SAYS_NULL:
        assert answer.json() == {"items": None}
    else:
        assert_refused(name, answer, 404, "not_found")


def test_routes_and_scopes_are_those_that_somebody_has_reviewed():
    """After a change: make api"""
    assert written(MATRIX) == REVIEWED.read_text(), "write it anew: make api"
    assert len(MATRIX) == len(list(every_route()))


def test_every_scope_exists():
    assert {scope for _name, _method, scope in DOORS} <= SCOPES


def test_a_page_is_public_by_the_matrix_or_guarded():
    for name, route in MATRIX.items():
        if route.page:
            view = ROUTES[name].callback
            public = set(route.methods.values()) == {PUBLIC}
            assert public == (getattr(view, "login_required", True) is False), name
            assert public or view.required_scope in route.methods.values(), name


@pytest.mark.django_db
@pytest.mark.parametrize(("name", "method", "scope"), API_DOORS)
def test_no_credentials_is_a_401(anonymous, name, method, scope):
    answer = call(anonymous, name, method)
    assert_refused(name, answer, 401, "not_authenticated")
    assert answer.headers["WWW-Authenticate"].startswith("Bearer")


@pytest.mark.django_db
@pytest.mark.parametrize(
    "header", ["Bearer nonsense", "Bearer ", "Basic YTpi", "nonsense", "Bearer " + "é" * 9]
)
def test_a_bad_credential_is_a_401(anonymous, header):
    answer = anonymous.get("/api/v1/workflows", HTTP_AUTHORIZATION=header)
    assert_envelope(answer, 401, "authentication_failed")


@pytest.mark.django_db
@pytest.mark.parametrize("missing", sorted({scope for _name, _method, scope in API_DOORS}))
def test_every_scope_but_the_right_one_is_a_403(people, missing):
    client = people.client("admin", scopes=frozenset(SCOPES - {missing}))
    for name, method, scope in API_DOORS:
        if scope == missing:
            assert_refused(name, call(client, name, method), 403, "forbidden")


@pytest.mark.django_db
@pytest.mark.parametrize("role", TOKEN_ROLES)
def test_a_role_opens_exactly_the_doors_of_its_scopes(people, role):
    client = people.client(role)
    for name, method, scope in API_DOORS:
        opened = call(client, name, method).status_code not in (401, 403)
        assert opened == (scope in SCOPES_OF_ROLE[role]), (name, method)


@pytest.mark.django_db
@pytest.mark.parametrize(("name", "method", "scope"), [d for d in API_DOORS if MATRIX[d[0]].names_object])
def test_what_belongs_to_another_tenant_is_not_there(furnished, ours, name, method, scope):
    if name.startswith("api-task-bulk-job"):
        apps.get_model("bulk.BulkJob").unsafe_all_tenants.filter(pk=ours.ids["bulk"]).update(verb="decide")
    theirs = furnished.client("admin", tenant="theirs")
    assert_absent(name, call(theirs, name, method, **ours.ids))
    assert call(ours, name, method, **ours.ids).status_code in (200, 201, 202, 204, 409)


def test_lists_show_the_tenants_own_only(furnished, ours):
    theirs = furnished.client("admin", tenant="theirs")
    lists = (
        "workflows",
        "runs",
        "dead-letters",
        "tasks",
        "groups",
        "webhooks",
        "away",
        "schedules",
        "calendars",
    )
    for path in (f"/api/v1/{name}" for name in lists):
        assert theirs.get(path).json()["results"] == []
    poll = {"worker_id": "w", "queues": ["work"], "max_jobs": 10}
    assert theirs.post("/api/v1/jobs/poll", poll).json() == {"jobs": []}
    assert theirs.post("/api/v1/runs", {"workflow": "ours", "input": {}}).status_code == 404
    assert (
        theirs.post("/api/v1/runs/batch", {"workflow": "ours", "items": [{"input": {}}]}).status_code == 404
    )
    assert theirs.post("/api/v1/workflows", {"name": "ours"}).status_code == 201


@pytest.mark.django_db
def test_a_session_opens_the_api_and_changes_need_its_csrf_token(people):
    client = Client(enforce_csrf_checks=True)
    client.force_login(people.member("admin"))
    assert client.get("/api/v1/workflows").status_code == 200
    answer = client.post("/api/v1/workflows", {"name": "x"}, content_type="application/json")
    assert_envelope(answer, 403, "csrf_failed")
    client.get("/login")
    token = client.session["_csrftoken"]
    answer = client.post(
        "/api/v1/workflows", {"name": "x"}, content_type="application/json", headers={"X-CSRFToken": token}
    )
    assert answer.status_code == 201


@pytest.mark.django_db
def test_a_session_opens_nothing_that_is_for_workers(people):
    client = Client()
    client.force_login(people.member("admin"))
    poll = {"worker_id": "w", "queues": ["work"], "max_jobs": 10}
    assert_envelope(client.post("/api/v1/jobs/poll", poll, content_type="application/json"), 401)


def test_a_page_of_another_tenants_run_is_not_there(furnished, ours):
    client = Client()
    client.force_login(furnished.member("admin", tenant="theirs"))
    assert client.get(address("run", **ours.ids)).status_code == 404
    client.force_login(furnished.member("viewer"))
    assert client.get(address("run", **ours.ids)).status_code == 200


@pytest.mark.django_db
def test_a_session_of_somebody_without_a_tenant_opens_nothing(people):
    client = Client()
    user = people.member("admin")
    client.force_login(user)
    Membership.objects.for_tenant(people.tenant().pk).delete()
    assert_envelope(client.get("/api/v1/workflows"), 401)


def test_the_defaults_of_the_framework_deny():
    rest = settings.REST_FRAMEWORK
    assert rest["DEFAULT_PERMISSION_CLASSES"] == ["accounts.api.permissions.DenyAll"]
    middleware = settings.MIDDLEWARE
    assert "accounts.ended.LoginRequired" in middleware
