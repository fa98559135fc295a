"""The mail of the day: once a day where its receiver is, of how things are, and nothing if there is nothing to say."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, date, datetime

import pytest
from django.db import connection

from accounts import outgoing, preferences
from accounts.models import DIGEST, AccountMail, User
from accounts.queries import session_principal
from runs.models import Run
from tasks_inbox.duties import account_mails, digests
from tests import factories as make
from tests.inbox.asking import approval, asked, decide, member, task_of
from tests.smtp import mailbox
from tests.timing import clock

__all__ = ["clock"]
pytestmark = pytest.mark.django_db


@pytest.fixture
def box(monkeypatch):
    with mailbox(monkeypatch) as box:
        yield box


def wants(name: str, hour: int | None = 7, zone: str = "", groups: tuple[str, ...] = ()) -> User:
    """A member who gets the mail of the day at this hour."""
    member(name, "approver", *groups)
    User.objects.filter(username=name).update(
        email=f"{name}@example.org", digest_hour=hour, time_zone=zone, digest_day=None
    )
    return User.objects.get(username=name)


def written() -> int:
    return AccountMail.unsafe_all_tenants.filter(kind=DIGEST).count()


def at(clock, *when: int) -> None:
    clock.advance((datetime(*when, tzinfo=UTC) - clock.now).total_seconds())


def text_of(message) -> str:
    return message.get_body(("plain",)).get_content()


def test_it_says_what_is_open_with_whom_and_how_requests_went_on(box, clock):
    make.GroupFactory(name="Claims")
    wants("ann", groups=("Claims",))
    ann = session_principal(User.objects.get(username="ann"))
    mine = asked(approval(candidates={"users": ["ann"]}, due_seconds=3600), amount=12)
    asked(approval(candidates={"groups": ["Claims"]}), amount=13)
    assert digests.tick() == 1
    assert account_mails.tick(10) == 1
    (message,) = box.messages()
    text = text_of(message)
    assert message["To"] == "ann@example.org"
    assert message["Subject"].startswith("Your day: ")
    assert "Refund 12 EUR?: due " in text
    assert f"/inbox/{mine.pk}" in text
    assert "Refund 13 EUR?" in text
    assert "/settings/notifications" in message["List-Unsubscribe"]
    # The next day nothing is new but what is still open; when that is decided, nothing is sent.
    decide(ann, mine)
    for task in [task_of(run.pk) for run in Run.unsafe_all_tenants.exclude(pk=mine.run_id)]:
        decide(ann, task)
    clock.advance(86_400)
    assert digests.tick() == 1
    account_mails.tick(10)
    assert len(box.messages()) == 1
    assert "nothing to report" in AccountMail.unsafe_all_tenants.latest("created_at").error


def test_there_is_one_a_day_however_often_and_late_it_ticks(clock):
    wants("ann")
    assert [digests.tick() for _ in range(3)] == [1, 0, 0]
    clock.advance(12 * 3600)
    assert digests.tick() == 0
    clock.advance(10 * 3600)
    assert digests.tick() == 1
    assert written() == 2


@pytest.mark.parametrize(
    ("zone", "hour", "early", "due"),
    [
        ("", 9, (2031, 1, 2, 8, 59), (2031, 1, 2, 9, 0)),
        ("Asia/Tokyo", 7, (2031, 1, 1, 21, 59), (2031, 1, 1, 22, 0)),
        ("America/New_York", 7, (2031, 1, 2, 11, 59), (2031, 1, 2, 12, 0)),
        # The hour that is left out in spring: it comes with the one after it.
        ("Europe/Berlin", 2, (2031, 3, 30, 0, 59), (2031, 3, 30, 1, 0)),
    ],
)
def test_the_hour_is_that_of_its_receiver(clock, zone, hour, early, due):
    user = wants("ann", hour, zone)
    at(clock, *early)
    day = datetime(*due, tzinfo=UTC).astimezone(digests.ZoneInfo(zone or "UTC")).date()
    User.objects.filter(pk=user.pk).update(digest_day=date.fromordinal(day.toordinal() - 1))
    assert digests.tick() == 0
    at(clock, *due)
    assert digests.tick() == 1


def test_the_hour_that_comes_twice_in_autumn_has_one(clock):
    wants("ann", 2, "Europe/Berlin")
    at(clock, 2031, 10, 26, 0, 30)
    assert digests.tick() == 1
    at(clock, 2031, 10, 26, 1, 30)
    assert digests.tick() == 0


def test_who_wants_none_or_is_no_active_member_gets_none(box, clock):
    for name in ("never", "gone", "changed"):
        wants(name, None if name == "never" else 7)
        asked(approval(candidates={"users": [name]}))
    User.objects.filter(username="gone").update(is_active=False)
    assert digests.tick() == 1
    preferences.change_notifications(
        session_principal(User.objects.get(username="changed")), digest_hour=None
    )
    account_mails.tick(10)
    assert box.messages() == []


def test_the_first_one_comes_tomorrow_where_the_hour_has_passed(clock):
    user = wants("ann", None)
    preferences.change_notifications(session_principal(user), digest_hour=8)
    assert digests.tick() == 0
    clock.advance(86_400)
    assert digests.tick() == 1


def test_one_that_could_not_be_sent_for_long_is_dropped(monkeypatch, clock):
    wants("ann")
    asked(approval(candidates={"users": ["ann"]}))
    digests.tick()
    with mailbox(monkeypatch, RCPT="451 later"):
        account_mails.tick(10)
    clock.advance(13 * 3600)
    with mailbox(monkeypatch) as box:
        account_mails.tick(10)
        assert box.messages() == []


@pytest.mark.django_db(transaction=True)
def test_two_that_tick_at_once_write_one(clock):
    for number in range(20):
        wants(f"ann-{number}")
    params = [("", clock.now.date(), clock.now.hour)]

    def write(_: int) -> int:
        try:
            return outgoing.write_digests(params)
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as pool:
        assert sum(pool.map(write, range(8))) == 20
    assert written() == 20
