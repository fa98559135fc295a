"""The list of runs and the home page, without a browser: what is found, page by page, and who sees it."""

from datetime import UTC, datetime, timedelta

import pytest
from django.template.loader import render_to_string

from runs.commands.starts import NewRun, Terms, start_runs
from runs.models import DeadLetter
from runs.reading import search
from runs.reading.searched import Searched
from runs.web import listing
from tests import factories as make
from tests.inbox.asking import member
from tests.store.watching import trips_of_page, watching
from tests.timing import clock

__all__ = ["clock"]

pytestmark = pytest.mark.django_db

WAITS = make.graph([{"id": "a", "type": "job", "queue": "pricing"}], [])


@pytest.fixture
def reader(client, ann):
    client.force_login(ann)
    return client


def found(reader, query: str = "") -> list[str]:
    """The ids of the rows, in their order."""
    return [row["id"] for row in reader.get(f"/runs/?{query}").context["runs"]]


def a_run(definition=None, given=None) -> str:
    run_id = make.start(definition or make.chain("noop"), given or {})[0]
    make.work()
    return run_id


def test_each_status_that_people_name_finds_its_runs(reader):
    done, failed = a_run(), a_run(make.chain("text.clean"), {"text": 1})
    at_work, cancelled = a_run(WAITS), a_run(WAITS)
    make.cancel(cancelled)
    waiting = a_run(WAITS)
    make.change(str(make.steps(waiting)["a"].id), status="WAITING")
    expected = {
        "completed": [done],
        "failed": [failed],
        "open": [waiting, at_work],
        "cancelled": [cancelled],
        "waiting": [waiting],
    }
    assert {status: found(reader, f"status={status}") for status in expected} == expected
    assert len(found(reader)) == 5


def test_a_run_is_called_by_the_first_field_of_its_form(reader):
    schema = {
        "type": "object",
        "required": ["level", "person"],
        "properties": {"person": {"type": "string"}, "level": {"type": "string"}},
    }
    version = make.a_version({**make.chain("noop"), "input_schema": schema})
    given = {"person": "Lea Vogt", "level": "administrator"}
    make.start_version(version, given)
    (row,) = reader.get("/runs/").context["runs"]
    assert row["called"] == "Level administrator"
    # The version is at hand: its order costs no statement.
    who = member("vera", "viewer")
    with watching() as seen:
        rows = listing.brief_rows(who, [row["id"]])
    assert [one["called"] for one in rows] == ["Level administrator"]
    assert (seen.named, seen.trips) == (["show_runs"], 1)


def test_a_text_is_found_in_business_keys_inputs_and_the_beginnings_of_ids(reader):
    version = make.a_version(make.chain("noop"))
    terms = Terms(tenant=version.tenant_id, version=version.pk, by="test")
    items = [NewRun({"text": 'Bäume sagen "nein"'}, "Order-17%"), NewRun({"text": "Wasser"}, "other")]
    trees, water = (started.id for started in start_runs(terms, items))
    assert found(reader, "q=order-17") == [trees]
    assert found(reader, "q=17%25") == [trees]
    assert found(reader, "q=bäume") == [trees]
    assert found(reader, 'q="nein"') == [trees]
    assert found(reader, f"q={water[:18]}") == [water]
    assert found(reader, "q=nowhere") == []
    assert found(reader, "q=%00") == []


def test_filters_go_together_and_days_are_whole(reader):
    a_run()
    version = make.a_version(make.chain("noop"))
    run_id, name = make.start_version(version, {})[0], version.workflow.name
    day = make.run(run_id).created_at.date()
    before, after = day - timedelta(days=1), day + timedelta(days=1)
    assert found(reader, f"workflow={name}&since={day}&until={day}&status=open") == [run_id]
    assert found(reader, f"workflow={name}&since={after}") == []
    assert found(reader, f"workflow={name}&until={before}") == []
    assert found(reader, f"workflow={name}&until=9999-12-31&since=0001-01-01") == [run_id]


def test_a_filter_that_hides_all_is_named_and_can_be_cleared(reader):
    a_run()
    text = reader.get("/runs/?status=failed&q=nothing").text
    assert "Active filters: failed, “nothing”" in text
    assert "Clear the filters" in text
    assert "Enter a valid date" in reader.get("/runs/?since=yesterday").text
    assert found(reader, "status=nonsense&since=yesterday") == []


@pytest.mark.parametrize("spelling", ["FAILED", "failed", "Failed", " failed "])
def test_a_status_is_understood_however_it_is_spelled(reader, spelling):
    a_run()
    failed = a_run(make.chain("text.clean"), {"text": 1})
    answer = reader.get("/runs/", {"status": spelling})
    assert [row["id"] for row in answer.context["runs"]] == [failed]
    assert '<option value="failed" selected>Failed</option>' in answer.text


def test_statuses_of_the_api_that_have_no_word_of_their_own_are_understood_too(reader):
    at_work, paused = a_run(WAITS), a_run(WAITS)
    make.pause(paused)
    answer = reader.get("/runs/?status=paused")
    assert [row["id"] for row in answer.context["runs"]] == [paused]
    assert '<option value="PAUSED" selected>Paused</option>' in answer.text
    assert found(reader, "status=PENDING") == [at_work]
    assert found(reader, "status=compensated") == []


def test_what_should_go_on_and_does_not_is_stuck(reader, clock):
    timer = make.graph([{"id": "a", "type": "wait", "params": {"seconds": 600}}], [])
    late, unserved, waiting = (
        a_run(timer),
        a_run(WAITS),
        a_run(make.graph([{"id": "a", "type": "signal", "params": {"name": "go"}}], [])),
    )
    assert found(reader, "status=stuck") == []
    clock.advance(400)
    assert found(reader, "status=stuck") == [unserved]
    clock.advance(300)
    assert found(reader, "status=stuck") == [unserved, late]
    make.cancel(late, unserved)
    assert found(reader, "status=stuck") == []
    assert make.run(waiting).status == "RUNNING"


def test_the_word_that_is_being_written_is_offered_to_its_end(reader):
    run_id = a_run()
    name = make.run(run_id).version.workflow.name
    with watching() as seen:
        offered = reader.get(f"/runs/search-offers?q=siemens+workflow:{name[:2]}").text
    assert seen.trips <= 4
    assert f'<option value="siemens workflow:{name}">' in offered
    assert (
        '<option value="status:failed">Failed</option>' in reader.get("/runs/search-offers?q=status:f").text
    )
    assert reader.get("/runs/search-offers?q=siemens").text.strip() == ""


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("status=nonsense", "There is no status “nonsense”. There are: open, waiting, people, failed"),
        ("state=FAILED", "Runs can&#x27;t be filtered by “state”."),
        ("status=failed&status=open", "This is there more than once."),
        ("test=perhaps", "Give 1 for test runs, or leave it out."),
        ("until=2026-02-30", "Enter a valid date"),
        ("q=" + "x" * 1001, "at most 1000 characters"),
        ("q=waiting:soon", "Write waiting:&gt;2d or waiting:&lt;1h"),
    ],
)
def test_a_filter_that_can_t_be_read_is_told_and_nothing_is_listed_as_if_it_fitted(reader, query, words):
    a_run()
    answer = reader.get(f"/runs/?{query}")
    assert answer.context["runs"] == []
    assert words in answer.text
    assert "Nothing is listed" in answer.text


@pytest.fixture
def texts():
    """Forty runs, the oldest of which are about Siemens; their ids, the oldest first."""
    words = ["Siemens" if number < 3 else f"nothing {number}" for number in range(40)]
    return make.start(make.chain("noop"), *({"text": word} for word in words))


def test_a_search_looks_through_the_inputs_of_all_runs(reader, texts):
    answer = reader.get("/runs/?q=siemens")
    assert [row["id"] for row in answer.context["runs"]] == texts[2::-1]
    assert "Search older runs" not in answer.text


def test_a_search_that_stops_on_its_way_says_how_far_it_looked_and_leads_on(reader, texts, monkeypatch):
    monkeypatch.setattr(search, "RUNS_A_PAGE", 15)
    first = reader.get("/runs/?q=siemens")
    assert first.context["runs"] == []
    assert "No match so far" in first.text
    assert "15 runs were searched here, back to" in first.text
    second = reader.get(first.context["older"])
    assert second.context["runs"] == []
    third = reader.get(second.context["older"])
    assert [row["id"] for row in third.context["runs"]] == texts[2::-1]
    assert third.context["older"] is None
    assert "Search older runs" not in third.text
    assert reader.get(third.context["newer"]).context["runs"] == []


def test_the_last_page_of_a_search_denies_nothing_that_pages_before_it_found(reader, monkeypatch):
    make.start(make.chain("noop"), *({"text": f"nothing {number}"} for number in range(40)))
    (newest,) = make.start(make.chain("noop"), {"text": "Siemens"})
    monkeypatch.setattr(search, "RUNS_A_PAGE", 15)
    page = reader.get("/runs/?q=siemens")
    assert [row["id"] for row in page.context["runs"]] == [newest]
    while page.context["older"]:
        page = reader.get(page.context["older"])
    assert "No run matches" not in page.text
    assert "No older run matches" in page.text
    assert page.context["newer"] in page.text.replace("&amp;", "&")


def test_how_far_a_search_has_looked_is_told_in_groups_of_digits():
    searched = Searched(datetime(2026, 1, 1, tzinfo=UTC), 20_000, is_complete=False)
    assert "20,000 runs were searched here" in render_to_string("runs/_searched.html", {"searched": searched})


def test_many_bytes_end_a_page_of_a_search_too_and_each_page_gets_on(reader, texts, monkeypatch):
    monkeypatch.setattr(search, "BYTES_A_PAGE", 1)
    address, pages = "/runs/?q=siemens", []
    while address:
        answer = reader.get(address)
        pages.append([row["id"] for row in answer.context["runs"]])
        address = answer.context["older"]
    assert len(pages) == 40
    assert [run_id for page in pages for run_id in page] == texts[2::-1]


def test_without_any_run_the_list_says_what_to_do(reader):
    assert "Publish a workflow and start it" in reader.get("/runs/").text


def test_pages_lead_to_older_ones_and_back_and_keep_their_filters(reader):
    version = make.a_version(make.chain("noop"))
    make.start_version(version, *({"n": number} for number in range(120)))
    newest_first = [
        str(run.id) for run in sorted(make.runs_of(version), key=lambda run: run.id, reverse=True)
    ]
    pages, address = [], "/runs/?status=open"
    while address:
        answer = reader.get(address)
        pages.append([row["id"] for row in answer.context["runs"]])
        last, address = answer, answer.context["older"]
    assert [run_id for page in pages for run_id in page] == newest_first
    assert [len(page) for page in pages] == [50, 50, 20]
    assert "status=open" in last.context["newer"]
    assert [row["id"] for row in reader.get(last.context["newer"]).context["runs"]] == pages[1]
    assert reader.get("/runs/?cursor=nonsense").status_code == 400


def test_only_the_first_page_follows(reader):
    make.start_version(make.a_version(make.chain("noop")), *({"n": number} for number in range(60)))
    first = reader.get("/runs/", headers={"HX-Request": "true"})
    assert first.text.startswith('<section class="card" id="runs" hx-swap="morph:outerHTML" hx-get="/runs/"')
    assert "hx-get" not in reader.get(first.context["older"], headers={"HX-Request": "true"}).text


def test_runs_of_another_tenant_are_in_no_list(reader):
    make.start(make.chain("noop"), {"text": "secret"}, tenant=make.a_tenant("theirs"))
    assert found(reader) == found(reader, "q=secret") == found(reader, "status=open") == []


@pytest.mark.parametrize("query", ["", "q=order&status=failed", "workflow=none&since=2026-01-01"])
def test_a_list_costs_the_same_for_few_as_for_many(reader, query):
    version = make.a_version(make.chain("noop", "noop"))
    make.start_version(version, {})
    make.work()
    few = trips_of_page(reader, f"/runs/?{query}")
    make.start_version(version, *({"n": number} for number in range(49)))
    make.work()
    # Nine for the runs and who reads them, one each for saved searches and for the groups to share them with.
    assert trips_of_page(reader, f"/runs/?{query}") == few <= 11


def failed_at_home(reader) -> list[str]:
    return [row["id"] for row in reader.get("/").context["failed"]]


def test_home_shows_failures_that_nobody_has_seen_to(reader):
    fails = {**make.chain("text.clean"), "business_key": "{{ input.order }}"}
    version = make.a_version(fails)
    old, other = make.start_version(version, {"order": "1", "text": 1}, {"order": "2", "text": 1})
    make.work()
    assert failed_at_home(reader) == [other, old]
    terms = Terms(tenant=version.tenant_id, version=version.pk, by="test")
    start_runs(terms, [NewRun({"order": "1", "text": "Good."})], if_exists="new_if_ended")
    make.work()
    assert failed_at_home(reader) == [other]
    DeadLetter.unsafe_all_tenants.filter(run_id=other).update(resolution="discarded")
    assert failed_at_home(reader) == []
