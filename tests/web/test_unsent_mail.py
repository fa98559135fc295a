"""A mail that nobody sent: the run's page never reads as if it had been sent."""

import pytest

from runs.models import Run
from steps import outside
from tests import factories as make

pytestmark = pytest.mark.django_db

MAIL = {"type": "email.send", "params": {"to": "a@example.org", "subject": "x", "body": "y"}}


def page_of(client, ann, run_id):
    client.force_login(ann)
    return client.get(f"/runs/{run_id}").content.decode()


def test_a_mail_that_was_only_logged_says_so(client, ann):
    [run_id] = make.start(make.graph([{"id": "tell", **MAIL}], []))
    make.work("default", "engine", "blocking")
    assert make.run(run_id).status == "COMPLETED"
    assert "Nothing was sent: no mail server is set up (HANDOFF_SMTP_URL)." in page_of(client, ann, run_id)


def test_it_says_so_in_a_map_and_later_steps_can_ask_for_it(client, ann):
    body = {"steps": [{"id": "tell", **MAIL}]}
    each = {"id": "each", "type": "map", "params": {"items": "{{ [1, 2] }}", "body": body}}
    count = "{{ size(steps.each.output.results.filter(one, !one.sent)) }}"
    [run_id] = make.start(make.graph([each], [], output={"unsent": count}))
    make.work("default", "engine", "blocking")
    run = make.run(run_id)
    assert run.error is None, run.error
    assert (run.status, run.output) == ("COMPLETED", {"unsent": 2})
    (part, _) = Run.unsafe_all_tenants.filter(is_part=True)
    assert "Nothing was sent" in page_of(client, ann, part.pk)


def test_where_mail_may_not_be_logged_the_step_fails_and_the_page_says_what_to_do(client, ann, monkeypatch):
    monkeypatch.setattr(outside, "_logs_mail", False)
    [run_id] = make.start(make.graph([{"id": "tell", **MAIL}], []))
    make.work("default", "engine", "blocking")
    assert make.run(run_id).status == "FAILED"
    page = page_of(client, ann, run_id)
    assert "No mail server is set up (HANDOFF_SMTP_URL): the mail was not sent." in page
    assert "Have an admin set this up" in page
