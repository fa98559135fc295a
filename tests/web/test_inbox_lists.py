"""The inbox' list: values to sort by, views that are kept and shared, and one thing done with many tasks."""

import re
from html import unescape
from urllib.parse import unquote

import pytest

from tasks_inbox.models import ManualTask, TaskDecision
from tasks_inbox.reading import saved
from tests import factories as make
from tests.inbox.asking import again, approval, asked, decide, member, task_of
from tests.store.watching import trips_of_page
from tests.web.test_inbox_pages import log_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def bob(client):
    """An approver who is logged in."""
    who = member("bob", "approver", "Legal")
    log_in(client, "bob")
    return who


def amounts(*given):
    """Tasks of one type, each with another amount."""
    definition = approval(title="{{ input.amount }} EUR?", facts={"Amount": "{{ input.amount }}"})
    runs = make.start(definition, *({"amount": amount} for amount in given))
    make.work()
    return [task_of(run) for run in runs]


def shown(page):
    return re.findall(r"<strong>(\d+) EUR\?</strong>", page)


def test_a_list_is_sorted_by_a_value_and_shows_it(client, bob):
    amounts(5, 30, 20)
    page = client.get("/inbox/?view=teams&sort=-data.amount").text
    assert shown(page) == ["30", "20", "5"]
    assert '<option value="-data.amount" selected>Amount, largest first</option>' in page
    assert '<span class="by-value">30</span>' in page
    assert shown(client.get("/inbox/?view=teams&filter=data.amount%3E10").text) == ["30", "20"]
    # What is no order is left out of an address.
    assert client.get("/inbox/?view=teams&sort=data.").status_code == 200


def test_a_list_by_risk_shows_how_likely_runs_are_late(client, bob):
    tasks = amounts(1, 2, 3)
    for task, risk in zip(tasks, (0.2, 0.625, None), strict=True):
        make.ForecastFactory(run_id=task.run_id, tenant_id=task.tenant_id, risk=risk)
    page = client.get("/inbox/?view=teams&sort=risk").text
    assert shown(page) == ["2", "1", "3"]
    assert re.findall(r'by-value">(.*?)</span>', page) == ["risk 62 %", "risk 20 %"]
    assert "selected>At risk first</option>" in page


def test_a_search_is_kept_changed_deleted_and_taken_back(client, bob):
    amounts(5, 30)
    place = {"view": "teams", "filter": "data.amount>10", "sort": "sla"}
    assert "Save this search" in client.get("/inbox/", place).text
    kept = client.post("/inbox/views/add", {"name": "Large", **place, "group": ""}, follow=True)
    assert ("“Large” is kept." in kept.text, shown(kept.text)) == (True, ["30"])
    (view,) = saved.views_for(bob)
    assert '<span class="count">1</span>' in client.get(f"/inbox/views?saved={view.pk}").text
    taken = client.post("/inbox/views/add", {"name": "Large", **place}, follow=True)
    assert "You already have a view “Large”." in taken.text
    client.post(f"/inbox/views/{view.pk}/change", {"name": "Larger", "group": "Legal"})
    ann = member("ann", "approver", "Legal")
    log_in(client, "ann")
    page = client.get(f"/inbox/?view=teams&saved={view.pk}").text
    assert ("bob shares this view with Legal." in page, "Change this view" in page) == (True, False)
    assert "only they can delete it" in unescape(
        client.post(f"/inbox/views/{view.pk}/delete", follow=True).text
    )
    log_in(client, "bob")
    page = client.post(f"/inbox/views/{view.pk}/delete", follow=True).text
    assert ("“Larger” is deleted" in page, list(saved.views_for(ann))) == (True, [])
    # The live list keeps the way back.
    again_at = unescape(re.search(r'id="inbox-list"[^>]*hx-get="([^"]+)"', page)[1])
    assert "Undo" in client.get(unquote(again_at), headers={"HX-Request": "true"}).text
    given = dict(
        re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)">', page.partition("is deleted")[2])[:6]
    )
    client.post("/inbox/views/add", {name: unescape(value) for name, value in given.items()})
    (back,) = saved.views_for(ann)
    assert (back.name, back.filter, back.owner) == ("Larger", "data.amount>10", "bob")
    assert client.get("/inbox/?undo=forged").status_code == 200


def test_what_is_decided_together_is_shown_before_and_told_after(client, bob):
    one, two, three = amounts(5, 30, 20)
    ids = {"ids": [task.pk for task in (one, two, three)]}
    page = client.get("/inbox/bulk", ids).text
    assert ("Decide 3 tasks" in page, "Amount: 55" in page, "Approve: 3" in page) == (True, True, True)
    decide(member("ann"), two)
    seen = dict(re.findall(r'name="(seen-[\w-]+)" value="(\w+)"', page))
    answer = client.post("/inbox/bulk/do?view=teams", {**ids, **seen, "outcome": "approved"}).text
    assert ("2 of 3 decided." in answer, "ann already decided this" in answer) == (True, True)
    assert TaskDecision.unsafe_all_tenants.filter(by="bob").count() == 2
    assert {again(one).status, again(three).status} == {"COMPLETED"}
    refused = client.get("/inbox/bulk", {"ids": [amounts(1)[0].pk, asked().pk]}).text
    assert "These tasks are of several types" in refused
    assert "Choose some tasks first." in client.get("/inbox/bulk").text


def test_tasks_are_claimed_and_snoozed_together(client, bob):
    one, two = amounts(5, 30)
    ids = {"ids": [one.pk, two.pk]}
    sent = client.post("/inbox/bulk/do?view=teams", {**ids, "action": "claim"}, follow=True)
    assert sent.redirect_chain == [("/inbox/?view=teams&sort=sla", 302)]
    assert ("2 of 2 claimed." in sent.text, again(one).assignee) == (True, "bob")
    assert (
        "2 of 2 snoozed." in client.post("/inbox/bulk/do?view=mine", {**ids, "hours": "24"}, follow=True).text
    )
    assert "Name 1 to 200 tasks." in client.post("/inbox/bulk/do", {"action": "claim"}, follow=True).text


def test_who_decides_nothing_selects_nothing(client):
    asked()
    member("vic", "viewer")
    log_in(client, "vic")
    page = client.get("/inbox/?view=teams").text
    assert 'id="bulk"' not in page
    assert client.get("/inbox/bulk").status_code == 403


def test_lists_and_reviews_cost_the_same_however_many_there_are(client, bob):
    few = amounts(1, 2)
    for name in ("a", "b", "c"):
        saved.add_view(bob, name=name, filter="data.amount>1")
    assert trips_of_page(client, "/inbox/views") <= 6
    pages = ("/inbox/?view=teams&sort=data.amount", "/inbox/views", "/inbox/bulk?ids=")
    before = [trips_of_page(client, path + (str(few[0].pk) if path.endswith("=") else "")) for path in pages]
    many = amounts(*range(30))
    for number in range(5):
        saved.add_view(bob, name=f"more {number}")
    after = [
        trips_of_page(
            client, path + ("&ids=".join(str(one.pk) for one in many) if path.endswith("=") else "")
        )
        for path in pages
    ]
    assert after == before


def test_what_needs_a_reason_is_not_decided_together_without_one(client, bob):
    tasks = amounts(5, 30)
    ids = {"ids": [task.pk for task in tasks]}
    page = client.post("/inbox/bulk/do?view=teams", {**ids, "outcome": "rejected"}).text
    assert ("Add a comment: “Reject” needs one." in page, "Reject: 2" in page) == (True, True)
    assert {again(task).status for task in tasks} == {"OPEN"}
    sent = client.post("/inbox/bulk/do", {**ids, "outcome": "rejected", "comment": "Too late."}, follow=True)
    assert "2 of 2 decided." in sent.text


def test_what_nobody_can_decide_is_told_to_operators(client):
    task = asked(approval(title="Who can?"))
    ManualTask.unsafe_all_tenants.filter(pk=task.pk).update(undecidable_since="2026-01-01T00:00Z")
    member("op", "operator")
    log_in(client, "op")
    assert "1 task that nobody can decide" in client.get("/inbox/").text
    page = client.get("/inbox/?view=undecidable").text
    assert ("Who can?" in page, "asks everybody who may decide tasks" in page) == (True, True)
    member("bob")
    log_in(client, "bob")
    page = client.get("/inbox/?view=undecidable").text
    assert ("nobody can decide" in page.lower(), "Every task can be decided" in page) == (False, False)


def test_nothing_that_is_empty_is_met_before_the_tasks_and_the_view_says_that_it_is_the_page(client, bob):
    asked(approval(title="Pay it?"))
    page = client.get("/inbox/?view=teams").text
    before = page[: page.index("<strong>Pay it?</strong>")]
    # What stands there without being hidden is met by who reads the page from its beginning.
    assert [
        place for place in re.findall(r"<[^>]*role=\"status\"[^>]*>", before) if " hidden" not in place
    ] == []
    assert re.findall(r'aria-current="(\w+)">My teams <', page) == ["page"]
    assert '<nav class="nav" aria-label="Settings and API docs">' in page
