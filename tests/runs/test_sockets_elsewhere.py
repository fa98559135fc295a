"""A socket that is opened again at another web process, or by somebody who may see less by now (R-164)."""

import pytest

from accounts.models import Membership
from tests import factories as make
from tests.serving import served
from tests.sockets import Watcher, refusal, session_of
from workflows.models import Workflow

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.processes]

SOCKETS = ["/ws/runs/{}", "/ws/runs", "/ws/queues", "/ws/alerts", "/ws/inbox"]


@pytest.fixture(scope="module")
def sites(django_db_setup):
    """Two web processes with memories of their own."""
    with served() as (one, _), served() as (other, _):
        yield one, other


@pytest.fixture
def run_id(transactional_db):
    return make.start(make.chain("noop", "noop"))[0]


def told_last(site, path, session):
    with Watcher(site, path, session) as page:
        return page.hear(15)["id"]


@pytest.mark.parametrize("path", SOCKETS)
def test_who_comes_back_at_another_process_is_told_to_read_all(sites, run_id, path):
    here, there = sites
    session, path = session_of(make.a_member("ann", "operator")), path.format(run_id)
    last = told_last(here, path, session)
    make.work()
    comes_back(there, path, session, last)


def test_who_comes_back_where_somebody_watches_the_same_is_told_to_read_all(sites, run_id):
    here, there = sites
    session, path = session_of(make.a_member("ann", "operator")), f"/ws/runs/{run_id}"
    with Watcher(there, path, session) as other:
        other.settled()
        last = told_last(here, path, session)
        make.work()
        other.hear_all(1.5)
        comes_back(there, path, session, last)


def comes_back(site, path, session, last):
    assert last
    with Watcher(site, f"{path}?last={last}", session) as page:
        told = page.hear(15)
        while not told["reload"]:
            # What is told meanwhile is no place to come back to.
            assert told["id"] == ""
            told = page.hear(15)
        assert told["changed"] == (["run", "steps"] if "/ws/runs/" in path else [path.rpartition("/")[2]])
        assert told["id"].partition("-")[0] not in ("", last.partition("-")[0])


def test_who_goes_to_and_fro_misses_nothing(sites, run_id):
    """Back at the first process, the id of the second one is no more known there."""
    here, there = sites
    session, path = session_of(make.a_member("ann", "operator")), f"/ws/runs/{run_id}"
    told_last(here, path, session)
    last = told_last(there, path, session)
    make.work()
    comes_back(here, path, session, last)


@pytest.mark.parametrize("path", SOCKETS)
def test_who_may_not_see_it_any_more_is_told_nothing_of_what_was_missed(sites, run_id, path):
    here, _ = sites
    ann, path = make.a_member("ann", "operator"), path.format(run_id)
    session = session_of(ann)
    last = told_last(here, path, session)
    Membership.objects.for_tenant(make.a_tenant().pk).filter(user=ann).delete()
    make.work()
    for site in sites:
        assert refusal(site, f"{path}?last={last}", session)[0] == 403


def test_who_lost_the_scope_is_refused(sites):
    here, _ = sites
    ann = make.a_member("ann", "operator")
    session, path = session_of(ann), "/ws/alerts"
    last = told_last(here, path, session)
    Membership.objects.for_tenant(make.a_tenant().pk).filter(user=ann).update(role="viewer")
    assert refusal(here, f"{path}?last={last}", session)[0] == 403


def test_a_run_whose_workflow_was_moved_to_a_closed_folder_is_refused(sites, run_id):
    here, _ = sites
    ann = make.a_member("ann", "viewer")
    session, path = session_of(ann), f"/ws/runs/{run_id}"
    last = told_last(here, path, session)
    Workflow.unsafe_all_tenants.update(folder=make.FolderFactory(name="Shut"))
    make.work()
    for site in sites:
        assert refusal(site, f"{path}?last={last}", session)[0] == 403
