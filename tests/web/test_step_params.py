"""The params of a step as the run's page computes them, and what attempts have said beside them."""

import pytest

from accounts.models import Membership
from runs.commands import job_reports, jobs
from runs.reading.rendered import rendered_params
from steps.attempt_log import LogLine
from tests import factories as make
from tests.store.watching import trips_of_page

pytestmark = pytest.mark.django_db

PAY = make.graph(
    [
        {"id": "first", "type": "transform", "params": {"set": {"amount": "{{ input.amount * 2 }}"}}},
        {
            "id": "charge",
            "type": "job",
            "queue": "card",
            "params": {
                "amount": "{{ steps.first.output.amount }}",
                "headers": {"Authorization": "Bearer {{ input.key }}"},
                "text": "Pay {{ prev.amount }}",
            },
        },
    ],
    [{"from": "first", "to": "charge"}],
)


@pytest.fixture
def author(client, ann):
    Membership.objects.for_tenant(make.a_tenant().pk).filter(user=ann).update(role="author")
    client.force_login(ann)
    return client


def a_run(definition=PAY, given=None) -> str:
    run_id = make.start(definition, given or {"amount": 25, "key": "sesame"})[0]
    make.work()
    return run_id


def params(run_id, node="charge", index=None):
    return rendered_params(make.a_tenant().pk, run_id, node, index)


def polled():
    (job,) = jobs.poll(tenant=make.a_tenant().pk, worker="w", queues=["card"], max_jobs=1)
    return job


def test_params_are_what_the_attempt_was_given_with_secrets_masked():
    run_id = a_run()
    assert params(run_id).changed == "it has not begun"
    job = polled()
    found = params(run_id)
    assert job.params["headers"] == {"Authorization": "Bearer sesame"}
    assert found.params == job.params | {"headers": {"Authorization": "••••"}}
    assert (found.why_not, found.changed) == ("", "")
    assert params(run_id, "first").params == {"set": {"amount": 50}}
    assert params(run_id, "none") is None


def test_what_has_changed_since_is_said():
    run_id = a_run(
        make.graph([{"id": "charge", "type": "job", "queue": "card", "params": {"n": "{{ vars.n }}"}}], []),
        {"n": 1},
    )
    assert params(run_id).why_not.startswith("They can't be computed: ")
    timed = make.graph(
        [{"id": "charge", "type": "job", "queue": "card", "params": {"at": "{{ run.now }}"}}], []
    )
    run_id = a_run(timed)
    jobs.poll(tenant=make.a_tenant().pk, worker="w", queues=["card"], max_jobs=2)
    assert params(run_id).changed == "they read the time"


def test_the_page_offers_them_unread_and_a_fragment_has_them(author):
    run_id = a_run()
    polled()
    page = author.get(f"/runs/{run_id}?step=charge").text
    assert f"/runs/{run_id}/params?node=charge" in page
    assert "Pay 50" not in page
    fragment = author.get(f"/runs/{run_id}/params?node=charge").text
    assert "Pay 50" in fragment
    assert "sesame" not in fragment
    value = author.get(f"/runs/{run_id}/value?node=charge&of=params")
    assert value.json()["amount"] == 50
    assert author.get(f"/runs/{run_id}/value?node=charge&of=params&field=text").text == "Pay 50"
    plain = a_run(make.chain("noop", "noop"), {})
    assert "params?node" not in author.get(f"/runs/{plain}?step=n0").text
    assert author.get(f"/runs/{run_id}/params?node=charge&index=x").status_code == 200


def test_the_page_shows_what_a_worker_says_or_how_it_would(author):
    run_id = a_run()
    page = author.get(f"/runs/{run_id}?step=charge").text
    assert "A worker writes them with" in page
    job = polled()
    job_reports.heartbeat(
        tenant=make.a_tenant().pk,
        job=job.step.id,
        lease_token=job.lease_token,
        log=[LogLine("<b>half</b> of it"), LogLine("slow", "warning")],
    )
    page = author.get(f"/runs/{run_id}?step=charge").text
    assert "&lt;b&gt;half&lt;/b&gt; of it" in page
    assert "<b>Warning</b> slow" in page
    assert "A worker writes them with" not in page
    assert "step-log" not in author.get(f"/runs/{run_id}?step=first").text


def test_attempts_and_the_log_cost_a_statement_each_and_params_none(author):
    run_id = a_run()
    polled()
    without = trips_of_page(author, f"/runs/{run_id}")
    with_step = trips_of_page(author, f"/runs/{run_id}?step=charge")
    # The attempts and the log of the step.
    assert with_step - without == 2
