"""Operations: timers, dead letters, repairs, messages, each with the way to its run."""

from dataclasses import replace
from datetime import timedelta
from uuid import uuid4

import pytest

from accounts.models import KINDS_OF_MAIL, AccountMail, FolderGrant
from accounts.principal import NOWHERE
from lib.clock import now_here
from runs.commands import jobs
from runs.commands.signals import NewSignal, send_signal
from runs.maintenance import histories
from runs.models import DeadLetter, Timer
from runs.reading.mails import of_account, unsent_mails
from tasks_inbox.models import Notification
from tasks_inbox.models.notifications import TELLS
from tasks_inbox.reading import unsent
from tests import factories as make
from tests.factories.runs import RepairFactory
from tests.people import People
from tests.store.watching import watching
from tests.timing import clock

__all__ = ["clock"]
pytestmark = pytest.mark.django_db

JOB = make.graph([{"id": "charge", "title": "Charge the card", "type": "job", "queue": "card"}], [])
PAUSE = make.graph(
    [{"id": "rest", "title": "Two days of rest", "type": "wait", "params": {"seconds": 60}}], []
)


def poll(worker="w1", many=1):
    return jobs.poll(tenant=make.a_tenant().pk, worker=worker, queues=["card"], max_jobs=many)


def logged_in(client, role):
    client.force_login(make.a_member(f"the-{role}", role))
    return client


@pytest.fixture
def viewer(client):
    return logged_in(client, "viewer")


def test_timers_are_listed_the_next_first_and_overdue_ones_are_marked(viewer, clock):
    first, second = make.start(PAUSE, {}, {})
    make.work()
    Timer.unsafe_all_tenants.filter(run_id=second).update(fire_at=clock.now - timedelta(minutes=5))
    rows = viewer.get("/api/v1/timers").json()["results"]
    assert [row["run_id"] for row in rows] == [second, first]
    assert (rows[0]["title"], rows[0]["kind"], rows[1]["overdue_seconds"]) == ("Two days of rest", "wait", 0)
    assert rows[0]["overdue_seconds"] == pytest.approx(300, abs=5)
    overdue = viewer.get("/api/v1/timers?due=overdue").json()["results"]
    assert [row["run_id"] for row in overdue] == [second]
    page = viewer.get("/operations/timers?due=overdue").text
    assert second in page
    assert first not in page
    assert "overdue</strong>" in page
    assert viewer.get("/api/v1/timers?due=soon").status_code == 400


def test_timers_of_runs_that_one_may_not_read_are_in_no_list(viewer):
    make.start(PAUSE)
    make.work()
    FolderGrant.unsafe_all_tenants.all().delete()
    assert viewer.get("/api/v1/timers").json()["results"] == []
    assert "No timer is set" in viewer.get("/operations/timers").text


def test_pages_without_anything_say_what_would_be_there(client):
    logged_in(client, "operator")
    for address, words in (
        ("/operations/timers", "No timer is set"),
        ("/operations/timers?due=overdue", "No timer is overdue"),
        ("/operations/dead-letters", "No dead letters"),
        ("/operations/messages", "No signal waits to be taken"),
        ("/operations/repairs", "Nothing had to be repaired"),
    ):
        page = client.get(address)
        assert page.status_code == 200
        assert words in page.text, address


def test_a_dead_letter_is_tried_again_from_the_list_and_a_second_press_says_so(client):
    (run_id,) = make.start(JOB)
    (step,) = make.claimed("card")
    make.fail(step, code="CardRefused")
    letter = DeadLetter.unsafe_all_tenants.get()
    logged_in(client, "operator")
    page = client.get("/operations/dead-letters").text
    for words in (f"/runs/{run_id}", "Charge the card", "CardRefused"):
        assert words in page, words
    address = f"/operations/dead-letters/{letter.pk}/redrive"
    assert "goes on at the step that failed" in client.post(address, follow=True).text
    assert "No dead letters" in client.get("/operations/dead-letters").text
    assert "was already redriven" in client.post(address, follow=True).text


def test_who_only_reads_is_offered_nothing_to_press(viewer):
    make.start(JOB)
    (step,) = make.claimed("card")
    make.fail(step, code="CardRefused")
    page = viewer.get("/operations/dead-letters").text
    assert "CardRefused" in page
    assert "Try again" not in page
    assert viewer.get("/operations/repairs").status_code == 403


def test_an_operator_whom_a_folder_lets_only_read_is_not_offered_what_it_would_refuse(client):
    make.start(JOB)
    (step,) = make.claimed("card")
    make.fail(step, code="CardRefused")
    logged_in(client, "operator")
    assert "Try again" in client.get("/operations/dead-letters").text
    FolderGrant.unsafe_all_tenants.update(verbs=["read"])
    page = client.get("/operations/dead-letters").text
    assert "CardRefused" in page
    assert "Try again" not in page


def test_repairs_say_what_was_wrong_and_what_became_of_it(client):
    (run_id,) = make.start(JOB)
    RepairFactory(run_id=run_id, what="timer of nothing")
    RepairFactory(run_id=run_id, what="nothing open", done=False)
    logged_in(client, "operator")
    page = client.get("/operations/repairs").text
    for words in (f"/runs/{run_id}", "timer of nothing", "repaired", "needs a person"):
        assert words in page, words


def test_the_check_of_ended_runs_says_how_far_it_is_and_what_differs(client, clock):
    (run_id,) = make.start(make.chain("noop"))
    make.work()
    logged_in(client, "operator")
    assert "No run was checked yet" in client.get("/operations/repairs").text
    clock.advance(3_700)
    make.change(str(make.steps(run_id)["a"].pk), attempt=7)
    histories.check()
    page = client.get("/operations/repairs").text
    for words in ("All 1 ended runs were checked", f"/runs/{run_id}", "attempt: expected 1, found 7"):
        assert words in page, words
    FolderGrant.unsafe_all_tenants.all().delete()
    assert f"/runs/{run_id}" not in client.get("/operations/repairs").text


NAMED = make.graph(
    [{"id": "pay", "title": "Wait for the money", "type": "signal", "params": {"name": "paid"}}], []
)


def signalled(run_id, name):
    send_signal(make.a_tenant().pk, run_id, NewSignal(str(uuid4()), name, {}), by="shop")


def test_a_signal_that_nobody_has_taken_leads_to_its_run(viewer, monkeypatch):
    run_id, other = make.start(NAMED, {"order": 7}, {"order": 8})
    make.work()
    signalled(run_id, "payed")
    signalled(other, "paid")
    with watching() as seen:
        page = viewer.get("/operations/messages").text
    assert seen.trips <= 15
    assert f"/runs/{run_id}" in page
    assert "payed" in page
    assert f"/runs/{other}" not in page
    monkeypatch.setattr("runs.reading.messages.READ_AT_ONCE", 1)
    assert "No signal waits to be taken" in viewer.get("/operations/messages").text


def test_a_signal_to_a_run_of_a_folder_that_is_closed_is_not_shown(client):
    (run_id,) = make.start(NAMED)
    signalled(run_id, "payed")
    logged_in(client, "operator")
    assert "payed" in client.get("/operations/messages").text
    FolderGrant.unsafe_all_tenants.all().delete()
    assert "payed" not in client.get("/operations/messages").text


def test_mail_that_could_not_be_sent_is_told_to_admins(client, viewer):
    (run_id,) = make.start(NAMED)
    tenant = make.a_tenant().pk
    about_task = {
        "tenant_id": tenant,
        "task_id": uuid4(),
        "run_id": run_id,
        "kind": "reminded",
        "attempts": 3,
    }
    make.NotificationFactory(**about_task, username="ann", error="550 No such user")
    make.NotificationFactory(**about_task, username="xenia", error="", sent_at=now_here())
    bob = make.a_member("bob")
    make.AccountMailFactory(user=bob, kind="invited", error="timed out")
    assert "could not be sent" not in viewer.get("/operations/messages").text
    logged_in(client, "admin")
    page = client.get("/operations/messages").text
    for words in ("550 No such user", "given up", f"/runs/{run_id}", "timed out", "bob"):
        assert words in page, words
    assert ("A reminder of a task" in page, "An invitation" in page) == (True, True)
    assert "xenia" not in page
    assert "reminded" not in page
    closed = unsent_mails(_of_no_folder(), 10)
    assert [mail.about for mail in closed] == ["An invitation"]


def _of_no_folder():
    """An admin’s scopes for one whom no folder lets in."""
    return replace(People().principal("admin", "default"), reach=NOWHERE)


def test_every_kind_of_mail_is_told_in_plain_words():
    kinds = [AccountMail(kind=kind, user=make.a_user()) for kind in KINDS_OF_MAIL]
    words = {of_account(mail).about for mail in kinds}
    words |= {unsent.MAILS.shown(Notification(kind=kind)).about for kind in TELLS}
    assert len(words) == len(KINDS_OF_MAIL) + len(TELLS)
    assert words.isdisjoint({"Their account", "A task"})
