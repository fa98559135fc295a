"""An event that can't be published: who waits behind it, and who gets its job all the same (R-169, R-181)."""

import pytest

from accounts.models import FolderGrant
from config.figures import Figures
from config.health import readiness
from integrations.broker import relay as relaying
from integrations.broker import store as statements
from integrations.broker.broker import Outcome, Verdict
from integrations.broker.relay import Relay, tries_after
from integrations.broker.store import outbox_standing
from runs.commands import job_reports
from runs.commands.lifecycle import pause_runs, unpause_runs
from runs.models import DeadLetter
from runs.models.outbox import ASIDE_TRIES
from tests import factories as make
from tests.integrations.broker.consuming import polled, rows, signed_in
from workflows.models import Workflow

pytestmark = pytest.mark.django_db
BOTH = make.graph(
    [
        {"id": "first", "type": "job", "queue": "mine"},
        {"id": "second", "type": "job", "queue": "mine"},
        {"id": "other", "type": "job", "queue": "another"},
    ],
    [],
)
ANOTHER = make.graph([{"id": "a", "type": "job", "queue": "another"}], [])


class Choosing:
    """A broker that has a verdict of its own on some rows, and takes the others."""

    def __init__(self):
        self.verdicts, self.taken = {}, []

    def publish(self, events):
        outcomes = [Outcome(one.row, self.verdicts.get(one.row, Verdict.SENT), "no room") for one in events]
        self.taken += [one.row for one in outcomes if one.verdict is Verdict.SENT]
        return outcomes

    def close(self):
        pass


@pytest.fixture
def broker():
    return Choosing()


@pytest.fixture
def relay(outbox, broker):
    return Relay(broker, "here", 300)


@pytest.fixture
def three(outbox):
    """The rows of three jobs of one run: two of a queue, in order, and one of another."""
    make.start(BOTH)
    return [row.pk for row in sorted(rows(), key=lambda row: (row.queue != "mine", row.pk))]


def tries_of(row):
    return next(one.tries for one in rows() if one.pk == row)


def turns(relay, clock, *, seconds, every=1):
    for _ in range(0, seconds, every):
        clock.advance(every)
        relay.turn()


def test_behind_what_can_not_be_told_now_later_jobs_of_its_run_and_queue_wait_and_no_others(
    relay, broker, three, clock
):
    first, second, other = three
    broker.verdicts[first] = broker.verdicts[second] = broker.verdicts[other] = Verdict.RETRY
    relay.turn()
    del broker.verdicts[second], broker.verdicts[other]
    turns(relay, clock, seconds=2)
    assert broker.taken == [other]
    del broker.verdicts[first]
    turns(relay, clock, seconds=10)
    assert broker.taken == [other, first, second]


def test_what_is_tried_too_often_is_set_aside_and_later_ones_go_before_it(relay, broker, three, clock):
    first, second, other = three
    broker.verdicts[first] = broker.verdicts[second] = Verdict.RETRY
    relay.turn()
    del broker.verdicts[second]
    turns(relay, clock, seconds=240)
    assert broker.taken == [other]
    assert outbox_standing()["aside"] == 0
    turns(relay, clock, seconds=70)
    assert broker.taken == [other, second]
    assert (outbox_standing()["failing"], outbox_standing()["aside"]) == (1, 1)
    # It is tried still: a topic may be made, a right be given.
    del broker.verdicts[first]
    turns(relay, clock, seconds=61)
    assert broker.taken == [other, second, first]
    assert outbox_standing()["aside"] == 0


def test_what_never_can_be_told_is_set_aside_at_once_and_holds_up_nobody(relay, broker, three):
    first, second, other = three
    broker.verdicts[first] = Verdict.POISON
    relay.turn()
    assert sorted(broker.taken) == sorted([second, other])
    [aside] = [row for row in rows() if row.pk == first]
    assert (aside.tries, aside.error, aside.published_at) == (ASIDE_TRIES, "no room", None)
    assert (outbox_standing()["aside"], outbox_standing()["why"]) == (1, "no room")


def test_a_job_that_is_set_aside_is_done_by_who_polls(relay, broker, three):
    first, _, _ = three
    broker.verdicts[first] = Verdict.POISON
    relay.turn()
    assert not DeadLetter.unsafe_all_tenants.exists()
    jobs = polled()
    assert sorted(job.step.node for job in jobs) == ["first", "second"]
    assert outbox_standing()["aside"] == 0
    job = jobs[0]
    said = job_reports.complete(
        tenant=job.step.tenant_id, job=job.step.id, lease_token=job.lease_token, output=None
    )
    assert said.applied


def test_what_never_could_be_told_is_tried_again_ever_later(relay, broker, three, clock):
    first, _, _ = three
    broker.verdicts[first] = Verdict.POISON
    relay.turn()
    tried = []
    for minute in range(1, 200):
        clock.advance(60)
        before = tries_of(first)
        relay.turn()
        if tries_of(first) > before:
            tried.append(minute)
    assert tried == [1, 3, 7, 15, 31, 63, 123, 183]
    del broker.verdicts[first]
    turns(relay, clock, seconds=3_600, every=60)
    assert first in broker.taken
    assert outbox_standing()["aside"] == 0


def test_a_run_that_is_paused_and_goes_on_has_its_events_tried_at_once(relay, broker, three):
    first, _, _ = three
    broker.verdicts[first] = Verdict.POISON
    relay.turn()
    run_id = str(rows()[0].run_id)
    pause_runs(make.a_tenant().pk, [run_id], by="x")
    unpause_runs(make.a_tenant().pk, [run_id], by="x")
    relay.turn()
    assert len(broker.taken) == 5
    assert outbox_standing()["failing"] == 0


def test_an_event_that_can_not_be_made_stops_nobody(relay, broker, three, monkeypatch):
    first, second, other = three
    real = relaying.event_of

    def made(due):
        if due.row == first:
            raise TypeError("what nobody thought of")
        return real(due)

    monkeypatch.setattr(relaying, "event_of", made)
    relay.turn()
    assert sorted(broker.taken) == sorted([second, other])
    assert outbox_standing()["why"] == "TypeError: what nobody thought of"


def test_behind_an_event_that_can_not_be_made_yet_later_ones_wait_at_once(relay, broker, three, monkeypatch):
    first, _, other = three
    real = relaying.event_of

    def made(due):
        if due.row == first:
            raise relaying.Unspeakable("its store is away", is_for_now=True)
        return real(due)

    monkeypatch.setattr(relaying, "event_of", made)
    relay.turn()
    assert broker.taken == [other]


@pytest.fixture
def aside(relay, broker, three):
    """The row of an event that was set aside; the broker takes it from now on."""
    broker.verdicts[three[0]] = Verdict.POISON
    relay.turn()
    broker.verdicts.clear()
    return three[0]


def test_operators_see_what_is_set_aside_and_why_and_have_it_tried_again(aside, client, relay, broker):
    operator = signed_in(client)
    page = operator.get("/operations/dispatch").text
    for words in (
        "1 event of jobs can&#x27;t be published, 1 set aside for workers that poll.",
        f'href="/runs/{rows()[0].run_id}"',
        "Of these set aside",
        "Try again",
    ):
        assert words in page, words
    assert operator.get("/api/v1/dispatch").json()["outbox"]["aside"] == 1
    answer = operator.post("/operations/dispatch/retry", follow=True)
    assert "1 event is tried again." in answer.text
    relay.turn()
    assert aside in broker.taken
    assert "Try again" not in operator.get("/operations/dispatch").text


def test_programs_have_it_tried_again_once(aside, client, relay, broker):
    operator = signed_in(client)
    answers = [operator.post("/api/v1/dispatch/retry", {}, "application/json").json() for _ in range(2)]
    assert [answer["retried"] for answer in answers] == [1, 0]
    relay.turn()
    assert aside in broker.taken


def test_of_another_tenant_nothing_is_seen_nor_tried(aside, client, people, relay, broker):
    stranger = people.client("operator")
    assert stranger.post("/api/v1/dispatch/retry").json() == {"retried": 0, "more": False}
    relay.turn()
    assert aside not in broker.taken


@pytest.mark.parametrize("most_looked_at", [5_000, 1])
def test_who_may_only_read_a_run_sees_its_event_and_does_not_have_it_tried(
    aside, client, relay, broker, monkeypatch, most_looked_at
):
    operator = signed_in(client)
    FolderGrant.unsafe_all_tenants.update(verbs=["read"])
    monkeypatch.setattr(statements, "SEARCHED_EVENTS", most_looked_at)
    page = operator.get("/operations/dispatch").text
    assert 'id="asides"' in page
    assert "Try again" not in page
    assert "0 events are tried again." in operator.post("/operations/dispatch/retry", follow=True).text
    assert operator.post("/api/v1/dispatch/retry", {}, "application/json").json() == {
        "retried": 0,
        "more": False,
    }
    relay.turn()
    assert aside not in broker.taken


def test_of_a_folder_that_is_closed_nothing_is_seen_nor_tried(aside, client, relay, broker):
    operator = signed_in(client)
    closed = make.FolderFactory(tenant=make.a_tenant())
    Workflow.unsafe_all_tenants.update(folder=closed)
    assert 'id="asides"' not in operator.get("/operations/dispatch").text
    assert operator.post("/api/v1/dispatch/retry", {}, "application/json").json() == {
        "retried": 0,
        "more": False,
    }
    relay.turn()
    assert aside not in broker.taken


def test_a_job_that_was_polled_is_listed_no_more(aside, client):
    operator = signed_in(client)
    assert 'id="asides"' in operator.get("/operations/dispatch").text
    polled()
    assert 'id="asides"' not in operator.get("/operations/dispatch").text


def test_it_is_a_figure_and_a_finding(aside, settings):
    [figure] = [one for one in Figures().collect() if one.name == "handoff_outbox_aside"]
    assert [sample.value for sample in figure.samples] == [1]
    _, standing = readiness()
    assert standing.untold == "1 event of jobs can't be published, 1 set aside for workers that poll"


def test_tries_count_to_the_bound_and_on():
    assert tries_after(Verdict.RETRY, 0) == (1, 1.0)
    assert tries_after(Verdict.RETRY, 9) == (10, 60.0)
    assert tries_after(Verdict.POISON, 0) == (ASIDE_TRIES, 60.0)
    assert tries_after(Verdict.POISON, 4_000) == (4_001, 3600.0)
