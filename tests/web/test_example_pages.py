"""The gallery of examples: what it offers, what is missing in a tenant for each, and what is taken of it."""

import re

import pytest

from tests import factories as make
from tests.inbox.asking import member
from tests.store.watching import trips_of_page

pytestmark = pytest.mark.django_db


@pytest.fixture
def author(client):
    """The client, logged in as an author of the default tenant."""
    user = make.a_member("ben", "author")
    client.force_login(user)
    return client


def test_an_example_is_taken_as_a_workflow_of_its_own(author):
    assert trips_of_page(author, "/workflows/examples") <= 8
    for name in ("order-check", "order-check-2"):
        answer = author.post("/workflows/examples/order-check")
        assert answer.headers["Location"] == f"/workflows/{name}/"
    assert "A-1007" in author.get("/workflows/order-check-2/").text
    assert author.post("/workflows/examples/none").status_code == 404


def test_a_template_for_more_people_than_there_are_stays_a_draft_and_says_what_is_missing(author):
    page = author.get("/workflows/examples").text
    assert page.index("Vendor onboarding") < page.index("Policy attestation") < page.index("Check an order")
    assert (
        author.post("/workflows/examples/access_request").headers["Location"] == "/workflows/access_request/"
    )
    page = author.get("/workflows/access_request/").text
    for text in (page, author.get("/workflows/examples").text):
        assert "may decide tasks: add members" in text
        assert '<a href="/settings/members">Add members</a>' in text
    for name in ("bob", "eve"):
        member(name)
    page = author.get("/workflows/access_request/").text
    assert "Add members" not in page
    assert "It has no problems" in page


def test_where_there_is_no_workflow_the_templates_for_compliance_are_offered(author):
    page = author.get("/workflows/").text
    offers = re.findall(r'aria-label="Take (.+?)"', page)
    assert offers == ["Vendor onboarding", "Access request", "Policy attestation"]
    author.post("/workflows/examples/order-check")
    assert "Take Vendor" not in author.get("/workflows/").text
