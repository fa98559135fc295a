"""A decision can be prepared from the mail: facts in the reader's format, files, and what follows each outcome."""

import re

import pytest
from django.test import override_settings

from accounts.models import User
from tasks_inbox.actions import rounds
from tasks_inbox.forms.files import attach
from tasks_inbox.limits import COLLECTED_WAIT_MINUTES, MAIL_FACT_ROWS, MAILS_BEFORE_DIGEST
from tasks_inbox.mail import mailing
from tasks_inbox.models import Notification
from tests import factories as make
from tests.inbox.asking import again, approval, asked, decide, member, read, say, task_of
from tests.smtp import mailbox

pytestmark = pytest.mark.usefixtures("clock")
SCHEMA = {
    "type": "object",
    "properties": {
        "amount": {"type": "number", "x-currency": "EUR"},
        "day": {"type": "string", "format": "date"},
        "items": {"type": "array", "items": {"type": "object", "properties": {
            "price": {"type": "number", "x-currency": "EUR", "title": "Price"}}}},
    },
}  # fmt: skip


@pytest.fixture
def box(monkeypatch):
    with mailbox(monkeypatch) as box:
        yield box


def reached(name, role="approver", locale="de"):
    who = member(name, role)
    User.objects.filter(username=name).update(email=f"{name}@example.org", locale=locale)
    return who


def expense(**params):
    ask = {
        "title": 'Pay {{ facts["Amount"] }}?',
        "instructions": "Look at the *receipt*.",
        "facts": {
            "Amount": "{{ input.amount }}",
            "Day": "{{ input.day }}",
            "Items": "{{ input.items }}",
            "API token": "s3cret-value",
        },
        "amendable": ["Amount"],
        "candidates": {"users": ["bob"]},
        **params,
    }
    return approval(**ask) | {"input_schema": SCHEMA}


def opened(**params):
    given = {"amount": 1234.5, "day": "2027-01-31", "items": [{"price": 0.1}] * (MAIL_FACT_ROWS + 2)}
    (run,) = make.start(expense(**params), given, by="ria")
    make.work()
    return task_of(run)


def text_of(message, kind="plain"):
    return message.get_body((kind,)).get_content().replace("\r\n", "\n")


def test_the_mail_has_what_a_decision_needs(box):
    reached("ria", "viewer")
    bob = reached("bob")
    task = opened()
    attach(bob, task.pk, name="receipt.txt", content=b"12 EUR")
    mailing.tick(30)
    (message,) = box.messages()
    text, html = text_of(message), text_of(message, "html")
    assert message["Subject"] == "Pay 1.234,50 EUR?"
    for line in ("Amount: 1.234,50\u00a0EUR", "Day: 31.01.2027", "  - Price: 0,10\u00a0EUR", "and 2 more"):
        assert line in text, line
    assert "s3cret-value" not in text + html
    assert "Started by ria." in text
    assert "receipt.txt" in text
    assert f"/tasks/{task.pk}/files/" in text
    assert "<em>receipt</em>" in html
    assert re.search(r"Approve: Next: “Do nothing \(yes\)”\.\n  \S+\?outcome=approved", text)
    assert re.search(r"Reject: Next: “Do nothing \(no\)”\.\n  \S+\?outcome=rejected", text)


def test_the_mail_of_a_corrected_task_says_the_corrected_value(box):
    ria, bob = reached("ria", "viewer"), reached("bob")
    task = opened()
    mailing.tick(30)
    rounds.return_task(bob, task.pk, comment="Half.", seen=read(bob, task))
    rounds.send_again(ria, task.pk, facts={"Amount": 617.25})
    mailing.tick(30)
    mail = next(one for one in box.messages() if one["Subject"].startswith("Sent again: "))
    assert "617,25" in mail["Subject"]
    assert "Amount: 617,25\u00a0EUR" in text_of(mail)
    assert "1.234,50" not in text_of(mail)


@override_settings(HANDOFF_MAIL_FACTS=False)
def test_an_operator_may_keep_facts_out_of_mails(box):
    reached("bob")
    opened()
    mailing.tick(30)
    (message,) = box.messages()
    assert "31.01.2027" not in text_of(message)
    assert "outcome=" not in text_of(message)


def test_a_link_with_an_outcome_leads_to_the_task_with_it_and_decides_nothing(box, client):
    bob = reached("bob")
    task = opened()
    mailing.tick(30)
    (address,) = re.findall(r"(/\S+\?outcome=approved)", text_of(box.messages()[0]))
    path = "/" + address.split("/", 3)[3] if address.startswith("//") else address
    client.force_login(User.objects.get(username=bob.username))
    page = client.get(path[path.index("/inbox") :])
    assert page.status_code == 200
    done = client.post(path[path.index("/inbox") :], headers={"Origin": "http://testserver"})
    assert done["Location"] == f"/inbox/{task.pk}?outcome=approved"
    assert again(task).status == "OPEN"


def ask_bob(*titles, **more):
    return [asked(approval(candidates={"users": ["bob"]}, title=title, **more)) for title in titles]


def test_many_mails_that_wait_become_one(box):
    bob = reached("bob", locale="en")
    ask_bob("Now?", due_seconds=60)
    tasks = ask_bob(*(f"Task {number}?" for number in range(MAILS_BEFORE_DIGEST + 3)))
    decide(bob, tasks[3])
    mailing.tick(60)
    (message,) = box.messages()
    assert message["Subject"] == "8 tasks, the first: Now?"
    assert re.findall(r"^- (.+)$", text_of(message), re.M) == [
        "Now?",
        *(f"Task {number}?" for number in range(MAILS_BEFORE_DIGEST + 3) if number != 3),
    ]
    assert text_of(message).count("/inbox/open/") == 8
    assert not Notification.unsafe_all_tenants.filter(next_at__isnull=False).exists()


def test_many_mails_one_after_the_other_are_collected_unless_they_are_urgent(box, clock):
    reached("bob", locale="en")
    for number in range(MAILS_BEFORE_DIGEST + 2):
        ask_bob(f"Task {number}?")
        mailing.tick(60)
    assert len(box.messages()) == MAILS_BEFORE_DIGEST
    ask_bob("Urgent?", due_seconds=60)
    mailing.tick(60)
    assert box.messages()[-1]["Subject"] == "Urgent?"
    clock.advance(14 * 60)
    mailing.tick(60)
    assert len(box.messages()) == MAILS_BEFORE_DIGEST + 1
    clock.advance(2 * 60)
    mailing.tick(60)
    assert [one["Subject"] for one in box.messages()[MAILS_BEFORE_DIGEST + 1 :]] == ["Task 5?", "Task 6?"]
    assert {one.attempts for one in Notification.unsafe_all_tenants.filter(username="bob")} == {1}


def test_what_is_about_one_s_own_matter_is_not_collected(box):
    ria, _ = reached("ria"), reached("bob", locale="en")
    tasks = []
    for number in range(MAILS_BEFORE_DIGEST + 1):
        tasks += ask_bob(f"Task {number}?")
        mailing.tick(60)
    assert len(box.messages()) == MAILS_BEFORE_DIGEST
    say(ria, tasks[0], "@bob look")
    mailing.tick(60)
    assert len(box.messages()) == MAILS_BEFORE_DIGEST + 1


def test_collected_mail_waits_half_an_hour_at_most_whatever_else_is_sent_meanwhile(box, clock):
    ria, _ = reached("ria"), reached("bob", locale="en")
    tasks = []
    for number in range(MAILS_BEFORE_DIGEST):
        tasks += ask_bob(f"Task {number}?")
        mailing.tick(60)
    for minute in range(0, COLLECTED_WAIT_MINUTES, 5):
        ask_bob(f"Late {minute}?")
        say(ria, tasks[0], f"@bob look {minute}")
        for task in tasks[1:]:
            say(ria, task, f"@bob look {minute}")
        mailing.tick(60)
        assert not any("Late" in text_of(one) for one in box.messages())
        clock.advance(5 * 60)
    mailing.tick(60)
    (message,) = [one for one in box.messages() if "Late" in text_of(one)]
    assert message["Subject"] == "6 tasks, the first: Late 0?"
    assert not Notification.unsafe_all_tenants.filter(next_at__isnull=False).exists()


def test_the_tasks_of_a_collected_mail_that_fails_are_tried_less_and_less_often(monkeypatch, clock):
    reached("bob", locale="en")
    with mailbox(monkeypatch, **{"bob@": "450 later"}) as box:
        ask_bob(*(f"Task {number}?" for number in range(MAILS_BEFORE_DIGEST + 1)))
        pauses = []
        for _ in range(3):
            mailing.tick(60)
            waiting = {one.next_at for one in Notification.unsafe_all_tenants.filter(username="bob")}
            assert len(waiting) == 1
            pauses.append((waiting.pop() - clock.now).total_seconds())
            clock.advance(pauses[-1])
        assert pauses == [60, 120, 240]
        box.server.refusals.clear()
        mailing.tick(60)
        (message,) = box.messages()
    assert message["Subject"] == "6 tasks, the first: Task 0?"
