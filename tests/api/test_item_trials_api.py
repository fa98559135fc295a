"""Trying out what is done for each item, as a client does it."""

import pytest

from tests import factories as make
from tests.answering import answering, http
from tests.api.test_trials_api import CLEAN, URL, charge, draft, tried
from tests.timing import clock

__all__ = ["clock"]
pytestmark = [pytest.mark.django_db, pytest.mark.slow]


def test_steps_of_items_are_told_with_one_of_them(api):
    body = {"steps": [CLEAN, {"id": "charge", "type": "job"}]}
    params = {"items": "{{ input.items }}", "body": body, "tolerate_failures": 1}
    draft(api, [{"id": "each", "type": "map", "params": params}])
    begun, run, _ = tried(api, input={"items": [{"text": " a  b "}, {"text": "c"}, {}]})
    assert begun["inner_steps"] == []
    clean, charge = run["inner_steps"]
    assert (clean["node"], clean["container"], clean["total"]) == ("clean", "each", 3)
    assert (clean["counts"], clean["failed"]["index"]) == ({"COMPLETED": 2, "FAILED": 1}, 2)
    assert (clean["first"]["index"], clean["first"]["output"]) == (0, {"text": "a b"})
    assert (charge["counts"], charge["first"]["type"]) == ({"COMPLETED": 2}, "test.stub")
    part = api.get(f"/api/v1/runs/{clean['first']['run_id']}/steps?node=clean").json()
    assert part["results"][0]["output"] == {"text": "a b"}, "whatever is cut out is there"


def test_what_the_outside_answered_for_items_is_recorded_once_for_all_of_them(api, monkeypatch):
    monkeypatch.setenv("HANDOFF_EGRESS_ALLOW", "127.0.0.1/32")
    paid = {"id": "paid", "type": "transform", "params": {"set": {"receipt": "{{ prev.body }}"}}}
    with answering(http(b"7", content_type="application/json")) as server:
        body = {"steps": [charge(server.url("/charges")), paid]}
        draft(api, [{"id": "each", "type": "map", "params": {"items": "{{ input }}", "body": body}}])
        _, run, _ = tried(api, input=[1, 2], live="all")
    assert run["output"] == {"results": [{"receipt": 7}, {"receipt": 7}]}, run["error"]
    made = api.post(f"{URL}/test-cases/record", {"run_id": run["id"], "name": "paid"}).json()
    assert list(made["stubs"]) == ["charge"]
    assert made["expect"]["output"] == run["output"], "so it gives the same in memory"
    (result,) = api.post(f"{URL}/test-cases/run", {}).json()["results"]
    assert result["differences"] == []


def test_what_the_outside_answered_items_differently_is_recorded_as_what_the_container_gave(api, monkeypatch):
    monkeypatch.setenv("HANDOFF_EGRESS_ALLOW", "127.0.0.1/32")
    with answering(
        http(b"7", content_type="application/json"), http(b"8", content_type="application/json")
    ) as server:
        params = {
            "items": "{{ input }}",
            "body": {"steps": [charge(server.url("/charges"))]},
            "max_concurrency": 1,
        }
        draft(api, [{"id": "each", "type": "map", "params": params}])
        _, run, _ = tried(api, input=[1, 2], live="all")
    assert [one["body"] for one in run["output"]["results"]] == [7, 8], run["error"]
    made = api.post(f"{URL}/test-cases/record", {"run_id": run["id"], "name": "paid"}).json()
    assert (list(made["stubs"]), made["expect"]["output"]) == (["each"], run["output"])


JOB = {"id": "charge", "type": "job", "queue": "outside", "retry": "none"}


BAD = {"id": "bad", "type": "transform", "params": {"set": {"of": "{{ 1 / 0 }}"}}}


def started(api, body, items, *then):
    """A run of a published map that has this body, and of what comes `then`, as far as it goes without the outside."""
    each = {"id": "each", "type": "map", "params": {"items": "{{ input }}", "body": body}}
    draft(api, [each, *then], [f"each>{step['id']}" for step in then])
    assert api.post(f"{URL}/publish").status_code == 201
    run = api.post("/api/v1/runs", {"workflow": "flow", "input": items}).json()["id"]
    make.work()
    return run


def recorded(api, run):
    """The run as a case, which passes at once."""
    answer = api.post(f"{URL}/test-cases/record", {"run_id": run, "name": "as it was"})
    assert answer.status_code == 201, answer.content
    (result,) = api.post(f"{URL}/test-cases/run", {}).json()["results"]
    assert result["differences"] == []
    return answer.json()


def test_a_run_that_failed_because_one_item_did_is_recorded_as_what_the_container_gave(api):
    run = started(api, {"steps": [JOB]}, [1, 2])
    good, bad = make.claimed("outside")
    make.complete(good, output={"id": 7})
    make.fail(bad)
    make.work()
    assert api.get(f"/api/v1/runs/{run}").json()["status"] == "FAILED"
    made = recorded(api, run)
    assert (list(made["stubs"]), list(made["stubs"]["each"])) == (["each"], ["error"])
    assert made["expect"]["status"] == "FAILED"


def test_a_run_of_which_every_item_failed_is_recorded_with_the_failure_of_their_step(api):
    run = started(api, {"steps": [JOB]}, [1])
    make.fail(*make.claimed("outside"))
    make.work()
    assert list(recorded(api, run)["stubs"]) == ["charge"]


def test_the_one_step_of_a_body_that_waits_has_no_id_and_is_recorded_as_what_the_container_gave(api, clock):
    run = started(api, {"type": "wait", "params": {"duration": "PT1M"}}, [1, 2], BAD)
    clock.advance(60)
    make.tick()
    make.work()
    made = recorded(api, run)
    assert (list(made["stubs"]), made["expect"]) == (["each"], {"status": "FAILED", "path": ["each"]})


def test_an_answer_too_large_for_a_case_is_not_read_and_the_container_gives_what_it_gave(api):
    told = {"id": "told", "type": "transform", "params": {"set": {"ok": True}}}
    run = started(api, {"steps": [JOB, told]}, [1])
    make.complete(*make.claimed("outside"), output={"text": "x" * 600_000})
    make.work()
    made = recorded(api, run)
    assert made["stubs"] == {"each": {"output": {"results": [{"ok": True}]}}}
