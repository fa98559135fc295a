"""Characters that direct, hide or imitate others are visible wherever people read; what is stored is exact."""

import ast
import io
import json
import re
from pathlib import Path
from uuid import UUID

import pytest
from django.http import HttpRequest, HttpResponse
from pypdf import PdfReader

from accounts.models import User
from lib.visible_pages import show_all
from operations.alerts.sending import message_of
from runs.commands.starts import NewRun, Terms, start_runs
from tasks_inbox.evidence import exports
from tasks_inbox.forms import files
from tasks_inbox.mail import account_mails, digests, mailing, mails, notice_mails, step_mentions
from tests import factories as make
from tests.inbox.asking import again, approval, decide, member, say, task_of
from tests.smtp import mailbox
from workflows.models import Workflow

HIDDEN = "a\u202eb\u200bc\x01d\u2028e"
LOOKS = "\N{CYRILLIC SMALL LETTER ER}aypal"
NASTY = f"{HIDDEN} {LOOKS}"
RAW = re.compile("[\u202e\u200b\x01\u2028]")
SHOWN = "a⟨U+202E⟩b⟨U+200B⟩c⟨U+0001⟩d⟨U+2028⟩e"
FORM = {"type": "object", "properties": {"note": {"type": "string", "default": NASTY, "title": NASTY}}}


@pytest.fixture
def ann():
    who = member("ann", "operator")
    User.objects.filter(username="ann").update(name=NASTY, email="ann@example.org")
    return who


@pytest.fixture
def task(ann):
    """Asked about what somebody outside sent, with a comment of theirs."""
    definition = approval(
        type="human.form",
        title="Pay {{ input.to }}?",
        instructions="Look at **{{ input.to }}**.",
        facts={"To": "{{ input.to }}", "All": "{{ input }}"},
        form=FORM,
    )
    terms = Terms(tenant=ann.tenant_id, version=make.a_version(definition).pk, by="ann")
    (run,) = start_runs(terms, [NewRun({"to": NASTY}, business_key=NASTY)])
    make.work()
    task = task_of(run.id)
    say(ann, task, NASTY)
    files.attach(ann, task.pk, name=f"{NASTY}.pdf", content=b"%PDF-1.7")
    return again(task)


def is_visible(text):
    assert RAW.findall(re.sub(r'\svalue="[^"]*"|<textarea.*?</textarea>', "", text, flags=re.DOTALL)) == []
    assert SHOWN in text
    assert "ixed scripts" in text


@pytest.mark.parametrize("page", ["/inbox/", "/inbox/{task}", "/runs/", "/runs/{run}", "/requests/"])
def test_a_page_shows_them(client, ann, task, page):
    client.force_login(User.objects.get(username="ann"))
    answer = client.get(page.format(task=task.pk, run=task.run_id))
    assert answer.headers["Content-Length"] == str(len(answer.content))
    assert answer.status_code == 200
    is_visible(answer.text)


def test_a_fragment_of_a_page_shows_them_and_a_field_keeps_its_value(client, ann, task):
    client.force_login(User.objects.get(username="ann"))
    answer = client.get(f"/inbox/{task.pk}", headers={"HX-Request": "true", "HX-Target": "task"})
    is_visible(answer.text)
    assert f'value="{NASTY}"' in answer.text
    assert '<small class="unseen">' in answer.text


@pytest.mark.parametrize("kind", ["text/html; charset=utf-8", "application/json", "text/plain"])
@pytest.mark.parametrize("disposition", [None, 'attachment; filename="a.html"', "inline"])
def test_of_what_is_answered_pages_are_shown_and_files_are_exact(kind, disposition):
    exact = "<p>a\x01b</p>"
    headers = {} if disposition is None else {"Content-Disposition": disposition}
    answer = show_all(lambda _: HttpResponse(exact, content_type=kind, headers=headers))(HttpRequest())
    is_shown = kind.startswith("text/html") and disposition is None
    assert answer.content.decode() == ("<p>a⟨U+0001⟩b</p>" if is_shown else exact)


def test_the_palette_shows_them(client, ann, task):
    client.force_login(User.objects.get(username="ann"))
    Workflow.unsafe_all_tenants.filter(pk=task.workflow_id).update(title=f"Zebra {NASTY}")
    is_visible(client.get("/find?q=Zebra").json()["results"][0]["name"])


def test_a_refusal_shows_them(client, ann, task):
    client.force_login(User.objects.get(username="ann"))
    answer = client.post(f"/inbox/{task.pk}/comment", {"text": NASTY * 5_000})
    assert answer.status_code == 422
    is_visible(answer.text)


@pytest.mark.parametrize("written_as", ["html", "pdf"])
def test_evidence_for_people_shows_them_and_the_json_is_exact(ann, task, written_as):
    decide(ann, task, "submitted", data={"note": NASTY}, comment=NASTY)
    content = exports.export(member("vic", "viewer"), task.run_id, written_as).content
    if written_as == "pdf":
        text = "".join(page.extract_text() for page in PdfReader(io.BytesIO(content)).pages)
        text = text.replace("‹", "⟨").replace("›", "⟩").replace("\n", " ")
    else:
        text = content.decode()
    is_visible(text)
    exact = exports.export(member("vic", "viewer"), task.run_id, "json").content.decode()
    record = json.loads(json.loads(exact)["decisions"][-1]["record"])
    assert (record["comment"], record["data"]["note"]) == (NASTY, NASTY)


def test_what_is_stored_and_what_the_api_answers_are_exact(client, ann, task):
    client.force_login(User.objects.get(username="ann"))
    answer = client.get(f"/api/v1/tasks/{task.pk}").json()
    assert (task.title, answer["title"]) == (f"Pay {NASTY}?", f"Pay {NASTY}?")
    assert answer["facts"][0]["value"] == NASTY


def test_the_mail_of_a_task_shows_them(ann, task, monkeypatch):
    make.work()
    with mailbox(monkeypatch) as box:
        mailing.tick(30)
        (mail, *_) = box.messages()
    assert mail["Subject"].startswith(f"Pay {SHOWN}")
    of_whole(mail)


def of_whole(mail):
    """Asserts that nothing of a mail hides anything."""
    assert RAW.findall(mail["Subject"]) == []
    for kind in ("plain", "html"):
        is_visible(mail.get_body((kind,)).get_content())


_HEAD = {"id": UUID(int=1), "sender": "h@example.org", "to": "ann@example.org"}
_LINE = digests.Line(NASTY, f"asked by {NASTY}", "http://x/")
WRITERS = {
    "step_mentions": lambda: step_mentions.written(
        by=NASTY, workflow=NASTY, step=NASTY, link="http://x/", **_HEAD
    ),
    "digests": lambda: digests.written(
        [digests.Part("Open", [_LINE])], subject=NASTY, inbox="http://x/", settings="http://x/", **_HEAD
    ),
    "account_mails": lambda: account_mails.written(
        account_mails.SENT, username="ann", by=NASTY, link="http://x/", good_for="a day", **_HEAD
    ),
    "notice_mails": lambda: notice_mails.written(
        next(iter(notice_mails.NOTICES.values())), called=NASTY, link="http://x/", **_HEAD
    ),
}


@pytest.mark.parametrize("name", WRITERS)
def test_every_other_mail_shows_them(name):
    of_whole(WRITERS[name]())


def test_every_mail_about_something_is_filled_at_the_one_place():
    """A new writer of mails goes through `mails.fill` and stands in the table above."""
    folder = Path(mails.__file__).parent
    writers = {path.stem for path in folder.glob("*.py") if "EmailMessage" in path.read_text()}
    assert writers == {"mails", "posting", *WRITERS}, "`posting` sends what the others write"
    called = [
        (path.stem, node.func.attr)
        for path in folder.glob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
    ]
    assert {stem for stem, name in called if name in ("set_content", "add_alternative")} == {"mails"}


def test_an_alert_shows_them():
    row = dict.fromkeys(("alert", "rule", "severity", "status", "key", "link", "advice"), "")
    row |= {
        "id": 1,
        "kind": "mail",
        "address": "a@example.org",
        "event": "raised",
        "message": "m",
        "tenant": 1,
    }
    message = message_of(row | {"subject": NASTY, "text": NASTY})
    is_visible(message["subject"])
    is_visible(message["body"])
