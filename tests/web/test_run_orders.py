"""In which order the list of runs stands, what is due first of each, and its filters on a phone."""

from datetime import timedelta

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from runs.models import Run, StepExecution
from runs.reading import orders
from tasks_inbox.models import ManualTask
from tests import factories as make
from tests.inbox.asking import approval, asked
from tests.store.watching import trips_of_page
from workflows.models import Workflow

pytestmark = pytest.mark.django_db

ASKS = approval(title="Go on?")


@pytest.fixture
def reader(client, ann):
    client.force_login(ann)
    return client


def waiting(days=None) -> str:
    """A run with an open task that is due in so many days, if it is due at all."""
    task = asked(ASKS)
    if days is not None:
        due = timezone.now() + timedelta(days=days)
        ManualTask.unsafe_all_tenants.filter(pk=task.pk).update(due_at=due)
    return str(task.run_id)


def late(run: str, days: float) -> None:
    Run.unsafe_all_tenants.filter(pk=run).update(sla_deadline=timezone.now() + timedelta(days=days))


def tell(run: str, hours: float = 1, risk: float | None = None) -> None:
    """Foretell that a run is done in so many hours."""
    now = timezone.now()
    make.ForecastFactory(
        run_id=run,
        tenant_id=make.run(run).tenant_id,
        p50=now + timedelta(hours=hours),
        p90=now + timedelta(hours=2 * hours, days=1),
        risk=risk,
        made_at=now,
    )


def listed(reader, query: str) -> list[str]:
    return [row["id"] for row in reader.get(f"/runs/?{query}").context["runs"]]


def test_the_oldest_come_first_where_that_is_asked_for(reader):
    first, second = (waiting() for _ in range(2))
    assert listed(reader, "order=oldest") == [first, second]
    assert listed(reader, "order=newest") == listed(reader, "") == [second, first]
    assert (
        "Runs are listed by newest, oldest, due, waiting, likely, risk."
        in reader.get("/runs/?order=best").text
    )


def test_what_is_due_first_is_a_task_or_the_run_itself(reader):
    by_task, by_run, both, never = waiting(3), waiting(), waiting(5), waiting()
    late(by_run, 2), late(both, 1)
    make.work()
    done = make.start(make.chain("noop"), {})[0]
    make.work()
    late(done, -1)
    assert listed(reader, "order=due") == [both, by_run, by_task, never]
    page = reader.get("/runs/?order=due")
    told = {row["id"]: row["is_of_task"] for row in page.context["runs"] if row["due"]}
    assert told == {both: False, by_run: False, by_task: True}
    assert page.text.count('title="Its open task is due then"') == 1
    assert page.text.count('title="The run itself: due in ') == 2
    assert "oldest open runs" not in page.text


def test_a_task_that_is_overdue_is_told_as_late(reader):
    run = waiting(-1)
    late(run, 4)
    page = reader.get("/runs/")
    assert 'class="of-deadline bad-text"' in page.text
    assert "the run itself: due in " in page.text


def test_what_has_waited_longest_comes_first_and_what_works_is_not_there(reader):
    old, long = waiting(), waiting()
    make.start(make.graph([{"id": "a", "type": "job", "queue": "pricing"}], []), {})
    steps = StepExecution.unsafe_all_tenants.filter(run_id=long, status="WAITING")
    steps.update(started_at=timezone.now() - timedelta(days=9))
    assert listed(reader, "order=waiting") == [long, old]
    assert listed(reader, "order=waiting&status=completed") == []


def test_what_is_likely_done_first_and_what_risks_its_deadline_most(reader):
    sure, risky, unknown, quick = (waiting() for _ in range(4))
    tell(sure, hours=2, risk=0.01), tell(risky, hours=3, risk=0.6), tell(quick, hours=1)
    assert listed(reader, "order=likely") == [quick, sure, risky, unknown]
    assert listed(reader, "order=risk")[:2] == [risky, sure]
    page = reader.get("/runs/?order=risk").text
    assert "Risk 60 %" in page
    assert "Risk 1 %" not in page
    assert "Likely done</th>" in page
    assert "Likely done</th>" not in reader.get("/runs/").text
    told = reader.get(f"/runs/{risky}").text
    assert "Probably done by" in told
    assert "very likely by" in told
    assert "Deadline at risk: 60 %" in told
    assert "Probably done" not in reader.get(f"/runs/{unknown}").text
    make.pause(risky)
    assert "Probably done" not in reader.get(f"/runs/{risky}").text


def test_pages_by_risk_lead_on_and_back(reader, monkeypatch):
    monkeypatch.setattr("runs.web.listing.ON_A_PAGE", 2)
    runs = [waiting() for _ in range(5)]
    for run, risk in zip(runs, (0.1, 0.75, 1 / 3, 1 / 3, None), strict=True):
        tell(run, risk=risk)
    pages = paged(reader, "/runs/?order=risk")
    assert pages == [runs[1], runs[3], runs[2], runs[0], runs[4]]


def test_orders_by_forecasts_are_right_however_many_runs_are_open(reader, monkeypatch):
    monkeypatch.setattr(orders, "LOOKED_AT", 1)
    monkeypatch.setattr("runs.web.listing.ON_A_PAGE", 2)
    runs = [waiting() for _ in range(5)]
    for hours, run in enumerate(reversed(runs[1:]), 1):
        tell(run, hours=hours, risk=hours / 10 if hours < 4 else None)
    assert paged(reader, "/runs/?order=likely") == [runs[4], runs[3], runs[2], runs[1], runs[0]]
    assert paged(reader, "/runs/?order=risk") == [runs[2], runs[3], runs[4], runs[1], runs[0]]
    assert "Open runs without a forecast stand last." in reader.get("/runs/?order=likely").text
    assert "without a deadline" in reader.get("/runs/?order=risk").text


@pytest.mark.parametrize("order", ["likely", "risk"])
def test_pages_by_forecasts_lead_back_from_what_has_none(reader, monkeypatch, order):
    monkeypatch.setattr("runs.web.listing.ON_A_PAGE", 2)
    runs = [waiting() for _ in range(7)]
    for hours, run in enumerate(runs[:3], 1):
        tell(run, hours=hours, risk=0.5)
    pages, address = [], f"/runs/?order={order}"
    while address:
        last = reader.get(address)
        pages.append([row["id"] for row in last.context["runs"]])
        address = last.context["older"]
    assert sorted(run for page in pages for run in page) == sorted(runs)
    backwards = []
    while address := last.context["newer"]:
        last = reader.get(address, follow=True)
        backwards.insert(0, [row["id"] for row in last.context["runs"]])
    assert backwards == pages[:-1]


def test_orders_by_forecasts_show_nobody_what_they_may_not_read(reader):
    shut, untold, read = waiting(), waiting(), waiting()
    tell(shut, risk=0.9), tell(read, hours=2, risk=0.5)
    assert listed(reader, "order=likely") == [shut, read, untold]
    locked = make.FolderFactory()
    for run in (shut, untold):
        Workflow.unsafe_all_tenants.filter(pk=make.run(run).workflow_id).update(folder=locked)
    assert listed(reader, "order=likely") == listed(reader, "order=risk") == [read]


def paged(reader, address: str) -> list[str]:
    """The runs of all pages from an address on."""
    runs = []
    while address:
        last = reader.get(address)
        runs += [row["id"] for row in last.context["runs"]]
        address = last.context["older"]
    return runs


def test_pages_of_an_order_lead_on_and_back(reader, monkeypatch):
    monkeypatch.setattr("runs.web.listing.ON_A_PAGE", 2)
    runs = [waiting(days) for days in (3, 1, 2, 5, 4)]
    by_due = [runs[1], runs[2], runs[0], runs[4], runs[3]]
    pages, address = [], "/runs/?order=due"
    while address:
        last = reader.get(address)
        pages.append([row["id"] for row in last.context["runs"]])
        address = last.context["older"]
    assert [run for page in pages for run in page] == by_due
    assert "Back</a>" in last.text
    back = reader.get(last.context["newer"])
    assert [row["id"] for row in back.context["runs"]] == pages[1]


def test_an_order_looks_at_so_many_open_runs_and_no_more(reader, monkeypatch):
    monkeypatch.setattr(orders, "LOOKED_AT", 2)
    one, two, _ = waiting(3), waiting(2), waiting(1)
    assert listed(reader, "order=due") == [two, one]
    told = "Only the 2 oldest open runs that match the filters were put in order."
    assert told in reader.get("/runs/?order=due").text


def test_an_order_costs_the_same_for_few_and_for_many(reader):
    tell(waiting(1), risk=0.5)
    few = [trips_of_page(reader, f"/runs/?order={order}") for order in orders.ORDERS]
    for days in range(4):
        tell(waiting(days), risk=0.5)
    assert [trips_of_page(reader, f"/runs/?order={order}") for order in orders.ORDERS] == few
    # Those with a forecast, those without, and then what is listed.
    assert max(few) <= 14


def test_on_a_phone_filters_and_tabs_take_one_line_each(visitor):
    page = visitor.page
    waiting(2.5)
    page.set_viewport_size({"width": 390, "height": 844})
    visitor.open("/runs/?status=open&order=due")
    button = page.get_by_role("button", name="Filters 2 set")
    form = page.get_by_role("search")
    assert form.bounding_box()["height"] < 60
    expect(page.get_by_label("Order")).to_be_hidden()
    button.press("Enter")
    expect(button).to_have_attribute("aria-expanded", "true")
    expect(page.get_by_label("Order")).to_have_value("due")
    # What is yet to come is no age.
    expect(page.locator(".of-deadline time")).to_have_text("in 2 days")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    visitor.open("/settings/password")
    tabs = page.get_by_role("navigation", name="Settings")
    assert tabs.bounding_box()["height"] < 60
    expect(tabs.get_by_role("link", name="Password")).to_be_in_viewport(ratio=1)
    page.set_viewport_size({"width": 1440, "height": 900})
