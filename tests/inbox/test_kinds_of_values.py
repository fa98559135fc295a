"""Each kind of value in each place where people or programs read it, for readers of two languages in three zones."""

import csv
import io
import re

import pytest
from django.test import Client
from pypdf import PdfReader

from accounts.models import User
from runs.files import uploads
from tasks_inbox.actions import bulk
from tasks_inbox.evidence import exports
from tasks_inbox.mail import mailing
from tasks_inbox.models import ManualTask
from tests import factories as make
from tests.inbox.asking import approval, asked, decide, member, task_of
from tests.inbox.persons import Person
from tests.runs.files.odd import PDF
from tests.smtp import mailbox

N = "\u00a0"
READERS = {
    "german in Berlin": ("de", "Europe/Berlin"),
    "american in New York": ("en", "America/New_York"),
    "german in Kolkata": ("de", "Asia/Kolkata"),
}
# The schema, the value, what each of the readers reads, the neutral text, and the cell of the CSV.
KINDS = {
    "money": (
        {"type": "number", "x-currency": "EUR"},
        1234.5,
        (f"1.234,50{N}EUR", f"1,234.50{N}EUR", f"1.234,50{N}EUR"),
        "1234.50 EUR",
        "1234.5",
    ),
    "money without decimals": (
        {"type": "number", "x-currency": "JPY"},
        12500,
        (f"12.500{N}JPY", f"12,500{N}JPY", f"12.500{N}JPY"),
        "12500 JPY",
        "12500",
    ),
    "number": ({"type": "number"}, 1234.5, ("1.234,5", "1,234.5", "1.234,5"), "1234.5", "1234.5"),
    "date": (
        {"type": "string", "format": "date"},
        "2027-01-31",
        ("31.01.2027", "Jan 31, 2027", "31.01.2027"),
        "2027-01-31",
        "2027-01-31",
    ),
    "moment": (
        {"type": "string", "format": "date-time"},
        "2027-01-31T23:30:00Z",
        ("01.02.2027, 00:30", "Jan 31, 2027, 6:30 PM", "01.02.2027, 05:00"),
        "2027-01-31 23:30 UTC",
        "2027-01-31T23:30:00Z",
    ),
    "time": (
        {"type": "string", "format": "time"},
        "09:00:00[Europe/Berlin]",
        ("09:00 Europe/Berlin", "9:00 AM Europe/Berlin", "09:00 Europe/Berlin"),
        "09:00 Europe/Berlin",
        "09:00:00[Europe/Berlin]",
    ),
    "person": ({"type": "string", "format": "person"}, "lea", ("Lea Vogt",) * 3, "lea", "lea"),
    "choice": (
        {"oneOf": [{"const": "t", "title": "Travel"}, {"const": "f", "title": "Food"}]},
        "t",
        ("Travel",) * 3,
        "Travel",
        "Travel",
    ),
    "link": (
        {"type": "string", "format": "uri"},
        "https://example.org/a",
        ("https://example.org/a",) * 3,
        "https://example.org/a",
        "https://example.org/a",
    ),
    "text": ({"type": "string"}, "a <b> text", ("a <b> text",) * 3, "a <b> text", "a <b> text"),
}
NAMES = [f"reader{place}" for place in range(len(READERS))]
# What a text says of a number without a currency is its JSON: only facts, mails and forms write it as they read it.
UNTYPED = ("number",)


def definition(schema, **params):
    ask = {
        "title": "About {{ input.v }}?",
        "facts": {"Value": "{{ input.v }}"},
        "form": {"type": "object", "properties": {"again": {**schema, "title": "Again"}}},
        "candidates": {"users": NAMES},
        **params,
    }
    return make.graph([{"id": "ask", "type": "human.approval", "params": ask}], []) | {
        "input_schema": {"type": "object", "properties": {"v": schema}}
    }


@pytest.fixture
def people():
    """The readers, each with a language and a time zone, and somebody who is named."""
    member("lea", "viewer")
    User.objects.filter(username="lea").update(name="Lea Vogt")
    for name, (locale, zone) in zip(NAMES, READERS.values(), strict=True):
        member(name)
        User.objects.filter(username=name).update(locale=locale, time_zone=zone, email=f"{name}@example.org")
    return NAMES


def page(name, address):
    client = Client()
    client.force_login(User.objects.get(username=name))
    response = client.get(address)
    assert response.status_code == 200
    return response.text


def shown(text):
    """What a page shows, its tags left out."""
    text = re.sub(r"<[^>]*>", "|", text)
    for written, character in (("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&"), ("&#x27;", "'"), ("&nbsp;", N)):
        text = text.replace(written, character)
    return text


@pytest.mark.parametrize("kind", KINDS)
def test_a_kind_reads_as_its_reader_writes_it_everywhere(kind, people, monkeypatch):
    schema, value, texts, neutral, cell = KINDS[kind]
    (run,) = make.start(definition(schema), {"v": value}, by="lea")
    with mailbox(monkeypatch) as box:
        make.work()
        mailing.tick(60)
        mails = {one["To"].partition("@")[0]: one for one in box.messages()}
    task = task_of(run)
    titles = [str(value)] * 3 if kind in UNTYPED else texts
    for name, text, title in zip(people, texts, titles, strict=True):
        places = {
            "fact": shown(page(name, f"/inbox/{task.pk}")),
            "list": shown(page(name, "/inbox/?view=teams")),
            "sorted list": shown(page(name, "/inbox/?view=teams&sort=data.value")),
            "mail": mails[name].get_body(("plain",)).get_content(),
        }
        assert f"|{text}|" in places["fact"].replace("\n", "|"), (name, "fact")
        for place in ("fact", "list", "mail"):
            assert f"About {title}?".replace(N, " ") in places[place].replace(N, " "), (name, place)
        assert text in places["sorted list"], name
        assert f"Value: {text}" in places["mail"], name
    auditor = Person("auditor", "admin")
    decide(member(people[0]), task, data={"again": value})
    make.work()
    decided = {name: shown(page(name, f"/inbox/{task.pk}")) for name in people}
    for name, text in zip(people, texts, strict=True):
        assert decided[name].count(text) >= 2, (name, "form as it was filled in")
    rest = auditor.get(f"tasks/{task.pk}").json()
    fact = rest["facts"][0]
    assert (fact["value"], rest["data"]["again"]) == (value, value)
    assert rest["title"] == f"About {str(value) if kind in UNTYPED else neutral}?"
    html = shown(exports.export(auditor.principal, task.run_id, "html").content.decode())
    assert neutral in html
    pdf = PdfReader(io.BytesIO(exports.export(auditor.principal, task.run_id, "pdf").content))
    text = "".join(one.extract_text() for one in pdf.pages)
    assert neutral.replace(N, " ") in text.replace(N, " ")
    (row,) = csv.DictReader(
        io.StringIO(exports.export(auditor.principal, task.run_id, "csv").content.decode("utf-8-sig"))
    )
    currency = f" ({schema['x-currency']})" if "x-currency" in schema else ""
    assert (row[f"Fact: Value{currency}"], row[f"Filled in: Again{currency}"]) == (cell, cell)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind.startswith("money") or kind == "number"])
def test_sums_are_exact_for_each_reader(kind, people):
    schema, _, _, _, _ = KINDS[kind]
    values = [12500, 3, 1] if kind == "money without decimals" else [6580.2, 0.01, 0.01]
    version = make.a_version(definition(schema))
    for value in values:
        make.start_version(version, {"v": value}, by="lea")
    make.work()
    ids = "&".join(f"ids={task.pk}" for task in ManualTask.unsafe_all_tenants.all())
    expected = {
        "money": (f"6.580,22{N}EUR", f"6,580.22{N}EUR", f"6.580,22{N}EUR"),
        "money without decimals": (f"12.504{N}JPY", f"12,504{N}JPY", f"12.504{N}JPY"),
        "number": ("6.580,22", "6,580.22", "6.580,22"),
    }[kind]
    for name, text in zip(people, expected, strict=True):
        assert f"Value: {text}|" in shown(page(name, f"/inbox/bulk?{ids}")), name
    assert bulk.review(member(people[0]), [task.pk for task in ManualTask.unsafe_all_tenants.all()])


def test_a_file_is_a_link_with_its_size_and_hash_wherever_it_is_named(people, monkeypatch):
    requester = Person("ria", "operator")
    file = uploads.upload(requester.principal, name="receipt.pdf", content=PDF)
    version = make.a_version(definition({"type": "string", "format": "file"}))
    (run,) = make.start_version(version, {"v": file["id"]}, by="ria")
    with mailbox(monkeypatch) as box:
        make.work()
        mailing.tick(60)
        mail = box.messages()[0].get_body(("plain",)).get_content()
    task = task_of(run)
    fact = page(people[0], f"/inbox/{task.pk}")
    assert "receipt.pdf" in fact
    assert file["sha256"][:12] in fact
    assert f"/tasks/{task.pk}/files/{file['id']}" in fact
    assert "receipt.pdf" in mail
    decide(member(people[0]), task, data={})
    make.work()
    evidence = {
        kind: exports.export(requester.principal, task.run_id, kind).content.decode("utf-8-sig")
        for kind in ("html", "csv")
    }
    assert "receipt.pdf" in evidence["html"]
    assert file["sha256"] in evidence["html"]
    assert next(csv.DictReader(io.StringIO(evidence["csv"])))["Fact: Value"] == "receipt.pdf"


def test_no_cell_of_the_evidence_is_a_formula():
    formula = '=HYPERLINK("http://x")'
    task = asked(approval(title=formula, facts={formula: "-1+1", "Balance": "-5"}))
    decide(member("ann"), task, comment=formula)
    make.work()
    text = exports.export(Person("auditor", "admin").principal, task.run_id, "csv").content.decode(
        "utf-8-sig"
    )
    (row,) = csv.DictReader(io.StringIO(text, newline=""))
    assert (row["Question"], row["Comment"]) == (f"'{formula}", f"'{formula}")
    assert (row[f"Fact: {formula}"], row["Fact: Balance"]) == ("'-1+1", "-5")
