"""The steps within a container on the graph of a run: how many items failed and are over, and the way to the first."""

import re

import pytest
from playwright.sync_api import expect

from accounts.models import Membership
from tests import factories as make
from tests.runs.test_inner_steps import sharing


@pytest.fixture
def author(client, ann):
    Membership.objects.for_tenant(make.a_tenant().pk).filter(user=ann).update(role="author")
    client.force_login(ann)
    return client


def inner(page: str, node: str) -> str:
    found = re.search(rf'<li class="graph-step inner" data-inner data-step="{node}".*?</li>', page, re.DOTALL)
    assert found, f"no {node} on the graph"
    return found[0]


@pytest.mark.django_db
def test_it_says_how_many_failed_and_are_over_and_leads_to_the_first_that_failed(author):
    run_id = sharing([0, 5, 0, 2], tolerate_failures=4)
    page = author.get(f"/runs/{run_id}?view=graph").text
    share, tell = inner(page, "share"), inner(page, "tell")
    assert 'data-status="FAILED"' in share
    assert "2 failed</span> · share · 4 of 4" in share
    assert 'data-status="PENDING"' in tell
    assert "2 of 4" in tell
    (href,) = re.findall(r'href="(/runs/[^"]+)"', share)
    item = author.get(href).text
    assert "data-failed" in item
    assert "Selected step" in item


@pytest.mark.django_db
def test_before_it_begins_and_in_the_past_nothing_is_counted(author):
    body = {"steps": [{"id": "one", "type": "noop"}]}
    run_id = make.start(make.mapped(body), {"items": [1, 2]})[0]
    assert 'data-status="PENDING"' in inner(author.get(f"/runs/{run_id}?view=graph").text, "one")
    make.work()
    assert "2 of 2" in inner(author.get(f"/runs/{run_id}?view=graph").text, "one")
    assert "2 of 2" not in inner(author.get(f"/runs/{run_id}?view=graph&at=1").text, "one")


@pytest.mark.django_db
def test_only_items_that_took_a_branch_are_counted_for_it(author):
    ways = [
        {"from": "which", "to": "even", "when": "steps.which.output.n % 2 == 0"},
        {"from": "which", "to": "odd", "default": True},
    ]
    which = {"id": "which", "type": "transform", "params": {"set": {"n": "{{ item }}"}}}
    ends = [{"id": name, "type": "noop"} for name in ("even", "odd")]
    run_id = make.start(make.mapped({"steps": [which, *ends], "edges": ways}), {"items": [1, 2, 3, 4]})[0]
    make.work()
    assert make.run(run_id).status == "COMPLETED"
    page = author.get(f"/runs/{run_id}?view=graph").text
    for node, count in (("which", "4 of 4"), ("even", "2 of 4"), ("odd", "2 of 4")):
        assert count in inner(page, node)
        assert 'data-status="COMPLETED"' in inner(page, node)


@pytest.mark.browser
def test_it_stands_in_its_container(visitor, ann):
    Membership.objects.for_tenant(make.a_tenant().pk).filter(user=ann).update(role="author")
    run_id = sharing([0, 5, 0, 2], tolerate_failures=4)
    visitor.open(f"/runs/{run_id}?view=graph")
    visitor.page.wait_for_selector("#graph[data-drawn]")
    place = lambda node: visitor.page.locator(f".graph-step[data-step={node}]").bounding_box()  # noqa: E731
    outer, inside = place("each"), place("share")
    assert outer["x"] < inside["x"] < inside["x"] + inside["width"] < outer["x"] + outer["width"]
    assert outer["y"] < inside["y"] < inside["y"] + inside["height"] < outer["y"] + outer["height"]
    visitor.page.locator(".graph-step[data-step=share] a").click()
    expect(visitor.page.locator("#inspector")).to_contain_text("share")
