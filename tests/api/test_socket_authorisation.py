"""The same round past the websockets: every route is in the matrix, and shut to those who don't belong in."""

import pytest

from accounts.models import Membership, Session, User
from accounts.roles import MEMBER_ROLES, SCOPES_OF_ROLE
from config.websockets import ROUTES
from tests import factories as make
from tests.api.authorisation_sockets import SOCKETS
from tests.serving import served, site
from tests.sockets import Watcher, refusal, session_of

pytestmark = pytest.mark.processes

__all__ = ["site"]

LET_IN = (0, b"")
FOR_WORKERS = (
    "from config.websockets import ROUTES; "
    "[setattr(route.callback.consumer_class, 'required_scope', 'jobs:work') for route in ROUTES]"
)

everywhere = pytest.mark.parametrize("name", SOCKETS)


@pytest.fixture
def run(transactional_db, people) -> str:
    return make.start(make.chain("noop"), tenant=people.tenant())[0]


def test_every_websocket_route_is_in_the_matrix_and_the_other_way_round():
    assert {route.name for route in ROUTES} == set(SOCKETS)


def test_every_websocket_route_names_the_scope_of_the_matrix():
    for route in ROUTES:
        assert route.callback.consumer_class.required_scope == SOCKETS[route.name].scope


@everywhere
def test_a_role_opens_the_sockets_of_its_scopes(site, people, run, name):
    path = SOCKETS[name].path.format(run=run)
    for role in MEMBER_ROLES:
        answer = refusal(site, path, session_of(people.member(role)))
        assert (answer == LET_IN) == (SOCKETS[name].scope in SCOPES_OF_ROLE[role]), role


def test_a_socket_asks_for_its_scope(people, run):
    viewer, admin = session_of(people.member("viewer")), session_of(people.member("admin"))
    with served(FOR_WORKERS) as (here, _):
        for socket in SOCKETS.values():
            path = socket.path.format(run=run)
            assert refusal(here, path, viewer)[0] == 403, path
            assert refusal(here, path, admin) == LET_IN, path


@everywhere
@pytest.mark.parametrize("origin", [None, "http://evil.example"])
def test_every_socket_asks_for_the_origin(site, people, run, name, origin):
    session = session_of(people.member("admin"))
    assert refusal(site, SOCKETS[name].path.format(run=run), session, origin)[0] == 403


@everywhere
def test_no_socket_opens_without_a_session_or_a_tenant(site, people, run, name):
    path = SOCKETS[name].path.format(run=run)
    assert refusal(site, path, None)[0] == 403
    session = session_of(people.member("admin"))
    Membership.objects.for_tenant(people.tenant().pk).delete()
    assert refusal(site, path, session)[0] == 403


@everywhere
def test_a_session_that_is_revoked_and_a_person_who_is_deactivated_are_told_no_more(site, people, run, name):
    path, admin = SOCKETS[name].path.format(run=run), people.member("admin")
    revoked, kept = session_of(admin), session_of(admin)
    with Watcher(site, path, revoked) as first, Watcher(site, path, kept) as second:
        last = first.settled().beat(15)["id"]
        Session.objects.filter(pk=revoked).delete()
        assert first.closed(15) == 4403
        assert refusal(site, f"{path}?last={last}", revoked)[0] == 403
        second.beat(15)
        User.objects.filter(pk=admin.pk).update(is_active=False)
        assert second.closed(15) == 4403
    assert refusal(site, f"{path}?last={last}", kept)[0] == 403


@everywhere
def test_the_id_of_another_tenants_socket_tells_nothing_of_that_tenant(site, people, run, name):
    path = SOCKETS[name].path
    theirs = make.start(make.chain("noop"), tenant=people.tenant("theirs"))[0]
    with Watcher(site, path.format(run=theirs), session_of(people.member("admin", tenant="theirs"))) as page:
        last = page.hear()["id"]
    with Watcher(site, f"{path.format(run=run)}?last={last}", session_of(people.member("admin"))) as page:
        assert last
        assert page.hear()["reload"]


@pytest.mark.parametrize("name", [name for name, socket in SOCKETS.items() if socket.names_object])
def test_a_socket_of_another_tenants_run_is_not_there(site, people, run, name):
    path = SOCKETS[name].path.format(run=run)
    assert refusal(site, path, session_of(people.member("admin", tenant="theirs")))[0] == 403
    assert refusal(site, path, session_of(people.member("viewer"))) == LET_IN
