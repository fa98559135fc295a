"""Forms of tasks on the page: fields that come and go, rows, and what is wrong with them; without a browser."""

import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from tasks_inbox.forms import files
from tasks_inbox.models import ManualTask, TaskFile
from tests import factories as make
from tests.inbox.asking import again, approval, asked, decide, member
from tests.lib.test_forms import LINES, REFUND

pytestmark = pytest.mark.django_db

BOTH = {**REFUND, "properties": REFUND["properties"] | LINES["properties"], "$defs": LINES["$defs"]}
LIVE = {"headers": {"HX-Request": "true"}}


@pytest.fixture
def bob(client):
    """An approver who is logged in."""
    client.force_login(make.a_user("bob"))
    return member("bob")


def shown(page):
    """The names of the fields that somebody can type into."""
    fields = re.findall(r"<(?:input|select|textarea)[^>]*>", page)
    names = [re.search(r'name="(data\.[^"]*)"', one) for one in fields if 'type="hidden"' not in one]
    return [one[1] for one in names if one]


def test_the_form_follows_what_is_filled_in_and_decides_nothing(client, bob):
    task = asked(approval(form=REFUND, outcomes=OUTCOMES))
    assert "hx-post" in client.get(f"/inbox/{task.pk}").text
    typed = {"data.way": '"bank"', "data.vip": "", "data.last_digits": "77", "comment": "x"}
    part = client.post(f"/inbox/{task.pk}/form", typed, **LIVE)
    assert part.status_code == 200
    assert "<h1" not in part.text
    assert {"data.iban", "data.currency"} < set(shown(part.text))
    assert '<input type="hidden" name="data.last_digits" value="77">' in part.text
    assert "Required for: Approve" in part.text
    whole = client.post(f"/inbox/{task.pk}/form", typed).text
    assert 'name="outcome"' in whole
    assert "x</textarea>" in whole
    assert again(task).status == "OPEN"


OUTCOMES = [
    {"name": "approved", "label": "Approve", "require": ["iban"]},
    {"name": "rejected", "label": "Reject"},
]


def test_without_scripts_what_comes_up_is_asked_before_anything_is_decided(client, bob):
    task = asked(approval(form={**REFUND, "required": []}))
    sent = {"data.way": '"card"', "data.vip": "", "data.note": "", "data.by": "", "outcome": "approved"}
    page = client.post(f"/inbox/{task.pk}/decide", sent)
    assert page.status_code == 422
    assert "Your entries require more fields" in page.text
    assert "data.last_digits" in shown(page.text)
    again_sent = sent | {name: "" for name in shown(page.text) if name not in sent}
    assert client.post(f"/inbox/{task.pk}/decide", again_sent).status_code == 302
    assert again(task).data == {"way": "card", "vip": False}


def test_a_field_that_an_outcome_needs_may_be_a_conditional_one(client, bob):
    task = asked(approval(form=REFUND, outcomes=OUTCOMES))
    sent = {"data.way": '"bank"', "data.iban": "", "data.currency": "EUR", "data.note": "", "data.by": ""}
    page = client.post(f"/inbox/{task.pk}/decide", sent | {"outcome": "approved"})
    assert page.text.count('class="fault"') == 1


def test_rows_come_and_go_and_faults_stand_within_them(client, bob):
    task = asked(approval(form=LINES))
    typed = {"data.lines": "", "data.lines[0]": "", "data.lines[0].item": "pen", "data.lines[0].count": "1"}
    added = client.post(f"/inbox/{task.pk}/form", typed | {"edit": "add data.lines"}, **LIVE).text
    assert "data.lines[1].item" in shown(added)
    assert re.search(r'id="field-data.lines\[1\].item"[^>]* autofocus', added)
    both = typed | {"data.lines[1]": "", "data.lines[1].item": "", "data.lines[1].count": "many"}
    page = client.post(f"/inbox/{task.pk}/decide", both | {"outcome": "approved"})
    faults = re.findall(r'class="fault" id="([^"]+)-fault"', page.text)
    assert faults == ["field-data.lines[1].item", "field-data.lines[1].count"]
    assert 'value="many"' in page.text
    still = client.post(f"/inbox/{task.pk}/form", both | {"checked": "yes"}, **LIVE).text
    assert "This is required" in still
    dropped = client.post(f"/inbox/{task.pk}/form", both | {"edit": "drop data.lines[0]"}, **LIVE).text
    assert "data.lines[1].item" not in shown(dropped)
    # Who goes on by keyboard is at the row that came in its place; where none did, at the button for one more.
    assert re.search(r'value="drop data.lines\[0\]"[^>]* autofocus', dropped)
    last = client.post(f"/inbox/{task.pk}/form", both | {"edit": "drop data.lines[1]"}, **LIVE).text
    assert re.findall(r'value="([^"]+)"[^>]* autofocus', last) == ["add data.lines"]
    good = both | {"data.lines[1].item": "ink", "data.lines[1].count": "2", "outcome": "approved"}
    answer = client.post(f"/inbox/{task.pk}/decide", good, follow=True)
    assert answer.status_code == 200
    assert again(task).data["lines"][1] == {"item": "ink", "count": 2, "gift": False}
    page = client.get(f"/inbox/{task.pk}").text
    assert re.findall(r"<dt>(Lines \d)</dt>", page) == ["Lines 1", "Lines 2"]


def test_data_of_a_form_that_says_nothing_is_shown_once(client, bob):
    task = asked(approval(form={"type": "object"}))
    client.post(f"/inbox/{task.pk}/decide", {"data": '{"a": "once"}', "outcome": "approved"})
    assert client.get(f"/inbox/{task.pk}").text.count("once&quot;") == 1


def test_what_is_typed_is_kept_and_stands_there_again_and_is_discarded(client, bob):
    task = asked(approval(form={**BOTH, "required": []}))
    typed = {
        "data.way": '"bank"',
        "data.vip": "",
        "data.iban": "DE",
        "data.last_digits": "7",
        "comment": "Hm.",
    }
    typed |= {"data.lines": "", "data.lines[0]": "", "data.lines[0].count": "two", "data.currency": ""}
    saved = client.post(f"/inbox/{task.pk}/draft", typed, **LIVE)
    assert re.search(r"Draft saved <time [^>]*>\d\d:\d\d UTC", saved.text)
    page = client.get(f"/inbox/{task.pk}").text
    assert "This is what you typed before" in page
    assert 'name="data.iban" value="DE"' in page
    assert 'name="data.lines[0].count" value="two"' in page
    assert 'name="data.currency" value=""' in page, "a default that was cleared stays cleared"
    assert '<input type="hidden" name="data.last_digits" value="7">' in page
    assert "Hm.</textarea>" in page
    assert "has changed since then" not in page
    ManualTask.unsafe_all_tenants.filter(pk=task.pk).update(title="Another question?")
    assert "has changed since then" in client.get(f"/inbox/{task.pk}").text
    assert client.post(f"/inbox/{task.pk}/draft", {"drop": "yes"}).status_code == 302
    assert "This is what you typed before" not in client.get(f"/inbox/{task.pk}").text


def test_what_comes_after_the_decision_is_not_kept_and_that_is_said(client, bob):
    task = asked()
    decide(member("ann"), task)
    saved = client.post(f"/inbox/{task.pk}/draft", {"comment": "Hm."}, **LIVE)
    assert "Not saved: ann already decided this" in saved.text


def test_whom_it_does_not_ask_may_fill_in_nothing(client):
    task = asked(approval(form=REFUND))
    member("vic", "viewer")
    client.force_login(make.a_user("vic"))
    assert client.post(f"/inbox/{task.pk}/form", {}).status_code == 403


def test_files_are_chosen_in_a_form_stay_there_and_are_decided_with(client, bob):
    task = asked(approval(form=CONTRACT))
    chosen = {"data.contract": SimpleUploadedFile("a.pdf", b"%PDF-1.7 x"), "data.note": "", "comment": ""}
    part = client.post(f"/inbox/{task.pk}/form", chosen, **LIVE).text
    (file,) = TaskFile.unsafe_all_tenants.filter(task_id=task.pk)
    assert f'name="data.contract" value="{file.pk}"' in part
    assert "a.pdf</a>" in part
    wrong = client.post(
        f"/inbox/{task.pk}/decide", {"data.contract": str(file.pk), "data.note": "", "outcome": "rejected"}
    )
    assert wrong.status_code == 422
    assert f'value="{file.pk}"' in wrong.text
    cleared = {"data.contract": str(file.pk), "data.note": "", "edit": "clear data.contract"}
    assert 'type="file"' in client.post(f"/inbox/{task.pk}/form", cleared, **LIVE).text
    file.refresh_from_db()
    assert file.withdrawn_by == "bob"
    again_chosen = {"data.contract": SimpleUploadedFile("b.pdf", b"%PDF-1.7 y"), "data.note": ""}
    assert client.post(f"/inbox/{task.pk}/decide", again_chosen | {"outcome": "approved"}).status_code == 302
    page = client.get(f"/inbox/{task.pk}").text
    assert "b.pdf</a>" in page
    assert again(task).data["contract"]


def test_a_file_of_another_kind_is_refused_at_its_field(client, bob):
    task = asked(approval(form=CONTRACT))
    live = client.post(f"/inbox/{task.pk}/form", {"data.contract": SimpleUploadedFile("a.txt", b"x")}, **LIVE)
    assert "Only application/pdf files are accepted." in live.text
    for content in (b"text", b""):
        chosen = {
            "data.contract": SimpleUploadedFile("a.txt", content),
            "data.note": "",
            "outcome": "approved",
        }
        page = client.post(f"/inbox/{task.pk}/decide", chosen)
        assert page.status_code == 422
        assert 'id="field-data.contract-fault"' in page.text
    assert again(task).status == "OPEN"


CONTRACT = {
    "type": "object",
    "required": ["contract"],
    "properties": {
        "contract": {"type": "string", "format": "file", "x-accept": ["application/pdf"]},
        "note": {"type": "string"},
    },
}


def test_files_are_attached_shown_and_taken_back(client, bob):
    task = asked()
    sent = client.post(f"/inbox/{task.pk}/files", {"file": SimpleUploadedFile("a.png", PNG)}, follow=True)
    assert "“a.png” was added to the task." in sent.text
    assert 'alt="Preview of a.png"' in sent.text
    assert "Choose a file" in client.post(f"/inbox/{task.pk}/files").text
    file = TaskFile.unsafe_all_tenants.get()
    take_back = f"/inbox/{task.pk}/files/{file.pk}/take-back"
    client.force_login(make.a_user("cy"))
    member("cy")
    assert "Take it back" not in client.get(f"/inbox/{task.pk}").text
    assert client.post(take_back).status_code == 409
    client.force_login(make.a_user("bob"))
    assert "The file was removed." in client.post(take_back, follow=True).text
    member("vic", "viewer")
    client.force_login(make.a_user("vic"))
    assert "Add a file" not in client.get(f"/inbox/{task.pk}").text


PNG = b"\x89PNG\r\n\x1a\n"


LISTS = {
    "type": "object",
    "required": ["tags"],
    "properties": {
        "tags": {"type": "array", "minItems": 1, "items": {"type": "string", "minLength": 2}},
        "colours": {"type": "array", "items": {"type": "string", "enum": ["red", "green"]}},
    },
}


def test_lists_of_texts_are_rows_and_what_there_is_to_choose_from_boxes(client, bob):
    task = asked(approval(form=LISTS))
    page = client.get(f"/inbox/{task.pk}").text
    assert shown(page) == ["data.tags[0]", "data.colours[0]", "data.colours[1]"]
    assert ">Tags 1</label>" in page
    typed = {"data.tags": "", "data.tags[0]": "", "data.tags[1]": "b", "data.colours": ""}
    added = client.post(f"/inbox/{task.pk}/form", typed | {"edit": "add data.tags"}, **LIVE).text
    assert re.search(r'id="field-data.tags\[2\]"[^>]* autofocus', added)
    wrong = client.post(f"/inbox/{task.pk}/decide", typed | {"outcome": "approved"})
    assert re.findall(r'class="fault" id="([^"]+)-fault"', wrong.text) == ["field-data.tags[1]"]
    good = typed | {"data.tags[1]": "big", "data.colours[1]": "true", "outcome": "approved"}
    assert client.post(f"/inbox/{task.pk}/decide", good).status_code == 302
    assert again(task).data == {"tags": ["big"], "colours": ["green"]}
    decided = client.get(f"/inbox/{task.pk}").text
    assert '<dt>Tags</dt><dd><ul><li><span class="said">big</span>' in decided.replace("\n", "")
    assert '<span class="said">green</span>' in decided


def test_a_file_that_came_while_one_looked_is_named_and_ones_own_is_not(client, bob):
    task = asked(approval(form=CONTRACT))
    seen = re.search(r'name="seen" value="(\w{64})"', client.get(f"/inbox/{task.pk}").text)[1]
    chosen = {"data.contract": SimpleUploadedFile("mine.pdf", b"%PDF-1.7 x"), "data.note": ""}
    client.post(f"/inbox/{task.pk}/form", chosen, **LIVE)
    mine = TaskFile.unsafe_all_tenants.get()
    files.attach(member("ann"), task.pk, name="theirs.pdf", content=b"%PDF-1.7 y")
    assert "What is asked has changed" in client.get(f"/inbox/{task.pk}/state?was=1{seen}").text
    sent = {"data.contract": str(mine.pk), "data.note": "So.", "outcome": "approved"}
    page = client.post(f"/inbox/{task.pk}/decide", sent | {"seen": seen})
    assert page.status_code == 409
    assert "“theirs.pdf” was added by ann" in page.text
    assert "mine.pdf” was" not in page.text
    assert "So." in page.text
    seen = re.search(r'name="seen" value="(\w{64})"', page.text)[1]
    assert client.post(f"/inbox/{task.pk}/decide", sent | {"seen": seen}).status_code == 302


def test_moments_amounts_and_the_words_of_a_pattern_are_those_of_every_form(client, bob):
    form = {
        "type": "object",
        "properties": {
            "at": {"type": "string", "format": "date-time"},
            "paid": {"type": "number", "x-currency": "EUR"},
            "code": {"type": "string", "pattern": "^[A-Z]+$", "x-message": "Capital letters."},
        },
    }
    task = asked(approval(form=form))
    page = client.get(f"/inbox/{task.pk}").text
    assert re.search(r'name="data:zone" value="" data-zone', page)
    assert '<span class="unit" aria-hidden="true">EUR</span>' in page
    typed = {"data:zone": "Europe/Berlin", "data.at": "2027-07-31T09:00", "data.paid": "1.234,50"}
    wrong = client.post(f"/inbox/{task.pk}/decide", typed | {"data.code": "abc", "outcome": "approved"})
    assert "Capital letters." in wrong.text
    assert 'type="datetime-local" value="2027-07-31T09:00"' in wrong.text
    sent = typed | {"data.code": "ABC", "outcome": "approved"}
    assert client.post(f"/inbox/{task.pk}/decide", sent).status_code == 302
    assert again(task).data == {"at": "2027-07-31T07:00:00Z", "paid": 1234.5, "code": "ABC"}
