"""The panes of the inbox: what comes next, what follows, who else decides, what one notes for oneself (R-146)."""

import re

import pytest

from tasks_inbox.models import ManualTask
from tests import factories as make
from tests.inbox.asking import again, approval, asked, decide, member
from tests.store.watching import trips_of_page
from tests.web.test_inbox_pages import FILLED, FORM, log_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def bob(client):
    """An approver who is logged in."""
    who = member("bob")
    log_in(client, "bob")
    return who


def test_after_a_decision_the_next_task_of_the_same_list_opens(client, bob):
    one, two, three = (asked(approval(title=f"Number {n}?", due_seconds=n * 60)) for n in (1, 2, 3))
    place = "?view=teams&sort=sla&filter=number"
    sent = client.post(f"/inbox/{two.pk}/decide{place}", {"outcome": "approved"}, follow=True)
    assert sent.redirect_chain == [(f"/inbox/{three.pk}{place}", 302)]
    assert "“Number 2?”: Approve. Your decision is kept, and the run goes on." in sent.text
    assert f'action="/inbox/{three.pk}/decide{place.replace("&", "&amp;")}"' in sent.text
    sent = client.post(f"/inbox/{three.pk}/decide{place}", {"outcome": "approved"})
    assert sent.url == f"/inbox/{one.pk}{place}"
    sent = client.post(f"/inbox/{one.pk}/decide{place}", {"outcome": "approved"}, follow=True)
    assert sent.redirect_chain == [(f"/inbox/{place}", 302)]
    assert "No task matches" in sent.text


def test_a_snoozed_task_makes_room_for_the_next_and_is_woken(client, bob):
    one, two = (asked(approval(title=f"Number {n}?")) for n in (1, 2))
    sent = client.post(f"/inbox/{one.pk}/snooze?view=teams", {"hours": "24"}, follow=True)
    assert sent.redirect_chain[0][0].startswith(f"/inbox/{two.pk}?view=teams")
    assert "“Number 1?” is snoozed until" in sent.text
    assert "Number 1?" in client.get("/inbox/?view=snoozed").text
    assert "Wake it" in client.get(f"/inbox/{one.pk}").text
    sent = client.post(f"/inbox/{one.pk}/snooze", {}, follow=True)
    assert "The task is back in your lists." in sent.text
    assert "Number 1?" in client.get("/inbox/?view=teams").text
    decide(bob, one)
    assert client.post(f"/inbox/{one.pk}/snooze", {"hours": "1"}, follow=True).status_code == 200


def test_each_outcome_has_keys_as_long_as_there_are_some(client, bob):
    outcomes = [{"name": f"way{number}", "label": f"Way {number}"} for number in range(1, 11)]
    ask = {"id": "ask", "type": "human.approval", "params": {"title": "Which?", "outcomes": outcomes}}
    page = client.get(f"/inbox/{asked(make.graph([ask, 'go'], ['ask>go'])).pk}").text
    keys = re.findall(r'aria-keyshortcuts="([^"]+)" title="([^"]+) selects it', page)
    assert [one for one, _ in keys] == ["a 1", "r 2", *"3456789"]
    assert (keys[0][1], page.count('name="outcome"')) == ("a or 1", 10)


def test_what_is_watched_stays_in_its_view_when_it_is_decided(client, bob):
    task = asked()
    client.post(f"/inbox/{task.pk}/watch", {"watching": "yes"})
    decide(member("ann"), task)
    assert f"/inbox/{task.pk}" in client.get("/inbox/?view=watching").text
    client.post(f"/inbox/{task.pk}/watch", {"watching": "no"})
    assert "You are not watching any tasks" in client.get("/inbox/?view=watching").text


def test_what_changed_meanwhile_is_looked_at_again_with_what_was_typed(client, bob):
    task = asked(approval(form=FORM))
    seen = re.search(r'name="seen" value="(\w{64})"', client.get(f"/inbox/{task.pk}").text)[1]
    ManualTask.unsafe_all_tenants.filter(pk=task.pk).update(title="Refund 4000 EUR?")
    typed = FILLED | {"outcome": "approved", "seen": seen, "comment": "Fine."}
    page = client.post(f"/inbox/{task.pk}/decide", typed)
    assert (page.status_code, again(task).status) == (409, "OPEN")
    for words in ("was changed while you looked", "Refund 4000 EUR?", 'value="DE12"', "Fine."):
        assert words in page.text
    state = client.get(f"/inbox/{task.pk}/state?was=1{seen}").text
    assert "What is asked has changed" in state
    seen = re.search(r'name="seen" value="(\w{64})"', page.text)[1]
    assert client.post(f"/inbox/{task.pk}/decide", typed | {"seen": seen}).status_code == 302


def test_a_signed_outcome_asks_for_the_password_and_never_gives_it_back(client, bob):
    user = make.a_user("bob")
    user.set_password("a long password")
    user.save()
    log_in(client, "bob")
    signed = [{"name": "approved", "label": "Approve", "sign": True}, {"name": "rejected", "label": "Reject"}]
    task = asked(approval(outcomes=signed))
    assert "needed for: Approve." in client.get(f"/inbox/{task.pk}").text
    for password in ("", "a wrong password"):
        page = client.post(f"/inbox/{task.pk}/decide", {"outcome": "approved", "password": password})
        assert (page.status_code, page.text.count('id="password-fault"')) == (422, 1)
        assert "a wrong password" not in page.text
    sent = {"outcome": "approved", "password": "a long password"}
    assert client.post(f"/inbox/{task.pk}/decide", sent).status_code == 302
    assert again(task).outcome == "approved"


def test_fields_that_an_outcome_needs_say_so(client, bob):
    outcomes = [
        {"name": "approved", "label": "Approve"},
        {"name": "rejected", "label": "Reject", "require": ["rate"]},
    ]
    task = asked(approval(form=FORM, outcomes=outcomes))
    assert "Required for: Reject." in client.get(f"/inbox/{task.pk}").text


def test_a_task_of_several_says_how_it_stands_and_is_nobodys_alone(client, bob):
    member("ann", "approver", "Legal")
    member("cid", "approver", "Legal")
    member("bob", "approver", "Finance")
    task = asked(approval(quorum={"groups": {"Legal": 2, "Finance": 1}}))
    page = client.get(f"/inbox/{task.pk}").text
    assert "0 of 3 agree · Legal 0 of 2, Finance 0 of 1" in page
    assert f"/inbox/{task.pk}/claim" not in page
    assert "Give it to somebody…" not in page
    sent = client.post(f"/inbox/{task.pk}/decide", {"outcome": "approved"}, follow=True)
    assert "others must decide, too" in sent.text
    assert "1 of 3 agree · Legal 0 of 2, Finance 1 of 1" in sent.text
    assert "You have decided this" in sent.text
    assert 'name="outcome"' not in sent.text
    few = trips_of_page(client, f"/inbox/{task.pk}")
    decide(member("ann"), task)
    assert trips_of_page(client, f"/inbox/{task.pk}") == few <= 22


def test_what_follows_and_who_asks_stands_beside_the_task(client, bob):
    task = asked()
    page = client.get(f"/inbox/{task.pk}").text
    for words in ("What happens then", "Next: “Do nothing (yes)”.", "Next: “Do nothing (no)”.", "Started by"):
        assert words in page
    decide(bob, task)
    assert "What happens then" not in client.get(f"/inbox/{task.pk}").text


def test_a_search_that_says_nothing_is_told_and_one_that_fits_nothing_is_cleared(client, bob):
    asked()
    page = client.get("/inbox/?filter=colour:red")
    assert (page.status_code, 'id="filter-fault"' in page.text) == (200, True)
    page = client.get("/inbox/?view=teams&filter=is:overdue").text
    assert "No task matches" in page
    assert 'href="/inbox/?view=teams&amp;sort=sla"' in page


def test_a_list_of_many_pages_keeps_its_page_beside_a_task(client, bob):
    make.start(approval(), *({"amount": n} for n in range(60)))
    make.work()
    older = re.search(r'href="(/inbox/\?[^"]+)" rel="next"', client.get("/inbox/?view=teams").text)[1]
    page = client.get(older.replace("&amp;", "&")).text
    assert page.count("data-task=") == 10
    task = re.search(r'href="(/inbox/[0-9a-f-]{36}\?[^"]+)"', page)[1].replace("&amp;", "&")
    assert client.get(task).text.count("data-task=") == 10


def test_only_what_was_asked_for_is_sent(client, bob):
    task = asked()
    for path, there, absent in (
        ("/inbox/?view=teams", "inbox-list", "<main"),
        (f"/inbox/{task.pk}?view=teams", "task-title", "inbox-list"),
    ):
        part = client.get(path, headers={"HX-Request": "true"}).text
        assert there in part
        assert absent not in part


def test_a_question_stops_the_clock_and_its_answer_starts_it(client, bob):
    task = asked(approval(due_seconds=3600))
    path = f"/inbox/{task.pk}/comment"
    page = client.post(path, {"text": "Which account?", "kind": "ask"}, follow=True).text
    for words in ("bob asked something", "clock is paused until it is answered", "Answer the question"):
        assert words in page
    assert client.post(path, {"text": "Again?", "kind": "ask"}).status_code == 409
    page = client.post(path, {"text": "DE12.", "kind": "answer"}, follow=True).text
    assert "asked something" not in page
    assert "</strong> answered" in page


def test_a_page_that_is_open_can_say_that_nothing_is_decided_any_more(client, bob):
    task = asked()
    page = client.get(f"/inbox/{task.pk}").text
    assert ("You can’t decide this now" in page, "data-closed" in page) == (True, False)
    was = re.search(r"/state\?was=(\w+)", page)[1]
    decide(member("ann"), task)
    assert "data-closed" in client.get(f"/inbox/{task.pk}/state?was={was}").text
    listed = client.get("/inbox/?view=done").text
    assert ("ann" in listed, "decided <time" in listed) == (False, False)
    decide(bob, asked())
    assert "decided <time" in client.get("/inbox/?view=done").text


def test_nested_facts_are_told_as_tables_and_lists(client, bob):
    rows = [{"sku": f"A{number}", "unit_price": 1990.5} for number in range(60)]
    task = asked(approval(facts={"Who": ["ann", "bob"], "Parts": rows, "To": {"city": {"zip": "80331"}}}))
    page = client.get(f"/inbox/{task.pk}").text
    assert ("ann, bob" in page, "&quot;ann&quot;" in page) == (True, False)
    assert '<th scope="col" class="number">Unit price</th>' in page
    assert (page.count('<td class="number">'), "and 50 more" in page) == (60, True)
    assert re.search(r"<dt>City</dt>.*<dt>Zip</dt>.*80331", page, re.S)
