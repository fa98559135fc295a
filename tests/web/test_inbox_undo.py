"""A decision on a page can be undone for some seconds, and what was typed is there again."""

import re

import pytest

from tasks_inbox.actions import bulk, drafts, holding
from tasks_inbox.actions.decision import Decision
from tasks_inbox.duties import settling
from tasks_inbox.models import HeldDecision
from tests import factories as make
from tests.inbox.asking import again, approval, asked, decide, deciding_together, member, read
from tests.store.watching import trips_of_page
from tests.timing import clock
from tests.web.test_inbox_lists import amounts
from tests.web.test_inbox_pages import FORM, log_in

__all__ = ["clock"]
pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def now(clock, settings, client):
    settings.HANDOFF_UNDO_SECONDS = 10
    member("ann")
    log_in(client, "ann")
    return clock


def test_it_is_said_on_every_page_of_the_inbox_until_it_counts(client, now):
    task, other = asked(), asked()
    sent = client.post(f"/inbox/{task.pk}/decide?view=teams", {"outcome": "approved"}, follow=True)
    assert sent.redirect_chain[0][0].startswith(f"/inbox/{other.pk}")
    assert f'action="/inbox/{task.pk}/undo?' in sent.text
    assert again(task).status == "OPEN"
    assert "You decided this: Approve" in client.get(f"/inbox/{task.pk}").text
    now.advance(11)
    settling.tick()
    make.work()
    assert "/undo" not in client.get("/inbox/held").text
    assert again(task).status == "COMPLETED"


def test_undone_the_task_is_there_with_what_was_typed(client):
    task = asked(approval(form=FORM))
    typed = {"data.account": "X 1", "data.amount": "7"}
    client.post(f"/inbox/{task.pk}/decide", {"outcome": "rejected", "comment": "Too <much>.", **typed})
    page = client.post(f"/inbox/{task.pk}/undo?view=teams&sort=sla&filter=refund", follow=True)
    # At its own address, so that it can be loaded again, and in the list in which it was decided.
    assert page.redirect_chain == [(f"/inbox/{task.pk}?view=teams&sort=sla&filter=refund", 302)]
    for said in ('value="X 1"', "Too &lt;much&gt;.", "Taken back: nothing was decided."):
        assert said in page.text
    assert not HeldDecision.unsafe_all_tenants.exists()
    sent = client.post(f"/inbox/{task.pk}/undo", follow=True)
    assert "There is nothing left to undo." in sent.text


def test_who_may_decide_as_well_sees_who_is_about_to(client):
    task = asked()
    client.post(f"/inbox/{task.pk}/decide", {"outcome": "approved"})
    member("bob")
    log_in(client, "bob")
    assert "ann is deciding this: Approve" in client.get(f"/inbox/{task.pk}").text
    assert "/undo" not in client.get("/inbox/").text
    sent = client.post(f"/inbox/{task.pk}/decide", {"outcome": "rejected", "comment": "No."})
    assert (sent.status_code, "ann is deciding this right now" in sent.text) == (409, True)


def test_what_did_not_count_is_said_until_it_was_seen(client, now):
    task = asked()
    client.post(f"/inbox/{task.pk}/decide", {"outcome": "approved", "comment": "All fine."})
    make.cancel(str(task.run_id))
    now.advance(11)
    settling.tick()
    page = client.get("/inbox/").text
    for said in ("did not count", "The run went on without this decision.", "All fine."):
        assert said in page
    sent = client.post(f"/inbox/{task.pk}/undo", follow=True)
    assert "did not count" not in sent.text


def test_the_list_says_what_was_just_decided_and_asks_nothing_more_for_it(client):
    one, two, three = (asked(approval(title=f"Number {n}?")) for n in (1, 2, 3))
    place = "view=teams&sort=oldest"
    client.get(f"/inbox/?{place}")
    before = trips_of_page(client, f"/inbox/?{place}")
    sent = client.post(f"/inbox/{three.pk}/decide?{place}", {"outcome": "approved"}, follow=True)
    # What they have just decided is in the list until it counts, and yet not what comes next.
    assert sent.redirect_chain[0][0] == f"/inbox/{one.pk}?{place}"
    one_held = trips_of_page(client, f"/inbox/?{place}")
    sent = client.post(f"/inbox/{two.pk}/decide?{place}", {"outcome": "approved"}, follow=True)
    assert sent.redirect_chain[0][0] == f"/inbox/{one.pk}?{place}"
    for path in ("/inbox/", f"/inbox/{one.pk}"):
        for headers in ({}, {"HX-Request": "true"})[: 1 if path != "/inbox/" else 2]:
            listed = client.get(f"{path}?{place}", headers=headers).text
            assert listed.count("Approve, counts in a moment") == 2
            assert listed.count('name="ids"') == 1
    assert (one_held, trips_of_page(client, f"/inbox/?{place}")) == (before + 1, before + 1)
    sent = client.post(f"/inbox/{one.pk}/decide?{place}", {"outcome": "approved"}, follow=True)
    assert sent.redirect_chain[0][0] == f"/inbox/?{place}"


def test_the_latest_is_undone_first_and_the_list_stays(client):
    one, two = (asked(approval(title=f"Number {n}?", undo_seconds=60 // n)) for n in (1, 2))
    for task in (one, two):
        client.post(f"/inbox/{task.pk}/decide", {"outcome": "approved"})
    page = client.get("/inbox/?view=teams&sort=sla&filter=number").text
    at = [
        page.index(f'action="/inbox/{task.pk}/undo?view=teams&amp;sort=sla&amp;filter=number"')
        for task in (two, one)
    ]
    assert at == sorted(at)
    assert 'hx-get="/inbox/held?view=teams&amp;sort=sla&amp;filter=number"' in page


def test_what_is_decided_together_is_undone_by_one_press(client, now):
    tasks = amounts(5, 30, 20)
    ids = {"ids": [task.pk for task in tasks]}
    drafts.save_draft(member("ann"), tasks[2].pk, data={}, comment="Mine.")
    sent = client.post(
        "/inbox/bulk/do?view=teams", {**ids, "outcome": "rejected", "comment": "No."}, follow=True
    )
    assert sent.redirect_chain == [("/inbox/?view=teams&sort=sla", 302)]
    assert ("3 decisions" in sent.text, sent.text.count("data-undo"), "3 of 3" in sent.text) == (
        True,
        1,
        False,
    )
    assert sent.text.count("Reject, counts in a moment") == 3
    assert {again(task).status for task in tasks} == {"OPEN"}
    assert {*re.findall(r'name="ids" value="([^"]+)"', client.get("/inbox/held").text)} == {
        str(task.pk) for task in tasks
    }
    undone = client.post("/inbox/bulk/do?view=teams", {**ids, "action": "undo"}, follow=True)
    assert "3 of 3 taken back: nothing was decided." in undone.text
    assert (HeldDecision.unsafe_all_tenants.count(), "data-undo" in undone.text) == (0, False)
    # What was typed for all of them is there again, but not in the place of what was typed for one.
    typed = [drafts.find_draft(member("ann"), task.pk).comment for task in tasks]
    assert typed == ["No.", "No.", "Mine."]
    now.advance(11)
    assert settling.tick() == 0


def test_what_of_it_was_refused_or_counts_already_is_said(client, now):
    one, two, three = amounts(5, 30, 20)
    ids = {"ids": [task.pk for task in (one, two, three)]}
    decide(member("bob"), two)
    told = client.post("/inbox/bulk/do?view=teams", {**ids, "outcome": "approved"}).text
    assert ("2 of 3 count in a moment." in told, "bob already decided this" in told) == (True, True)
    assert ("2 decisions" in told, told.count("data-undo")) == (True, 1)
    decide(member("ann"), three)
    told = client.post("/inbox/bulk/do?view=teams", {**ids, "action": "undo"}).text
    assert ("1 of 3 taken back." in told, told.count("There is nothing left to undo.")) == (True, 2)
    assert again(one).status == "OPEN"


def test_a_list_says_which_tasks_others_just_decide(client):
    few, many = amounts(5, 30), 20
    client.post(f"/inbox/{few[0].pk}/decide", {"outcome": "approved"})
    member("bob")
    log_in(client, "bob")
    page = client.get("/inbox/?view=teams").text
    assert page.count("ann is deciding") == 1
    assert page.index("ann is deciding") > page.index(f'data-task="{few[0].pk}"')
    before = trips_of_page(client, "/inbox/?view=teams")
    bulk_ids = [task.pk for task in amounts(*range(many))]
    bulk.act(ann := member("ann"), bulk_ids, deciding_together(ann, bulk_ids, "approved", undoable=True))
    assert client.get("/inbox/?view=teams").text.count("ann is deciding") == many + 1
    assert trips_of_page(client, "/inbox/?view=teams") == before
    both = asked(approval(quorum=2))
    for name in ("ann", "cid"):
        holding.hold_decision(who := member(name), both.pk, Decision("approved", seen=read(who, both)))
    assert "2 others are deciding" in client.get("/inbox/?view=teams").text
