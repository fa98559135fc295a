"""What requesters get of a run, and the categories of the catalogue."""

import re

import pytest

from engine.catalogue import Json
from engine.renaming import rename_step
from engine.validate import validate
from runs.commands.starts import NewRun, Terms, start_runs
from runs.files import uploads
from steps.catalogue import CATALOGUE
from tests import factories as make
from tests.inbox.asking import decide, member, task_of
from tests.store.watching import trips_of_page
from tests.web.test_request_words import ASK, EDGES, NO
from tests.web.test_requests import logged_in, own_request

pytestmark = pytest.mark.django_db

PAY = {"id": "pay", "type": "transform", "params": {"set": {"amount": 12.5, "password": "hush"}}}


@pytest.fixture(autouse=True)
def people():
    member("ben", "approver")
    member("rita", "requester")


def asking(result: Json, **terms: Json) -> dict[str, Json]:
    return make.graph([ASK, PAY, NO], EDGES) | {"request": {"result": result, **terms}}


def run_of(result: Json) -> str:
    run_id = own_request(make.a_version(asking(result)), "rita")
    assert told(run_id)["result"] == []
    decide(member("ben", "approver"), task_of(run_id), "approved")
    make.work()
    return run_id


def told(run_id: str, name: str = "rita") -> dict[str, Json]:
    return logged_in(name).get(f"/api/v1/requests/{run_id}").json()


def rows(run_id: str) -> dict[str, Json]:
    return {row["label"]: row["fault"] or row["value"] for row in told(run_id)["result"]}


def test_each_row_is_a_value_of_the_ended_run():
    result = {
        "Amount": "{{ steps.pay.output.amount }}",
        "Portal": "https://portal.example/{{ input.amount }}",
        "Bad": "javascript:alert({{ input.amount }})",
        "Reason": "{{ steps.no.output.reason }}",
        "Broken": "{{ steps.pay.output.nothing }}",
        "Secret": "{{ steps.pay.output.password }}",
    }
    run_id = run_of(result)
    got = rows(run_id)
    assert (got["Amount"], got["Portal"]) == (12.5, "https://portal.example/1")
    assert "Reason" not in got
    assert got["Broken"] == "This could not be computed."
    assert "hush" not in str(got)
    page = logged_in("rita").get(f"/requests/{run_id}").text
    assert '<a href="https://portal.example/1"' in page
    assert 'href="javascript' not in page
    assert "What you get" in page
    assert "hush" not in page


def test_rows_have_the_order_of_their_author():
    version = make.a_version(asking({"Aa": 1, "B": 2, "C": 3}, result_order=["C", "Aa", "Gone"]))
    run_id = own_request(version, "rita")
    decide(member("ben", "approver"), task_of(run_id), "approved")
    make.work()
    assert [row["label"] for row in told(run_id)["result"]] == ["C", "Aa", "B"]


def test_a_text_is_markdown_of_which_values_mark_nothing_up():
    run_id = run_of("**Paid**: {{ steps.ask.output.comment }} {{ steps.pay.output.amount }}")
    page = logged_in("rita").get(f"/requests/{run_id}").text
    assert "<strong>Paid</strong>" in page
    assert "12.5" in page


def test_a_refused_request_has_no_result():
    run_id = own_request(make.a_version(asking({"Amount": "{{ steps.pay.output.amount }}"})), "rita")
    decide(member("ben", "approver"), task_of(run_id), "rejected")
    make.work()
    assert told(run_id)["result"] == []


def test_it_is_judged_with_the_definition():
    def problems(result: Json) -> list[str]:
        return [one.field for one in validate(asking(result), CATALOGUE)]

    assert any("request.result" in one for one in problems({"A": "{{ steps.gone.output }}"}))
    assert any("request.result" in one for one in problems({"A": "{{ steps. }}"}))
    assert not any("request" in one for one in problems({"A": "{{ steps.pay.output.amount }}"}))


def test_renaming_a_step_renames_it_there():
    renamed = rename_step(asking({"A": "{{ steps.pay.output.amount }}"}), "pay", "paid", catalogue=CATALOGUE)
    assert renamed.definition["request"]["result"] == {"A": "{{ steps.paid.output.amount }}"}


def test_the_catalogue_has_categories():
    member("boss", "admin")
    for category, title in (("Travel", "A flight"), ("Money", "A refund"), (None, "A thing")):
        terms = {"category": category} if category else {}
        workflow = make.a_version(asking({"A": 1}, **terms)).workflow
        workflow.title = title
        workflow.save()
    boss = logged_in("boss")
    found = boss.get("/api/v1/requests/catalogue?q=trav").json()["results"]
    assert [(one["title"], one["category"]) for one in found] == [("A flight", "Travel")]
    page = boss.get("/requests/")
    assert [name for name, _ in page.context["groups"]] == ["Money", "Travel", ""]
    assert page.text.index("My requests") < page.text.index("What you can ask for")
    chosen = boss.get("/requests/?category=Money")
    assert [one.title for one in chosen.context["offered"]] == ["A refund"]
    assert "Nothing is in this category" in boss.get("/requests/?category=None").text


def test_what_is_open_stands_first():
    done = own_request(make.a_version(make.graph([{"id": "a", "type": "noop"}], [])), "rita")
    assert [row["id"] for row in logged_in("rita").get("/requests/").context["rows"]] == [done]
    waiting = own_request(make.a_version(asking({"A": 1})), "rita")
    assert [row["id"] for row in logged_in("rita").get("/requests/").context["rows"]] == [waiting]
    every = logged_in("rita").get("/requests/?show=all").context["rows"]
    assert [row["id"] for row in every] == [waiting, done]


RECEIPT = b"%PDF-1.7 receipt"
TYPED = {
    "type": "object",
    "properties": {
        "amount": {"type": "number", "x-currency": "EUR"},
        "day": {"type": "string", "format": "date"},
        "at": {"type": "string", "format": "date-time"},
        "who": {"type": "string", "format": "person"},
        "page": {"type": "string", "format": "uri"},
        "receipt": {"type": "string", "format": "file"},
        "receipts": {"type": "array", "items": {"type": "string", "format": "file"}},
        "rows": {
            "type": "array",
            "items": {"type": "object", "properties": {"price": {"type": "number", "x-currency": "JPY"}}},
        },
    },
}
TYPED_RESULT = {
    "Paid": "{{ steps.ask.output.facts['Amount'] }}",
    "Amount": "{{ input.amount }}",
    "Day": "{{ input.day }}",
    "At": "{{ input.at }}",
    "Who": "{{ input.who }}",
    "Page": "{{ input.page }}",
    "Script": "{{ input.script }}",
    "Receipt": "{{ input.receipt }}",
    "Receipts": "{{ input.receipts }}",
    "Rows": "{{ input.rows }}",
    "Sum": "{{ input.amount * 2.0 }}",
    "Told": "{{ input.amount }} on {{ input.day }} for {{ input.who }}",
}


def typed_run(result: Json) -> tuple[str, str, str]:
    """A completed run of Rita's, and the ids of its two files."""
    rita = member("rita", "requester")
    first, second = (
        uploads.upload(rita, name=name, content=RECEIPT)["id"] for name in ("first.pdf", "second.pdf")
    )
    ask = {
        **ASK,
        "params": {**ASK["params"], "facts": {"Amount": "{{ input.amount }}"}, "amendable": ["Amount"]},
    }
    version = make.a_version(
        make.graph([ask, PAY, NO], EDGES) | {"input_schema": TYPED, "request": {"result": result}}
    )
    data = {
        "amount": 1234.5,
        "day": "2027-01-31",
        "at": "2027-01-31T23:30:00Z",
        "who": "ben",
        "page": "https://portal.example/",
        "script": "javascript:alert(1)",
        "receipt": first,
        "receipts": [second],
        "rows": [{"price": 15000}],
    }
    terms = Terms(rita.tenant_id, version.pk, "rita", requested_by=rita.user_id)
    (run,) = start_runs(terms, [NewRun(data)])
    make.work()
    decide(member("ben", "approver"), task_of(run.id), "approved")
    make.work()
    return run.id, first, second


def test_values_of_a_result_have_the_type_of_their_path():
    ben = make.a_user("ben")
    ben.name = "Ben Berg"
    ben.save()
    rita = make.a_user("rita")
    rita.time_zone, rita.locale = "Asia/Tokyo", "de"
    rita.save()
    run_id, first, second = typed_run(TYPED_RESULT)
    got = {row["label"]: row for row in told(run_id)["result"]}
    texts = {label: row["text"] for label, row in got.items()}
    assert texts == {
        "Paid": "1234.50 EUR",
        "Amount": "1234.50 EUR",
        "Day": "2027-01-31",
        "At": "2027-01-31 23:30 UTC",
        "Who": "ben",
        "Page": "https://portal.example/",
        "Script": "javascript:alert(1)",
        "Receipt": first,
        "Receipts": second,
        "Rows": "Price: 15000 JPY",
        "Sum": "2469.0",
        "Told": "1234.50 EUR on 2027-01-31 for ben",
    }
    assert got["Paid"]["schema"] == {"x-currency": "EUR"}
    assert got["Amount"]["value"] == 1234.5
    page = logged_in("rita").get(f"/requests/{run_id}").text
    for words in (
        "1.234,50\u00a0EUR",
        "31.01.2027",
        "01.02.2027, 08:30",
        "Ben Berg",
        "15.000\u00a0JPY",
        "2.469",
    ):
        assert words in page, words
    assert "1.234,50\u00a0EUR on 31.01.2027 for Ben Berg" in page
    assert 'href="javascript' not in page
    assert page.count(f'href="/api/v1/requests/{run_id}/files/{first}"') >= 1
    shown = page[page.index("What you get") : page.index("What happened")]
    for name in ("first.pdf", "second.pdf"):
        assert name in shown
    assert first not in re.sub(r'="[^"]*"', "", shown)


def test_a_text_has_typed_values_too():
    run_id, _, _ = typed_run("**{{ input.amount }}** on `{{ input.day }}`")
    assert told(run_id)["result"][0]["value"] == "**1234.50 EUR** on `2027-01-31`"
    page = logged_in("rita").get(f"/requests/{run_id}").text
    assert "<strong>1234.50&nbsp;EUR</strong>" in page


def test_people_in_a_result_are_asked_for_in_one_statement():
    names = [f"person{place}" for place in range(6)]
    rita = member("rita", "requester")
    for name in names:
        member(name)
    person = {"type": "string", "format": "person"}
    schema = {"type": "object", "properties": dict.fromkeys(names, person)}
    trips = []
    for some in (names[:1], names):
        result = {name: f"{{{{ input.{name} }}}}" for name in some}
        result["All"] = " and ".join(result.values())
        definition = make.graph([PAY], []) | {"input_schema": schema, "request": {"result": result}}
        terms = Terms(rita.tenant_id, make.a_version(definition).pk, "rita", requested_by=rita.user_id)
        (run,) = start_runs(terms, [NewRun({name: name for name in some})])
        make.work()
        trips.append(trips_of_page(logged_in("rita"), f"/requests/{run.id}"))
    assert trips[0] == trips[1]
