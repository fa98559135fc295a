"""The views of a run, without a browser: what each shows, what the address says, what is kept of a choice."""

import re
from dataclasses import replace

import pytest

from accounts.models import Membership
from runs.reading.presentation import found_run
from runs.reading.stored import ONE_RUN
from runs.web import history_context
from tests import factories as make
from tests.store.watching import trips_of_page

pytestmark = pytest.mark.django_db

BRANCHES = make.graph(
    [
        {"id": "ask", "type": "decision", "title": "Is it dear?"},
        {"id": "dear", "type": "noop", "title": "Do it if dear"},
        {"id": "cheap", "type": "noop"},
    ],
    [],
)
BRANCHES["edges"] = [
    {"from": "ask", "to": "dear", "when": "input.amount > 10"},
    {"from": "ask", "to": "cheap", "default": True},
]
JOB = make.graph([{"id": "charge", "title": "Charge the card", "type": "job", "queue": "card"}], [])


@pytest.fixture
def author(client, ann):
    Membership.objects.for_tenant(make.a_tenant().pk).filter(user=ann).update(role="author")
    client.force_login(ann)
    return client


def a_run(definition=BRANCHES, given=None) -> str:
    run_id = make.start(definition, given or {"amount": 50})[0]
    make.work()
    return run_id


def shown(page: str) -> str:
    """Which view a page has."""
    found = re.search(r'data-run-view="(\w+)"', page)
    assert found
    return found[1]


def test_who_builds_sees_the_graph_first_who_does_not_the_story_and_each_what_they_chose_last(author, ann):
    run_id = a_run()
    assert shown(author.get(f"/runs/{run_id}").text) == "graph"
    Membership.objects.for_tenant(make.a_tenant().pk).filter(user=ann).update(role="viewer")
    assert shown(author.get(f"/runs/{run_id}").text) == "story"
    assert shown(author.get(f"/runs/{run_id}?view=timeline").text) == "timeline"
    assert shown(author.get(f"/runs/{run_id}").text) == "timeline"
    assert shown(author.get(f"/runs/{run_id}?view=nonsense").text) == "timeline"
    # What another person chose in this browser is theirs.
    author.force_login(make.a_member("bea", "viewer"))
    assert shown(author.get(f"/runs/{run_id}").text) == "story"


def test_the_graph_has_each_step_with_its_state_and_says_which_ways_were_taken(author):
    page = author.get(f"/runs/{a_run()}?view=graph").text
    steps = dict(re.findall(r'data-step="(\w+)".*?data-status="(\w+)"', page))
    assert steps == {"ask": "COMPLETED", "dear": "COMPLETED", "cheap": "SKIPPED"}
    assert 'data-taken="[&quot;dear&quot;]"' in page
    assert 'id="graph-told"' in page


def test_the_views_share_the_step_that_is_selected(author):
    run_id = a_run()
    for view in ("graph", "timeline", "story"):
        page = author.get(f"/runs/{run_id}?view={view}&step=dear").text
        assert 'aria-current="true"' in page.partition('id="look"')[2]
        assert "Do it if dear" in page.partition('id="inspector"')[2]
        assert f"?view={view}&amp;step=dear" in page
    assert 'id="inspector"' not in author.get(f"/runs/{run_id}?view=graph&step=nobody").text


def test_the_inspector_tells_each_attempt_with_its_error_and_when_the_next_was_due(author):
    (run_id,) = make.start(JOB)
    make.fail(*make.claimed("card"), code="CardRefused", retryable=True)
    page = author.get(f"/runs/{run_id}?step=charge").text.partition('id="inspector"')[2]
    assert "CardRefused" in page
    assert "attempt 1" in page
    assert "The next attempt was due" in page


def test_of_a_long_run_the_failed_step_is_shown_without_a_press(author):
    definition = make.chain(*["noop"] * 13, "text.clean")
    definition["nodes"][-1]["title"] = "Tidy it up"
    page = author.get(f"/runs/{a_run(definition, {'text': 5})}").text
    assert "Tidy it up" in page.partition('id="inspector"')[2]


def test_an_earlier_event_shows_the_run_as_it_was_with_a_way_back(author):
    run_id = a_run()
    page = author.get(f"/runs/{run_id}?view=graph&at=1").text
    assert "You see the run as it was" in page
    assert "Back to now" in page
    assert 'data-status="COMPLETED"' not in page.partition('id="graph-steps"')[2].partition("</ol>")[0]
    assert 'hx-trigger="handoff:changed' not in page.partition('id="run"')[2].partition(">")[0]
    total = int(re.search(r'max="(\d+)" value="1"', page)[1])
    story = author.get(f"/runs/{run_id}?view=story&at=1").text
    assert "started the run" in story
    assert "The run completed" not in story
    for now in (total, total + 5, 0, "x", "9" * 30, "9" * 5000, "²"):
        assert "You see the run as it was" not in author.get(f"/runs/{run_id}?view=graph&at={now}").text


def test_a_page_gets_only_the_steps_that_it_has_not_seen(author):
    (run_id,) = make.start(make.graph([{"id": "a", "type": "noop"}, *JOB["nodes"]], ["a>charge"]))
    make.work()
    page = author.get(f"/runs/{run_id}?view=graph").text
    seen = re.search(r'data-seen="([\d.]+)"', page)[1]
    asked = {"HX-Request": "true", "Handoff-Seen": f"{seen} "}
    again = author.get(f"/runs/{run_id}?view=graph", headers=asked).text
    assert re.findall(r'graph-step" data-step="(\w+)"', again) == ["charge"]
    assert "graph-told" not in again
    chosen = author.get(f"/runs/{run_id}?view=graph&step=a", headers=asked).text
    assert re.findall(r'graph-step" data-step="(\w+)"', chosen) == ["a", "charge"]
    # An event with a lower id was committed after the last one that the page has seen.
    last, _, count = seen.partition(".")
    late = asked | {"Handoff-Seen": f"{last}.{int(count) - 1} "}
    assert (
        len(re.findall(r'graph-step" data-step', author.get(f"/runs/{run_id}?view=graph", headers=late).text))
        == 2
    )
    for strange in ("", "x", "1", f"{seen}0 a" * 50, "9" * 5000, "%00%ff a"):
        asked["Handoff-Seen"] = strange
        assert author.get(f"/runs/{run_id}?view=graph", headers=asked).status_code == 200


@pytest.mark.parametrize("view", ["graph", "timeline", "story"])
def test_each_view_costs_the_same_for_one_step_as_for_fifty(author, view):
    short, long = a_run(make.chain("noop", "noop")), a_run(make.chain(*["noop"] * 26))
    addresses = [f"/runs/{run_id}?view={view}&step=a&at=3" for run_id in (short, long)]
    assert len({trips_of_page(author, address) for address in addresses}) == 1
    assert trips_of_page(author, addresses[0]) <= 14


def test_the_timeline_of_few_steps_stands_below_the_graph(author, monkeypatch):
    run_id = a_run()
    page = author.get(f"/runs/{run_id}?view=graph").text
    assert page.index('id="graph"') < page.index('id="timeline"')
    monkeypatch.setattr(history_context, "BELOW_GRAPH", 1)
    assert 'id="timeline"' not in author.get(f"/runs/{run_id}?view=graph").text


def test_of_a_long_run_the_values_of_the_selected_step_and_all_errors_are_read(author):
    nodes = [{"id": f"s{n}", "type": "noop"} for n in range(20)]
    run_id = a_run(make.graph(nodes, [f"s{n}>s{n + 1}" for n in range(19)]))
    page = author.get(f"/runs/{run_id}?view=graph&step=s7").text
    assert 'id="step-selected-output"' in page
    rows = found_run(make.a_tenant().pk, run_id, replace(ONE_RUN, over="s7"))["steps"]
    assert [row["node"] for row in rows if row["output"] is not None] == ["s7"]
    whole = found_run(make.a_tenant().pk, run_id)["steps"]
    assert [row["status"] for row in rows] == [row["status"] for row in whole]
    assert all(row["output"] is not None for row in whole)
