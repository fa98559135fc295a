"""What is said of an open task is kept as it was said, and nothing is said of a closed one (R-146)."""

import pytest

from accounts.principal import Forbidden
from lib.refusals import Conflict, Invalid, Missing
from lib.uuid7 import uuid7
from tasks_inbox.actions import assignment
from tasks_inbox.models import TaskComment
from tasks_inbox.store import queries
from tests import factories as make
from tests.inbox.asking import again, approval, asked, decide, hand, member, say


def said(task):
    return [(one.by, one.text) for one in queries.comments_of(task).order_by("id")]


def test_what_people_say_stands_in_its_order_trimmed_with_who_and_when(clock):
    task = asked(approval(candidates={"users": ["ann"]}, exclude=["bob"]))
    say(member("ann"), task, "  Is this\r\nright? ")
    comment = say(member("bob"), task, "No <b>way</b>.")
    assert (comment.by, comment.at) == ("bob", clock.now)
    assert said(task) == [("ann", "Is this\nright?"), ("bob", "No <b>way</b>.")]
    assert (again(task).status, again(task).assignee) == ("OPEN", None)
    assert (comment.tenant_id, comment.run_id, comment.shard) == (task.tenant_id, task.run_id, task.shard)


@pytest.mark.parametrize("text", ["", " \n\t ", "x" * 4001, "a\x00b"])
def test_what_is_no_comment_is_refused(text):
    task = asked()
    with pytest.raises(Invalid) as refused:
        say(member("ann"), task, text)
    assert (refused.value.field, said(task)) == ("text", [])


def test_as_long_as_may_be_is_kept_whole():
    task = asked()
    say(member("ann"), task, f" {'ä' * 4000} ")
    assert said(task) == [("ann", "ä" * 4000)]


def test_nothing_is_said_of_a_closed_task():
    decided, cancelled, ann = asked(), asked(), member("ann")
    say(ann, decided, "Hm.")
    decide(ann, decided)
    make.cancel(str(cancelled.run_id))
    for task in (decided, cancelled):
        with pytest.raises(Conflict) as refused:
            say(ann, task, "Too late.")
        assert refused.value.code == "task_closed"
    assert (said(decided), said(cancelled)) == ([("ann", "Hm.")], [])


def test_said_twice_with_one_id_it_is_there_once_also_when_the_task_is_closed_by_then():
    task, ann, id = asked(), member("ann"), uuid7()
    first = say(ann, task, "Once.", id=id)
    assert say(ann, task, "Once.", id=id) == first
    decide(ann, task)
    assert say(ann, task, "Once.", id=id) == first
    assert said(task) == [("ann", "Once.")]


def test_who_may_not_decide_and_other_tenants_say_nothing(people):
    task = asked()
    with pytest.raises(Forbidden):
        say(member("vic", "viewer"), task, "Hello.")
    with pytest.raises(Missing):
        say(people.principal("admin", tenant="theirs"), task, "Hello.")
    assert not TaskComment.unsafe_all_tenants.exists()


def test_the_last_ones_are_shown_first_and_earlier_ones_page_by_page():
    task, ann = asked(), member("ann")
    for n in range(5):
        say(ann, task, str(n))
    shown, earlier = queries.last_comments(task, 2, before=None)
    assert [one.text for one in shown] == ["3", "4"]
    shown, earlier = queries.last_comments(task, 2, before=earlier)
    assert [one.text for one in shown] == ["1", "2"]
    shown, earlier = queries.last_comments(task, 2, before=earlier)
    assert ([one.text for one in shown], earlier) == (["0"], None)


def test_a_delegate_says_something_too():
    task, ann, bob = asked(), member("ann"), member("bob")
    hand(ann, task, "bob")
    say(bob, task, "On it.")
    say(ann, task, "Thanks.")
    assert [by for by, _ in said(task)] == ["bob", "ann"]
    assert assignment.unclaim_task(bob, task.pk).assignee == "ann"
