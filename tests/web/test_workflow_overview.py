"""The page of one workflow: its picture, its start form, whose it is and what starts it."""

import pytest

from accounts.models import User
from accounts.queries import session_principal
from tests import factories as make
from tests.store.watching import trips_of_page
from tests.web.test_workflow_pages import CHAIN, a_workflow
from triggers.webhooks.service import create_webhook

pytestmark = pytest.mark.django_db


@pytest.fixture
def author(client):
    """The client, logged in as an author of the default tenant."""
    user = make.a_member("ben", "author")
    client.force_login(user)
    return client


def test_the_page_of_a_workflow_shows_its_steps_and_the_form_to_start_it(author):
    a_workflow(definition={**CHAIN, "metadata": {"sample_input": {"text": "A sample."}}})
    text = author.get("/workflows/ours/").text
    assert "Clean text" in text
    assert 'id="start"' in text
    assert 'name="input_kind" value="text"' in text
    assert ">\nA sample.</textarea>" in text
    assert trips_of_page(author, "/workflows/ours/") <= 11


def test_the_page_of_a_workflow_says_whose_it_is_and_what_starts_it(author, client):
    workflow = a_workflow()
    ben = session_principal(User.objects.get(username="ben"))
    create_webhook(ben, name="Shop", workflow="ours", action="start", mapping={})
    make.start_version(workflow.versions.get(), {"text": "a"}, {"text": "b"})
    text = author.get("/workflows/ours/").text
    about = text[text.index('id="about"') : text.index("</aside>")]
    assert "General" in about
    assert ">Version 1</a>" in about
    assert '<a href="/runs/?status=open&amp;workflow=ours">2</a>' in about
    assert "Webhook Shop" in about
    assert "each message starts a run" in about
    assert trips_of_page(author, "/workflows/ours/") <= 11
    client.force_login(make.a_member("vera", "viewer"))
    assert "Webhook Shop" not in client.get("/workflows/ours/").text


def test_a_draft_that_can_not_be_drawn_still_has_its_page(author):
    workflow = a_workflow()
    assert 'id="picture-told"' in author.get("/workflows/ours/").text
    make.a_workflow("odd", {"nodes": "many"}, tenant=workflow.tenant)
    text = author.get("/workflows/odd/").text
    assert 'id="picture-told"' not in text
    assert "Not published yet" in text
