"""What is asked keeps the type of its values for each reader, and says what was corrected."""

import json

import pytest

from lib.locales import locale_of
from lib.reader import NOBODY, Reader, reading_as
from lib.refusals import Invalid
from runs.kernel.wait_kinds import in_words
from runs.models import StepExecution
from tasks_inbox.actions import bulk, rounds
from tasks_inbox.eligibility.standing import standing
from tasks_inbox.evidence import exports, readable
from tasks_inbox.evidence.verifying import verify_chain
from tasks_inbox.forms.texts import instructions_of, outcomes_of, title_of
from tasks_inbox.mail import mails
from tasks_inbox.models import ManualTask, TaskDecision
from tasks_inbox.reading import task_rows
from tasks_inbox.web import facts
from tests import factories as make
from tests.inbox.asking import again, decide, member, read, task_of
from tests.inbox.test_evidence_export import faults

GERMAN = Reader(zone="Europe/Berlin", locale=locale_of("de"))
AMERICAN = Reader(zone="America/New_York", locale=locale_of("en-US"))
EXPENSE = {
    "type": "object",
    "properties": {
        "amount": {"type": "number", "x-currency": "EUR", "title": "Amount"},
        "day": {"type": "string", "format": "date"},
        "for": {"type": "string"},
        "items": {"type": "array", "items": {"type": "object", "properties": {
            "price": {"type": "number", "x-currency": "EUR", "title": "Price"}}}},
    },
}  # fmt: skip
ASK = {
    "title": 'Pay {{ facts["Amount"] }} for {{ input.for }} of {{ input.day }}?',
    "instructions": 'Compare {{ facts["Amount"] }} with `{{ facts["Amount"] }}`.',
    "facts": {"Amount": "{{ input.amount }}", "Day": "{{ input.day }}", "Items": "{{ input.items }}"},
    "amendable": ["Amount"],
    "outcomes": [
        {"name": "approved", "label": 'Pay {{ facts["Amount"] }}'},
        {"name": "rejected", "label": "Reject", "require_comment": True},
    ],
}
GIVEN = {"amount": 1234.5, "day": "2027-01-31", "for": "a *train*", "items": [{"price": 0.1}]}


def definition(**params):
    return make.graph([{"id": "ask", "type": "human.approval", "params": {**ASK, **params}}], []) | {
        "input_schema": EXPENSE
    }


@pytest.fixture
def people():
    """Who started the run, and one who may decide."""
    return member("ria", "viewer"), member("bob")


def asked(**params):
    (run,) = make.start(definition(**params), GIVEN, by="ria")
    make.work()
    return task_of(run)


def corrected(people, task, amount=617.25):
    ria, bob = people
    rounds.return_task(bob, task.pk, comment="Half of it.", seen=read(bob, task))
    rounds.send_again(ria, task.pk, facts={"Amount": amount})
    return again(task)


def read_by(reader, task):
    with reading_as(reader):
        return title_of(task), instructions_of(task), outcomes_of(task)[0]["label"]


def test_each_reader_reads_the_question_in_their_format(people):
    task = asked()
    assert task.title == "Pay 1234.50 EUR for a *train* of 2027-01-31?"
    assert read_by(NOBODY, task)[0] == task.title
    assert read_by(GERMAN, task) == (
        "Pay 1.234,50\u00a0EUR for a *train* of 31.01.2027?",
        "Compare 1.234,50\u00a0EUR with `1.234,50\u00a0EUR`.",
        "Pay 1.234,50\u00a0EUR",
    )
    assert read_by(AMERICAN, task)[0] == "Pay 1,234.50\u00a0EUR for a *train* of Jan 31, 2027?"
    with reading_as(GERMAN):
        drawn = facts.drawn(task.facts)
        assert {one.label: one.text for one in drawn if one.text} == {
            "Amount": "1.234,50\u00a0EUR",
            "Day": "31.01.2027",
        }
        items = next(one for one in drawn if one.label == "Items")
        assert (items.columns[0].title, items.items[0][0].text) == ("Price", "0,10\u00a0EUR")


def test_a_correction_is_in_every_text(people):
    task = corrected(people, asked())
    assert (task.title, task.outcomes[0]["label"]) == (
        "Pay 617.25 EUR for a *train* of 2027-01-31?",
        "Pay 617.25 EUR",
    )
    assert read_by(GERMAN, task)[0] == "Pay 617,25\u00a0EUR for a *train* of 31.01.2027?"
    row = task_rows.whole_row(standing(people[1], task), "refunds")
    assert "617.25" in row["instructions"]
    step = StepExecution.unsafe_all_tenants.get(run_id=task.run_id, node="ask")
    assert "617.25" in json.dumps(step.waiting["task"]["texts"])
    assert step.waiting["task"]["facts"] == task.facts
    assert "Pay 617.25" in in_words(step.waiting)


def test_what_was_seen_is_the_values_and_not_the_format(people):
    task = asked()
    seen = read(people[1], task)
    with reading_as(GERMAN):
        assert read(people[1], again(task)) == seen
    decide(people[1], task, seen=seen)
    assert again(task).status == "COMPLETED"


def test_the_evidence_says_what_each_round_asked(people):
    task = corrected(people, asked())
    decide(people[1], task, "approved")
    assert [
        json.loads(one.record)["question"] for one in TaskDecision.unsafe_all_tenants.order_by("seq")
    ] == [
        "Pay 1234.50 EUR for a *train* of 2027-01-31?",
        "Pay 617.25 EUR for a *train* of 2027-01-31?",
    ]
    assert [*verify_chain(task.tenant_id)] == []
    text = exports.export(people[1], task.run_id, "json").content.decode()
    assert faults(text) == []
    with reading_as(GERMAN):
        titles = [part.title for part in readable.parts_of(text).parts]
        lines = dict(readable.parts_of(text).parts[1].lines)
    assert titles == [
        "Pay 1234.50 EUR for a *train* of 2027-01-31?",
        "Pay 617.25 EUR for a *train* of 2027-01-31?",
    ]
    assert lines["Amount"] == "617.25 EUR"


def test_the_mail_says_it_in_the_format_of_its_reader(people):
    task = corrected(people, asked())
    message = mails.written(
        "resubmitted", task, "Expenses", id=task.pk, sender="h@example.org", to="bob@example.org",
        reader=GERMAN, link="https://h.example/x",
    )  # fmt: skip
    assert "617,25" in message["Subject"]


@pytest.mark.parametrize("value", ["617.25", "x", [1]])
def test_a_correction_of_another_type_is_refused(people, value):
    ria, bob = people
    task = asked()
    rounds.return_task(bob, task.pk, comment="Half of it.", seen=read(bob, task))
    with pytest.raises(Invalid) as refusal:
        rounds.send_again(ria, task.pk, facts={"Amount": value})
    assert (refusal.value.code, refusal.value.field) == ("wrong_type", "facts.Amount")
    assert again(task).returned_to == "ria"


def test_a_correction_with_which_the_question_cannot_be_written_is_refused(people):
    ria, bob = people
    task = asked(title='{{ 10 / int(facts["Amount"]) }} parts?')
    rounds.return_task(bob, task.pk, comment="None.", seen=read(bob, task))
    with pytest.raises(Invalid, match="the question can't be written") as refusal:
        rounds.send_again(ria, task.pk, facts={"Amount": 0})
    assert refusal.value.field == "facts"


def test_a_text_may_read_other_values_beside_the_facts_in_each_round(people):
    task = asked(title='{{ input.for }}: {{ facts["Amount"] > 1000 ? "much" : "little" }}')
    assert task.title == "a *train*: much"
    assert corrected(people, task).title == "a *train*: little"


def test_sums_of_a_bulk_decision_are_exact_and_in_the_reader_s_format(people):
    version = make.a_version(definition())
    for amount in (6580.2, 0.01, 0.01):
        make.start_version(version, GIVEN | {"amount": amount}, by="ria")
    make.work()
    with reading_as(GERMAN):
        sums = dict(bulk.review(people[1], [one.pk for one in task_rows_of()])["sums"])
    assert sums == {"Amount": "6.580,22\u00a0EUR"}


def task_rows_of():
    return list(ManualTask.unsafe_all_tenants.filter(status="OPEN"))


def test_a_step_inside_containers_has_the_types_of_what_is_outside(people):
    inner = {"id": "ask", "type": "human.approval", "params": {
        "title": 'Pay {{ item.price }} of {{ facts["Whole"] }}?',
        "facts": {"Whole": "{{ input.amount }}"}}}  # fmt: skip
    each = {"id": "each", "type": "map", "params": {"items": "{{ input.items }}", "body": {"steps": [inner]}}}
    twice = {"id": "twice", "type": "loop", "params": {"count": 1, "body": {"steps": [each]}}}
    seen = set()
    for node in (each, twice):
        run = make.start({"name": node["id"], "input_schema": EXPENSE, "nodes": [node]}, GIVEN, by="ria")
        make.work()
        (task,) = [one for one in task_rows_of() if one.pk not in seen]
        assert task.title == "Pay 0.10 EUR of 1234.50 EUR?", run
        assert task.pk not in seen
        seen.add(task.pk)


def test_facts_that_are_one_expression_are_asked_and_read_by_later_steps(people):
    first = {"id": "first", "type": "human.approval", "params": {
        "title": 'Pay {{ facts["Sum"] }}?', "facts": "{{ input.rows }}"}}  # fmt: skip
    then = {"id": "then", "type": "human.approval", "params": {
        "title": "{{ steps.first.output.outcome }}, {{ steps.first.output.by }}?", "facts": {}}}  # fmt: skip
    whole = make.graph([first, then], ["first>then"], input_schema={"type": "object"})
    (run,) = make.start(whole, {"rows": {"Sum": 12}}, by="ria")
    make.work()
    task = task_of(run)
    assert (task.title, [one["value"] for one in task.facts]) == ("Pay 12?", [12])
    decide(people[1], task, "approved")
    make.work()
    (task,) = task_rows_of()
    assert task.title == "approved, bob?"
