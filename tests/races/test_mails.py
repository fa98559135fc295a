"""Two mail senders at once for one person: each notification is mailed once."""

import re
from collections import Counter

import pytest

from accounts.models import User
from tasks_inbox.limits import COLLECTED_WAIT_MINUTES, DIGEST_MINUTES, MAILS_BEFORE_DIGEST
from tasks_inbox.mail import mailing, outbox
from tasks_inbox.models import Notification
from tests.inbox.asking import approval, asked, member
from tests.races.staging import Actor, holding
from tests.smtp import mailbox

SENDERS = 2


@pytest.fixture
def bob():
    member("bob")
    User.objects.filter(username="bob").update(email="bob@example.org", locale="en")


def ask(*titles):
    for title in titles:
        asked(approval(candidates={"users": ["bob"]}, title=title))
    for one in Notification.unsafe_all_tenants.filter(username=None):
        outbox.address(one.pk, ["bob"])


def mailed(box):
    """How many mails name each task."""
    texts = [one.get_body(("plain",)).get_content() for one in box.messages()]
    subjects = [one["Subject"] for one in box.messages() if not re.match(r"\d+ tasks", one["Subject"])]
    return Counter(
        [*subjects, *(title for text in texts for title in re.findall(r"^- (.+?)\r?$", text, re.M))]
    )


def waiting():
    return Notification.unsafe_all_tenants.filter(username="bob", next_at__isnull=False).count()


@pytest.mark.parametrize("statement", ["mails_lately", "take_collected", "note_sent"])
@pytest.mark.parametrize("count", [2, MAILS_BEFORE_DIGEST + 2])
def test_a_sender_that_halts_and_one_that_goes_on_mail_each_task_once(
    bob, monkeypatch, clock, statement, count
):
    titles = [f"Task {number}?" for number in range(count)]
    with mailbox(monkeypatch) as box:
        ask(*titles)
        with holding(lambda: mailing.tick(10), before=statement):
            mailing.tick(10)
        clock.advance(COLLECTED_WAIT_MINUTES * 60)
        mailing.tick(10)
        assert mailed(box) == dict.fromkeys(titles, 1)
    assert waiting() == 0


@pytest.mark.parametrize(
    ("statement", "minutes"),
    [("mails_lately", 0), ("put_off_notification", 0), ("take_collected", DIGEST_MINUTES + 1)],
)
def test_a_sender_that_puts_off_and_one_that_collects_lose_nothing(
    bob, monkeypatch, clock, statement, minutes
):
    early = [f"Early {number}?" for number in range(MAILS_BEFORE_DIGEST)]
    late = [f"Late {number}?" for number in range(MAILS_BEFORE_DIGEST + 2)]
    with mailbox(monkeypatch) as box:
        for title in early:
            ask(title)
            mailing.tick(10)
        ask(*late[:2])
        mailing.tick(10)
        assert mailed(box) == dict.fromkeys(early, 1)
        ask(*late[2:])
        clock.advance(minutes * 60)
        with holding(lambda: mailing.tick(10), before=statement):
            mailing.tick(10)
        clock.advance(COLLECTED_WAIT_MINUTES * 60)
        mailing.tick(10)
        assert mailed(box) == dict.fromkeys([*early, *late], 1)
    assert waiting() == 0


def test_several_senders_at_once_mail_each_task_once(bob, rounds, monkeypatch, clock):
    with mailbox(monkeypatch) as box:
        titles = []
        for number, _ in enumerate(rounds):
            new = [f"Task {number}.{one}?" for one in range(MAILS_BEFORE_DIGEST + 2)]
            titles += new
            ask(*new)
            for sender in [Actor(lambda: mailing.tick(10)) for _ in range(SENDERS)]:
                sender.end()
            clock.advance(COLLECTED_WAIT_MINUTES * 60)
            mailing.tick(10)
        assert mailed(box) == dict.fromkeys(titles, 1)
    assert waiting() == 0
