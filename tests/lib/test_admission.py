"""Who may ask a process, how often, and who must wait until others had their share."""

import itertools
import sys
import threading

import pytest

from lib import token_bucket
from lib.load import admission
from lib.load.admission import BURST_SECONDS, Admission, Credentials, Refused, name_caller
from lib.load.ceilings import Ceilings, Request


class Clock:
    now = 1000.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


def door(clock, processes=1, **rates):
    return Admission(rates, processes, clock)


def shown(text):
    return Credentials(text, text)


def known(it, credential, *names):
    """Have the door know who shows this."""
    entry = it.enter(shown(credential), "here")
    it.leave(entry, (*names, "network here"))


def entered(it, credential="", network="here"):
    entry = it.enter(shown(credential), network)
    if isinstance(entry, Refused):
        return False
    it.leave(entry, entry.names)
    return True


def test_nobody_is_refused_until_somebody_sets_a_limit(clock):
    it = door(clock, token=0, person=0, network=0)
    assert all(entered(it, "a") for _ in range(10_000))


@pytest.mark.parametrize("what", ["token", "person", "network"])
def test_each_limit_counts_its_own_and_says_when_to_come_again(clock, what):
    it = door(clock, **{what: 60})
    known(it, "t1", "person 1", "token t1")
    known(it, "t2", "person 1", "token t2")
    known(it, "t3", "person 2", "token t3")
    clock.now += 60
    made = sum(entered(it, "t1") for _ in range(100))
    assert made == BURST_SECONDS
    refused = it.enter(shown("t1"), "here")
    assert (refused.retry_after, f"This {what}" in refused.message) == (1, True)
    assert [entered(it, name) for name in ("t2", "t3")] == {
        "token": [True, True],
        "person": [False, True],
        "network": [False, False],
    }[what]
    assert entered(it, "t1", "elsewhere") == (what == "network")
    clock.now += 1
    assert entered(it, "t1")


def test_each_process_lets_in_its_part(clock):
    it = door(clock, 4, network=240)
    assert sum(entered(it) for _ in range(100)) == BURST_SECONDS


def test_another_try_at_an_answer_is_not_refused(clock):
    it = door(clock, network=1)
    assert [entered(it), entered(it)] == [True, False]
    assert not isinstance(it.enter(shown(""), "here", is_first=False), Refused)


@pytest.mark.parametrize("used", [4.9, 5.1])
@pytest.mark.parametrize("waited", [0.1, 0.3])
@pytest.mark.parametrize("who", ["b", "a"])
def test_who_used_more_than_half_is_refused_while_another_one_waits(clock, used, waited, who):
    it = door(clock)
    known(it, "a", "person 1", "token a")
    known(it, "b", "person 2", "token b")
    for _ in range(10):
        it.charge(("person 1", "token a", "network here"), used / 10)
        clock.now += 1
    clock.now -= 1
    it.enter(shown(who), "here")
    clock.now += waited

    is_refused = isinstance(it.enter(shown("a"), "here"), Refused)
    assert is_refused == (used > 5 and waited > admission.WAIT_SECONDS and who == "b")
    assert entered(it, "b")


def test_who_was_refused_is_let_in_after_the_seconds_that_it_was_told(clock):
    it = door(clock)
    known(it, "a", "person 1")
    it.charge(("person 1",), 3)
    clock.now += 4
    it.charge(("person 1",), 4)
    it.enter(shown(""), "elsewhere")
    clock.now += 1
    refused = it.enter(shown("a"), "here")
    assert refused.retry_after == 5
    clock.now += refused.retry_after - 1
    assert isinstance(it.enter(shown("a"), "here"), Refused)
    clock.now += 1
    assert not isinstance(it.enter(shown("a"), "here"), Refused)


def test_a_request_says_who_makes_it_and_is_charged_for_that():
    it = Admission({})
    request = Request("GET /x", 5, ("network here",))
    Ceilings(it.charge).run(lambda: name_caller("t1", 7), request)
    assert request.names == ("person 7", "token t1", "network here")
    name_caller("t1", 7)


def test_what_is_kept_of_callers_is_bounded(clock, monkeypatch):
    monkeypatch.setattr(admission, "MOST", 100)
    monkeypatch.setattr(token_bucket, "MOST", 100)
    it = door(clock)
    for number in range(1_000):
        known(it, f"t{number}", f"person {number}")
        it.charge((f"person {number}",), 0.1)
        clock.now += 1
    assert len(it._known) <= 100
    assert len(it._shares._usage) <= 100


def test_callers_who_all_have_to_stay_are_looked_through_once_a_second(clock, monkeypatch):
    monkeypatch.setattr(token_bucket, "MOST", 100)
    shares = admission.Shares(clock)
    for number in range(150):
        shares.charge(f"person {number}", 0.1)
    kept, looks = shares._usage, []
    for number in range(150, 200):
        shares.charge(f"person {number}", 0.1)
        looks.append(shares._usage is not kept)
    assert not any(looks)
    clock.now += 20
    shares.charge("person 200", 0.1)
    assert list(shares._usage) == ["person 200"]


def test_a_probe_is_let_in_whatever_others_of_its_network_do(clock):
    it = door(clock)
    it.charge(("network here",), 9)
    it.enter(shown(""), "elsewhere")
    clock.now += 1
    assert isinstance(it.enter(shown(""), "here"), Refused)
    probe = it.enter_probe("here")
    it.charge(probe.names, 9)
    assert not it.is_heavy(probe.names[0])
    it.leave(probe, probe.names)
    assert it.enter_probe("here").names == probe.names


def test_who_shows_something_else_beside_a_session_or_a_token_is_no_stranger(clock):
    it = door(clock)
    for names in (("person 1",), ("person 2", "token t")):
        entry = it.enter(Credentials("t", "s"), "here")
        it.leave(entry, (*names, "network here"))
    found = [it.enter(one, "here").names[0] for one in (Credentials("x", "s"), Credentials("t", "x"))]
    assert found == ["person 1", "person 2"]


def test_what_a_proxy_shows_for_all_its_users_makes_none_of_them_another(clock):
    it = door(clock)
    it.leave(it.enter(Credentials("shared", "s1"), "here"), ("person 1", "network here"))
    assert it.enter(Credentials("shared", "s2"), "here").names == ("network here",)


def test_what_is_computed_may_be_told_while_it_is_asked_for():
    it, end, faults = Admission({}, clock=lambda: next(moments)), threading.Event(), []
    moments = itertools.count(step=0.01)
    was = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)

    def tell():
        while not end.is_set():
            it.charge(("person 1",), 0.1)

    teller = threading.Thread(target=tell)
    teller.start()
    try:
        for _ in range(100_000):
            it.is_heavy("person 1")
    except RuntimeError as error:
        faults.append(error)
    finally:
        end.set()
        teller.join()
        sys.setswitchinterval(was)
    assert faults == []
