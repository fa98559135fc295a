"""A verb that is repeated, or meets the state that it would make, changes nothing: each is played twice."""

import orjson
import pytest
from django.apps import apps
from django.db import connection
from django.test import Client

from tests.api.authorisation_matrix import MATRIX, address
from tests.api.furnishing import has_everything
from tests.api.playing import Settled
from tests.api.verbs import ANEW, ASKED, ELSEWHERE, SETTLED

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

CHANGING = {
    (name, method)
    for name, route in MATRIX.items()
    for method in route.methods
    if method in ("POST", "PATCH")
}
PLAYED = [
    pytest.param(name, method, how, id=f"{name}-{method}-{number}")
    for (name, method), plays in SETTLED.items()
    for number, how in enumerate(plays)
]
DELETED = [
    pytest.param(name, "DELETE", Settled(), id=f"{name}-DELETE")
    for name, route in MATRIX.items()
    if "DELETE" in route.methods
]
NOT_COMPARED = {
    "accounts_apitoken": {"last_used_at"},
    "accounts_membership": {"seen_at"},
    "accounts_session": {"session_data", "expire_date"},
}
"""That somebody was here."""
APPS = ("accounts", "runs", "workflows", "tasks_inbox")


def rows():
    """Every row of every table as text, but for what says that somebody was here; by the table."""
    found = {}
    with connection.cursor() as cursor:
        for model in apps.get_models():
            if model._meta.app_label in APPS:
                table = model._meta.db_table
                left_out = list(NOT_COMPARED.get(table, ()))
                cursor.execute(
                    f'SELECT (to_jsonb(t) - %s::text[])::text FROM "{table}" t ORDER BY 1', [left_out]
                )
                found[table] = [row for (row,) in cursor.fetchall()]
    return found


def play(people, page, name, method, body, ids, *, form=False):
    if form:
        return page.post(address(name, **ids), body or {})
    client = people.client("admin")
    route = MATRIX[name]
    return client.generic(
        method,
        address(name, **ids),
        orjson.dumps(body or {}),
        content_type="application/json",
        **route.headers,
    )


@pytest.fixture
def ids(people):
    for role in ("operator", "viewer"):
        people.member(role)
    return has_everything(people.client("admin"))


@pytest.fixture
def page(people):
    """A browser in which the admin has logged in."""
    client = Client()
    client.force_login(people.member("admin"))
    return client


def test_every_route_that_changes_something_says_what_a_second_call_does():
    lists = [set(SETTLED), set(ANEW), set(ASKED), set(ELSEWHERE)]
    named = set().union(*lists)
    assert CHANGING - named == set(), "say in tests/api/verbs.py what a second call does"
    assert named - CHANGING == set(), "there is no such route any more"
    assert sum(map(len, lists)) == len(named), "a route is in several lists"


@pytest.mark.parametrize(("name", "method", "how"), PLAYED + DELETED)
def test_a_second_call_changes_nothing(people, page, ids, name, method, how):
    for before, body in how.before:
        verb = "POST" if "POST" in MATRIX[before].methods else "PATCH"
        answer = play(people, page, before, verb, body, ids)
        assert answer.status_code < 300, (before, answer.content)
    sent, told = dict(how.body or {}), dict(ids)
    if how.failed:
        told["run"] = ids["other"]
    if how.leased:
        polled = {"worker_id": "w", "queues": ["work"], "max_jobs": 1}
        (job,) = play(people, page, "api-jobs-poll", "POST", polled, ids).json()["jobs"]
        told["job"], sent["lease_token"] = job["id"], job["lease_token"]
    first = play(people, page, name, method, sent, told, form=how.form)
    assert first.status_code < 400, first.content
    once = rows()
    second = play(people, page, name, method, sent, told, form=how.form)
    assert second.status_code < 500, second.content
    twice = rows()
    changed = {
        table: [*set(twice[table]) ^ set(once[table])] for table in once if once[table] != twice[table]
    }
    assert changed == {}
