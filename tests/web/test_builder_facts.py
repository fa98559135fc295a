"""A fact gets another label in the builder: what reads it follows, and one undo takes all of it back."""

import pytest
from playwright.sync_api import expect

from accounts.models import Membership
from tests import factories as make
from tests.web.builder import Builder

pytestmark = pytest.mark.browser
DRAFT = {
    "name": "ours",
    "nodes": [
        {
            "id": "ask",
            "type": "human.approval",
            "title": "Ask",
            "params": {
                "title": 'Pay {{ facts["Net sum"] }}?',
                "facts": {"Net sum": "{{ input.sum }}", "Customer": "{{ input.who }}"},
                "amendable": ["Net sum"],
            },
        },
        {
            "id": "tell",
            "type": "noop",
            "title": "Tell",
            "params": {},
            "input": {"sum": '{{ prev.facts["Net sum"] }}'},
        },
    ],
    "edges": [{"from": "ask", "to": "tell", "branch": "approved"}],
}


@pytest.fixture
def author(visitor, ann):
    """Ann as an author, who likes things to stand still."""
    Membership.objects.for_tenant(make.a_tenant().pk).filter(user=ann).update(role="author")
    visitor.page.emulate_media(reduced_motion="reduce")
    return visitor


def read(builder):
    ask, tell = builder.saved()["nodes"]
    return (
        ask["params"]["title"],
        sorted(ask["params"]["facts"]),
        ask["params"]["amendable"],
        tell["input"]["sum"],
    )


def test_expressions_follow_the_label_and_come_back_with_it(author):
    make.a_workflow("ours", DRAFT)
    builder, page = Builder(author, "ours"), author.page
    before = read(builder)
    builder.card("Ask").click()
    name = page.get_by_role("textbox", name="Facts: name").first
    expect(name).to_have_value("Net sum")
    name.fill("Total")
    name.press("Tab")
    expect(page.get_by_role("button", name="Undo")).to_be_enabled()
    expect(page.get_by_role("textbox", name="Facts: name").first).to_have_value("Total")
    assert read(builder) == (
        "Pay {{ facts.Total }}?",
        ["Customer", "Total"],
        ["Total"],
        "{{ prev.facts.Total }}",
    )
    page.get_by_role("button", name="Undo").click()
    page.wait_for_function(
        "[...document.querySelectorAll('.pair-name')].some(({ value }) => value === 'Net sum')"
    )
    assert read(builder) == before
