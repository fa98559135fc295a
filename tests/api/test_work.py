"""What would take for ever is refused with `too_much_work`, or answered at once."""

import json
import random
import time

import pytest

from tests.api.hooks import publish
from tests.growth.values import VALUES

URL = "/api/v1/workflows/validate"


def form(schema):
    node = {"id": "ask", "type": "human.form", "params": {"title": "A", "form": schema, "due_seconds": 60}}
    return {"name": "a", "nodes": [node], "edges": []}


@pytest.mark.parametrize("word", ["allOf", "anyOf", "oneOf"])
def test_a_small_schema_is_checked_at_once(api, word):
    schema = {"type": "object", word: [{"$ref": "#"}, {"$ref": "#"}, {"$ref": "#"}]}
    taken = {"name": "b", "input_schema": schema, "nodes": [{"id": "a", "type": "text.clean"}], "edges": []}
    began = time.process_time()
    assert api.post(URL, {"definition": form(schema)}).status_code == 200
    assert api.post(URL, {"definition": taken}).status_code == 200
    assert time.process_time() - began < 1


def test_what_takes_too_much_work_is_a_problem_that_names_its_place(api):
    schema = {"type": "object", "properties": {f"p{at}": {"pattern": "[ሀ-ሄ]" * 500} for at in range(10)}}
    answer = api.post(URL, {"definition": form(schema)}).json()
    [problem] = answer["problems"]
    assert problem["code"] == "too_much_work"
    assert "2,000,000 units of work" in problem["message"]


NASTY = " || ".join(['input.t.matches("[ab]*a[ab]{900}c")'] * 30)
TEXT = "".join(random.Random(1).choices("ab", k=240_000))
ASK = {
    "name": "ask",
    "nodes": [{"id": "ask", "type": "decision"}, {"id": "yes", "type": "noop"}, {"id": "no", "type": "noop"}],
    "edges": [{"from": "ask", "to": "yes", "when": NASTY}, {"from": "ask", "to": "no", "default": True}],
}


def test_an_expression_that_would_stop_the_process_is_a_fault_of_its_preview(api):
    assert api.post("/api/v1/workflows", {"name": "ask", "definition": ASK}).status_code == 201
    asked = {"definition": ASK, "place": "when", "edge": {"from": "ask", "to": "yes"}, "text": NASTY}
    began = time.thread_time()
    answer = api.post("/api/v1/workflows/ask/evaluate", {**asked, "input": {"t": TEXT}}).json()
    assert time.thread_time() - began < 1
    assert answer["error"]["code"] == "too_much_work"
    assert "250 ms" in answer["error"]["message"]


def test_a_first_decision_that_would_stop_the_process_fails_its_run(api):
    publish(api, ASK)
    began = time.thread_time()
    answer = api.post("/api/v1/runs", {"workflow": "ask", "input": {"t": TEXT}})
    assert time.thread_time() - began < 1
    assert answer.status_code == 201, answer.json()
    run = api.get(f"/api/v1/runs/{answer.json()['id']}").json()
    assert (run["status"], run["error"]["code"]) == ("FAILED", "TooMuchWork")
    # A small input is decided as ever.
    assert api.post("/api/v1/runs", {"workflow": "ask", "input": {"t": "b"}}).status_code == 201


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("objects", "taken"),
        ("patterns", "too_much_work"),
        ("allOf", "too_much_work"),
        ("itself", "too_much_work"),
        ("names", "invalid_input"),
        ("dependent", "too_much_work"),
    ],
)
def test_an_input_is_checked_at_once_or_refused_with_its_place(api, name, code):
    schema, value = VALUES[name](20 if name == "names" else 80)
    node = {"id": "a", "type": "noop"}
    whole = {"type": "object", "properties": {"x": {"$ref": "#/$defs/x"}}, "$defs": {"x": moved(schema)}}
    publish(api, {"name": "a", "input_schema": whole, "nodes": [node], "edges": []})
    began = time.thread_time()
    answer = api.post("/api/v1/runs", {"workflow": "a", "input": {"x": value}})
    assert time.thread_time() - began < 4
    assert (answer.json().get("error") or {"code": "taken"})["code"] == code
    if code == "too_much_work":
        error = answer.json()["error"]
        assert (answer.status_code, error["field"]) == (400, "input")
        assert error["details"].keys() == {"place", "budget"}


def moved(schema):
    """The schema as a part of another, with its references."""
    return json.loads(json.dumps(schema).replace('"#', '"#/$defs/x'))
