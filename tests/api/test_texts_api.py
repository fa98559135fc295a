"""Definitions as texts and in other dialects: what is exported can be imported, and is the same again."""

import json
from pathlib import Path

import pytest

from engine.canonical import content_hash
from tests import rochallor
from tests.definitions import chain
from workflows.versions.examples import examples

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

API = "/api/v1/workflows"
EXAMPLES = pytest.mark.parametrize("example", examples(), ids=lambda example: example.name)
INVALID = Path(__file__).resolve().parents[1] / "engine" / "fixtures" / "invalid"


def imported(api, document):
    answer = api.post(f"{API}/import", {"document": document})
    assert answer.status_code in (200, 201), answer.json()
    return answer


def draft(api, name):
    return api.get(f"{API}/{name}/draft").json()["definition"]


def in_any_order(definition):
    """The hash of the definition with its edges in one order: plain ones may come back in another."""
    return content_hash({**definition, "edges": sorted(definition["edges"], key=content_hash)})


@EXAMPLES
@pytest.mark.parametrize("written", ["json", "yaml"])
def test_an_example_that_is_exported_and_imported_is_the_same(api, example, written):
    imported(api, example.definition)
    export = api.get(f"{API}/{example.name}/export?format={written}")
    assert export.headers["Content-Type"] == f"application/{written}"
    assert f'filename="{example.name}.{written}"' in export.headers["Content-Disposition"]
    again = imported(api, export.content.decode())
    assert again.status_code == 200
    assert again.json()["draft_revision"] == 1, "equal content changes nothing"
    assert content_hash(draft(api, example.name)) == content_hash(example.definition)


@EXAMPLES
def test_an_example_that_is_exported_as_python_and_executed_is_the_same(api, example):
    imported(api, example.definition)
    export = api.get(f"{API}/{example.name}/export?format=python")
    assert export.headers["Content-Type"] == "text/x-python; charset=utf-8"
    assert f'filename="{example.name}.py"' in export.headers["Content-Disposition"]
    names = {}
    exec(export.content.decode(), names)
    assert content_hash(names["workflow"].build()) == content_hash(example.definition)


def test_python_says_what_our_own_dialect_says(api):
    imported(api, {"name": "flow", "steps": ["text.clean"]})
    assert (
        'workflow.step("clean", "text.clean")' in api.get(f"{API}/flow/export?format=python").content.decode()
    )
    refused = api.get(f"{API}/flow/export?format=python&dialect=s0")
    assert (refused.status_code, refused.json()["error"]["field"]) == (400, "dialect")


@EXAMPLES
@pytest.mark.parametrize("dialect", ["steps", "configuration", "depends_on", "s0"])
def test_an_example_comes_back_from_a_dialect_that_can_say_it(api, example, dialect):
    imported(api, example.definition)
    export = api.get(f"{API}/{example.name}/export?format=yaml&dialect={dialect}")
    if export.status_code == 422:
        error = export.json()["error"]
        assert (error["code"], bool(error["details"]["place"])) == ("not_sayable", True)
        return
    imported(api, export.content.decode())
    assert in_any_order(draft(api, example.name)) == in_any_order(example.definition)


@pytest.mark.parametrize("fixture", sorted(INVALID.glob("*.json")), ids=lambda path: path.stem)
def test_a_definition_with_problems_comes_back_from_yaml_too(api, fixture):
    definition = json.loads(fixture.read_text())["document"]
    if not isinstance(definition, dict):
        return
    text = api.post(f"{API}/write", {"definition": definition, "format": "yaml"})
    if text.status_code == 200:
        read = api.post(f"{API}/read", {"text": text.json()["text"]}).json()
        assert read["problems"] == api.post(f"{API}/validate", {"definition": definition}).json()["problems"]


def test_the_draft_is_exported_when_it_is_asked_for(api):
    imported(api, chain("flow"))
    api.post(f"{API}/flow/publish", {})
    imported(api, chain("flow", length=2))
    assert len(api.get(f"{API}/flow/export").json()["nodes"]) == 1
    assert len(api.get(f"{API}/flow/export?draft=true").json()["nodes"]) == 2
    both = api.get(f"{API}/flow/export?draft=true&version=1")
    assert (both.status_code, both.json()["error"]["field"]) == (400, "draft")


def test_an_export_has_its_keys_where_people_look_for_them(api):
    definition = {
        "nodes": [{"params": {}, "type": "noop", "id": "a", "title": "A"}],
        "edges": [],
        "name": "flow",
    }
    imported(api, definition)
    text = api.get(f"{API}/flow/export?format=yaml").content.decode()
    assert text == "name: flow\nnodes:\n  - id: a\n    type: noop\n    title: A\n    params: {}\nedges: []\n"
    assert api.post(f"{API}/write", {"definition": definition, "format": "yaml"}).json() == {"text": text}


def test_a_draft_in_a_dialect_is_exported_as_it_is_or_in_ours(api):
    api.post(API, {"name": "flow", "definition": {"name": "flow", "steps": ["text.clean"]}})
    assert api.get(f"{API}/flow/export").json() == {"name": "flow", "steps": ["text.clean"]}
    assert api.get(f"{API}/flow/export?dialect=native").json()["nodes"] == [
        {"id": "clean", "type": "text.clean"}
    ]


def test_what_was_imported_from_s4_is_exported_as_it_was(api):
    for document in (rochallor.LOAN, rochallor.ENDS_IN_A_PATH, rochallor.BEHIND_A_TASK):
        imported = api.post(f"{API}/import", {"document": document, "dialect": "s4"})
        assert imported.status_code in (200, 201)
        errors = {one["code"] for one in imported.json()["problems"] if one["severity"] == "error"}
        # The workflow that follows isn't there.
        assert errors <= {"unknown_workflow"}
        back = api.get(f"{API}/{document['id']}/export?dialect=s4").json()
        assert back == document
        conditions = [[*step.get("conditionalNextSteps", ())] for step in back["steps"]]
        assert conditions == [[*step.get("conditionalNextSteps", ())] for step in document["steps"]]


def test_all_that_is_wrong_with_a_document_of_s4_is_told_at_once(api):
    document = rochallor.document(rochallor.service("a", "gone", retryCount=-1, more=1), rochallor.END)
    refused = api.post(f"{API}/import", {"document": document})
    assert refused.status_code == 422
    places = [problem["field"] for problem in refused.json()["error"]["details"]["problems"]]
    assert places[:3] == ["steps[0].retryCount", "steps[0].more", "steps[0].nextStep"]


@pytest.mark.parametrize("query", ["dialect=none", "format=xml", "draft=perhaps", "more=1"])
def test_an_export_that_there_is_not_is_refused(api, query):
    imported(api, chain("flow"))
    answer = api.get(f"{API}/flow/export?{query}")
    assert (answer.status_code, answer.json()["error"]["field"]) == (400, query.partition("=")[0])


def test_a_text_is_read_and_nothing_is_saved(api):
    text = "name: flow\nsteps: [text.clean, no.such]\n"
    read = api.post(f"{API}/read", {"text": text, "name": "other"}).json()
    assert (read["dialect"], read["format"]) == ("steps", "yaml")
    assert [node["type"] for node in read["definition"]["nodes"]] == ["text.clean", "no.such"]
    assert sorted(problem["code"] for problem in read["problems"]) == ["bad_value", "unknown_type"]
    assert api.get(API).json()["results"] == []


def test_the_key_on_of_an_edge_is_no_boolean(api):
    text = "name: x\nnodes: [{id: a, type: noop}]\nedges:\n  - from: a\n    to: a\n    on: error\n"
    read = api.post(f"{API}/read", {"text": text}).json()
    assert read["definition"]["edges"] == [{"from": "a", "to": "a", "on": "error"}]


def test_what_is_in_no_dialect_is_read_with_its_problem(api):
    read = api.post(f"{API}/read", {"text": '{"a": 1}'}).json()
    assert (read["definition"], read["dialect"], read["format"]) == (None, None, "json")
    assert len(read["problems"]) == 1


@pytest.mark.parametrize(
    ("text", "details"),
    [
        ('{"a": 1,\n "b" 2}', {"line": 2, "column": 6}),
        ('{"a": 1, "a": 2}', {"pointer": "/a"}),
        ("a: 1\nb: [", {"line": 2, "column": 5}),
        ("a: 1\na: 2", {"line": 2, "column": 1}),
        ("a: &x 1", {"line": 1, "column": 4}),
        ("a: 9007199254740993", {"pointer": "/a"}),
        ("just a text", {"line": 1, "column": 1}),
        ("", {"line": 1, "column": 1}),
        ("[1]", {"line": 1, "column": 1}),
    ],
)
def test_what_can_not_be_read_says_where(api, text, details):
    if text:
        answer = api.post(f"{API}/read", {"text": text})
        assert answer.status_code == 422
        assert answer.json()["error"]["code"] == "bad_document"
        assert answer.json()["error"]["details"] == details
    answer = api.post(f"{API}/import", {"document": text})
    assert (answer.status_code, answer.json()["error"]["field"]) == (422, "document")


def test_a_text_that_is_too_long_is_refused(api):
    answer = api.post(f"{API}/read", {"text": "x" * (1024 * 1024 + 1)})
    assert (answer.status_code, answer.json()["error"]["field"]) == (400, "text")
