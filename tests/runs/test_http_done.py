"""A service that did its work and answered what nobody can read: the work is undone once, and never done twice."""

import pytest

from engine.ports import RULES
from runs.commands.starts import NewRun, Terms, start_runs
from tests import factories as make
from tests.answering import answering, http
from tests.inbox.asking import member
from tests.web.test_requests import logged_in

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _reachable(monkeypatch):
    monkeypatch.setenv("HANDOFF_EGRESS_ALLOW", "127.0.0.1/32")


def work():
    for _ in range(4):
        make.work("blocking", "default", "engine")


def charge(server, **more):
    step = {"type": "http.request", "params": {"method": "POST", "url": server.url("/charge")}}
    undo = {"type": "http.request", "params": {"method": "POST", "url": server.url("/refund")}}
    return {"id": "charge", **step, "compensate": undo, "compensate_on_unknown": False, **more}


@pytest.mark.parametrize("on_error", ["fail", "continue", "branch"])
@pytest.mark.parametrize("retry", ["seed", {"max_retries": 5}])
def test_an_unreadable_success_is_undone_once_and_not_repeated(on_error, retry):
    with answering(http(b"{", content_type="application/json"), http(b"ok")) as server:
        edge = {"from": "charge", "to": "bad"} | ({"on": "error"} if on_error == "branch" else {})
        bad = {"id": "bad", "type": "fail", "params": {"message": "No."}, "retry": "none"}
        definition = make.graph([charge(server, on_error=on_error, retry=retry), bad], [edge])
        (run_id,) = make.start(definition)
        work()
    assert [one.target for one in server.asked] == ["/charge", "/refund"]
    assert make.run(run_id).status == "COMPENSATED"
    assert make.steps(run_id)["charge"].error["details"]["outcome"] == "done"


def test_a_compensation_of_an_unknown_outcome_is_still_left_out():
    with answering(http(b"", "500 X"), http(b"ok")) as server:
        (run_id,) = make.start(make.graph([charge(server, retry="none")], []))
        work()
    assert [one.target for one in server.asked] == ["/charge"]
    assert make.run(run_id).status == "FAILED"


def test_an_item_of_a_map_whose_steps_are_runs_is_undone_too():
    with answering(http(b"{", content_type="application/json"), http(b"ok")) as server:
        body = {"steps": [charge(server, retry="none")]}
        each = {"id": "each", "type": "map", "params": {"items": [1], "body": body}, "retry": "none"}
        (run_id,) = make.start(make.graph([each], []))
        work()
    assert [one.target for one in server.asked] == ["/charge", "/refund"]
    assert make.run(run_id).status == "FAILED"


def moved(place):
    return http(b"", "302 Found", location=place)


@pytest.mark.parametrize(("rules", "targets"), [(2, ["/a"]), (RULES, ["/a", "/b"])])
@pytest.mark.parametrize("inner", [None, "type", "steps"])
def test_versions_from_before_follow_no_redirect(rules, targets, inner):
    with answering(moved("/b"), http(b"ok")) as server:
        step = {"type": "http.request", "params": {"url": server.url("/a")}, "retry": "none"}
        bodies = {"type": step, "steps": {"steps": [{"id": "get", **step}]}}
        if inner:
            step = {"type": "map", "params": {"items": [1], "body": bodies[inner]}, "retry": "none"}
        definition = make.graph([{"id": "a", **step}], [])
        version = make.VersionFactory(workflow__draft_definition=definition, rules=rules)
        start_runs(Terms(version.tenant_id, version.pk, "test"), [NewRun({})])
        work()
    assert [one.target for one in server.asked] == targets


@pytest.mark.parametrize(("rules", "targets"), [(2, ["/charge", "/a"]), (RULES, ["/charge", "/a", "/b"])])
def test_compensations_of_versions_from_before_follow_none_either(rules, targets):
    with answering(http(b"ok"), moved("/b"), http(b"ok")) as server:
        step = charge(server, compensate={"type": "http.request", "params": {"url": server.url("/a")}})
        step["compensate"]["retry"] = "none"
        bad = {"id": "bad", "type": "fail", "params": {"message": "No."}, "retry": "none"}
        definition = make.graph([step, bad], ["charge>bad"])
        version = make.VersionFactory(workflow__draft_definition=definition, rules=rules)
        start_runs(Terms(version.tenant_id, version.pk, "test"), [NewRun({})])
        work()
    assert [one.target for one in server.asked] == targets


def test_the_page_of_the_run_says_that_another_attempt_does_it_again():
    with answering(http(b"{", content_type="application/json")) as server:
        (run_id,) = make.start(make.graph([charge(server, compensate=None)], []))
        work()
    page = logged_in(member("ann", "operator").username).get(f"/runs/{run_id}").text
    assert "Done, but the answer is not readable: " in page
    assert "The work was done: to resume the run or to try the step again does it once more." in page
