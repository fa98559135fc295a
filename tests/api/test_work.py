"""What would take for ever is refused with `too_much_work`, or answered at once."""

import time

import pytest

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
