"""The signals of a run, and a row for each attempt at its steps (R-039, R-045, R-129)."""

import pytest

from runs.api.run_ids import shown_run
from runs.models import Run
from tests import factories as make
from tests.api.hooks import publish
from tests.store.watching import watching
from tests.timing import clock

__all__ = ["clock"]
pytestmark = pytest.mark.django_db

PAID = {"id": "paid", "type": "signal", "params": {"name": "paid"}}
BOTH = {"nodes": [PAID, {"id": "last", "type": "signal", "params": {"name": "last"}}], "edges": []}


def started(api, definition, name="flow"):
    publish(api, {"name": name, **definition})
    run = api.post("/api/v1/runs", {"workflow": name, "input": {}}).json()["id"]
    make.work()
    return run


def signals(api, run, **params):
    answer = api.get(f"/api/v1/runs/{run}/signals", params)
    assert answer.status_code == 200, answer.content
    return answer.json()["results"]


def send(api, run, name, signal_id, **more):
    answer = api.post(f"/api/v1/runs/{run}/signals", {"name": name, "signal_id": signal_id, **more})
    assert answer.status_code == 202, answer.content
    make.work()


def test_the_signals_of_a_run_with_what_became_of_each(api, clock):
    run = started(api, BOTH)
    send(api, run, "paid", "s-1", payload={"amount": 40})
    send(api, run, "other", "s-2")
    rows = signals(api, shown_run(run))
    assert [(one["signal_id"], one["name"], one["payload"], one["processed"]) for one in rows] == [
        ("s-2", "other", None, False),
        ("s-1", "paid", {"amount": 40}, True),
    ]
    kept, taken = rows
    assert (kept["processed_at"], kept["processed_by"]) == (None, None)
    assert taken["processed_by"] == {"run": run, "node": "paid", "index": None}
    assert taken["sent_by"] == "admin-of-ours"
    assert taken["sent_at"] <= taken["processed_at"]
    assert [one["signal_id"] for one in signals(api, run, processed="false")] == ["s-2"]
    assert [one["signal_id"] for one in signals(api, run, processed="true")] == ["s-1"]
    assert [one["signal_id"] for one in signals(api, run, name="other")] == ["s-2"]
    assert api.get(f"/api/v1/runs/{run}/signals", {"processed": "x"}).json()["error"]["field"] == "processed"
    page = api.get(f"/api/v1/runs/{run}/signals", {"limit": 1}).json()
    assert [one["signal_id"] for one in api.get(page["next"]).json()["results"]] == ["s-1"]


def test_a_large_payload_is_told_by_its_size_and_whole_by_its_id(api, clock):
    run = started(api, BOTH)
    large = {"text": "".join(f"{number:x} " for number in range(3_000))}
    send(api, run, "paid", "s-1", payload=large)
    send(api, run, "last", "s-2", payload={"text": "a" * 50_000})
    for row in signals(api, run):
        assert row["payload"] is None
        assert row["truncated"] > 4096 or row["signal_id"] == "s-2"
    (row,) = signals(api, run, signal_id="s-1")
    assert (row["payload"], row["truncated"]) == (large, None)


def test_signals_of_items_children_and_their_root(api, clock):
    body = {"steps": [PAID, {"id": "then", "type": "noop"}]}
    mapped = {"id": "each", "type": "map", "params": {"items": "{{ [1, 2] }}", "body": body}}
    run = started(api, {"nodes": [mapped], "edges": []})
    send(api, run, "paid", "for-1", index=1, payload=11)
    send(api, run, "later", "kept")
    rows = {one["signal_id"]: one for one in signals(api, run)}
    assert rows["for-1"]["index"] == 1
    assert (rows["for-1"]["processed_by"]["node"], rows["for-1"]["processed_by"]["index"]) == ("paid", 1)
    assert rows["kept"]["processed"] is False
    first, second = Run.unsafe_all_tenants.filter(parent_id=run).order_by("id").values_list("pk", flat=True)
    of_items = [[one["signal_id"] for one in signals(api, item)] for item in (first, second)]
    assert sorted(of_items) == [[], ["for-1"]]


def test_a_signal_to_all_is_one_of_each_run_that_took_it_and_one_to_a_child_is_the_childs(api, clock):
    publish(api, {"name": "below", "nodes": [PAID], "edges": []})
    child = {"type": "subworkflow", "params": {"workflow": "below"}}
    run = started(api, {"nodes": [{"id": "a", **child}, {"id": "b", **child}], "edges": []})
    a, b = Run.unsafe_all_tenants.filter(parent_id=run).order_by("id").values_list("pk", flat=True)
    send(api, a, "nothing", "to-a")
    assert [[one["signal_id"] for one in signals(api, one)] for one in (run, a, b)] == [
        ["to-a"],
        ["to-a"],
        [],
    ]
    send(api, run, "paid", "to-all", all=True)
    assert [len(signals(api, one)) for one in (run, a, b)] == [2, 2, 1]


def test_whoever_may_not_read_the_run_reads_neither(people, api, clock):
    run = started(api, BOTH)
    for part in ("signals", "attempts"):
        assert people.client("admin", tenant="theirs").get(f"/api/v1/runs/{run}/{part}").status_code == 404
        narrow = people.client("operator", scopes=frozenset({"runs:signal"}))
        assert narrow.get(f"/api/v1/runs/{run}/{part}").status_code == 403


def attempts(api, run, **params):
    answer = api.get(f"/api/v1/runs/{run}/attempts", params)
    assert answer.status_code == 200, answer.content
    return answer.json()["results"]


def told(rows):
    return [(one["node"], one["index"], one["attempt"], one["status"]) for one in rows]


JOB = {"id": "pay", "type": "job", "queue": "card", "retry": {"max_retries": 1, "jitter": 0}}


def test_each_attempt_is_a_row_also_of_the_next_life(api, clock):
    run = started(api, {"nodes": [JOB], "edges": []})
    make.fail(*make.claimed("card"), retryable=True)
    clock.advance(3600)
    (claimed,) = make.claimed("card")
    assert told(attempts(api, run)) == [("pay", None, 1, "FAILED"), ("pay", None, 2, "RUNNING")]
    make.fail(claimed, retryable=True)
    first, second = attempts(api, run, node="pay")
    assert (first["status"], first["error"]["code"], first["worker"]) == ("FAILED", "Boom", "w")
    assert first["next_attempt_at"] > first["ended_at"]
    assert (second["status"], second["duration_ms"], second["next_attempt_at"]) == ("FAILED", 0.0, None)
    assert api.post(f"/api/v1/runs/{run}/resume", {}).status_code == 200
    make.complete(*make.claimed("card"))
    assert told(attempts(api, run))[2:] == [("pay", None, 1, "COMPLETED")]
    page = api.get(f"/api/v1/runs/{run}/attempts", {"limit": 2}).json()
    assert told(api.get(page["next"]).json()["results"]) == [("pay", None, 1, "COMPLETED")]


def test_items_of_a_map_have_theirs_and_a_step_that_waits_has_one(api, clock):
    mapped = {"id": "each", "type": "map", "params": {"items": "{{ [1, 2] }}", "body": {"type": "noop"}}}
    run = started(api, {"nodes": [mapped, PAID], "edges": []})
    assert sorted(told(attempts(api, run, node="each")), key=str) == [
        ("each", 0, 1, "COMPLETED"),
        ("each", 1, 1, "COMPLETED"),
        ("each", None, 1, "COMPLETED"),
    ]
    assert told(attempts(api, run, node="each", index=1)) == [("each", 1, 1, "COMPLETED")]
    assert told(attempts(api, run, node="paid")) == [("paid", None, 1, "WAITING")]
    assert api.post(f"/api/v1/runs/{run}/cancel", {}).status_code == 200
    assert told(attempts(api, run, node="paid")) == [("paid", None, 1, "CANCELLED")]


def test_a_step_that_is_given_up_or_cancelled_between_two_attempts_has_no_row_more(api, clock):
    asks = JOB | {"id": "ask", "queue": "ask", "on_error": "ask"}
    run = started(api, {"nodes": [JOB, asks], "edges": []})
    make.fail(*make.claimed("card"), retryable=True)
    make.fail(*make.claimed("ask"))
    rows = [("pay", None, 1, "FAILED"), ("ask", None, 1, "FAILED")]
    assert told(attempts(api, run)) == rows
    letter = api.get("/api/v1/dead-letters").json()["results"][0]["id"]
    assert api.post(f"/api/v1/dead-letters/{letter}/discard", {"reason": "no"}).status_code == 200
    make.work()
    assert api.get(f"/api/v1/runs/{run}").json()["status"] == "FAILED"
    assert told(attempts(api, run)) == rows


def test_attempts_of_an_unknown_step_and_an_index_without_one_are_refused(api, clock):
    run = started(api, BOTH)
    assert api.get(f"/api/v1/runs/{run}/attempts", {"node": "no"}).status_code == 404
    assert api.get(f"/api/v1/runs/{run}/attempts", {"index": 1}).json()["error"]["field"] == "node"


def test_both_take_as_many_statements_for_many_as_for_few(api, clock):
    run = started(api, BOTH)
    send(api, run, "paid", "s-0")
    with watching() as few:
        signals(api, run), attempts(api, run)
    for number in range(1, 30):
        send(api, run, "kept", f"s-{number}")
    with watching() as many:
        signals(api, run), attempts(api, run)
    assert many.trips <= few.trips
