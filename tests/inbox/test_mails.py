"""Who is mailed of a task, when, once; over a real SMTP server (R-145, R-146)."""

import pytest

from accounts.models import User
from accounts.preferences import change_notifications
from lib.named_sql import watchers
from lib.outbox import MOST_ATTEMPTS
from tasks_inbox.actions import assignment, comments
from tasks_inbox.duties import clock as tasks_clock
from tasks_inbox.mail import mailing, outbox
from tasks_inbox.models import ManualTask, Notification
from tests import factories as make
from tests.inbox.asking import approval, asked, decide, hand, member, say, stuck
from tests.smtp import mailbox
from workflows.models import Workflow

pytestmark = pytest.mark.usefixtures("clock")
TITLE = "Refund 40 EUR?"


@pytest.fixture
def box(monkeypatch):
    with mailbox(monkeypatch) as box:
        yield box


def reached(name, role="approver", *groups):
    """A member with an address."""
    who = member(name, role, *groups)
    User.objects.filter(username=name).update(email=f"{name}@example.org")
    return who


def send(clock=None, seconds=0.0):
    if clock is not None:
        clock.advance(seconds)
        tasks_clock.tick()
        make.work()
    return mailing.tick(30)


def why(name):
    """Why each mail to somebody was not sent; empty for those that were, or that wait."""
    found = Notification.unsafe_all_tenants.filter(username=name).order_by("pk")
    return [one.error for one in found]


def test_each_of_a_group_is_asked_once_but_for_who_is_excluded(box):
    for name in ("ann", "bob", "cyd"):
        reached(name, "approver", "Finance")
    reached("dan", "approver", "Finance")
    reached("eve", "approver")
    task = asked(approval(candidates={"groups": ["Finance"]}, exclude=["dan"], due_seconds=3600))
    Workflow.unsafe_all_tenants.filter(pk=task.workflow_id).update(title="Refunds of orders")
    send()
    send()
    assert box.subjects() == {name: [TITLE] for name in ("ann", "bob", "cyd")}
    (first, *_) = box.messages()
    text = first.get_body(("plain",)).get_content()
    assert "Due 2031-01-01 10:00 UTC." in text
    assert "Asked by the workflow “Refunds of orders”." in text
    assert "http://127.0.0.1:8000/inbox/open/" in text
    assert 'href="http' in first.get_body(("html",)).get_content()


@pytest.mark.parametrize(
    ("zone", "locale", "due"),
    [
        ("Asia/Kolkata", "en-GB", "Due 1 Jan 2031, 15:30 (Asia/Kolkata)."),
        ("America/Los_Angeles", "", "Due 2031-01-01 02:00 (America/Los Angeles)."),
        ("", "de", "Due 01.01.2031, 10:00 UTC."),
        ("Mars/Olympus", "xx", "Due 2031-01-01 10:00 UTC."),
    ],
)
def test_a_mail_says_times_in_the_zone_of_whom_it_is_for(box, zone, locale, due):
    reached("ann")
    User.objects.filter(username="ann").update(time_zone=zone, locale=locale)
    asked(approval(candidates={"users": ["ann"]}, due_seconds=3600))
    send()
    (mail,) = box.messages()
    for kind in ("plain", "html"):
        assert due in mail.get_body((kind,)).get_content()


def test_who_waits_until_somebody_has_claimed_it_is_not_asked_any_more(box):
    ann, _ = reached("ann"), reached("bob")
    task = asked()
    assignment.claim_task(ann, task.pk)
    send()
    assert box.subjects() == {}
    other = asked()
    outbox.address(Notification.unsafe_all_tenants.get(task_id=other.pk).pk, ["ann", "bob"])
    assignment.claim_task(ann, other.pk)
    send()
    assert (box.subjects(), why("bob")) == ({}, ["Somebody already has it."])


def test_what_was_decided_meanwhile_asks_nobody(box):
    ann = reached("ann")
    decide(ann, asked())
    send()
    assert box.subjects() == {}


def test_whoever_is_given_a_task_by_somebody_else_is_told(box):
    boss, ann, bob = reached("boss", "operator"), reached("ann"), reached("bob")
    task = asked(approval(candidates={"users": ["ann"], "roles": ["operator"]}))
    send()
    assignment.assign_task(boss, task.pk, "ann")
    hand(ann, task, "bob")
    send()
    # Ann has it no more by the time that she would be told.
    assert box.subjects() == {"ann": [TITLE], "boss": [TITLE], "bob": [TITLE]}
    assert why("ann")[-1] == "Somebody else has it now."
    assignment.unclaim_task(bob, task.pk)
    send()
    assert box.subjects()["ann"] == [TITLE, TITLE]
    assignment.unclaim_task(ann, task.pk)
    assignment.claim_task(ann, task.pk)
    assert send() == 0


def test_reminders_go_to_those_who_can_still_decide_and_escalation_to_the_new_ones(box, clock):
    ann, _, _ = reached("ann"), reached("bob"), reached("boss")
    task = asked(
        approval(
            candidates={"users": ["ann", "bob"]},
            reminders=[10, 50],
            escalation=[{"after_seconds": 30, "users": ["boss"]}],
        )
    )
    send()
    send(clock, 11)
    assert box.subjects() == {name: [TITLE, f"Reminder: {TITLE}"] for name in ("ann", "bob")}
    send(clock, 20)
    assert box.subjects()["boss"] == [f"Escalated: {TITLE}"]
    assignment.claim_task(ann, task.pk)
    send(clock, 20)
    assert [len(box.subjects()[name]) for name in ("ann", "bob", "boss")] == [3, 2, 1]


def test_reminders_that_come_at_once_are_one(box, clock):
    reached("ann")
    asked(approval(reminders=[10, 20, 30]))
    send()
    send(clock, 100)
    assert box.subjects() == {"ann": [TITLE, f"Reminder: {TITLE}"]}


def test_whom_a_comment_mentions_is_told_once(box):
    ann = reached("ann")
    for name, role in (("bob", "viewer"), ("cyd", "approver")):
        reached(name, role)
    task = asked(approval(candidates={"users": ["ann"]}))
    send()
    made = "00000000-0000-7000-8000-00000000c0de"
    for _ in range(2):
        say(
            ann,
            task,
            "@Bob, and @cyd. Again @bob! Not x@cyd, nor me, @ann, nor @nobody; mail@bob.org",
            id=made,
        )
    send()
    assert box.subjects() == {name: [TITLE] for name in ("ann", "bob", "cyd")}


def test_whom_a_comment_mentions_is_not_told_of_a_task_that_they_may_not_see(box):
    ann, task = reached("ann"), asked(approval(candidates={"users": ["ann"]}))
    reached("bob", "viewer")
    folder = make.FolderFactory(tenant_id=task.tenant_id)
    Workflow.objects.for_tenant(task.tenant_id).filter(pk=task.workflow_id).update(folder=folder.pk)
    say(ann, task, "See this, @bob.")
    send()
    assert "bob" not in box.subjects()
    assert "They may not see this task." in set(
        Notification.unsafe_all_tenants.filter(username="bob").values_list("error", flat=True)
    )


def test_a_comment_tells_twenty_at_most(box):
    ann = reached("ann")
    for n in range(22):
        reached(f"p{n}", "viewer")
    task = asked(approval(candidates={"users": ["ann"]}))
    say(ann, task, " ".join(f"@p{n}" for n in range(22)))
    assert Notification.unsafe_all_tenants.filter(kind="mentioned").count() == 20


def test_who_asked_is_told_of_the_answer(box):
    ann, _ = reached("ann"), reached("test", "author")
    task = asked(approval(candidates={"users": ["ann"]}))
    comments.ask(ann, task.pk, "Which account?")
    comments.answer(reached("op", "operator"), task.pk, "The second one.")
    send()
    assert sorted(box.subjects()["ann"]) == [f"Answered: {TITLE}", TITLE]


def test_whose_task_is_cancelled_is_told(box):
    ann, _ = reached("ann"), reached("bob")
    task = asked()
    send()
    assignment.claim_task(ann, task.pk)
    make.cancel(str(task.run_id))
    send()
    assert box.subjects() == {"ann": [TITLE, f"No longer needed: {TITLE}"], "bob": [TITLE]}


def test_a_failed_compensation_asks_those_who_mend_runs(box):
    reached("op", "operator")
    reached("ann")
    stuck()
    send()
    assert [*box.subjects()] == ["op"]


@pytest.mark.parametrize(
    ("mail", "told"), [("everything", [TITLE, TITLE]), ("assigned", [TITLE]), ("nothing", [])]
)
def test_people_choose_of_what_they_get_mail(box, mail, told):
    ann, boss = reached("ann"), member("boss", "operator")
    change_notifications(ann, mail=mail)
    task = asked(approval(candidates={"users": ["ann"]}))
    send()
    assignment.assign_task(boss, task.pk, "ann")
    send()
    assert box.subjects().get("ann", []) == told


def test_who_has_no_address_or_is_gone_gets_nothing(box):
    member("ann")
    reached("bob")
    task = asked()
    note = Notification.unsafe_all_tenants.get(task_id=task.pk)
    outbox.address(note.pk, ["ann", "bob", "gone"])
    User.objects.filter(username="bob").update(is_active=False)
    send()
    assert box.subjects() == {}
    assert why("ann") == ["They have no e-mail address."]
    assert why("bob") == why("gone") == ["They are not a member who may see tasks."]


def test_a_title_is_one_line_whatever_it_holds(box):
    reached("ann")
    asked()
    ManualTask.unsafe_all_tenants.update(title="Pay?\nBcc: eve@example.org\r\n" + "x" * 300)
    send()
    (message,) = box.messages()
    assert message["Bcc"] is None
    assert message["Subject"].startswith("Pay? Bcc: eve@example.org xxx")
    assert len(message["Subject"]) == 200


def test_without_a_mail_server_nothing_is_sent_nor_kept_for_later(monkeypatch):
    monkeypatch.delenv("HANDOFF_SMTP_URL", raising=False)
    reached("ann")
    asked()
    assert (send(), send()) == (1, 0)
    with mailbox(monkeypatch) as box:
        assert send() == 0
        assert box.subjects() == {}


def test_a_server_that_was_down_gets_each_mail_once(monkeypatch, clock):
    for name in ("ann", "bob", "cyd"):
        reached(name)
    with mailbox(monkeypatch) as gone:
        port = gone.server.port
    monkeypatch.setenv("HANDOFF_SMTP_URL", f"smtp://127.0.0.1:{port}")
    asked()
    # One attempt each time: what befell one most likely befalls the next.
    assert (send(), send()) == (2, 1)
    with mailbox(monkeypatch) as box:
        send()
        assert len(box.messages()) == 1
        send(clock, 61)
        assert box.subjects() == {name: [TITLE] for name in ("ann", "bob", "cyd")}
        assert send(clock, 10_000) == 0
    assert len({message["Message-ID"] for message in box.messages()}) == 3


def test_a_recipient_that_is_refused_keeps_nobody_else_from_theirs(monkeypatch, clock):
    for name in ("ann", "bob"):
        reached(name)
    with mailbox(monkeypatch, **{"ann@": "450 later"}) as box:
        asked()
        send()
        send()
        assert box.subjects() == {"bob": [TITLE]}
        box.server.refusals.clear()
        send(clock, 61)
        send(clock, 61)
        assert box.subjects() == {"bob": [TITLE], "ann": [TITLE]}


def test_what_no_server_takes_is_given_up_and_said(monkeypatch, clock, caplog):
    reached("ann")
    with mailbox(monkeypatch, MAIL="550 no") as box:
        asked()
        for _ in range(MOST_ATTEMPTS + 5):
            send(clock, 3_601)
        assert sum(verb.upper().startswith("MAIL") for verb in box.server.verbs) == MOST_ATTEMPTS
    (said,) = why("ann")
    assert said.startswith("Given up after 10 attempts. The mail server refused the sender")
    assert outbox.lost() == 1
    assert "is given up" in caplog.text


def test_a_mail_whose_sender_died_is_sent_again_under_the_same_id(box, clock, monkeypatch):
    reached("ann")
    asked()

    def die(id):
        raise SystemExit

    with monkeypatch.context() as dying:
        dying.setattr(mailing.OUTBOX, "note_sent", die)
        with pytest.raises(SystemExit):
            send()
    assert send() == 0
    send(clock, 61)
    assert len({message["Message-ID"] for message in box.messages()}) == 1


def test_what_is_done_with_is_forgotten_after_a_month(box, clock):
    reached("ann")
    asked()
    send()
    clock.advance(31 * 86_400)
    send()
    assert not Notification.unsafe_all_tenants.exists()


def test_a_batch_of_tasks_opens_with_as_many_statements_as_one():

    counts = []
    for many in (1, 25):
        make.start(approval(), *[{"amount": n} for n in range(many)])
        said: list[str] = []
        watchers.append(said.append)
        try:
            make.work()
        finally:
            watchers.remove(said.append)
        counts.append(said.count("open_tasks"))
    assert counts == [1, 1]
    assert Notification.unsafe_all_tenants.count() == 26
