"""Steps for people in the builder: who may decide, and how many must. `frontend/test/reminders.test.mjs` has times."""

import pytest
from playwright.sync_api import expect

from accounts.models import Membership
from tests import factories as make
from tests.inbox.asking import approval, member
from tests.web.axe import faults_by_day_and_night
from tests.web.builder import Builder

pytestmark = pytest.mark.browser


@pytest.fixture
def builder(visitor, ann):
    """Ann as an author; three of Legal, of whom one is excluded, and two of Finance."""
    for name, groups in (
        ("bob", ["Legal"]),
        ("cat", ["Legal"]),
        ("dan", ["Legal", "Finance"]),
        ("eve", ["Finance"]),
    ):
        member(name, "approver", *groups)
    Membership.objects.for_tenant(make.a_tenant().pk).filter(user=ann).update(role="author")
    candidates = {"groups": ["Legal", "Finance"]}
    definition = approval(candidates=candidates, exclude=["cat"], due_seconds=86_400)
    make.a_workflow("ours", {**definition, "name": "ours"})
    builder = Builder(visitor, "ours")
    builder.row("ask").first.click()
    return builder


def params(builder):
    return next(node for node in builder.saved()["nodes"] if node["id"] == "ask")["params"]


def test_how_many_decide_is_set_in_words_and_the_server_says_what_it_comes_to(builder):
    pane = builder.page.locator(".inspector")
    said = pane.locator(".insp-deciders")
    expect(said).to_have_text("Anybody of 3 people of Legal and Finance (1 excluded) may decide.")
    how = pane.get_by_role("combobox", name="How many decide")
    expect(how).to_have_value("one")

    how.select_option("number")
    expect(said).to_have_text("Needs 2 of 3 people of Legal and Finance (1 excluded).")
    pane.get_by_label("must agree").fill("12")
    expect(said).to_contain_text("Nobody can decide this: it needs 12 to agree, and only 3 people")
    expect(said).to_have_attribute("data-level", "nobody")
    assert params(builder)["quorum"] == 12
    pane.get_by_role("combobox", name="Voting rule").select_option("majority")
    assert params(builder)["quorum"] == {"need": 12, "rule": "majority"}

    how.select_option("share")
    pane.get_by_label("% must agree").fill("60")
    expect(said).to_have_text("Needs 2 (60%) of 3 people of Legal and Finance (1 excluded). By majority.")

    how.select_option("groups")
    for name, count in (("Legal", "2"), ("Finance", "1")):
        if name == "Finance":
            pane.get_by_role("button", name="Add a group").click()
        pane.get_by_label("Another group").fill(name)
        pane.get_by_label("Another group").press("Enter")
        pane.get_by_label(f"How many of {name}").fill(count)
    expect(said).to_have_text("Needs 2 of Legal (2 people, 1 excluded) and 1 of Finance (2 people).")
    assert params(builder)["quorum"] == {"groups": {"Legal": 2, "Finance": 1}}
    assert faults_by_day_and_night(builder.page, ".inspector") == []

    how.select_option("one")
    assert "quorum" not in params(builder)


def test_texts_of_a_question_offer_its_facts_and_its_other_params_do_not(visitor, ann):
    member("eve")
    Membership.objects.for_tenant(make.a_tenant().pk).filter(user=ann).update(role="author")
    asks = approval(title="Pay?", facts={"Amount due": "{{ input.amount }}"}, due_seconds=86_400)
    make.a_workflow("theirs", {**asks, "name": "theirs", "metadata": {"sample_input": {"amount": 1500}}})
    builder = Builder(visitor, "theirs")
    builder.row("ask").first.click()
    pane, page = builder.page.locator(".inspector"), builder.page
    question = pane.locator(".insp-field", has_text="Question").first
    question.get_by_role("button", name="Expression for Question").click()
    code = question.locator(".cm-content")
    code.click()
    page.keyboard.press("Control+a")
    page.keyboard.type("Pay /fac", delay=40)
    expect(page.locator(".cm-tooltip-autocomplete")).to_contain_text('facts["Amount due"]')
    page.keyboard.press("Escape")
    page.keyboard.press("Control+a")
    page.keyboard.press("Delete")
    code.press_sequentially('Pay {{ facts["Amount due"] }}?')
    expect(question.locator(".preview")).to_contain_text("Pay 1500?")
    expect(question).not_to_contain_text("cannot be read")
    pane.locator(".insp-pair").get_by_role("button", name="Insert…").click()
    dialog = page.locator(".pick-dialog")
    expect(dialog).to_contain_text("input.amount")
    expect(dialog).not_to_contain_text("facts")
    page.keyboard.press("Escape")
    assert params(builder)["title"] == 'Pay {{ facts["Amount due"] }}?'
