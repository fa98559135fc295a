"""Mending a run by the forms of its page: each says what it means, keeps what was typed, and is done once."""

import re

import pytest
from django.test import Client

from runs.web import step_forms
from tests import factories as make

pytestmark = pytest.mark.django_db

FAILS = make.graph(
    [
        {"id": "first", "title": "Look it up"},
        {"id": "clean", "type": "text.clean", "title": "Clean it", "retry": "none"},
        {"id": "last", "title": "File it"},
    ],
    ["first>clean", "clean>last"],
)


def member(role: str) -> Client:
    user = make.a_member(role, role)
    client = Client()
    client.force_login(user)
    return client


@pytest.fixture
def operator() -> Client:
    return member("operator")


@pytest.fixture
def failed() -> str:
    run_id = make.start(FAILS, {"n": 1})[0]
    make.work()
    return run_id


def links(client: Client, run_id: str) -> list[str]:
    found = re.findall(rf'href="/runs/{run_id}/([^"]+)"', client.get(f"/runs/{run_id}").text)
    return [path for path in found if path.startswith("steps/") or path == "resume-on"]


def test_a_card_offers_what_makes_sense_and_only_to_operators(operator, failed):
    assert links(operator, failed) == [
        "steps/first/rerun",
        "steps/clean/retry",
        "steps/clean/skip",
        "steps/clean/rerun",
    ]
    assert links(member("viewer"), failed) == []


def test_a_step_is_tried_again_with_the_input_that_was_typed(operator, failed):
    path = f"/runs/{failed}/steps/clean/retry"
    page = operator.get(path).text
    assert "&quot;n&quot;: 1" in page
    assert "same idempotency key" in page
    answer = operator.post(path, {"value": '{"text": " x "}', "reason": "typo"})
    assert answer.url == f"/runs/{failed}"
    make.work()
    assert make.run(failed).output == {"text": "x"}
    assert make.events(failed, "STEP_REQUEUED")[-1].payload["by"] == "operator"


def test_an_input_that_is_left_as_it_is_is_no_edit(operator, failed):
    operator.post(f"/runs/{failed}/steps/clean/retry", {"value": '{"n":   1}'})
    assert "input_digest" not in make.events(failed, "STEP_REQUEUED")[-1].payload


def test_what_is_wrong_is_told_at_the_field_and_kept(operator, failed):
    path = f"/runs/{failed}/steps/clean/skip"
    wrong = operator.post(path, {"value": '{"text": ', "reason": "why not"})
    assert wrong.status_code == 422
    assert "This is not JSON" in wrong.text
    assert ("{&quot;text&quot;: " in wrong.text, 'value="why not"' in wrong.text) == (True, True)
    assert make.run(failed).status == "FAILED"


def test_a_step_is_skipped_and_a_second_form_is_told_so(operator, failed):
    path = f"/runs/{failed}/steps/clean/skip"
    operator.post(path, {"value": '{"text": "by hand"}'})
    make.work()
    again = operator.post(path, {"value": "{}"})
    assert (again.status_code, "The run is COMPLETED" in again.text) == (422, True)
    assert make.run(failed).output == {"text": "by hand"}
    assert "Skipped by an operator" in operator.get(f"/runs/{failed}").text


def test_a_rerun_says_what_is_kept_and_is_started_once(operator, failed):
    path = f"/runs/{failed}/steps/clean/rerun"
    page = operator.get(path).text
    assert re.search(r"<dt>Kept</dt><dd>Look it up</dd>", page)
    assert re.search(r"<dt>Runs again</dt><dd>Clean it, File it</dd>", page)
    sent = {"once": re.search(r'name="once" value="([^"]+)"', page)[1], "value": '{"text": "y"}'}
    first, second = [operator.post(path, sent) for _ in range(2)]
    assert first.url == second.url != f"/runs/{failed}"
    make.work()
    new = first.url.removeprefix("/runs/")
    assert make.run(new).output == {"text": "y"}
    shown = operator.get(first.url).text
    assert "Kept from the earlier run" in shown
    assert f'href="/runs/{failed}"' in shown


def test_a_failed_run_goes_on_with_a_newer_version_that_says_what_differs(operator, failed):
    fixed = [FAILS["nodes"][0], {**FAILS["nodes"][1], "input": {"text": "n is {{ prev.n }}"}}]
    version = make.newer(failed, {**FAILS, "nodes": [*fixed, FAILS["nodes"][2]]})
    assert "resume-on" in links(operator, failed)
    page = operator.get(f"/runs/{failed}/resume-on").text
    assert "Changed: Clean it" in page
    answer = operator.post(f"/runs/{failed}/resume-on", {"version": str(version.number)})
    assert answer.url == f"/runs/{failed}"
    make.work()
    assert make.run(failed).output == {"text": "n is 1"}


def test_a_version_that_does_not_fit_says_why_and_changes_nothing(operator, failed):
    make.newer(failed, {**FAILS, "nodes": FAILS["nodes"][1:], "edges": [{"from": "clean", "to": "last"}]})
    answer = operator.post(f"/runs/{failed}/resume-on", {"version": "2"})
    assert answer.status_code == 422
    assert "first has run, but this version has no such step" in answer.text
    assert make.run(failed).status == "FAILED"
    assert operator.post(f"/runs/{failed}/resume-on", {}).status_code == 422


def test_a_run_of_a_version_that_is_not_among_the_newest_can_still_choose_one(operator, failed, monkeypatch):
    monkeypatch.setattr(step_forms, "OFFERED", 1)
    make.newer(failed, {**FAILS, "title": "Second"})
    make.newer(failed, {**FAILS, "title": "Third"})
    page = operator.get(f"/runs/{failed}/resume-on")
    assert page.status_code == 200
    assert re.findall(r'name="version" value="(\d+)"', page.content.decode()) == ["3"]


def test_a_rerun_does_not_promise_to_keep_a_step_that_failed(operator):
    run_id = make.start(make.graph([{"id": "a", "retry": "none"}, {"id": "b", "retry": "none"}], []))[0]
    make.fail(*make.claimed())
    page = operator.get(f"/runs/{run_id}/steps/a/rerun").content.decode()
    assert "<dt>Kept</dt><dd>Nothing</dd>" in page


def test_what_undoes_a_step_and_waits_is_skipped_on_its_card(operator):
    undo = {"type": "signal", "params": {"name": "undone"}, "title": "Wait for the refund"}
    first = {"id": "first", "title": "Charge", "compensate": undo}
    broken = {"id": "clean", "type": "text.clean", "title": "Clean it", "retry": "none"}
    (run_id,) = make.start(make.graph([first, broken], ["first>clean"]), {"n": 1})
    make.work()
    assert links(operator, run_id) == ["steps/first:compensate/skip"]
    page = operator.get(f"/runs/{run_id}").text
    assert "Wait for the refund waits for the signal undone" in page
    path = f"/runs/{run_id}/steps/first:compensate/skip"
    assert "the run goes on undoing what came before" in operator.get(path).text
    assert operator.get(path.replace("skip", "rerun")).status_code == 404
    assert operator.post(path, {"value": "{}"}).status_code == 302
    assert make.run(run_id).status == "COMPENSATED"
    page = operator.get(f"/runs/{run_id}").text
    assert "Somebody did it by hand" in page
    assert "No branch led here" not in page


BESIDE = make.graph(
    [
        {"id": "clean", "type": "text.clean", "title": "Clean it", "retry": "none"},
        {"id": "count", "type": "text.clean", "title": "Count it", "retry": "none"},
        {"id": "stock", "type": "job", "title": "Ask the warehouse"},
    ],
    [],
    on_failure="finish_others",
)


def test_what_failed_is_mended_on_the_page_of_a_run_whose_others_go_on(operator):
    run_id = make.start(BESIDE, {"n": 1})[0]
    make.work()

    page = operator.get(f"/runs/{run_id}").text
    assert "The step Clean it failed" in page
    assert "The run fails when its other branches have ended: Ask the warehouse waits for" in page
    assert "steps/clean/retry" in links(operator, run_id)
    path = f"/runs/{run_id}/steps/clean/retry"
    form = operator.get(path).text
    assert "Its other failed steps start again as well: Count it." in form
    operator.post(path, {"value": '{"text": "words"}', "reason": "It was empty."})

    make.work()
    assert make.statuses(run_id) == {"clean": "COMPLETED", "count": "FAILED", "stock": "QUEUED"}


def test_a_step_that_asks_is_left_failed_on_the_page_of_its_run(operator):
    asks = make.graph([{"id": "clean", "type": "text.clean", "retry": "none", "on_error": "ask"}], [])
    run_id = make.start(asks, {"n": 1})[0]
    make.work()
    page = operator.get(f"/runs/{run_id}").text
    assert "It waits for an operator to decide about its failure" in page
    assert links(operator, run_id) == ["steps/clean/retry", "steps/clean/skip"]
    assert f'action="/runs/{run_id}/steps/clean/leave"' in page
    assert "steps/clean/leave" not in member("viewer").get(f"/runs/{run_id}").text

    operator.post(f"/runs/{run_id}/steps/clean/leave")
    assert make.run(run_id).status == "FAILED"
    assert [letter.resolution for letter in make.letters(run_id)] == ["discarded"]
