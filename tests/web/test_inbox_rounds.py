"""Returning a task and sending it again on its page; and answering, for those who decide no tasks (R-146)."""

import pytest

from tasks_inbox.actions import comments, rounds
from tasks_inbox.store import queries
from tests import factories as make
from tests.inbox.asking import again, approval, asked, member, read, task_of
from tests.web.test_inbox_pages import log_in

pytestmark = pytest.mark.django_db

FACTS = {
    "facts": {"Amount": 40, "Paid": True, "To": "Ann", "Note": "as\nwritten"},
    "amendable": ["Amount", "Paid", "Note"],
}


@pytest.fixture
def task():
    """One that ria started, who decides no tasks; bob may."""
    member("ria", "viewer")
    member("bob")
    (run,) = make.start(approval(**FACTS, due_seconds=7200), {"amount": 40}, by="ria")
    make.work()
    return task_of(run)


def give_back(client, task, **typed):
    return client.post(f"/inbox/{task.pk}/return?view=teams", typed, follow=True)


def test_it_goes_back_and_comes_again_with_what_was_corrected(client, task):
    log_in(client, "bob")
    other = asked()
    assert "it goes to ria, who started the run" in client.get(f"/inbox/{task.pk}").text
    sent = give_back(client, task, back_why="The receipt says 45.")
    assert sent.redirect_chain[0][0].startswith(f"/inbox/{other.pk}")
    assert "is with ria now" in sent.text
    page = client.get(f"/inbox/{task.pk}").text
    assert "bob returned this to ria for changes" in page
    assert "Take it back" in page
    assert 'id="decide"' not in page
    log_in(client, "ria")
    listed = client.get("/inbox/").text
    assert "returned to you" in listed
    assert "due in" not in listed
    assert '<span class="count">1</span>' in listed
    page = client.get(f"/inbox/{task.pk}").text
    assert "bob returned this to you for changes" in page
    # Why stands where it is changed, too, not only among the comments.
    assert page.count("The receipt says 45.") == 2
    for shown in ('value="40"', 'name="data.Paid"', "as\nwritten"):
        assert shown in page
    assert 'name="data.To"' not in page
    wrong = client.post(f"/inbox/{task.pk}/resubmit", {"corrects": "yes", "data.Amount": "many"})
    assert (wrong.status_code, "Write a number" in wrong.text, "many" in wrong.text) == (422, True, True)
    typed = {"corrects": "yes", "data.Amount": "45", "data.Paid": "true", "data.Note": "as\nwritten"}
    sent = client.post(f"/inbox/{task.pk}/resubmit", typed | {"again_comment": "You are right."}, follow=True)
    assert "was sent again" in sent.text
    log_in(client, "bob")
    page = client.get(f"/inbox/{task.pk}").text
    assert "What changed since round 1" in page
    assert (
        '<span class="sr-only">before: </span>40</del> <ins><span class="sr-only">now: </span>45</ins>'
        in page
    )
    assert [fact["value"] for fact in again(task).facts if fact["label"] == "Note"] == ["as\nwritten"]


def test_what_is_wrong_is_said_at_its_field_and_kept(client, task):
    log_in(client, "bob")
    sent = give_back(client, task, back_why="Not so.", back_to="nobody")
    assert (sent.status_code, "“nobody” is not a member" in sent.text, "Not so." in sent.text) == (
        422,
        True,
        True,
    )
    assert give_back(client, task, back_why=" ").status_code == 422
    sent = give_back(client, task, back_why="Not so.", seen="0" * 64)
    assert (sent.status_code, "It was not returned" in sent.text) == (409, True)
    assert again(task).returned_to is None


def test_who_returned_it_takes_it_back_as_it_is(client, task):
    log_in(client, "bob")
    give_back(client, task, back_why="Not so.")
    sent = client.post(f"/inbox/{task.pk}/resubmit", {}, follow=True)
    assert "was sent again" in sent.text
    assert 'id="decide"' in sent.text
    assert "None of the facts changed" in sent.text
    assert client.post(f"/inbox/{task.pk}/resubmit", {}).status_code == 409


def test_others_can_not_send_it_again(client, task):
    rounds.return_task(bob := member("bob"), task.pk, comment="Not so.", seen=read(bob, task))
    member("cat")
    log_in(client, "cat")
    assert "Take it back" not in client.get(f"/inbox/{task.pk}").text
    assert client.post(f"/inbox/{task.pk}/resubmit", {}).status_code == 409
    assert again(task).round == 1


def test_who_started_the_run_answers_though_they_decide_nothing(client, task):
    comments.ask(member("bob"), task.pk, "Which receipt?")
    log_in(client, "ria")
    assert "bob asks you" in client.get("/inbox/").text
    page = client.get(f"/inbox/{task.pk}").text
    assert "Answer the question" in page
    assert client.post(f"/inbox/{task.pk}/answer", {"text": " "}).status_code == 422
    sent = client.post(f"/inbox/{task.pk}/answer", {"text": "The second."}, follow=True)
    assert "Your answer is kept" in sent.text
    assert [one.text for one in queries.comments_of(task).order_by("id")] == ["Which receipt?", "The second."]
    sent = client.post(f"/inbox/{task.pk}/answer", {"text": "And more."})
    assert (sent.status_code, "And more." in sent.text) == (409, True)


def test_a_task_is_escalated_to_a_group_by_its_name(client, task):
    member("cid", "approver", "Legal")
    log_in(client, "bob")
    task = asked(approval(candidates={"users": ["bob"]}))
    assert "Escalate it…" in client.get(f"/inbox/{task.pk}").text
    sent = client.post(f"/inbox/{task.pk}/escalate", {"up_to": "Nobody", "up_why": "Help."})
    assert (sent.status_code, "Nobody you named may decide tasks." in sent.text) == (422, True)
    sent = client.post(f"/inbox/{task.pk}/escalate", {"up_to": "legal", "up_why": "Help."}, follow=True)
    assert "Asked now: bob or the group legal." in sent.text
    sent = client.post(f"/inbox/{task.pk}/escalate", {"up_to": "", "up_why": "More."})
    assert (sent.status_code, "It has no further level" in sent.text) == (409, True)


def test_who_may_assign_gives_it_to_one_whom_it_asks_and_takes_it_from_them(client, task):
    member("ops", "operator")
    log_in(client, "ops")
    task = asked(approval(candidates={"users": ["bob"]}))
    assert "Assign it…" in client.get(f"/inbox/{task.pk}").text
    give = {"ids": str(task.pk), "action": "assign"}
    client.post("/inbox/bulk/do", give | {"assignee": "ria"})
    assert again(task).assignee is None
    client.post("/inbox/bulk/do", give | {"assignee": "bob"})
    assert again(task).assignee == "bob"
    assert "Release it to everybody it asks" in client.get(f"/inbox/{task.pk}").text
    client.post(f"/inbox/{task.pk}/unclaim")
    assert again(task).assignee is None
    log_in(client, "bob")
    assert "Assign it…" not in client.get(f"/inbox/{task.pk}").text
