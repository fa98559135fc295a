"""One answer for all who ask within a moment, made by one of them."""

import threading

import pytest
from django.db import transaction

from lib import shared_answers
from lib.shared_answers import SharedAnswers


class Made:
    """What was asked for, each answer a new one; a clock that stands still."""

    def __init__(self):
        self.keys, self.now = [], 0.0
        self.answers = SharedAnswers(self.make, seconds=1.0, clock=lambda: self.now)

    def make(self, key):
        self.keys.append(key)
        return f"{key} {len(self.keys)}"


@pytest.fixture
def made():
    return Made()


pytestmark = pytest.mark.django_db(transaction=True)


def test_who_asks_within_a_moment_gets_the_same_answer(made):
    assert [made.answers("a"), made.answers("a"), made.answers("b")] == ["a 1", "a 1", "b 2"]
    made.now = 0.9
    assert made.answers("a") == "a 1"
    made.now = 1.0
    assert made.answers("a") == "a 3"


def test_within_a_transaction_it_is_made_there_and_kept_for_nobody(made):
    with transaction.atomic():
        assert [made.answers("a"), made.answers("a")] == ["a 1", "a 2"]
    assert made.answers("a") == "a 3"


def test_an_error_is_kept_for_nobody(made):
    def breaks(key):
        raise ValueError(key)

    answers = SharedAnswers(breaks, seconds=1.0)
    for _ in range(2):
        with pytest.raises(ValueError, match="a"):
            answers("a")


def test_of_those_who_ask_at_once_one_makes_it():
    begun, goes_on, asked, answers = threading.Event(), threading.Event(), [], []

    def make(key):
        asked.append(key)
        begun.set()
        assert goes_on.wait(10)
        return key

    shared = SharedAnswers(make, seconds=60.0)
    threads = [threading.Thread(target=lambda: answers.append(shared("a"))) for _ in range(5)]
    threads[0].start()
    assert begun.wait(10)
    for thread in threads[1:]:
        thread.start()
    goes_on.set()
    for thread in threads:
        thread.join(10)
    assert (answers, asked) == (["a"] * 5, ["a"])


def test_no_more_than_so_many_are_kept(made, monkeypatch):
    monkeypatch.setattr(shared_answers, "MOST", 2)
    for key in ("a", "b", "c"):
        made.answers(key)
    assert made.answers("c") == "c 3"
    assert made.answers("a") == "a 4"
