"""A failed compensation in the inbox: what failed, what there is to choose, and what each choice does (R-140)."""

import re

import pytest
from playwright.sync_api import expect

from accounts.models import Membership
from tasks_inbox.actions import assignment
from tests import factories as make
from tests.inbox.asking import again, asked, member, resolve, stuck, task_of, undo_the_rest
from tests.store.watching import trips_of_page
from tests.web.axe import faults

pytestmark = pytest.mark.django_db


@pytest.fixture
def olga(client):
    """An operator who is logged in."""
    who = member("olga", "operator")
    client.force_login(make.a_user("olga"))
    return who


def post(client, task, resolution, reason="", **options):
    body = {"resolution": resolution, "reason": reason}
    return client.post(f"/inbox/{task.pk}/resolve", body, **options)


def test_the_inbox_lists_it_and_its_page_says_what_failed(client, olga):
    task = stuck()
    assert "Undoing “Charge the card” failed" in client.get("/inbox/").text
    page = client.get(f"/inbox/{task.pk}").text
    for said in ("Charge the card (charge)", "(BankDown)", "ch_1", "What should happen?"):
        assert said in page
    said = re.findall(r'name="resolution" value="(\w+)"><svg.*?</svg> ([^<]+)</button>', page, re.DOTALL)
    assert said == [("retry", "Try again"), ("done", "It was done by hand"), ("abandon", "Give it up")]
    assert 'name="outcome"' not in page
    assert trips_of_page(client, f"/inbox/{task.pk}") <= 23


def test_the_page_of_the_run_leads_to_it(client, olga):
    task = stuck()
    page = client.get(f"/runs/{task.run_id}").text
    assert f'<a href="/inbox/?run={task.run_id}&amp;open=1">Go to the task</a>' in page
    assert f"/inbox/{task.pk}" in client.get(f"/inbox/?run={task.run_id}").text


@pytest.mark.parametrize(
    ("how", "said", "ends"),
    [
        ("retry", "It is tried again.", "COMPENSATED"),
        ("done", "It counts as undone", "COMPENSATED"),
        ("abandon", "It is given up.", "FAILED"),
    ],
)
def test_each_button_does_what_it_says(client, olga, how, said, ends):
    task = stuck()
    page = post(client, task, how, "Seen <b>to</b>.", follow=True)
    assert page.redirect_chain == [(f"/inbox/{task.pk}", 302)]
    for words in (said, "olga decided this", "Seen &lt;b&gt;to&lt;/b&gt;."):
        assert words in page.text
    assert "The run waits for this" not in page.text
    assert 'name="resolution"' not in page.text
    undo_the_rest()
    assert make.run(task.run_id).status == ends


@pytest.mark.parametrize("how", ["done", "abandon"])
def test_what_cannot_be_taken_back_needs_a_reason(client, olga, how):
    task = stuck()
    for reason in ("", " \n"):
        page = post(client, task, how, reason)
        assert (page.status_code, page.text.count('class="fault"')) == (422, 1)
    long = post(client, task, how, "ä" * 2001)
    assert (long.status_code, "ä" * 2001 in long.text) == (422, True)
    assert again(task).status == "OPEN"


def test_a_choice_that_there_is_not_is_told(client, olga):
    task = stuck()
    page = post(client, task, "ignore", "Why not?")
    assert (page.status_code, "Choose what should happen." in page.text) == (422, True)
    assert "Why not?" in page.text


def test_a_form_that_is_sent_twice_resolves_once_and_says_so(client, olga):
    task = stuck()
    assert "It is tried again." in post(client, task, "retry", follow=True).text
    assert "This form was already sent" in post(client, task, "retry", follow=True).text
    assert len(make.events(task.run_id, "TASK_COMPLETED")) == 1
    assert post(client, task, "abandon", "No.").status_code == 409


def test_a_form_of_before_does_not_settle_what_failed_since(client, olga):
    task = stuck()
    post(client, task, "retry")
    make.fail(*make.claimed("undo"))
    assert post(client, task, "retry").status_code == 302
    assert (task_of(task.run_id).status, make.run(task.run_id).status) == (
        "OPEN",
        "WAITING_FOR_MANUAL_ACTION",
    )


def test_who_comes_second_is_told_and_keeps_what_they_wrote(client, olga):
    task = stuck()
    resolve(member("paul", "operator"), task, "abandon", "No way.")
    page = post(client, task, "done", "Refunded by hand.")
    assert page.status_code == 409
    for words in ("paul already decided this: Give it up", "Refunded by hand.", "No way."):
        assert words in page.text


def test_claim_and_put_back(client, olga):
    task = stuck()
    assert "This task is yours" in client.post(f"/inbox/{task.pk}/claim", follow=True).text
    assert "Release it" in client.get(f"/inbox/{task.pk}").text
    client.post(f"/inbox/{task.pk}/unclaim")
    assignment.claim_task(member("paul", "operator"), task.pk)
    assert "paul has claimed this" in client.get(f"/inbox/{task.pk}").text
    page = post(client, task, "retry")
    assert (page.status_code, "paul has claimed" in page.text) == (409, True)


def test_approvers_see_it_and_may_not(client):
    task = stuck()
    member("ann", "approver")
    client.force_login(make.a_user("ann"))
    page = client.get(f"/inbox/{task.pk}").text
    assert "This asks others" in page
    assert 'name="resolution"' not in page
    assert "Undoing" not in client.get("/inbox/").text
    assert post(client, task, "retry").status_code == 409
    assert again(task).status == "OPEN"


def test_the_forms_of_the_two_kinds_are_not_mixed_up(client, olga):
    task, approval = stuck(), asked()
    assert client.post(f"/inbox/{task.pk}/decide", {"outcome": "done"}).status_code == 409
    assert post(client, approval, "retry").status_code == 409
    assert (again(task).status, again(approval).status) == ("OPEN", "OPEN")


@pytest.mark.exhaustive
@pytest.mark.browser
def test_an_operator_gives_it_up_in_the_browser(visitor, ann):
    Membership.objects.for_tenant(make.a_tenant().pk).filter(user=ann).update(role="operator")
    page, task = visitor.page, stuck()
    visitor.open(f"/runs/{task.run_id}")
    assert faults(page) == []
    page.get_by_role("link", name="Go to the task").click()
    page.get_by_role("link", name="Undoing “Charge the card” failed").click()
    assert faults(page) == []
    give_up = page.get_by_role("button", name="Give it up", exact=True)
    page.get_by_role("button", name="Give it up…").click()
    page.get_by_role("button", name="Back").click()
    expect(give_up).to_be_hidden()
    page.get_by_role("button", name="Give it up…").click()
    give_up.click()
    expect(page.get_by_text("needs a reason")).to_be_visible()
    page.get_by_label("Reason").fill("The bank is closed for good.")
    page.get_by_role("button", name="Give it up…").click()
    assert faults(page) == []
    give_up.click()
    expect(page.get_by_text("ann decided this")).to_be_visible()
    assert again(task).comment == "The bank is closed for good."
    page.set_viewport_size({"width": 320, "height": 700})
    for path in (f"/inbox/{task.pk}", f"/runs/{task.run_id}"):
        visitor.open(path)
        assert not visitor.scrolls_sideways()
