"""Each run says what started it: the doors of Handoff itself; those of a feature are shown in its own tests."""

import pytest

from engine.statuses import RunStatus
from runs.models import Run, StartedFrom
from tests import factories as make
from tests.api.hooks import publish

pytestmark = pytest.mark.django_db

FLOW = {"name": "flow", "nodes": [{"id": "a", "type": "noop"}]}
CALL = {"id": "a", "type": "subworkflow", "params": {"workflow": "flow"}}
START = {"workflow": "flow", "input": {}}


@pytest.fixture
def flow(api):
    """A client of a tenant with a workflow of one step."""
    publish(api, FLOW)
    return api


def last_started():
    """What started the newest run."""
    return Run.unsafe_all_tenants.latest("id").started_from


@pytest.mark.parametrize(
    ("agent", "door"),
    [
        ("handoff-sdk-go", StartedFrom.SDK),
        ("handoff-sdk-python", StartedFrom.SDK),
        ("curl/8", StartedFrom.REST),
        ("", StartedFrom.REST),
    ],
)
def test_a_request_is_of_an_sdk_if_that_names_itself(flow, agent, door):
    assert flow.post("/api/v1/runs", START, headers={"User-Agent": agent}).status_code == 201
    assert last_started() == door
    batch = {"workflow": "flow", "items": [{"input": {}}]}
    assert flow.post("/api/v1/runs/batch", batch, headers={"User-Agent": agent}).status_code == 201
    assert last_started() == door


def test_a_form_is_a_page(flow, people, client):
    client.force_login(people.member("admin"))
    sent = {"input_kind": "json", "input": "{}", "business_key": ""}
    assert client.post("/workflows/flow/start", sent).status_code == 302
    assert last_started() == StartedFrom.PAGE
    run = Run.unsafe_all_tenants.get()
    assert client.post(f"/runs/{run.pk}/again").status_code == 302
    assert Run.unsafe_all_tenants.exclude(pk=run.pk).get().started_from == StartedFrom.PAGE


def test_runs_that_runs_start_and_those_behind_them(flow):
    publish(flow, {"name": "above", "nodes": [CALL], "next_workflow": "flow"})
    run = flow.post("/api/v1/runs", START | {"workflow": "above"}).json()["id"]
    make.work()
    rows = Run.unsafe_all_tenants.order_by("id")
    assert [(row.parent_id and str(row.parent_id), row.started_from) for row in rows] == [
        (None, StartedFrom.REST),
        (run, StartedFrom.PARENT),
        (None, StartedFrom.PREVIOUS),
    ]


def test_a_rerun_and_a_test(flow):
    run = flow.post("/api/v1/runs", START).json()["id"]
    make.work()
    assert flow.post(f"/api/v1/runs/{run}/rerun", {"from_node": "a"}).status_code == 201
    assert last_started() == StartedFrom.RERUN
    assert flow.post("/api/v1/workflows/flow/trials", {"input": {}}).status_code == 201
    assert last_started() == StartedFrom.TEST


@pytest.mark.parametrize("door", [StartedFrom.REST, "a door of a later release"])
def test_a_run_that_goes_on_as_a_new_one_keeps_what_started_the_first(api, settings, door):
    settings.HANDOFF_CONTINUE_AFTER_EVENTS = 15
    body = {"type": "transform", "params": {"set": {"n": "{{ item.n + 1 }}"}}}
    loop = {"id": "again", "type": "loop", "params": {"body": body, "count": 50}}
    publish(api, {"name": "long", "nodes": [loop]})
    assert api.post("/api/v1/runs", {"workflow": "long", "input": {"n": 0}}).status_code == 201
    Run.unsafe_all_tenants.update(started_from=door)
    make.work()
    runs = Run.unsafe_all_tenants.order_by("id")
    assert runs[0].status == RunStatus.CONTINUED
    assert {run.started_from for run in runs} == {door}


def test_it_is_shown_and_runs_are_filtered_by_it(flow, people, client):
    old = flow.post("/api/v1/runs", START).json()
    new = flow.post("/api/v1/runs", START, headers={"User-Agent": "handoff-sdk-go"}).json()
    assert (old["started_from"], new["started_from"]) == ("rest", "sdk")
    for words in ("started_from=sdk", "query=started_from:sdk"):
        assert [run["id"] for run in flow.get(f"/api/v1/runs?{words}").json()["results"]] == [new["id"]]
    wrong = flow.get("/api/v1/runs?started_from=door")
    assert (wrong.status_code, wrong.json()["error"]["field"]) == (400, "started_from")
    wrong = flow.get("/api/v1/runs?query=started_from:door").json()["error"]
    assert (wrong["field"], wrong["message"][:29]) == ("query", "started_from: There are: page")
    dry = {"action": "cancel", "filter": {"started_from": "rest"}, "dry_run": True}
    assert [one["id"] for one in flow.post("/api/v1/runs/bulk", dry).json()["results"]] == [old["id"]]

    client.force_login(people.member("admin"))
    listed = client.get("/runs/?started_from=sdk&columns=status.started_from")
    assert [run["id"] for run in listed.context["runs"]] == [new["id"]]
    assert '<td class="of-started_from">SDK</td>' in listed.text
    assert '<input type="hidden" name="started_from" value="sdk">' in listed.text
    assert listed.context["filters"] == ["started from SDK"]
    assert client.get("/runs/search-offers?q=started_from:sc").text.count("started_from:schedule") == 1
    assert "<dt>Started from</dt><dd>SDK</dd>" in client.get(f"/runs/{new['id']}").text


def test_a_run_from_before_says_nothing(flow, people, client):
    run = flow.post("/api/v1/runs", START).json()["id"]
    Run.unsafe_all_tenants.update(started_from=None)
    assert flow.get(f"/api/v1/runs/{run}").json()["started_from"] is None
    client.force_login(people.member("admin"))
    assert "Started from" not in client.get(f"/runs/{run}").text
    listed = client.get("/runs/?columns=started_from").text
    assert '<td class="of-started_from"><span class="quiet">–</span></td>' in listed
