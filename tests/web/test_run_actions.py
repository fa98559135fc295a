"""What people do to runs by the forms of their pages, without a browser."""

import re

import pytest
from django.test import Client

from accounts.models import User
from lib import named_sql
from tests import factories as make

pytestmark = pytest.mark.django_db

FAILS = make.chain("text.clean", "noop")
WAITS = make.graph([{"id": "a", "type": "job", "queue": "pricing"}], [])


def member(role: str) -> Client:
    """Somebody of the default tenant with this role, logged in."""
    user = make.a_member(role, role)
    client = Client()
    client.force_login(user)
    return client


@pytest.fixture
def operator() -> Client:
    return member("operator")


def ticket(client: Client, path: str) -> str:
    """What the form of a page carries."""
    return re.search(r'name="once" value="([^"]+)"', client.get(path).text)[1]


def a_run(definition, given) -> str:
    run_id = make.start(definition, given)[0]
    make.work()
    return run_id


def said(answer) -> str:
    return " ".join(str(message) for message in answer.context["messages"])


def test_a_failed_run_is_resumed_once_and_a_second_click_is_told_so(operator):
    run_id = a_run(FAILS, {"text": 42})
    assert "Resume from the failed step" in operator.get(f"/runs/{run_id}").text
    assert "goes on" in said(operator.post(f"/runs/{run_id}/resume", follow=True))
    again = operator.post(f"/runs/{run_id}/resume", follow=True)
    assert again.status_code == 200
    assert "Only a FAILED run can be resumed" in said(again)
    assert make.history(run_id).count("RUN_REOPENED") == 1


def test_an_open_run_is_cancelled_with_its_reason_and_an_ended_one_is_not(operator):
    run_id = a_run(WAITS, {})
    answer = operator.post(f"/runs/{run_id}/cancel", {"reason": "a typo"}, follow=True)
    assert make.run(run_id).status == "CANCELLED"
    assert make.events(run_id, "RUN_CANCELLING")[0].payload["reason"] == "a typo"
    assert "Cancelled" in answer.text
    assert "The run is already CANCELLED" in said(operator.post(f"/runs/{run_id}/cancel", follow=True))


def test_run_again_takes_the_same_input_and_a_form_sent_twice_starts_one_run(operator):
    run_id = a_run(make.chain("noop"), {"n": 1.5})
    once = ticket(operator, f"/runs/{run_id}")
    first = operator.post(f"/runs/{run_id}/again", {"once": once})
    second = operator.post(f"/runs/{run_id}/again", {"once": once})
    assert first.url == second.url != f"/runs/{run_id}"
    assert make.run(first.url.removeprefix("/runs/")).input == {"n": 1.5}
    assert len(make.runs_of(make.run(run_id).version)) == 2


def test_the_start_form_of_a_workflow_sent_twice_starts_one_run_and_changed_another(operator):
    workflow = make.a_version(make.chain("text.clean")).workflow
    form = {"once": ticket(operator, f"/workflows/{workflow.name}/"), "input_kind": "text", "input": "one"}
    first, second = [operator.post(f"/workflows/{workflow.name}/start", form) for _ in range(2)]
    assert first.url == second.url
    assert "already sent" in said(operator.get(second.url))
    third = operator.post(f"/workflows/{workflow.name}/start", form | {"input": "two"})
    assert third.url != first.url
    assert make.run(third.url.removeprefix("/runs/")).input == {"text": "two"}


def test_a_ticket_of_somebody_else_is_none(operator):
    run_id = a_run(make.chain("noop"), {})
    once = ticket(member("admin"), f"/runs/{run_id}")
    answers = [operator.post(f"/runs/{run_id}/again", {"once": once}) for _ in range(2)]
    assert answers[0].url != answers[1].url


def test_run_again_with_a_business_key_starts_a_new_run_only_once_the_old_one_has_ended(operator):
    keyed = {**WAITS, "business_key": "{{ input.order }}"}
    run_id = a_run(keyed, {"order": "o-1"})
    answer = operator.post(f"/runs/{run_id}/again", follow=True)
    assert answer.redirect_chain[-1][0] == f"/runs/{run_id}"
    assert "A run with this business key already exists" in said(answer)
    make.cancel(run_id)
    new = operator.post(f"/runs/{run_id}/again").url
    assert new != f"/runs/{run_id}"


def test_another_input_is_edited_on_a_page_that_keeps_what_was_typed(operator):
    run_id = a_run(FAILS, {"text": 42})
    path = f"/runs/{run_id}/again"
    assert "&quot;text&quot;: 42" in operator.get(path).text
    wrong = operator.post(path, {"input_kind": "json", "input": '{"text": ', "business_key": "k"})
    assert wrong.status_code == 422
    assert "This is not JSON" in wrong.text
    assert "{&quot;text&quot;: " in wrong.text
    assert 'value="k"' in wrong.text
    right = operator.post(path, {"input_kind": "text", "input": "Words.\r\nMore."})
    new = right.url.removeprefix("/runs/")
    assert make.run(new).input == {"text": "Words.\nMore."}
    make.work()
    assert make.run(new).status == "COMPLETED"


def test_what_a_workflow_refuses_is_told_at_its_field(operator):
    schema = {"type": "object", "required": ["amount"], "properties": {"amount": {"type": "integer"}}}
    version = make.a_version(make.chain("noop", input_schema=schema))
    path = f"/workflows/{version.workflow.name}/start"
    assert operator.get(path).status_code == 200
    wrong = operator.post(path, {"input_kind": "json", "input": '{"amount": "5"}'})
    assert wrong.status_code == 422
    assert "amount:" in wrong.context["form"].errors["input"][0]
    assert operator.post(path, {"input_kind": "text", "input": " "}).status_code == 422
    started = operator.post(path, {"input_kind": "json", "input": '{"amount": 5}', "business_key": "b"})
    assert make.run(started.url.removeprefix("/runs/")).business_key == "b"
    assert operator.post("/workflows/none/start", {"input": "x"}).status_code == 404


def test_a_start_with_the_key_of_another_run_says_whose_input_that_has(operator):
    path = f"/workflows/{make.a_version(WAITS).workflow.name}/start"
    form = {"input_kind": "json", "business_key": "b"}
    first = operator.post(path, form | {"input": "1"})
    same = operator.post(path, form | {"input": "1"}, follow=True)
    other = operator.post(path, form | {"input": "2"}, follow=True)
    assert same.redirect_chain[-1][0] == other.redirect_chain[-1][0] == first.url
    assert "started with another input" not in same.text
    assert "It was started with different input, and yours was not used." in other.text


def test_a_workflow_that_takes_a_bare_text_gets_one(operator):
    version = make.a_version(make.chain("noop", input_schema={"type": "string"}))
    started = operator.post(
        f"/workflows/{version.workflow.name}/start", {"input_kind": "text", "input": "Hi"}
    )
    assert make.run(started.url.removeprefix("/runs/")).input == "Hi"


def test_a_form_asks_once_which_version_it_starts(operator, monkeypatch):
    path = f"/workflows/{make.a_version(WAITS).workflow.name}/start"
    statements = []
    monkeypatch.setattr(named_sql, "watchers", [statements.append])
    started = operator.post(path, {"input_kind": "json", "input": "1"})
    again = operator.post(f"{started.url}/again")
    assert started.url.startswith("/runs/")
    assert again.url.startswith("/runs/")
    assert statements.count("startable_version") == 2


@pytest.mark.parametrize("role", ["viewer", "author", "operator", "admin", "approver"])
def test_each_role_is_offered_what_it_may_do_and_refused_the_rest(role):
    client = member(role)
    run_id = a_run(FAILS, {"text": 42})
    text = client.get(f"/runs/{run_id}").text
    may_operate, may_start = role in ("operator", "admin"), role in ("author", "operator", "admin")
    assert (f"/runs/{run_id}/resume" in text) == may_operate
    assert (f"/runs/{run_id}/again" in text) == may_start
    assert (client.post(f"/runs/{run_id}/cancel").status_code == 403) == (not may_operate)
    assert (client.post(f"/runs/{run_id}/resume").status_code == 403) == (not may_operate)
    assert (client.post(f"/runs/{run_id}/again").status_code == 403) == (not may_start)
    assert (client.get(f"/runs/{run_id}/again").status_code == 403) == (not may_start)


def test_nothing_happens_by_a_link_or_without_the_csrf_token(operator):
    run_id = a_run(FAILS, {"text": 42})
    assert operator.get(f"/runs/{run_id}/resume").status_code == 405
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(User.objects.get(username="operator"))
    assert strict.post(f"/runs/{run_id}/resume").status_code == 403
    assert make.run(run_id).status == "FAILED"


def test_runs_of_another_tenant_are_nowhere(operator):
    theirs = make.start(FAILS, {"text": 42}, tenant=make.a_tenant("theirs"))[0]
    for verb in ("resume", "cancel", "again"):
        assert operator.post(f"/runs/{theirs}/{verb}").status_code == 404
    assert operator.get(f"/runs/{theirs}/value?of=input").status_code == 404


def test_values_are_files_with_names_that_are_safe(operator):
    run_id = a_run(make.chain("noop"), {"text": "Größe", "a/b": [1]})
    text = operator.get(f"/runs/{run_id}/value?node=a&of=output&field=text")
    assert (text.text, text.headers["Content-Type"]) == ("Größe", "text/plain; charset=utf-8")
    assert (
        text.headers["Content-Disposition"] == f'attachment; filename="run-{run_id[-12:]}-a-output-text.txt"'
    )
    field = operator.get(f"/runs/{run_id}/value?of=input&field=a/b")
    assert (field.json(), field.headers["Content-Type"]) == ([1], "application/json; charset=utf-8")
    assert field.headers["Content-Disposition"].endswith('-input-a_b.json"')
    for asked in ("", "of=secret", "of=input&node=x", "of=input&field=none"):
        assert operator.get(f"/runs/{run_id}/value?{asked}").status_code == 404


def test_a_page_that_follows_gets_only_what_changes_and_one_that_ended_asks_no_more(operator):
    open_run, ended = a_run(WAITS, {}), a_run(make.chain("noop"), {})
    part = operator.get(f"/runs/{open_run}", headers={"HX-Request": "true"}).text
    assert part.lstrip().startswith('<div id="run" hx-swap="morph:outerHTML" hx-get=')
    assert "<html" not in part
    assert "hx-get" not in operator.get(f"/runs/{ended}", headers={"HX-Request": "true"}).text


def test_the_last_runs_of_a_workflow_are_a_fragment_for_its_page(operator):
    version = make.a_version(make.chain("noop"))
    path = f"/workflows/{version.workflow.name}/runs"
    assert "No runs yet" in operator.get(path).text
    runs = make.start_version(version, *({"n": number} for number in range(12)))
    make.start(make.chain("noop"))
    text = operator.get(path).text
    assert [run for run in runs if run in text] == runs[2:]
    assert "<html" not in text
