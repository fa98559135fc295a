"""The routes of runs, as a client sees them."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier

import pytest
from django.db import connection
from django.utils import timezone
from django.utils.dateparse import parse_datetime

from runs.models import Forecast, Run
from runs.reading.run_view import RunView, StepView
from tests import factories
from tests.api.authorisation_matrix import NOBODY
from tests.definitions import chain
from tests.store.watching import watching

pytestmark = [pytest.mark.django_db, pytest.mark.slow]
URL = "/api/v1/runs"


def publish(api, name="flow", **definition):
    api.post("/api/v1/workflows", {"name": name, "definition": chain(name, length=2) | definition})
    assert api.post(f"/api/v1/workflows/{name}/publish").status_code in (200, 201)


@pytest.fixture
def flow(api):
    """A client whose tenant has published `flow`, a chain of two noops, and `broken`, whose first step fails."""
    publish(api)
    publish(api, "broken", nodes=[{"id": "s0", "type": "text.clean"}, {"id": "s1", "type": "noop"}])
    return api


def start(api, workflow="flow", **more):
    answer = api.post(URL, {"workflow": workflow, "input": {"n": 1}} | more)
    assert answer.status_code == 201, answer.json()
    return answer.json()


def test_a_run_is_started_and_ends_with_every_output_kept(flow):
    answer = flow.post(URL, {"workflow": "flow", "input": {"n": 1}, "business_key": "order-1"})
    assert answer.status_code == 201
    run = answer.json()
    assert answer.headers["Location"] == f"{URL}/{run['id']}"
    assert run.keys() == RunView.__required_keys__
    assert (run["workflow"], run["version"], run["business_key"]) == ("flow", 1, "order-1")
    assert (run["status"], run["created_by"]) == ("PENDING", "admin-of-ours")
    assert [(step["node"], step["status"]) for step in run["steps"]] == [("s0", "QUEUED"), ("s1", "PENDING")]
    assert all(step.keys() == StepView.__required_keys__ for step in run["steps"])
    factories.work()
    done = flow.get(answer.headers["Location"]).json()
    assert (done["status"], done["output"]) == ("COMPLETED", {"n": 1})
    for step in done["steps"]:
        assert (step["status"], step["input"], step["output"]) == ("COMPLETED", {"n": 1}, {"n": 1})
        assert step["duration_ms"] >= 0
    assert done["completed_at"].endswith("Z")


@pytest.mark.parametrize("value", [None, 0, "", "text", [], [1, None], {"a": {"b": []}}, 1.5, 1e20, True])
def test_any_json_value_is_an_input(flow, value):
    run = start(flow, input=value)
    factories.work()
    assert flow.get(f"{URL}/{run['id']}").json()["output"] == value


def test_the_same_business_key_is_the_same_run(flow):
    first = start(flow, business_key="k")
    again = flow.post(URL, {"workflow": "flow", "input": {"n": 1}, "business_key": "k"})
    assert (again.status_code, again.json()["id"]) == (200, first["id"])
    assert "input_mismatch" not in again.json()
    other = flow.post(URL, {"workflow": "flow", "input": {"n": 2}, "business_key": "k"})
    assert (other.status_code, other.json()["id"], other.json()["input_mismatch"]) == (200, first["id"], True)
    assert other.json()["input"] == {"n": 1}


def test_what_a_known_business_key_does_may_be_chosen(flow):
    first = start(flow, business_key="k")
    error = flow.post(URL, {"workflow": "flow", "input": {}, "business_key": "k", "if_exists": "error"})
    assert (error.status_code, error.json()["error"]["field"]) == (409, "business_key")
    open_still = {"workflow": "flow", "input": {}, "business_key": "k", "if_exists": "new_if_ended"}
    assert flow.post(URL, open_still).json()["id"] == first["id"]
    factories.work()
    renewed = flow.post(URL, open_still)
    assert renewed.status_code == 201
    assert renewed.json()["id"] != first["id"]


@pytest.mark.django_db(transaction=True)
def test_the_same_business_key_twenty_times_at_once_is_one_run(people):
    publish(people.client("admin"))
    clients = [people.client("admin") for _ in range(20)]
    barrier = Barrier(20)

    def go(client):
        try:
            barrier.wait(timeout=20)
            return client.post(URL, {"workflow": "flow", "input": {"n": 1}, "business_key": "once"})
        finally:
            connection.close()

    with ThreadPoolExecutor(20) as pool:
        answers = list(pool.map(go, clients))
    assert sorted(answer.status_code for answer in answers) == [200] * 19 + [201]
    assert len({answer.json()["id"] for answer in answers}) == 1
    assert Run.objects.for_tenant(people.tenant().pk).count() == 1


def test_a_start_names_what_is_not_there(flow):
    answer = flow.post(URL, {"workflow": "none", "input": {}})
    assert (answer.status_code, answer.json()["error"]["field"]) == (404, "workflow")
    answer = flow.post(URL, {"workflow": "flow", "version": 7, "input": {}})
    assert (answer.status_code, answer.json()["error"]["field"]) == (404, "version")
    flow.post("/api/v1/workflows", {"name": "draft"})
    answer = flow.post(URL, {"workflow": "draft", "input": {}})
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "not_published")
    flow.delete("/api/v1/workflows/flow")
    answer = flow.post(URL, {"workflow": "flow", "input": {}})
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "archived")


def test_an_input_against_the_schema_is_a_400_that_says_where(api):
    schema = {"type": "object", "properties": {"order": {"type": "object", "required": ["id"]}}}
    publish(api, "strict", input_schema=schema)
    answer = api.post(URL, {"workflow": "strict", "input": {"order": {}}})
    assert (answer.status_code, answer.json()["error"]["field"]) == (400, "input.order")
    errors = [{"field": "input.order.id", "code": "invalid", "message": "This is required."}]
    assert answer.json()["error"]["details"] == {"errors": errors}
    batch = {"workflow": "strict", "items": [{"input": {"order": {}}}]}
    assert api.post(f"{URL}/batch", batch).json()["error"]["field"] == "items[0].input.order"
    assert api.get(URL).json()["results"] == []


def test_a_pattern_is_told_in_its_authors_words(api):
    code = {"type": "string", "pattern": "^[A-Z]{3}$", "x-message": "Three capital letters."}
    schema = {"type": "object", "properties": {"code": {"anyOf": [code, {"type": "null"}]}, "other": code}}
    publish(api, "strict", input_schema=schema)
    error = api.post(URL, {"workflow": "strict", "input": {"code": "abc", "other": "x"}}).json()["error"]
    told = [(one["field"], one["message"]) for one in error["details"]["errors"]]
    assert told == [("input.code", "Three capital letters."), ("input.other", "Three capital letters.")]
    assert "[A-Z]" not in str(error)


def test_a_run_stays_on_its_version(flow):
    flow.post("/api/v1/workflows/import", {"document": chain("flow", length=3)})
    flow.post("/api/v1/workflows/flow/publish")
    assert start(flow)["version"] == 2
    assert start(flow, version=1)["version"] == 1


def test_a_run_tells_when_it_is_probably_done_while_it_goes_on(flow):
    runs = [start(flow, sla_seconds=9_000)["id"] for _ in range(3)]
    now = timezone.now()
    for run, hours, risk in ((runs[0], 2, 0.25), (runs[1], 1, 0.75)):
        tenant = factories.run(run).tenant_id
        soon, late = now + timedelta(hours=hours), now + timedelta(hours=9)
        factories.ForecastFactory(run_id=run, tenant_id=tenant, p50=soon, p90=late, risk=risk)
    shown = flow.get(f"{URL}/{runs[1]}").json()
    assert {name: parse_datetime(at) for name, at in shown["forecast"].items()} == {
        "p50": now + timedelta(hours=1),
        "p90": now + timedelta(hours=9),
    }
    assert shown["deadline_risk"] == 0.75
    untold = flow.get(f"{URL}/{runs[2]}").json()
    assert (untold["forecast"], untold["deadline_risk"]) == (None, None)
    for order, first in (("likely", [runs[1], runs[0], runs[2]]), ("risk", [runs[1], runs[0], runs[2]])):
        assert [run["id"] for run in flow.get(f"{URL}?order={order}").json()["results"]] == first
    Forecast.unsafe_all_tenants.update(p50=now - timedelta(hours=1))
    assert parse_datetime(flow.get(f"{URL}/{runs[0]}").json()["forecast"]["p50"]) >= now
    factories.work()
    assert flow.get(f"{URL}/{runs[0]}").json()["forecast"] is None


def test_a_batch_starts_all_in_order(flow):
    first = start(flow, business_key="b")
    items = [{"input": 1, "business_key": "a"}, {"input": 2, "business_key": "b"}, {"input": 3}]
    answer = flow.post(f"{URL}/batch", {"workflow": "flow", "items": items})
    assert answer.status_code == 201
    runs = answer.json()["runs"]
    assert [(run["business_key"], run["created"]) for run in runs] == [
        ("a", True),
        ("b", False),
        (None, True),
    ]
    assert runs[1]["id"] == first["id"]
    assert [run.pop("input_mismatch", None) for run in runs] == [None, True, None]
    assert all(set(run) == {"id", "business_key", "created"} for run in runs)


def test_a_batch_of_a_thousand_is_taken(flow):
    answer = flow.post(f"{URL}/batch", {"workflow": "flow", "items": [{"input": n} for n in range(1000)]})
    assert answer.status_code == 201
    assert len({run["id"] for run in answer.json()["runs"]}) == 1000


def ids(answer):
    assert answer.status_code == 200, answer.json()
    return [run["id"] for run in answer.json()["results"]]


def test_runs_are_listed_newest_first_and_filtered(flow):
    one = start(flow, business_key="Order-17")
    factories.work()
    two = start(flow, "broken")
    factories.work()
    three = start(flow)
    assert ids(flow.get(URL)) == [three["id"], two["id"], one["id"]]
    for query, wanted in [
        ({"workflow": "broken"}, [two]),
        ({"workflow": "none"}, []),
        ({"status": "COMPLETED"}, [one]),
        ({"status": "FAILED"}, [two]),
        ({"status": "PENDING"}, [three]),
        ({"status": "RUNNING"}, []),
        ({"business_key": "Order-17"}, [one]),
        ({"business_key": "order-17"}, []),
        ({"q": "der-1"}, [one]),
        ({"q": two["id"]}, [two]),
        ({"q": three["id"].replace("-", "").upper()}, [three]),
        ({"created_after": two["created_at"]}, [three, two]),
        ({"created_before": two["created_at"]}, [one]),
    ]:
        assert ids(flow.get(URL, query)) == [run["id"] for run in wanted], query


def test_pages_of_runs_follow_each_other_and_cost_the_same_however_many(flow):
    flow.post(f"{URL}/batch", {"workflow": "flow", "items": [{"input": n} for n in range(60)]})
    first = flow.get(URL)
    assert len(ids(first)) == 50
    assert len(ids(flow.get(first.json()["next"]))) == 10
    flow.get(URL)
    costs = []
    for limit in (1, 50):
        with watching() as seen:
            flow.get(URL, {"limit": limit})
        costs.append(seen.trips)
    assert costs[0] == costs[1]


def test_a_run_that_is_not_there_is_a_404(flow):
    for path in ("", "/steps", "/history"):
        assert flow.get(f"{URL}/{NOBODY}{path}").status_code == 404
    for verb in ("cancel", "resume"):
        assert flow.post(f"{URL}/{NOBODY}/{verb}").status_code == 404
    assert flow.get(f"{URL}/no-uuid").status_code == 404


def test_the_steps_of_a_run_can_be_asked_for_alone(flow):
    run = start(flow)
    assert flow.get(f"{URL}/{run['id']}/steps").json()["results"] == run["steps"]
    (step,) = flow.get(f"{URL}/{run['id']}/steps", {"node": "s1"}).json()["results"]
    assert step["node"] == "s1"
    answer = flow.get(f"{URL}/{run['id']}/steps", {"node": "s9"})
    assert (answer.status_code, answer.json()["error"]["field"]) == (404, "node")


def test_the_history_of_a_run_reads_both_ways(flow):
    run = start(flow)
    factories.work()
    url = f"{URL}/{run['id']}/history"
    oldest_first = flow.get(url, {"order": "asc"}).json()["results"]
    assert oldest_first[0]["type"] == "RUN_STARTED"
    assert set(oldest_first[0]) == {"id", "type", "node", "attempt", "payload", "created_at"}
    newest_first = flow.get(url).json()["results"]
    assert newest_first == oldest_first[::-1]
    page, seen = flow.get(url, {"order": "asc", "limit": 2}).json(), []
    while True:
        seen += page["results"]
        if page["next"] is None:
            break
        page = flow.get(page["next"]).json()
    assert seen == oldest_first
    back = flow.get(page["previous"]).json()["results"]
    assert back == oldest_first[-len(back) - len(page["results"]) : -len(page["results"])]


def test_an_open_run_is_cancelled_once(flow):
    run = start(flow)
    answer = flow.post(f"{URL}/{run['id']}/cancel", {"reason": "a mistake"})
    assert (answer.status_code, answer.json()["status"]) == (200, "CANCELLED")
    assert {step["status"] for step in answer.json()["steps"]} <= {"CANCELLED", "PENDING"}
    again = flow.post(f"{URL}/{run['id']}/cancel")
    assert (again.status_code, again.json()["error"]["code"]) == (409, "run_ended")


def test_a_failed_run_leaves_a_dead_letter_and_can_be_resumed(flow):
    run = start(flow, "broken")
    factories.work()
    failed = flow.get(f"{URL}/{run['id']}").json()
    assert (failed["status"], failed["steps"][0]["status"]) == ("FAILED", "FAILED")
    assert failed["error"]["code"] == failed["steps"][0]["error"]["code"] == "BadInput"
    (letter,) = flow.get("/api/v1/dead-letters").json()["results"]
    assert (letter["run_id"], letter["node"], letter["resolution"]) == (run["id"], "s0", None)
    assert set(letter) == {
        *("id", "run_id", "step_id", "node", "error", "error_message", "attempts", "retry_count"),
        *("created_at", "moved_at", "resolution"),
    }
    assert flow.get("/api/v1/dead-letters", {"resolution": "resolved"}).json()["results"] == []
    resumed = flow.post(f"{URL}/{run['id']}/resume", {"reason": "try again"})
    assert (resumed.status_code, resumed.json()["life"]) == (200, 2)
    assert resumed.json()["status"] in ("RUNNING", "PENDING")
    again = flow.post(f"{URL}/{run['id']}/resume")
    assert (again.status_code, again.json()["error"]["code"]) == (409, "not_failed")


def test_a_completed_run_is_not_resumed(flow):
    run = start(flow)
    factories.work()
    assert flow.post(f"{URL}/{run['id']}/resume").status_code == 409


def test_a_deadline_is_counted_from_the_start(flow):
    run = start(flow, sla_seconds=60)
    stored = factories.run(run["id"])
    assert abs(stored.sla_deadline - stored.created_at - timedelta(seconds=60)) < timedelta(seconds=1)


def test_a_run_whose_step_type_is_not_installed_any_more_can_still_be_looked_at(flow):
    version = factories.a_version(factories.graph([{"id": "a", "type": "gone.away"}, "b"], ["a>b"]))
    run = start(flow)
    Run.unsafe_all_tenants.filter(pk=run["id"]).update(version_id=version.pk)
    seen = flow.get(f"{URL}/{run['id']}").json()
    assert [(step["node"], step["type"]) for step in seen["steps"]] == [("a", "gone.away"), ("b", "noop")]
