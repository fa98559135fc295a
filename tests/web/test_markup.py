"""Every field of our pages has a label, every button and link a name, and nothing comes from another site."""

import pytest
from django.test import Client

from accounts.roles import SCOPES_OF_ROLE
from tests import factories as make
from tests.api.authorisation_matrix import MATRIX, address
from tests.api.furnishing import has_everything
from tests.people import People
from tests.web.markup import faults
from tests.web.test_run_actions import member

pytestmark = pytest.mark.django_db

# What they say instead of rows.
EMPTY = (
    *("/", "/workflows/", "/runs/", "/inbox/", "/requests/", "/schedules/", "/settings/webhooks"),
    *("/operations/", "/operations/alerts", "/operations/messages"),
)


def pages_of(role):
    """The names of the pages that somebody with this role may open."""
    scopes = SCOPES_OF_ROLE[role]
    return [name for name, route in MATRIX.items() if route.page and route.methods.get("GET") in scopes]


@pytest.mark.parametrize(
    ("html", "found"),
    [
        ('<a href="/"><svg><path></svg></a>', 1),
        (
            '<button><svg role="img" aria-label="Larger"></svg></button><a href="/" title="Home"></a><a></a>',
            0,
        ),
        (
            '<label for="a">A</label><input id="a"><input id="b"><input type="hidden"><label>C<input></label>',
            1,
        ),
        ('<button hidden></button><div hidden><a href="/"></a></div><button disabled></button>', 1),
        ('<script src="https://cdn.example/x.js"></script><script src="/static/x.js"></script>', 1),
    ],
)
def test_a_fault_is_found(html, found):
    assert len([*faults(html)]) == found


def test_no_page_of_a_tenant_that_has_nothing_has_one():
    client = member("admin")
    for path in (*EMPTY, "/api/docs"):
        answer = client.get(path)
        assert answer.status_code == 200, path
        assert [*faults(answer.text)] == [], path


def test_no_view_of_a_run_has_one():
    child = make.a_version(make.chain("noop")).workflow.name
    nodes = [{"id": "ask", "type": "human.approval", "params": {"title": "Well?"}}]
    nodes += [{"id": "other", "type": "subworkflow", "params": {"workflow": child}}]
    run_id = make.start(make.graph(nodes, []))[0]
    make.work()
    client = member("admin")
    for view in ("graph", "timeline", "story"):
        answer = client.get(f"/runs/{run_id}?view={view}")
        assert answer.status_code == 200, view
        assert [*faults(answer.text)] == [], view


def test_no_page_of_a_tenant_that_has_everything_has_one():
    """Also for who may change little. The operator is who stands in for the admin."""
    people = People()
    seats = {role: people.member(role) for role in ("admin", "operator", "approver")}
    ids = has_everything(people.client("admin"))
    make.RepairFactory(run_id=ids["run"], tenant_id=people.tenant().pk)
    for role, least in (("admin", 80), ("approver", 40)):
        client, looked_at = Client(), 0
        client.force_login(seats[role])
        for name in pages_of(role):
            answer = client.get(address(name, **ids))
            if answer.status_code == 200 and answer.headers["Content-Type"].startswith("text/html"):
                assert [*faults(answer.text)] == [], (role, name)
                looked_at += 1
        assert looked_at >= least, role
