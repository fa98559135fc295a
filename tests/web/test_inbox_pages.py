"""The inbox and a task's page: who sees what, decisions by form, faults at their fields (R-146, R-147)."""

import re

import pytest
from playwright.sync_api import expect

from accounts.models import Membership
from lib.refusals import NotAllowed
from tasks_inbox.actions import assignment, escalating
from tasks_inbox.store import queries
from tests import factories as make
from tests.inbox.asking import again, approval, asked, decide, hand, member, say, task_of
from tests.store.watching import trips_of_page
from tests.web.axe import faults
from workflows.models import Workflow

pytestmark = pytest.mark.django_db

FORM = {
    "type": "object",
    "required": ["account", "amount"],
    "properties": {
        "account": {"type": "string", "title": "Account", "minLength": 3, "description": "Where it goes."},
        "amount": {"type": "integer", "maximum": 100},
        "rate": {"type": "number"},
        "express": {"type": "boolean"},
        "speed": {"enum": ["slow", "fast", 3], "default": "slow"},
        "lines": {"type": "array", "items": {"type": ["string", "null"]}},
    },
}
FILLED = {"data.account": "DE12", "data.amount": "40", "data.speed": '"fast"', "data.lines": '["a"]'}


@pytest.fixture
def bob(client):
    """An approver who is logged in."""
    who = member("bob")
    log_in(client, "bob")
    return who


def log_in(client, name):
    client.force_login(make.a_user(name))


def test_what_is_open_claimed_and_decided_stands_where_it_belongs(client, bob):
    one, two, three = (asked(approval(title=f"Number {n}?")) for n in (1, 2, 3))
    asked(approval(title="Not you?", candidates={"users": ["ann"]}))
    assignment.claim_task(bob, two.pk)
    decide(bob, three)
    for view, title in (("open", "Number 1?"), ("mine", "Number 2?"), ("done", "Number 3?")):
        page = client.get(f"/inbox/?view={view}").text
        assert re.findall(r"<strong>(Number \d\?|Not you\?)</strong>", page) == [title]
    assert f"/inbox/{one.pk}" in client.get("/inbox/?view=teams").text
    assert 'title="2 tasks wait for you"' in client.get("/inbox/").text


def test_workflow_and_step_are_called_by_their_titles(client, bob):
    definition = approval(title="Refund it?")
    definition["nodes"][0]["title"] = "Look at the receipt"
    task = asked(definition)
    name = queries.workflows_of(task.tenant_id, [task])[task.workflow_id].name
    listed, page = (client.get(path).text for path in ("/inbox/?view=teams", f"/inbox/{task.pk}"))
    # Without titles they are called by name and id.
    assert (f">{name}</span>" in listed, f">{name}</span>" in page) == (True, True)
    assert '<span title="ask">Look at the receipt</span>' in page
    Workflow.unsafe_all_tenants.filter(pk=task.workflow_id).update(title="Refunds & returns")
    titled = f'title="{name}">Refunds &amp; returns</span>'
    listed, page = (client.get(path).text for path in ("/inbox/?view=teams", f"/inbox/{task.pk}"))
    # On a task's page in the list, in its header, and beside it where its run is.
    assert (listed.count(titled), page.count(titled)) == (1, 3)


def test_a_runs_page_leads_to_its_task(client, bob):
    task = asked()
    page = client.get(f"/runs/{task.run_id}").text
    assert f"/inbox/?run={task.run_id}&amp;open=1" in page
    listed = f"/inbox/?run={task.run_id}"
    assert f"/inbox/{task.pk}" in client.get(listed).text
    assert client.get(f"{listed}&open=1")["Location"].startswith(f"/inbox/{task.pk}?")
    decide(member("ida", "approver"), task)
    assert client.get(f"{listed}&open=1").status_code == 200


@pytest.mark.parametrize("view", ["open", "mine", "done"])
def test_an_empty_inbox_says_why(client, bob, view):
    assert 'class="empty"' in client.get(f"/inbox/?view={view}").text
    member("vic", "viewer")
    log_in(client, "vic")
    assert "Your role cannot decide tasks" in client.get("/inbox/").text


def test_a_decision_by_form_ends_the_step_and_the_page_says_who_and_when(client, bob):
    task = asked(approval(form=FORM, facts={"Order": "A-17"}, instructions="Look <b>twice</b>."))
    page = client.get(f"/inbox/{task.pk}").text
    assert "Refund 40 EUR?" in page
    assert "Look &lt;b&gt;twice&lt;/b&gt;." in page
    assert '<option value="&quot;slow&quot;" selected>slow</option>' in page
    sent = client.post(
        f"/inbox/{task.pk}/decide", FILLED | {"outcome": "approved", "data.express": "true"}, follow=True
    )
    assert sent.redirect_chain == [(f"/inbox/{task.pk}", 302)]
    assert "bob decided this" in sent.text
    assert make.steps(task.run_id)["ask"].output["data"] == {
        "account": "DE12",
        "amount": 40,
        "express": True,
        "speed": "fast",
        "lines": ["a"],
    }
    assert 'name="outcome"' not in sent.text


def test_what_is_wrong_stands_at_its_field_and_what_was_typed_is_kept(client, bob):
    task = asked(approval(form=FORM))
    typed = {
        "data.account": "x",
        "data.amount": "many",
        "data.rate": "a half",
        "data.lines": "[",
        "comment": " ",
        "outcome": "rejected",
    }
    page = client.post(f"/inbox/{task.pk}/decide", typed)
    assert page.status_code == 422
    faults = re.findall(r'class="fault" id="([\w.-]+)-fault".*?</svg>(.*?)</p>', page.text, re.DOTALL)
    assert [field for field, _ in faults] == [
        "field-data.account",
        "field-data.amount",
        "field-data.rate",
        "field-data.lines",
        "comment",
    ]
    assert "Write a whole number" in page.text
    for value in ("x", "many", "a half"):
        assert f'value="{value}"' in page.text
    assert again(task).status == "OPEN"


def test_a_number_beyond_the_schema_is_told_at_its_field(client, bob):
    task = asked(approval(form=FORM))
    page = client.post(f"/inbox/{task.pk}/decide", FILLED | {"data.amount": "101", "outcome": "approved"})
    assert (page.status_code, page.text.count('class="fault"')) == (422, 1)


def test_who_comes_second_is_told_and_keeps_what_they_wrote(client, bob):
    task = asked()
    decide(member("ann"), task)
    page = client.post(f"/inbox/{task.pk}/decide", {"outcome": "rejected", "comment": "Too dear."})
    assert page.status_code == 409
    assert "ann already decided this" in page.text
    assert "Too dear." in page.text


def test_whom_it_does_not_ask_sees_it_without_its_form(client, bob):
    task = asked(approval(candidates={"groups": ["Finance"]}, exclude=["bob"]))
    page = client.get(f"/inbox/{task.pk}")
    assert "You can't decide this" in page.text
    assert "You are excluded" in page.text
    assert 'name="outcome"' not in page.text
    assert client.post(f"/inbox/{task.pk}/decide", {"outcome": "approved"}).status_code == 409
    assert again(task).status == "OPEN"


def test_a_vote_is_given_used_by_who_has_it_and_taken_back_on_the_page(client, bob):
    member("ann")
    cat = member("cat", "approver")
    task = asked(approval(candidates={"users": ["bob", "ann"]}, quorum=2))
    page = client.get(f"/inbox/{task.pk}").text
    assert "Give your vote to somebody" in page
    assert re.findall(r'<option value="(\w+)"></option>', page) == ["cat"]
    refused = client.post(f"/inbox/{task.pk}/delegate", {"to": "ann"})
    assert (refused.status_code, "has a vote of their own" in refused.text) == (422, True)
    told = client.post(f"/inbox/{task.pk}/delegate", {"to": "cat"}, follow=True).text
    assert "cat decides in your place now." in told
    assert ("Take your vote back" in told, "cat decides for bob" in told, 'name="outcome"' in told) == (
        True,
        True,
        False,
    )
    log_in(client, "cat")
    page = client.get(f"/inbox/{task.pk}").text
    assert ("bob gave you their vote" in page, "Give the vote back" in page, 'name="outcome"' in page) == (
        True,
        True,
        True,
    )
    assert str(task.pk) in client.get("/inbox/?view=mine").text
    log_in(client, "bob")
    told = client.post(f"/inbox/{task.pk}/unclaim", follow=True).text
    assert ("The vote is back with its owner." in told, 'name="outcome"' in told) == (True, True)
    with pytest.raises(NotAllowed):
        decide(cat, task)


def test_who_has_a_vote_and_is_asked_too_decides_for_themselves_and_gives_neither_away(client, bob):
    ann, dan = member("ann"), member("dan")
    member("cat")
    task = asked(approval(candidates={"users": ["bob", "ann"]}, quorum=3))
    hand(bob, task, "cat")
    escalating.escalate_task(ann, task.pk, to={"users": ["cat"]}, reason="Late.")
    log_in(client, "cat")
    page = client.get(f"/inbox/{task.pk}").text
    assert "bob gave you their vote, and you are asked yourself" in page
    assert "Give your vote to somebody" not in page
    client.post(f"/inbox/{task.pk}/unclaim")
    hand(bob, task, "dan")
    decide(dan, task)
    log_in(client, "bob")
    assert "Take your vote back" not in client.get(f"/inbox/{task.pk}").text


def test_claim_and_put_back(client, bob):
    task = asked()
    assert "This task is yours" in client.post(f"/inbox/{task.pk}/claim", follow=True).text
    assert again(task).assignee == "bob"
    assert "Claim it" in client.post(f"/inbox/{task.pk}/unclaim", follow=True).text
    assignment.claim_task(member("ann"), task.pk)
    assert "ann has claimed this" in client.post(f"/inbox/{task.pk}/claim", follow=True).text


@pytest.mark.parametrize("verb", ["decide", "claim", "unclaim"])
def test_looking_changes_nothing(client, bob, verb):
    task = asked()
    for path in ("/inbox/", f"/inbox/{task.pk}?outcome=approved"):
        assert client.get(path).status_code == 200
    assert client.get(f"/inbox/{task.pk}/{verb}?outcome=approved").status_code == 405
    assert (again(task).status, again(task).assignee) == ("OPEN", None)


def test_a_role_that_decides_nothing_is_refused(client):
    member("vic", "viewer")
    log_in(client, "vic")
    task = asked()
    assert client.get(f"/inbox/{task.pk}").status_code == 200
    assert client.post(f"/inbox/{task.pk}/decide", {"outcome": "approved"}).status_code == 403


def test_another_tenants_task_is_not_there(client, bob):
    (run_id,) = make.start(approval(), {"amount": 1}, tenant=make.a_tenant("theirs"))
    make.work()
    task = task_of(run_id)
    for path in (f"/inbox/{task.pk}", f"/inbox/?run={run_id}"):
        page = client.get(path)
        assert page.status_code == 404 or "Refund" not in page.text
    assert client.post(f"/inbox/{task.pk}/decide", {"outcome": "approved"}).status_code == 404


def test_the_inbox_costs_the_same_for_one_task_as_for_fifty(client, bob):
    first = asked()
    few = trips_of_page(client, "/inbox/")
    make.start(approval(), *({"amount": n} for n in range(60)))
    make.work()
    assert trips_of_page(client, "/inbox/") == few <= 10
    assert trips_of_page(client, f"/inbox/{first.pk}") <= 22


def test_a_form_of_another_shape_is_one_field_of_json(client, bob):
    task = asked(approval(form={"type": "object", "minProperties": 1}))
    path = f"/inbox/{task.pk}/decide"
    assert client.post(path, {"outcome": "approved", "data": "[]"}).status_code == 422
    assert client.post(path, {"outcome": "approved", "data": "{}"}).status_code == 422
    assert client.post(path, {"outcome": "approved", "data": '{"a": 1}'}).status_code == 302
    assert again(task).data == {"a": 1}


def test_what_is_said_stands_on_the_page_as_it_was_said(client, bob):
    task = asked()
    page = client.get(f"/inbox/{task.pk}").text
    assert "No comments yet." in page
    sent = client.post(
        f"/inbox/{task.pk}/comment",
        {"text": "Is <b>this</b>\r\nright?", "once": ticket_in(page)},
        follow=True,
    )
    assert sent.redirect_chain == [(f"/inbox/{task.pk}#comments", 302)]
    assert "<strong>bob</strong>" in sent.text
    assert "Is &lt;b&gt;this&lt;/b&gt;<br>right?" in sent.text
    log_in(client, member("vic", "viewer").username)
    page = client.get(f"/inbox/{task.pk}").text
    assert "right?" in page
    assert f"/inbox/{task.pk}/comment" not in page


def ticket_in(page):
    return re.search(r'name="once" value="([^"]+)"', page)[1]


def test_a_comment_that_is_sent_twice_is_there_once(client, bob):
    task = asked()
    body = {"text": "Once.", "once": ticket_in(client.get(f"/inbox/{task.pk}").text)}
    for _ in range(2):
        assert client.post(f"/inbox/{task.pk}/comment", body).status_code == 302
    assert client.get(f"/inbox/{task.pk}").text.count("Once.") == 1


def test_a_comment_that_is_none_is_told_at_its_field(client, bob):
    task = asked()
    for text in ("", " \n", "x" * 4001):
        page = client.post(f"/inbox/{task.pk}/comment", {"text": text})
        assert (page.status_code, page.text.count('id="text-fault"')) == (422, 1)
    assert "x" * 4001 in page.text


def test_a_comment_that_comes_too_late_is_not_lost(client, bob):
    task = asked()
    decide(member("ann"), task)
    page = client.post(f"/inbox/{task.pk}/comment", {"text": "Wait for me."})
    assert page.status_code == 409
    for words in ("Your comment was not kept", "Wait for me.", "No comments."):
        assert words in page.text


def test_of_many_comments_the_last_stand_first_and_the_others_behind_a_link(client, bob):
    task = asked()
    few = trips_of_page(client, f"/inbox/{task.pk}")
    for n in range(102):
        say(bob, task, f"Number {n}.")
    page = client.get(f"/inbox/{task.pk}").text
    assert ("Number 1." in page, "Number 2." in page, "Number 101." in page) == (False, True, True)
    earlier = re.search(r'href="(/inbox/[^"]+\?before=[^"#]+)#comments"', page)[1]
    page = client.get(earlier).text
    assert ("Number 0." in page, "Number 1." in page, "Number 2." in page) == (True, True, False)
    assert trips_of_page(client, f"/inbox/{task.pk}") == few
    assert client.get(f"/inbox/{task.pk}?before=nonsense").status_code == 200


def test_a_task_is_given_to_somebody_and_given_back(client, bob):
    task = asked(approval(candidates={"users": ["bob"]}))
    member("ann")
    page = client.get(f"/inbox/{task.pk}").text
    assert re.findall(r'<option value="(\w+)"></option>', page) == ["ann"]
    sent = client.post(f"/inbox/{task.pk}/delegate", {"to": "ann", "why": "Away."}, follow=True)
    assert "ann has this task now, and decides it for bob." in sent.text
    assert "bob gave this to ann" in sent.text
    assert "Give it to somebody…" not in sent.text
    log_in(client, "ann")
    page = client.get(f"/inbox/{task.pk}").text
    assert "bob gave you this: you decide it for them." in page
    assert "given to you" in client.get("/inbox/?view=mine").text
    assert "The task is with bob again." in client.post(f"/inbox/{task.pk}/unclaim", follow=True).text
    log_in(client, "bob")
    client.post(f"/inbox/{task.pk}/delegate", {"to": "ann"})
    log_in(client, "ann")
    page = client.post(f"/inbox/{task.pk}/decide", {"outcome": "approved"}, follow=True).text
    assert "ann decided this for bob" in page


@pytest.mark.parametrize("to", ["", "nobody", "bob", "eve", "vic", "x" * 200])
def test_to_whom_it_cannot_be_given_is_told_at_the_field(client, bob, to):
    task = asked(approval(exclude=["eve"]))
    member("eve")
    member("vic", "viewer")
    page = client.post(f"/inbox/{task.pk}/delegate", {"to": to, "why": "Away."})
    assert (page.status_code, page.text.count('id="to-fault"')) == (422, 1)
    assert '<details class="card padded give" open>' in page.text
    assert f'value="{to}"' in page.text
    assert 'value="Away."' in page.text
    assert again(task).assignee is None


def test_what_somebody_else_has_by_now_is_given_to_nobody(client, bob):
    task = asked()
    member("cid")
    assignment.claim_task(member("ann"), task.pk)
    page = client.post(f"/inbox/{task.pk}/delegate", {"to": "cid"})
    assert page.status_code == 409
    assert "You could not give it away" in page.text
    assert "ann has claimed this task." in page.text


@pytest.mark.browser
def test_a_task_is_discussed_and_given_away_in_the_browser(visitor, ann):
    Membership.objects.for_tenant(make.a_tenant().pk).filter(user=ann).update(role="approver")
    page, task = visitor.page, asked()
    member("bob")
    visitor.open(f"/inbox/{task.pk}")
    page.get_by_label("Your comment").fill("Is this right?\nI doubt it.")
    page.get_by_role("button", name="Add the comment").click()
    expect(page.get_by_text("I doubt it.")).to_be_visible()
    page.get_by_text("Give it to somebody…").click()
    page.get_by_label("Give it to", exact=True).fill("nobody")
    page.get_by_role("button", name="Give it to them").click()
    expect(page.get_by_text("“nobody” is not a member.")).to_be_visible()
    assert faults(page) == []
    page.set_viewport_size({"width": 320, "height": 700})
    assert not visitor.scrolls_sideways()
    page.get_by_label("Give it to", exact=True).fill("bob")
    page.get_by_role("button", name="Give it to them").click()
    expect(page.get_by_text("ann gave this to bob")).to_be_visible()
    assert again(task).delegated_by == "ann"
    assert faults(page) == []
