"""Each door shows the same deadline of a run while it waits: what it would be if the wait ended now (R-216)."""

from datetime import datetime, timedelta

import pytest

from runs.calendars.uses import uses_of
from runs.reading.presentation import run_row
from tests import factories as make
from tests.people import People
from tests.runs.folder_calendars import admin, begun, finance, fiona, office, published
from tests.runs.waited_time import WAITING

__all__ = ["admin", "finance", "fiona"]
pytestmark = pytest.mark.django_db

SIGNAL = {"id": "s", "type": "signal", "params": {"name": "x"}}


@pytest.fixture
def run_id(clock):
    """A run that worked for 30 s, waited for 1,000 s that are counted nowhere, worked for 10 s and waits again."""
    nodes = [{"id": "j", "type": "job", "queue": "jobs"}, SIGNAL, {"id": "k", "type": "job", "queue": "jobs"}]
    last = {**SIGNAL, "id": "z"}
    found = make.start(make.graph([*nodes, last], ["j>s", "s>k", "k>z"], **WAITING))[0]
    clock.advance(30)
    make.complete(*make.claimed("jobs"), output={})
    make.work("engine")
    clock.advance(1000)
    make.send(found, "x")
    make.work("engine")
    clock.advance(10)
    make.complete(*make.claimed("jobs"), output={})
    make.work("engine")
    clock.advance(7000)
    return found


def by_rest(run_id, path):
    found = People().client("operator", tenant=make.a_tenant().slug).get(path).json()
    return next(one for one in found.get("results", [found]) if one["id"] == run_id)


@pytest.mark.parametrize("path", ["/api/v1/runs/{}", "/api/v1/runs", "/api/v1/runs?order=due"])
def test_rest_says_by_when_it_is_due_as_if_the_wait_ended(run_id, path):
    row = by_rest(run_id, path.format(run_id))
    created, due = (datetime.fromisoformat(row[name]) for name in ("created_at", "sla_deadline"))
    assert due - created == timedelta(seconds=1100)
    assert row["deadline"] == row["sla_deadline"]
    assert datetime.fromisoformat(row["sla_paused_at"]) - created == timedelta(seconds=1040)
    assert (row["sla"], row["sla_seconds"], row["sla_breached"]) == ("ok", 100, False)


@pytest.mark.parametrize("path", ["/runs/{}", "/runs", "/runs?order=due"])
def test_pages_say_it_too(run_id, client, path):
    client.force_login(make.a_member("ann", "operator"))
    due = run_row(make.a_tenant().pk, run_id)["sla_deadline"]
    text = client.get(path.format(run_id), follow=True).text
    assert f"{due:%Y-%m-%dT%H:%M:%S}" in text
    assert "overdue" not in text


def test_the_page_of_a_calendar_says_it_too(clock, fiona):
    calendar = office(fiona)
    definition = make.graph(
        [SIGNAL], [], name="pays", sla_working_days=2, sla_calendar="Office", sla_pauses="waiting"
    )
    run_id = begun(published(fiona, definition))
    before = run_row(fiona.tenant_id, run_id)["sla_deadline"]
    assert [one.due_at for one in uses_of(fiona, calendar).due_dates] == [before]
    clock.advance(3600)
    make.send(run_id, "nothing")
    (due,) = uses_of(fiona, calendar).due_dates
    assert due.due_at == run_row(fiona.tenant_id, run_id)["sla_deadline"]
