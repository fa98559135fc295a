"""Who of those who wait is told: no more than there is news for."""

from lib.waiting import counted, told

WAITING = {"first": {"a"}, "second": {"a", "b"}, "third": {"a"}, "fourth": {"b"}, "fifth": {"c"}}


def test_it_is_counted_how_many_wait_for_each_topic():
    assert counted(WAITING.values()) == {"a": 3, "b": 2, "c": 1}


def test_who_came_first_is_told_and_no_more_than_there_is_news_for():
    assert list(told(list(WAITING.items()), {"a": 1})) == ["first"]
    assert list(told(list(WAITING.items()), {"a": 2, "c": 9})) == ["first", "second", "fifth"]
    assert list(told(list(WAITING.items()), {"b": 1, "other": 5})) == ["second"]
    assert list(told(list(WAITING.items()), {})) == []


def test_who_is_told_by_what_there_is_enough_of_takes_nothing_that_another_needs():
    waiting = [("shut out", {"job", "token"}), ("let in", {"job"}), ("late", {"job"})]
    assert list(told(waiting, {"job": 1, "token": 1})) == ["shut out", "let in"]
