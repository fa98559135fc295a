"""The forms of the builder's Test panel: fields for the input of a draft, and for what one step reads of others."""

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from tests import factories as make

pytestmark = pytest.mark.django_db

SCHEMA = {
    "type": "object",
    "required": ["order", "amount"],
    "properties": {
        "order": {"type": "string", "title": "Order number"},
        "amount": {"type": "number", "x-currency": "EUR"},
        "due": {"type": "string", "format": "date"},
        "owner": {"type": "string", "format": "person"},
        "proof": {"type": "string", "format": "file"},
        "lines": {"type": "array", "items": {"type": "object", "properties": {"item": {"type": "string"}}}},
    },
}
STEPS = [
    {"id": "ask", "type": "human.approval", "title": "Ask", "params": {"title": "Pay?"}},
    {
        "id": "send",
        "type": "noop",
        "params": {"x": "{{ prev.comment }} {{ prev.at }}", "y": "{{ input.order }}"},
    },
]
DRAFT = {"name": "draft", "nodes": STEPS, "edges": [{"from": "ask", "to": "send"}]}


@pytest.fixture
def author() -> Client:
    client = Client()
    client.force_login(make.a_member("ada", "author"))
    return client


@pytest.fixture
def path(db) -> str:
    name = make.a_version(make.chain("noop")).workflow.name
    return f"/workflows/{name}/test/form"


def asked(client, path, definition, **typed):
    answer = client.post(path, {"definition": json.dumps(definition)} | typed)
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_a_draft_with_a_schema_has_the_fields_of_its_start_form(author, path):
    form = asked(author, path, DRAFT | {"input_schema": SCHEMA}, input='{"order": "A-17", "amount": 12.5}')[
        "input"
    ]
    for words in (
        "Order number",
        'value="A-17"',
        "EUR",
        'type="date"',
        'type="file"',
        "Add another",
        "form-people",
    ):
        assert words in form["html"], words
    assert (form["data"]["order"], form["unplaced"]) == ("A-17", [])


def test_without_a_schema_there_is_no_form_and_an_input_without_a_field_stays_json(author, path):
    assert asked(author, path, DRAFT) == {"input": None, "reads": None}
    form = asked(author, path, DRAFT | {"input_schema": SCHEMA}, input='{"other": 1}')["input"]
    assert form["unplaced"] == ["other"]


def test_errors_are_told_at_their_fields_and_what_was_typed_stays(author, path):
    typed = {"input.order": "A & B", "input.amount": "a lot", "input.due": "2027-01-02", "checked": "yes"}
    form = asked(author, path, DRAFT | {"input_schema": SCHEMA}, **typed)["input"]
    assert not form["right"]
    assert 'id="field-input.amount-fault"' in form["html"]
    assert "A &amp; B" in form["html"]
    right = asked(author, path, DRAFT | {"input_schema": SCHEMA}, **(typed | {"input.amount": "12"}))["input"]
    assert right["right"]
    assert right["data"] == {"order": "A & B", "amount": 12, "due": "2027-01-02"}


def test_rows_are_added_and_files_are_kept(author, path):
    definition = DRAFT | {"input_schema": SCHEMA}
    form = asked(author, path, definition, edit="add input.lines")["input"]
    assert 'name="input.lines[0].item"' in form["html"]
    proof = SimpleUploadedFile("proof.txt", b"paid")
    kept = asked(author, path, definition, **{"input.order": "1", "input.proof": proof})["input"]
    assert "proof.txt" in kept["html"]
    assert len(kept["data"]["proof"]) == 36


def test_a_step_that_is_tested_alone_has_fields_for_what_it_reads(author, path):
    pins = json.dumps({"ask": {"comment": "fine", "by": "bob"}})
    form = asked(author, path, DRAFT, step="send", pins=pins, text_input='{"order": "A-17", "more": 1}')[
        "reads"
    ]
    assert "Outputs of other steps" in form["html"]
    assert "Ask" in form["html"]
    assert 'value="fine"' in form["html"]
    assert form["data"]["steps"] == {"ask": {"comment": "fine"}}
    assert form["data"]["input"] == {"order": "A-17"}
    typed = asked(
        author, path, DRAFT, step="send", **{"reads.steps.ask.comment": "no", "reads.input.order": "A-7"}
    )
    assert typed["reads"]["data"] == {"input": {"order": "A-7"}, "steps": {"ask": {"comment": "no"}}}
    with_form = asked(author, path, DRAFT | {"input_schema": SCHEMA}, step="send")["reads"]
    assert "Input of the run" not in with_form["html"]


@pytest.mark.parametrize(
    "schema",
    [{"type": 7}, {"properties": 3}, {"type": "object", "properties": {"a": {"type": "nothing"}}}, []],
)
def test_a_schema_of_a_draft_may_be_wrong(author, path, schema):
    answer = asked(author, path, DRAFT | {"input_schema": schema}, checked="yes", **{"input.a": "1"})
    assert answer["input"] is None or answer["input"]["html"]


def test_behind_a_container_there_are_the_fields_of_its_items(author, path):
    made = {"id": "made", "type": "transform", "params": {"set": {"amount": 1}}}
    each = {"id": "each", "type": "map", "params": {"items": "{{ input.list }}", "body": {"steps": [made]}}}
    send = {"id": "send", "type": "noop", "params": {"x": "{{ prev.results[0].amount }}"}}
    definition = {"name": "draft", "nodes": [each, send], "edges": [{"from": "each", "to": "send"}]}
    row = {"reads.steps.each.results[0].amount": "12"}
    form = asked(author, path, definition, step="send", **row)["reads"]
    assert 'name="reads.steps.each.results[0].amount"' in form["html"]
    assert form["data"] == {"steps": {"each": {"results": [{"amount": 12}]}}}


def test_what_is_no_definition_is_refused(author, path):
    assert author.post(path, {"definition": "{"}).status_code == 400
    assert author.post(path, {"definition": "[]"}).status_code == 400
    client = Client()
    client.force_login(make.a_member("vic", "viewer"))
    assert client.post(path, {"definition": "{}"}).status_code == 403
