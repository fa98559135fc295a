"""Calls that come together are done together, each with its own answer, and none harms another."""

import threading
from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest
from django.db import connection, transaction

from config.embedded.processes import wait_until
from lib import gathering
from lib.gathering import BY_ITSELF, Gathered
from lib.load.ceilings import OverCeiling

pytestmark = pytest.mark.django_db(transaction=True)
MANY = 20


class Doing:
    """Doubles numbers; the first call waits until `go`, so that the others come together meanwhile."""

    def __init__(self, *, refuse=()):
        self.batches = []
        self.refuse = set(refuse)
        self.begun, self.go = threading.Event(), threading.Event()
        self.lock = threading.Lock()

    def __call__(self, kind, asked):
        with self.lock:
            self.batches.append((kind, list(asked)))
            is_first = len(self.batches) == 1
        if is_first:
            self.begun.set()
            assert self.go.wait(30)
        if found := self.refuse.intersection(asked):
            raise ValueError(f"not {sorted(found)}")
        return [(kind, 2 * one) for one in asked]


def together(doing, numbers, *, kind=lambda _: "k", most=100, waiting=None, reads=False):
    """The answer or the error of each number: the first begins, and the others wait for it before it may end."""
    gathered = Gathered(doing, most=most, reads=reads)
    first, *others = numbers

    def ask(number):
        try:
            return gathered(kind(number), number)
        except Exception as error:
            return str(error)
        finally:
            connection.close()

    def all_wait():
        return sum(map(len, gathered._waiting.values())) == (len(others) if waiting is None else waiting)

    with pytest.MonkeyPatch.context() as patch, ThreadPoolExecutor(len(numbers)) as threads:
        # On a busy machine the first that waits would have gone before the last one comes.
        patch.setattr(gathering, "PATIENCE_SECONDS", 60.0)
        answers = [threads.submit(ask, first)]
        assert doing.begun.wait(10)
        answers += [threads.submit(ask, number) for number in others]
        wait_until(all_wait, 30, "all others to wait")
        doing.go.set()
        found = [answer.result(10) for answer in answers]
    assert gathered._waiting == {}
    return found


def test_what_comes_while_the_first_is_done_is_done_as_one():
    doing = Doing()
    answers = together(doing, range(MANY))
    assert answers == [("k", 2 * number) for number in range(MANY)]
    assert [len(asked) for _, asked in doing.batches] == [1, MANY - 1]


def test_who_goes_first_and_is_ended_does_not_go_on_while_the_others_are_done():
    """Its request has computed for too long: what it was told must reach it."""
    doing = Doing()
    ended = []

    def do(kind, asked):
        answers = doing(kind, asked)
        if len(asked) > 1:
            ended.append(asked[0])
            raise OverCeiling
        return answers

    gathered = Gathered(do)
    found = {}

    def ask(number):
        try:
            found[number] = gathered("k", number)
        except OverCeiling:
            found[number] = "ended"
        finally:
            connection.close()

    with pytest.MonkeyPatch.context() as patch, ThreadPoolExecutor(4) as threads:
        patch.setattr(gathering, "PATIENCE_SECONDS", 60.0)
        threads.submit(ask, 0)
        assert doing.begun.wait(10)
        for number in (1, 2, 3):
            threads.submit(ask, number)
        wait_until(lambda: sum(map(len, gathered._waiting.values())) == 3, 30, "all others to wait")
        doing.go.set()
    assert found == {number: "ended" if number in ended else ("k", 2 * number) for number in range(4)}
    assert len(ended) == 1


def test_one_alone_waits_for_nobody():
    doing = Doing()
    doing.go.set()
    gathered = Gathered(doing)
    assert [gathered("k", number) for number in (1, 2)] == [("k", 2), ("k", 4)]
    assert doing.batches == [("k", [1]), ("k", [2])]


def test_no_more_are_done_at_once_than_may():
    doing = Doing()
    answers = together(doing, range(MANY), most=5)
    assert answers == [("k", 2 * number) for number in range(MANY)]
    assert max(len(asked) for _, asked in doing.batches) == 5


def test_what_is_of_another_kind_is_not_mixed_and_does_not_wait():
    doing = Doing()
    # Of the other kind the first one is done at once, while the first of all is still under way.
    answers = together(doing, range(4), kind=lambda number: number % 2, waiting=1)
    assert answers == [(number % 2, 2 * number) for number in range(4)]
    assert all({number % 2 for number in asked} == {kind} for kind, asked in doing.batches)


def test_one_that_is_refused_harms_no_other():
    doing = Doing(refuse=[7])
    answers = together(doing, range(MANY))
    assert answers == ["not [7]" if number == 7 else ("k", 2 * number) for number in range(MANY)]


@pytest.mark.parametrize(
    ("error", "times"), [(psycopg.OperationalError("gone"), 1), (ValueError("once"), MANY)]
)
def test_where_nobody_knows_whether_it_was_done_it_is_not_done_again(error, times):
    calls = []

    class Failing(Doing):
        def __call__(self, kind, asked):
            answers = super().__call__(kind, asked)
            if len(asked) > 1:
                calls.extend(asked)
                raise error
            if asked != [0]:
                calls.extend(asked)
            return answers

    answers = together(Failing(), range(MANY))
    assert answers[0] == ("k", 0)
    if times == 1:
        assert answers[1:] == ["gone"] * (MANY - 1)
        assert sorted(calls) == [*range(1, MANY)]
    else:
        assert answers[1:] == [("k", 2 * number) for number in range(1, MANY)]


def test_what_can_only_be_read_is_asked_again_whatever_happens():
    class Failing(Doing):
        def __call__(self, kind, asked):
            answers = super().__call__(kind, asked)
            if len(asked) > 1:
                raise psycopg.OperationalError("gone")
            return answers

    assert together(Failing(), range(MANY), reads=True) == [("k", 2 * number) for number in range(MANY)]


def test_of_a_batch_that_was_done_in_part_the_rest_is_done_one_by_one():
    class Partly(Doing):
        def __call__(self, kind, asked):
            answers = super().__call__(kind, asked)
            return [BY_ITSELF if len(asked) > 1 and one[1] % 3 else one for one in answers]

    doing = Partly()
    assert together(doing, range(MANY)) == [("k", 2 * number) for number in range(MANY)]
    assert sorted(asked[0] for _, asked in doing.batches[2:]) == [n for n in range(1, MANY) if 2 * n % 3]


def test_nobody_waits_long_for_one_that_does():
    doing = Doing()
    gathered = Gathered(doing)

    def ask(number):
        try:
            return gathered("k", number)
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as threads:
        first = threads.submit(ask, 0)
        assert doing.begun.wait(10)
        others = [threads.submit(ask, number) for number in (1, 2, 3)]
        assert [other.result(10) for other in others] == [("k", 2), ("k", 4), ("k", 6)]
        assert not first.done()
        doing.go.set()
        assert first.result(10) == ("k", 0)
    assert gathered._waiting == {}


def test_within_a_transaction_it_is_done_there():
    threads = []
    gathered = Gathered(lambda kind, asked: threads.append(threading.get_ident()) or asked)
    gathered._waiting["k"] = object()
    with transaction.atomic():
        assert gathered("k", 1) == 1
    assert threads == [threading.get_ident()]
