"""The form that starts a workflow, a field for each property of its input; without a browser."""

import html
import json
import re

import pytest
from django.test import Client
from django.utils import timezone

from runs.models import Run, StartDraft
from tests import factories as make
from tests.lib.test_forms import REFUND
from tests.store.watching import trips_of_page
from tests.web.test_run_actions import member, ticket
from workflows.models import Workflow

pytestmark = pytest.mark.django_db

LIVE = {"headers": {"HX-Request": "true"}}
ORDER = {
    "type": "object",
    "required": ["order", "amount"],
    "x-order": ["order", "amount"],
    "properties": {
        "order": {
            "type": "string",
            "title": "Order number",
            "description": "As on the receipt.",
            "pattern": "^A-[0-9]+$",
            "x-message": "An order number is A- and digits, such as A-17.",
        },
        "amount": {"type": "number", "title": "Amount", "x-currency": "EUR", "maximum": 5000},
        "way": {"oneOf": [{"const": "card", "title": "By card"}, {"const": "bank", "title": "By bank"}]},
        "when": {"type": "string", "format": "date-time"},
        "gift": {"type": "boolean"},
        "tags": {"type": "array", "items": {"type": "string", "minLength": 2}},
        "customer": {"type": "object", "properties": {"name": {"type": "string"}}},
        "currency": {"type": "string", "default": "EUR"},
    },
}
SAMPLE = {"order": "A-1", "amount": 12.5, "tags": ["new", "blue"]}


@pytest.fixture
def operator() -> Client:
    return member("operator")


@pytest.fixture
def path() -> str:
    """The address of the start page of a workflow that takes an order."""
    return start_of(ORDER, metadata={"sample_input": SAMPLE})


def start_of(schema, **more) -> str:
    version = make.a_version(make.chain("noop", input_schema=schema, **more))
    return f"/workflows/{version.workflow.name}/start"


def sent(**fields):
    return {"input_kind": "form", **{f"input.{name}": text for name, text in fields.items()}}


def shown(page):
    """What stands in the fields of the page, by their names."""
    texts = re.findall(r'<input[^>]* name="(input[^"]*)"[^>]* value="([^"]+)"', page)
    selects = re.findall(r'<select [^>]*name="(input[^"]*)"[^>]*>(.*?)</select>', page)
    choices = [(name, re.findall(r'value="([^"]*)" selected', options)) for name, options in selects]
    chosen = [(name, values[0]) for name, values in choices if values]
    return {name: html.unescape(text) for name, text in [*texts, *chosen]}


def started(answer):
    assert answer.status_code == 302, answer.text
    return make.run(answer.url.removeprefix("/runs/"))


def test_a_workflow_is_started_by_filling_in_what_its_input_consists_of(operator, path):
    for page in (operator.get(path).text, operator.get(path.removesuffix("start")).text):
        for words in ("Order number", "As on the receipt.", ">EUR<", "By bank", "(optional)", "Customer"):
            assert words in page
    typed = sent(order="A-17", amount="1 234,50", way='"bank"', gift="", when="", currency="EUR")
    typed |= {"input.tags": "", "input.tags[0]": "ab", "input.customer.name": "Ann"}
    run = started(operator.post(path, typed | {"business_key": "k-1"}))
    assert run.input == {
        "order": "A-17",
        "amount": 1234.5,
        "way": "bank",
        "gift": False,
        "tags": ["ab"],
        "customer": {"name": "Ann"},
        "currency": "EUR",
    }
    assert run.business_key == "k-1"


def test_all_that_is_wrong_is_told_at_once_at_its_field_and_nothing_typed_is_lost(operator, path):
    typed = sent(order="17", amount="6000", when="soon", way="", currency="")
    typed |= {"input.tags": "", "input.tags[0]": "x", "business_key": "k" * 300}
    page = operator.post(path, typed)
    assert page.status_code == 422
    assert Run.unsafe_all_tenants.count() == 0
    text = html.unescape(page.text)
    told = re.findall(r'<li><a href="#([^"]+)">([^<]+)</a>: ([^<]+)</li>', text)
    moment = "When: needs a date and a time with their zone, such as 2027-01-31T09:00:00Z."
    assert told == [
        ("field-input.order", "Order number", "An order number is A- and digits, such as A-17."),
        ("field-input.amount", "Amount", "This must be at most 5000."),
        ("field-input.tags[0]", "Tags 1", "This needs at least 2 characters; it has 1."),
        ("field-input.when", "When", moment),
        ("start-key", "Business key", "A business key has at most 256 characters."),
    ]
    for field, _, message in told:
        assert f'id="{field}"' in text
        assert text.count(message) == 2, "in the summary and at its field"
    for value in ("17", "6000", "soon", "x", "k" * 300):
        assert f'value="{value}"' in text
    live = operator.post(f"{path}/form", typed | {"checked": "yes", "input.order": "A-5"}, **LIVE).text
    assert "An order number is" not in live
    assert "This must be at most 5000." in live


def test_what_is_missing_stands_at_its_field_beside_what_cannot_be_read(operator, path):
    text = html.unescape(operator.post(path, sent(order="", amount="1,234")).text)
    assert "Order number</a>: This is required." in text
    assert "Amount</a>: “1,234” can be read in two ways." in text
    assert 'value="1,234"' in text


def test_fields_come_and_go_and_nothing_is_started_by_that(operator):
    path = start_of(REFUND)
    part = operator.post(f"{path}/form", sent(way='"bank"'), **LIVE)
    assert (part.status_code, "<h1" in part.text, "input.iban" in part.text) == (200, False, True)
    whole = operator.post(f"{path}/form", sent(way='"bank"'))
    assert "<h1" in whole.text
    brought_up = operator.post(path, sent(way='"card"', vip="", note="", by=""))
    assert brought_up.status_code == 422
    assert "Your entries require more fields" in brought_up.text
    assert Run.unsafe_all_tenants.count() == 0
    run = started(operator.post(path, sent(way='"card"', vip="", note="", by="", last_digits="")))
    assert run.input == {"way": "card", "vip": False}


def test_rows_are_added_and_dropped_without_a_script(operator, path):
    typed = sent(order="A-1", amount="") | {"input.tags": "", "input.tags[0]": "ab"}
    added = operator.post(f"{path}/form", typed | {"edit": "add input.tags"}).text
    assert 'name="input.tags[1]"' in added
    dropped = operator.post(f"{path}/form", typed | {"edit": "drop input.tags[0]"}).text
    assert 'name="input.tags[0]"' not in dropped


def test_the_input_is_written_as_json_and_filled_in_again(operator, path):
    typed = sent(order="A-17", amount="many") | {"input.tags": "", "input.tags[0]": "ab", "turn": "json"}
    page = operator.post(f"{path}/form", typed | {"business_key": "k-1"})
    assert page.status_code == 200
    text = html.unescape(re.search(r'<textarea id="start-input"[^>]*>\n(.*?)</textarea>', page.text, re.S)[1])
    data = json.loads(text)
    assert data == {"order": "A-17", "amount": "many", "tags": ["ab"], "gift": False}
    assert 'value="k-1"' in page.text
    back = operator.post(f"{path}/form", {"input_kind": "json", "input": text, "turn": "form"}).text
    assert (shown(back)["input.order"], shown(back)["input.amount"]) == ("A-17", "many")
    assert 'value="ab"' in back
    sent_json = {"input_kind": "json", "input": '{"order": "A-2", "amount": 5}'}
    assert started(operator.post(path, sent_json)).input == {"order": "A-2", "amount": 5}


@pytest.mark.parametrize(
    ("text", "status", "said"),
    [
        ('{"order": ', 422, "This is not JSON"),
        ('{"order": "A-1", "more": 5, "customer": {"age": 7}}', 200, "no field for more, customer.age"),
        ("[1]", 200, "no field for it"),
    ],
)
def test_json_that_has_no_place_in_the_form_stays_json(operator, path, text, status, said):
    page = operator.post(f"{path}/form", {"input_kind": "json", "input": text, "turn": "form"})
    assert page.status_code == status
    assert said in page.text
    assert 'value="json"' in page.text


def test_json_is_judged_by_the_same_schema_and_all_that_is_wrong_is_told(operator, path):
    page = operator.post(path, {"input_kind": "json", "input": '{"order": "x", "amount": 9000}'})
    assert page.status_code == 422
    assert "order: An order number is A- and digits" in page.text
    assert "amount: This must be at most 5000." in page.text
    assert "9000" in page.text


def test_a_link_fills_in_what_it_names_starts_nothing_and_what_it_cannot_is_told(operator, path):
    query = "?amount=12.5&customer.name=Ann&tags=aa&tags=bb&way=By+card&gift=yes&more=1&utm=x"
    page = operator.get(path + query)
    assert page.status_code == 200
    values = shown(page.text)
    assert values["input.amount"] == "12.5"
    assert values["input.customer.name"] == "Ann"
    assert (values["input.tags[0]"], values["input.tags[1]"]) == ("aa", "bb")
    assert values["input.way"] == '"card"'
    assert values["input.currency"] == "EUR", "what the link doesn't name has its default"
    assert "Filled in from the link" in page.text
    assert "from the link: more, utm." in page.text
    assert re.search(r'name="input.gift" value="true" checked', page.text)
    assert Run.unsafe_all_tenants.count() == 0
    assert not StartDraft.unsafe_all_tenants.exists()


@pytest.mark.parametrize(
    "query",
    ["order=%00", "customer=x", "tags%5B0%5D=ab", "way=cash", "tags%5B99999%5D=x", "order=%FF", "from="],
)
def test_a_strange_link_is_answered_with_the_form(operator, path, query):
    assert operator.get(f"{path}?{query}").status_code == 200


def test_the_sample_and_what_one_started_last_are_one_press_away(operator, path):
    card = path.removesuffix("start")
    assert "Filled in with the sample" in operator.get(card).text
    page = operator.get(path).text
    assert "Fill in the sample" in page
    assert "Fill in as last time" not in page
    assert operator.get(f"{path}?from=last").status_code == 200
    sample = shown(operator.get(f"{path}?from=sample").text)
    assert (sample["input.order"], sample["input.amount"]) == ("A-1", "12.50")
    started(operator.post(path, sent(order="A-9", amount="7")))
    version = make.a_version(make.chain("noop"))
    make.start_version(version, {"order": "A-other"})
    last = operator.get(f"{path}?from=last")
    assert shown(last.text)["input.order"] == "A-9"
    assert "as you started it last" in last.text
    assert "Fill in as last time" in operator.get(path).text
    assert "Filled in with the sample" not in operator.get(card).text
    assert "Fill in as last time" not in member("admin").get(path).text, "it is theirs alone"


def test_what_is_typed_is_kept_for_oneself_shown_again_and_gone_with_the_start(operator, path):
    once = ticket(operator, path)
    typed = sent(order="17", amount="1,234", currency="") | {"business_key": "k", "once": once}
    typed |= {"input:zone": "Europe/Berlin", "input.when": "2027-07-31T09:00"}
    saved = operator.post(f"{path}/draft", typed, **LIVE)
    assert "Draft saved" in saved.text
    operator.post(f"{path}/draft", typed | {"input.order": "18"}, **LIVE)
    assert StartDraft.unsafe_all_tenants.count() == 1
    for address in (path, path.removesuffix("start"), f"{path}?order=A-5"):
        page = operator.get(address).text
        values = shown(page)
        assert "Your entries from" in page
        assert (values["input.order"], values["input.amount"]) == ("18", "1,234")
        assert values["input.when"] == "2027-07-31T07:00:00Z"
        assert "input.currency" not in values, "a default that was cleared stays cleared"
        assert 'name="business_key" value="k"' in page
    assert "Fill in what the link says" in operator.get(f"{path}?order=A-5").text
    assert shown(operator.get(f"{path}?order=A-5&from=link").text)["input.order"] == "A-5"
    assert "Your entries from" not in member("admin").get(path).text
    good = typed | {"input.order": "A-18", "input.amount": "5", "business_key": ""}
    assert started(operator.post(path, good)).input["when"] == "2027-07-31T07:00:00Z"
    assert not StartDraft.unsafe_all_tenants.exists()
    operator.post(f"{path}/draft", good, **LIVE)
    assert not StartDraft.unsafe_all_tenants.exists(), "what comes after the start is not kept"


def test_without_a_script_entries_are_kept_when_they_are_refused_and_discarded_by_a_button(operator, path):
    assert operator.post(path, sent(order="17", amount="")).status_code == 422
    assert shown(operator.get(path).text)["input.order"] == "17"
    answer = operator.post(f"{path}/draft?amount=5", {"drop": "yes"})
    assert answer.url == f"{path}?amount=5"
    page = operator.get(answer.url).text
    assert shown(page)["input.amount"] == "5"
    assert "Your entries from" not in page
    operator.post(path, {"input_kind": "json", "input": "{"})
    assert "{</textarea>" in operator.get(path).text


def test_what_is_too_much_to_keep_is_told(operator, path):
    saved = operator.post(f"{path}/draft", sent(order="x" * 300_000), **LIVE)
    assert "Not saved" in saved.text
    assert "Not saved" in operator.post(f"{path}/draft", {"input_kind": "what"}, **LIVE).text
    assert not StartDraft.unsafe_all_tenants.exists()


def test_a_run_is_done_again_with_its_input_in_the_form(operator, path):
    run = started(operator.post(path, sent(order="A-9", amount="7.5") | {"business_key": "k-7"}))
    again = f"/runs/{run.pk}/again"
    page = operator.get(again).text
    assert (shown(page)["input.order"], shown(page)["input.amount"]) == ("A-9", "7.50")
    assert "Filled in with the input of that run" in page
    wrong = operator.post(again, sent(order="9", amount="7"))
    assert wrong.status_code == 422
    assert f'action="{again}"' in wrong.text
    turned = operator.post(f"{path}/form?run={run.pk}", sent(order="A-9", amount="7") | {"turn": "json"}).text
    assert f'action="{again}"' in turned
    assert started(operator.post(again, sent(order="A-10", amount="7"))).input["order"] == "A-10"
    assert not StartDraft.unsafe_all_tenants.exists()


def test_where_the_workflow_makes_its_business_key_that_is_said_instead(operator):
    path = start_of(ORDER, business_key="{{ input.order }}")
    page = operator.get(path).text
    assert 'name="business_key"' not in page
    assert "{{ input.order }}" in page
    assert started(operator.post(path, sent(order="A-9", amount="7"))).business_key == "A-9"


def test_a_file_is_chosen_and_what_is_no_object_is_asked_for_as_before(operator):
    files = {"type": "object", "properties": {"paper": {"type": "string", "format": "file"}}}
    page = operator.get(start_of(files)).text
    assert '<input type="file" id="field-input.paper" name="input.paper"' in page
    for schema in ({"type": "object"}, {"type": "string"}, {"properties": {"text": {}}}, {"type": "array"}):
        assert 'name="input_kind" value="form"' not in operator.get(start_of(schema)).text


def test_strangers_and_viewers_keep_and_start_nothing(path):
    viewer = member("viewer")
    assert "start-form" not in viewer.get(path.removesuffix("start")).text
    for address in (path, f"{path}/form", f"{path}/draft"):
        assert viewer.post(address, sent(order="A-1", amount="1")).status_code == 403
    other = Client()
    other.force_login(make.a_member("eve", "admin", tenant="elsewhere"))
    for address in (path, f"{path}/form", f"{path}/draft"):
        assert other.post(address, sent(order="A-1", amount="1")).status_code == 404
    assert not Run.unsafe_all_tenants.exists()


def test_the_pages_cost_the_same_for_one_field_and_for_fifty(operator):
    one = {"type": "object", "properties": {"a": {"type": "string"}}}
    many = {"type": "object", "properties": {f"a{number}": {"type": "string"} for number in range(50)}}
    paths = [start_of(one), start_of(many)]
    for page, most in (("", 11), ("?from=last", 11)):
        costs = [trips_of_page(operator, path + page) for path in paths]
        assert costs[0] == costs[1] <= most, page
    # One of them asks for webhooks that refused a message, which is told to who operates the workflow, one asks for
    # schedules.
    costs = [trips_of_page(operator, path.removesuffix("start")) for path in paths]
    assert costs[0] == costs[1] <= 13


def test_what_is_no_fault_of_the_input_is_told_without_a_field(operator, path):
    Workflow.unsafe_all_tenants.update(archived_at=timezone.now())
    page = operator.post(path, sent(order="A-1", amount="5"))
    assert page.status_code == 422
    assert re.search(r"<li>The workflow [^<]+ is archived.</li>", page.text)
    assert "start-form" not in operator.get(path.removesuffix("start")).text


def test_a_large_input_that_is_sent_twice_starts_one_run(operator, path, settings, tmp_path):
    """It is compared with what is kept beside the database."""
    settings.HANDOFF_BLOBS, settings.HANDOFF_BLOB_BYTES = tmp_path.as_uri(), 20
    typed = sent(order="A-17", amount="5") | {"once": ticket(operator, path)}
    first, again = (started(operator.post(path, typed)) for _ in "12")
    assert (first.pk, "$blob" in Run.unsafe_all_tenants.get().input) == (again.pk, True)
    operator.post(path, typed | {"input.amount": "6"})
    assert Run.unsafe_all_tenants.count() == 2
