"""The story and the timeline of a run tell what happens in the runs below it."""

import re

import pytest

from runs.models import Run
from runs.web import story
from tasks_inbox.models import ManualTask
from tests import factories as make
from tests.inbox.asking import decide, member
from tests.inbox.onboarding import GIVEN, onboarding
from tests.store.watching import trips_of_page
from tests.timing import clock

__all__ = ["clock"]

pytestmark = pytest.mark.django_db

CHARGE = {"id": "charge", "title": "Charge the card", "type": "job", "queue": "card", "retry": "none"}
HOLD = {"id": "hold", "title": "Hold on", "type": "wait", "params": {"seconds": 60}}
EACH = {"steps": [HOLD, CHARGE], "edges": [{"from": "hold", "to": "charge"}]}


@pytest.fixture
def viewer(client):
    client.force_login(make.a_member("vera", "viewer"))
    return client


def lines_of(viewer, run_id) -> list[str]:
    """The lines of the story, without markup."""
    page = viewer.get(f"/runs/{run_id}?view=story").text
    told = re.findall(r'<li class="story-line.*?</li>', page, re.DOTALL)
    return [re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", line)).strip() for line in told]


def told(lines, *words) -> bool:
    return any(all(word in line for word in words) for line in lines)


def mapped_run(items=2) -> str:
    (run_id,) = make.start(make.mapped(EACH, tolerate_failures=items), {"items": [*range(items)]})
    make.work()
    return run_id


def test_it_tells_who_was_asked_below_and_what_they_decided_with_the_place(viewer):
    (root,) = make.start_version(onboarding(), GIVEN)
    make.work()
    for task in ManualTask.unsafe_all_tenants.filter(status="OPEN").order_by("id"):
        decide(member("boss", "admin"), task, "rejected", comment="No licence is left.")
    make.work()
    lines = lines_of(viewer, root)
    assert told(lines, "People were asked", "Mail account")
    assert told(lines, "decided", "rejected", "Mail account")
    # The child's own life is told on its page.
    assert not told(lines, "The run began.", "Mail account")
    page = viewer.get(f"/runs/{root}?view=story").text
    assert re.search(r"step=\w+\" data-look>decided", page)


def test_it_tells_which_item_waited_and_failed_and_why(viewer, clock):
    root = mapped_run()
    clock.advance(60)
    make.tick()
    make.work()
    first, second = sorted(make.claimed("card"), key=lambda step: step.run_id)
    make.complete(first, output={})
    make.fail(second, code="CardRefused")
    make.work()
    lines = lines_of(viewer, root)
    assert told(lines, "“Hold on” began to wait for a time", "For each item (each), item 0")
    assert told(lines, "“Charge the card” failed", "It went wrong", "For each item (each), item 1")
    assert not told(lines, "“Charge the card” completed")


def test_of_what_may_not_be_read_it_tells_the_place_and_the_outcome_alone(viewer):
    (root,) = make.start_version(onboarding(), GIVEN)
    make.work()
    child = Run.unsafe_all_tenants.filter(parent_id=root).earliest("id")
    child.version.workflow.folder = make.FolderFactory()
    child.version.workflow.save()
    for task in ManualTask.unsafe_all_tenants.filter(status="OPEN").order_by("id"):
        decide(member("boss", "admin"), task, "rejected", comment="No licence is left.")
    make.work()
    lines = lines_of(viewer, root)
    assert told(lines, "decided “A step of another workflow”: rejected", "Mail account")
    assert not told(lines, "No licence is left")


def test_it_costs_the_same_however_many_runs_are_below_and_says_what_is_left_out(viewer, monkeypatch):
    few, many = (mapped_run(items) for items in (1, 9))
    viewer.get(f"/runs/{few}?view=story")
    costs = [trips_of_page(viewer, f"/runs/{run}?view=story") for run in (few, many)]
    assert costs[0] == costs[1]
    monkeypatch.setattr(story, "STORY_EVENTS", 5)
    page = viewer.get(f"/runs/{many}?view=story").text
    assert "only the first 5 lines" in page


def test_where_no_step_begins_a_run_nothing_is_looked_for_below(viewer, monkeypatch):
    monkeypatch.setattr(story.trees, "events_below", lambda *_, **__: pytest.fail("the run is flat"))
    (run_id,) = make.start(make.chain("noop"))
    make.work()
    assert told(lines_of(viewer, run_id), "completed")


def test_the_timeline_has_a_lane_for_each_step_below_a_step_of_all_items_together(viewer, clock):
    root = mapped_run(3)
    clock.advance(60)
    make.tick()
    make.work()
    first, second, third = sorted(make.claimed("card"), key=lambda step: step.run_id)
    clock.advance(10)
    make.complete(first, output={})
    clock.advance(10)
    make.fail(second, code="CardRefused")
    make.work()
    timeline = viewer.get(f"/runs/{root}?view=timeline").context["timeline"]
    lanes = {lane.step["title"]: lane for lane in timeline.lanes}
    inner = lanes["Charge the card"]
    assert (inner.is_inner, inner.step["node"], lanes["For each item (each)"].is_inner) == (
        True,
        "each",
        False,
    )
    assert {bar.kind: round(bar.milliseconds / 1000) for bar in inner.bars} == {
        "done": 10,
        "failed": 20,
        "work": 20,
    }
    page = viewer.get(f"/runs/{root}?view=timeline").text
    assert '<li class="inner" data-failed>' in page
    make.complete(third, output={})


def test_the_timeline_shows_when_people_below_were_asked_and_hides_what_may_not_be_read(viewer):
    (root,) = make.start_version(onboarding(), GIVEN)
    make.work()
    lanes = viewer.get(f"/runs/{root}?view=timeline").context["timeline"].lanes
    asked = [lane for lane in lanes if lane.is_inner]
    assert len(asked) == 2
    assert {lane.step["title"] for lane in asked} == {"Ask for leave"}
    assert {bar.kind for lane in asked for bar in lane.bars} == {"people"}
    child = Run.unsafe_all_tenants.filter(parent_id=root).earliest("id")
    child.version.workflow.folder = make.FolderFactory()
    child.version.workflow.save()
    lanes = viewer.get(f"/runs/{root}?view=timeline").context["timeline"].lanes
    assert {lane.step["title"] for lane in lanes if lane.is_inner} == {"step ask"}


def test_a_timeline_costs_the_same_however_many_runs_are_below_and_its_bars_are_few(viewer):
    few, many = (mapped_run(items) for items in (1, 9))
    viewer.get(f"/runs/{few}?view=timeline")
    costs = [trips_of_page(viewer, f"/runs/{run}?view=timeline") for run in (few, many)]
    assert costs[0] == costs[1]
