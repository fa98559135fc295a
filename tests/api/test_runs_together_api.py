"""Many runs at once, the list's filters and orders, and kept searches over REST."""

import pytest

from runs.api import run_lists
from runs.commands import bulk
from runs.models import Run, SavedSearch
from runs.reading import search
from tests import factories as make
from tests.api.hooks import publish
from workflows.models import Workflow

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

URL = "/api/v1/runs"
WAITS = {"name": "flow", "nodes": [{"id": "a", "type": "job", "queue": "pricing"}]}
ASKS = {"name": "asks", "nodes": [{"id": "a", "type": "human.approval", "params": {"title": "Go on?"}}]}
FAILS = {"name": "fails", "nodes": [{"id": "a", "type": "text.clean", "retry": "none"}]}


def started(api, definition, count=1):
    """So many runs of a workflow, the oldest first."""
    if not Workflow.unsafe_all_tenants.filter(name=definition["name"]).exists():
        publish(api, definition)
    answers = [api.post(URL, {"workflow": definition["name"], "input": {}}) for _ in range(count)]
    make.work()
    return [answer.json()["id"] for answer in answers]


def listed(api, query):
    answer = api.get(f"{URL}?{query}")
    assert answer.status_code == 200, answer.json()
    return [row["id"] for row in answer.json()["results"]]


def test_the_list_knows_who_started_what_waits_for_people_and_orders(people, api):
    (asks,), (works,), (failed,) = started(api, ASKS), started(api, WAITS), started(api, FAILS)
    (other,) = started(people.client("operator"), WAITS)
    assert listed(api, "by=operator-of-ours") == [other]
    assert set(listed(api, "by=me")) == {asks, works, failed}
    assert listed(api, "status=WAITING_FOR_PEOPLE") == [asks]
    assert listed(api, "status=UNRESOLVED") == [failed]
    assert listed(api, "order=oldest") == sorted([asks, works, failed, other])
    assert listed(api, "order=waiting") == [asks]
    assert set(listed(api, "order=due")) == {asks, works, other}
    for query, field in (("order=best", "order"), ("q=a&order=due", "order"), ("status=DONE", "status")):
        error = api.get(f"{URL}?{query}").json()["error"]
        assert error["field"] == field


def test_what_the_newest_are_looked_through_for_is_found_behind_what_one_may_not_read(
    people, api, monkeypatch
):
    author = people.client("author")
    (mine,) = started(api, FAILS)
    secret = FAILS | {"name": "secret"}
    started(api, secret, 3)
    folder = make.FolderFactory(tenant=people.tenant())
    Workflow.unsafe_all_tenants.filter(name="secret").update(folder=folder)
    monkeypatch.setattr(search, "READ_AT_ONCE", 2)
    assert listed(author, "status=UNRESOLVED") == [mine]


def test_many_are_reviewed_then_done_and_each_has_its_answer(api):
    one, two = started(api, WAITS, 2)
    (failed,) = started(api, FAILS)
    sent = {"action": "pause", "ids": [one, failed, two, one, "00000000-0000-7000-8000-000000000000"]}
    dry = api.post(f"{URL}/bulk", sent | {"dry_run": True}).json()
    told = [(row["result"], row["code"]) for row in dry["results"]]
    assert told == [("able", None), ("refused", "not_running"), ("able", None), ("refused", "missing")]
    assert {run.status for run in Run.unsafe_all_tenants.filter(pk__in=[one, two])} == {"RUNNING"}
    done = api.post(f"{URL}/bulk", sent | {"reason": "a fault upstream"}).json()
    assert [row["result"] for row in done["results"]] == ["done", "refused", "done", "refused"]
    assert done["more"] is False
    assert {run.status for run in Run.unsafe_all_tenants.filter(pk__in=[one, two])} == {"PAUSED"}


def test_a_filter_takes_the_newest_that_allow_it(api, monkeypatch):
    for module in (bulk, run_lists):
        monkeypatch.setattr(module, "BULK_RUNS", 2)
    runs = started(api, WAITS, 3)
    answer = api.post(f"{URL}/bulk", {"action": "cancel", "filter": {"workflow": "flow", "by": "me"}}).json()
    assert [row["id"] for row in answer["results"]] == [runs[2], runs[1]]
    assert answer["more"] is True
    rest = api.post(f"{URL}/bulk", {"action": "cancel", "filter": {"workflow": "flow"}}).json()
    assert ([row["id"] for row in rest["results"]], rest["more"]) == ([runs[0]], False)


@pytest.mark.parametrize(
    ("sent", "field"),
    [
        ({"action": "cancel"}, "ids"),
        ({"action": "cancel", "ids": [], "filter": {}}, "ids"),
        ({"action": "delete", "ids": []}, "action"),
        ({"action": "cancel", "filter": {"q": "text"}}, "filter.q"),
        ({"action": "cancel", "ids": ["x"]}, "ids[0]"),
    ],
)
def test_what_says_nothing_is_refused(api, sent, field):
    answer = api.post(f"{URL}/bulk", sent)
    assert (answer.status_code, answer.json()["error"]["field"]) == (400, field)


def test_runs_of_others_are_not_there_and_what_one_may_only_read_is_forbidden(people, api):
    (run,) = started(api, WAITS)
    theirs = people.client("admin", tenant="theirs")
    (row,) = theirs.post(f"{URL}/bulk", {"action": "cancel", "ids": [run]}).json()["results"]
    assert (row["result"], row["code"]) == ("refused", "missing")
    assert people.client("viewer").post(f"{URL}/bulk", {"action": "cancel", "ids": [run]}).status_code == 403
    assert make.run(run).status == "RUNNING"


def test_searches_are_kept_changed_shared_and_deleted(people, api):
    path = "/api/v1/run-searches"
    made = api.post(path, {"name": "Failed", "query": "status=failed", "reason": "for the rota"})
    assert (made.status_code, made.headers["Location"]) == (201, f"{path}/{made.json()['id']}")
    here = made.headers["Location"]
    assert api.post(path, {"name": "Failed"}).json()["error"]["code"] == "name_taken"
    assert api.get(path).json()["results"] == [made.json()] == [api.get(here).json()]
    assert made.json()["is_own"] is True
    changed = api.patch(here, {"query": "status=unresolved"}).json()
    assert (changed["name"], changed["query"], changed["group"]) == ("Failed", "status=unresolved", None)
    assert api.patch(here, {"group": "Nowhere"}).json()["error"]["field"] == "group"
    other = people.client("viewer")
    assert other.get(path).json()["results"] == []
    assert other.get(here).status_code == other.delete(here).status_code == 404
    assert api.delete(here).status_code == 204
    assert not SavedSearch.unsafe_all_tenants.exists()


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("flow=claims", "query.flow"),
        ("status=nonsense", "query.status"),
        ("since=soon", "query.since"),
        ("test=perhaps", "query.test"),
        ("order=size", "query.order"),
        ("columns=status.weight", "query.columns"),
        ("status=failed&status=completed", "query.status"),
        ("q=status:nonsense", "query.q"),
        ("cursor=abc", "query.cursor"),
        ("saved=1", "query.saved"),
    ],
)
def test_a_search_is_kept_only_if_the_list_can_be_asked_for_by_it(api, query, field):
    path = "/api/v1/run-searches"
    good = "status=failed&by=me&since=2026-01-01&columns=status.now&q=by:ann+text&workflow=&order=due"
    here = api.post(path, {"name": "Good", "query": good}).headers["Location"]
    for refused in (api.post(path, {"name": "Bad", "query": query}), api.patch(here, {"query": query})):
        assert (refused.status_code, refused.json()["error"]["field"]) == (400, field)
    assert api.get(here).json()["query"] == good
