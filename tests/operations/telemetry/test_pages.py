"""Telemetry: the scoreboard with its targets, bars with the table behind them, versions side by side, and steps."""

import pytest
from django.test import Client

from tests import factories as make
from tests.store.watching import trips_of_page
from tests.telemetry import count_all

pytestmark = pytest.mark.django_db

ONE = {"retry": "none"}


@pytest.fixture
def viewer(client):
    client.force_login(make.a_member("the-viewer", "viewer"))
    return client


def some_runs():
    """Two that completed and one that failed, of two workflows; gives the version of the first."""
    good = make.a_version({**make.chain("noop", "noop"), "name": "good"})
    make.start_version(good, {}, {})
    make.work()
    make.start(make.graph([{"id": "x", **ONE}], []))
    make.fail(make.claimed()[0])
    count_all()
    return good


def test_without_runs_the_page_says_when_figures_appear(viewer):
    page = viewer.get("/telemetry").text
    assert "No run began or ended in this period" in page
    assert "Figures appear some ten seconds after" in page


def test_the_scoreboard_shows_figures_beside_their_targets(viewer):
    good = some_runs()
    page = viewer.get("/telemetry").text
    assert "66.67 %" in page
    assert "target 99.9 %" in page
    assert page.count("missed</span>") == 2
    assert "2 completed, 1 failed, 0 cancelled" in page
    assert f'href="/telemetry/{good.workflow.name}"' in page
    assert f"workflow={good.workflow.name}&amp;since=" in page
    assert 'data-go="t"' in page


def test_a_workflow_has_its_versions_side_by_side_and_its_steps(viewer):
    good = some_runs()
    newer = make.next_version(good.workflow, make.graph([{"id": "c", "title": "The third"}], []))
    make.start_version(newer, {})
    make.work()
    count_all()
    page = viewer.get(f"/telemetry/{good.workflow.name}").text
    assert "Version 1" in page
    assert "Version 2" in page
    assert "The third" in page
    of_one = viewer.get(f"/telemetry/{good.workflow.name}?version=1").text
    assert "Steps of version 1" in of_one
    assert "Version 2" in of_one
    assert "The third" not in of_one


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("days=8", "Choose 24 hours"),
        ("from=yesterday", "Write a day such as"),
        ("from=2026-02-01&to=2026-01-01", "This must be before"),
        ("from=0001-01-01", "A period has"),
        ("to=0001-01-01", "no telemetry of such a time"),
    ],
)
def test_what_cant_be_read_in_the_address_is_told_and_the_usual_period_shown(viewer, query, said):
    answer = viewer.get(f"/telemetry?{query}")
    assert (answer.status_code, said in answer.text) == (422, True)


@pytest.mark.parametrize("query", ["days=1", "days=30", "from=2026-01-01", "from=2026-01-01&to=2026-01-31"])
def test_any_period_is_shown(viewer, query):
    some_runs()
    assert viewer.get(f"/telemetry?{query}").status_code in (200, 422)


def test_nobody_learns_of_a_workflow_of_others(viewer):
    admin = Client()
    admin.force_login(make.a_member("the-admin", "admin"))
    theirs = make.a_version(make.chain("noop"), tenant=make.a_tenant("theirs")).workflow
    for client in (viewer, admin):
        assert client.get(f"/telemetry/{theirs.name}").status_code == 404


def test_the_pages_cost_the_same_for_many_runs_as_for_few(viewer):
    good = some_runs()
    address = f"/telemetry/{good.workflow.name}"
    few = trips_of_page(viewer, "/telemetry"), trips_of_page(viewer, address)
    for _ in range(4):
        make.start(make.chain("noop", "job", "noop"))
    make.start_version(make.next_version(good.workflow, make.chain("noop")), {})
    make.work()
    count_all()
    assert (trips_of_page(viewer, "/telemetry"), trips_of_page(viewer, address)) == few
    assert max(few) <= 12
