"""Sending a signal by hand, and what the page of a run says while it waits, undoes and waits for a person."""

import re

import pytest
from django.test import Client

from runs.commands.lifecycle import cancel_runs
from tests import factories as make

pytestmark = pytest.mark.django_db

WAITS = make.graph([{"id": "paid", "type": "signal", "params": {"name": "paid now"}}], [])
UNDO = {"type": "job", "queue": "undo", "retry": "none"}
ORDER = make.graph([{"id": "a", "type": "noop", "compensate": UNDO}, {"id": "b", "type": "job"}], ["a>b"])


@pytest.fixture
def operator() -> Client:
    user = make.a_member("op", "operator")
    client = Client()
    client.force_login(user)
    return client


def a_run(definition) -> str:
    run_id = make.start(definition)[0]
    make.work()
    return run_id


def test_a_waiting_step_leads_to_a_form_that_sends_its_signal_once(operator):
    run_id = a_run(WAITS)
    page = operator.get(f"/runs/{run_id}").text
    assert "Waits for the signal paid now." in page
    (path,) = re.findall(r'href="(/runs/[^"]+/signal\?name=[^"]+)"', page)
    form = operator.get(path).text
    assert 'value="paid now"' in form
    once = re.search(r'name="once" value="([^"]+)"', form)[1]
    sent = {"once": once, "name": "paid now", "payload": '{"amount": 40}'}
    answers = [operator.post(f"/runs/{run_id}/signal", sent, follow=True) for _ in range(2)]
    assert [answer.redirect_chain[-1][0] for answer in answers] == [f"/runs/{run_id}"] * 2
    assert make.run(run_id).output == {"amount": 40}
    assert make.history(run_id).count("SIGNAL_RECEIVED") == 1


def test_a_form_that_was_sent_and_changed_since_is_another_signal(operator):
    run_id = a_run(WAITS)
    once = re.search(r'name="once" value="([^"]+)"', operator.get(f"/runs/{run_id}/signal").text)[1]
    for payload in ("1", "1", "2"):
        sent = {"once": once, "name": "later", "payload": payload}
        assert operator.post(f"/runs/{run_id}/signal", sent).status_code == 302
    assert make.history(run_id).count("SIGNAL_RECEIVED") == 2


def test_what_is_wrong_is_told_at_its_field_and_kept(operator):
    run_id = a_run(WAITS)
    wrong = operator.post(f"/runs/{run_id}/signal", {"name": "", "payload": '{"amount": '})
    assert wrong.status_code == 422
    assert "This is not JSON" in wrong.text
    assert "{&quot;amount&quot;: " in wrong.text
    make.cancel(run_id)
    late = operator.post(f"/runs/{run_id}/signal", {"name": "paid now"})
    assert (late.status_code, "takes no more signals" in late.text) == (422, True)


READS = make.graph(
    [
        {"id": "paid", "type": "signal", "params": {"name": "paid"}},
        {"id": "book", "type": "noop", "input": {"who": "{{ prev.by }}", "note": "Paid: {{ prev.note }}"}},
        {"id": "ask", "type": "noop"},
    ],
    [
        {"from": "paid", "to": "book", "when": "output.amount > 100"},
        {"from": "paid", "to": "ask", "default": True},
    ],
)


def sent(client, run_id, **values):
    return client.post(f"/runs/{run_id}/signal", {"name": "paid", "kind": "form"} | values)


def test_the_form_has_a_field_for_each_value_that_steps_read_of_the_signal(operator):
    run_id = a_run(READS)
    form = operator.get(f"/runs/{run_id}/signal?name=paid").text
    for name in ("content.amount", "content.by", "content.note"):
        assert f'name="{name}"' in form, name
    assert 'name="payload"' not in form
    assert '<option value="paid">' in form
    assert (
        sent(
            operator, run_id, **{"content.amount": "120", "content.by": "ann", "content.note": "x"}
        ).status_code
        == 302
    )
    make.work()
    assert make.run(run_id).status == "COMPLETED"
    assert make.steps(run_id)["paid"].output == {"amount": 120, "by": "ann", "note": "x"}


def test_a_wrong_value_is_told_at_its_field_and_all_that_was_typed_stays(operator):
    run_id = a_run(READS)
    wrong = sent(
        operator, run_id, **{"content.amount": "a lot", "content.by": "ann", "content.note": "x & y"}
    )
    assert wrong.status_code == 422
    assert 'id="field-content.amount-fault"' in wrong.text
    assert 'value="a lot"' in wrong.text
    assert "x &amp; y" in wrong.text
    missing = sent(operator, run_id, **{"content.by": "ann"})
    assert (missing.status_code, "This is required." in missing.text) == (422, True)
    assert make.history(run_id).count("SIGNAL_RECEIVED") == 0


def test_the_content_turns_into_json_and_back_and_sends_nothing_by_that(operator):
    run_id = a_run(READS)
    as_json = sent(operator, run_id, turn="json", **{"content.amount": "120", "content.by": "7"})
    assert as_json.status_code == 200
    assert "&quot;amount&quot;: 120" in as_json.text
    assert "&quot;by&quot;: 7" in as_json.text
    back = sent(operator, run_id, kind="json", turn="form", payload='{"amount": 120}').text
    assert 'value="120"' in back
    kept = sent(operator, run_id, kind="json", turn="form", payload='{"other": [1]}').text
    assert "It stays JSON" in kept
    assert "{&quot;other&quot;: [1]}" in kept
    broken = sent(operator, run_id, kind="json", turn="form", payload='{"amount').text
    assert "This is not JSON" in broken
    assert make.history(run_id).count("SIGNAL_RECEIVED") == 0


def test_a_signal_of_which_nothing_is_known_is_written_as_json_with_an_example(operator):
    run_id = a_run(READS)
    page = operator.get(f"/runs/{run_id}/signal?name=other").text
    assert 'name="payload"' in page
    assert "placeholder=" in page.partition('name="payload"')[2][:200]
    assert "Fill in the form" not in page
    unknown = sent(operator, run_id, name="other", **{"content.amount": "1"})
    assert (unknown.status_code, "write its content as JSON" in unknown.text) == (422, True)


def test_fields_of_a_signal_for_a_run_below_come_from_its_definition(operator):
    below = make.a_version(READS).workflow.name
    run_id = a_run(make.graph([{"id": "sub", "type": "subworkflow", "params": {"workflow": below}}], []))
    make.work()
    assert "content.amount" in operator.get(f"/runs/{run_id}/signal?name=paid").text


def test_a_run_that_undoes_says_so_and_one_that_cannot_waits_for_a_person(operator):
    run_id = a_run(ORDER)
    assert "Undo what was done" in operator.get(f"/runs/{run_id}").text
    operator.post(f"/runs/{run_id}/cancel", {"compensate": "on"})
    assert make.run(run_id).status == "COMPENSATING"
    page = operator.get(f"/runs/{run_id}").text
    assert "What was done is being undone" in page
    assert "Undo Do nothing (a)" in page
    assert 'data-opens="#cancel"' not in page
    make.fail(*make.claimed("undo"))
    assert "Waiting for a person" in operator.get(f"/runs/{run_id}").text


def test_a_workflow_that_cannot_undo_offers_no_undoing(operator):
    assert "Undo what was done" not in operator.get(f"/runs/{a_run(WAITS)}").text
    run_id = a_run(ORDER)
    operator.post(f"/runs/{run_id}/cancel", {})
    assert make.run(run_id).status == "CANCELLED"
    with pytest.raises(Exception, match="already CANCELLED"):
        cancel_runs(make.a_tenant().pk, [run_id], by="test")


def test_a_run_is_paused_and_goes_on_by_the_buttons_of_its_page(operator):
    run_id = a_run(WAITS)
    assert "Pause" in operator.get(f"/runs/{run_id}").text
    assert "The run is paused" in operator.post(f"/runs/{run_id}/pause", follow=True).text
    page = operator.get(f"/runs/{run_id}").text
    assert "Continue" in page
    assert f'/runs/{run_id}/pause"' not in page
    operator.post(f"/runs/{run_id}/unpause")
    assert make.run(run_id).status == "RUNNING"
    assert "Only a PAUSED run" in operator.post(f"/runs/{run_id}/unpause", follow=True).text


def test_a_failure_that_somebody_has_seen_to_is_not_told_of_at_home_any_more(operator):
    run_id = a_run(make.chain("text.clean"))
    assert f"/runs/{run_id}" in operator.get("/").text.partition("Failed")[2]
    operator.post(f"/runs/{run_id}/seen-to")
    assert [letter.resolution for letter in make.letters(run_id)] == ["discarded"]
    assert operator.get("/").text.count(f"/runs/{run_id}") == 1
    assert "Resume from the failed step" in operator.get(f"/runs/{run_id}").text
