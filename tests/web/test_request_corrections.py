"""What people correct of what was asked shows in the request, wherever in its tree they did; files show by name."""

import pytest

from engine.catalogue import Json
from runs.commands.starts import NewRun, Terms, start_runs
from runs.files import uploads
from runs.models import Run
from tasks_inbox.actions import rounds
from tasks_inbox.models import ManualTask
from tests import factories as make
from tests.inbox.asking import again, decide, member, read
from tests.store.watching import trips_of_page
from tests.web.test_requests import logged_in

pytestmark = pytest.mark.django_db

SCHEMA = {
    "type": "object",
    "properties": {
        "amount": {"type": "number", "x-currency": "EUR", "title": "Sum"},
        "who": {"type": "string", "format": "person", "title": "Who"},
        "receipt": {"type": "string", "format": "file", "title": "Receipt"},
        "list": {"type": "array", "items": {"type": "number"}, "title": "List"},
    },
}
ASK = {
    "id": "ask",
    "type": "human.approval",
    "params": {
        "title": "OK?",
        "facts": {"Amount": "{{ input.amount }}", "Twice": "{{ input.amount * 2.0 }}"},
        "amendable": ["Amount", "Twice"],
        "outcomes": [{"name": "approved", "label": "Approve"}, {"name": "rejected", "label": "Reject"}],
        "candidates": {"users": ["ben"]},
    },
}
ANSWERS = [
    {"from": "ask", "to": "yes", "branch": "approved"},
    {"from": "ask", "to": "no", "branch": "rejected"},
]
ENDS = [{"id": "yes", "type": "noop"}, {"id": "no", "type": "noop"}]
DATA = {"amount": 1234.5, "list": [1]}


def container(kind: str, steps: list[Json], edges: list[Json]) -> Json:
    """A step that does these in a run of its own."""
    params: dict[str, Json] = {"body": {"steps": steps, "edges": edges}}
    params |= {"items": "{{ input.list }}"} if kind == "map" else {"count": 1, "input": 1}
    return {"id": kind, "type": kind, "params": params}


def definition(place: str) -> Json:
    """One that asks there."""
    if place == "run":
        return make.graph([ASK, *ENDS], ANSWERS)
    if place == "item":
        params = {"items": "{{ input.list }}", "body": {"type": "human.approval", "params": ASK["params"]}}
        return make.graph([{"id": "map", "type": "map", "params": params}], [])
    if place == "loop in map":
        inner = container("loop", [ASK, *ENDS], ANSWERS)
        return make.graph([container("map", [inner, {"id": "end", "type": "noop"}], [])], [])
    if place == "subworkflow":
        child = make.a_version(make.graph([ASK, *ENDS], ANSWERS) | {"input_schema": SCHEMA})
        params = {"workflow": child.workflow.name, "input": {"amount": "{{ input.amount }}"}}
        return make.graph([{"id": "sub", "type": "subworkflow", "params": params}], [])
    return make.graph([container(place, [ASK, *ENDS], ANSWERS)], [])


@pytest.fixture(autouse=True)
def people():
    member("ben", "approver")
    return member("rita", "requester")


def started(definition: Json, data: Json = DATA) -> str:
    rita = member("rita", "requester")
    version = make.a_version(definition | {"input_schema": SCHEMA})
    terms = Terms(rita.tenant_id, version.pk, "rita", requested_by=rita.user_id)
    (run,) = start_runs(terms, [NewRun(data)])
    make.work()
    return run.id


def corrected(value: Json = 617.25, label: str = "Amount") -> ManualTask:
    """The open task, returned and sent again with another value."""
    task = ManualTask.unsafe_all_tenants.filter(status="OPEN").latest("id")
    ben = member("ben", "approver")
    rounds.return_task(ben, task.pk, comment="See the receipt.", seen=read(ben, task), to="rita")
    rounds.send_again(member("rita", "requester"), task.pk, facts={label: value})
    return again(task)


def row(run_id: str, name: str = "rita") -> dict[str, Json]:
    return logged_in(name).get(f"/api/v1/requests/{run_id}").json()


def amount(run_id: str) -> tuple[str, str | None]:
    fact = next(one for one in row(run_id)["facts"] if one["label"] == "Sum")
    return fact["text"], fact["was"]


OLD, NEW = "1234.50 EUR", "617.25 EUR"


@pytest.mark.parametrize("place", ["run", "map", "loop", "item", "loop in map"])
def test_a_correction_shows_in_the_request_and_in_the_list(place):
    run_id = started(definition(place))
    assert amount(run_id) == (OLD, None)
    task = corrected()
    assert amount(run_id) == (NEW, OLD)
    rita = logged_in("rita")
    (listed,) = rita.get("/api/v1/requests").json()["results"]
    assert f"Sum: {NEW} (was {OLD})" in listed["about"]
    page = rita.get(f"/requests/{run_id}").text
    assert f"(was {OLD})" in page.replace("\u00a0", " ")
    assert f"(was {OLD})" in rita.get("/requests/").text.replace("\u00a0", " ")
    decide(member("ben", "approver"), task, "approved")
    make.work()
    assert amount(run_id) == (NEW, OLD)


def test_the_last_correction_counts_and_one_that_is_taken_back_is_none():
    run_id = started(definition("run"))
    corrected(617.25)
    corrected(600)
    assert amount(run_id) == ("600.00 EUR", OLD)
    corrected(1234.5)
    assert amount(run_id) == (OLD, None)


def test_a_computed_fact_and_one_of_another_workflow_correct_nothing():
    run_id = started(definition("run"))
    corrected(1.0, "Twice")
    assert amount(run_id) == (OLD, None)
    run_id = started(definition("subworkflow"))
    corrected()
    assert amount(run_id) == (OLD, None)


def test_many_corrected_requests_take_as_many_statements_as_one():
    first = started(definition("map"))
    corrected()
    rita = logged_in("rita")
    few = trips_of_page(rita, "/requests/?show=all")
    for _ in range(3):
        started(definition("map"))
        corrected()
    assert trips_of_page(rita, "/requests/?show=all") == few
    assert amount(first) == (NEW, OLD)


def test_the_correction_of_a_run_that_another_continued_shows(settings):
    settings.HANDOFF_CONTINUE_AFTER_EVENTS = 15
    rounds_ = {"id": "again", "type": "loop", "params": {"count": 40, "input": 1, "body": {"type": "noop"}}}
    nodes = [ASK, *ENDS, rounds_]
    run_id = started(make.graph(nodes, [*ANSWERS, {"from": "yes", "to": "again"}]))
    task = corrected()
    decide(member("ben", "approver"), task, "approved")
    make.work()
    last = Run.unsafe_all_tenants.filter(root_id=run_id).latest("id")
    assert str(last.pk) != run_id
    assert amount(str(last.pk)) == (NEW, OLD)
    words = [one["words"] for one in row(str(last.pk))["milestones"]]
    assert words[0] == "asked"
    assert (
        row(str(last.pk))["created_at"]
        == logged_in("rita").get("/api/v1/requests").json()["results"][0]["created_at"]
    )
    assert (
        row(str(last.pk))["created_at"][:19]
        == Run.unsafe_all_tenants.get(pk=run_id).created_at.isoformat()[:19]
    )
    assert any(one.startswith("decided") for one in words)


def test_a_file_and_a_person_show_by_their_names():
    rita = member("rita", "requester")
    user = make.a_user("ben")
    user.name = "Ben Berg"
    user.save()
    file = uploads.upload(rita, name="receipt.pdf", content=b"%PDF-1.7")["id"]
    run_id = started(definition("run"), {"amount": 1, "who": "ben", "receipt": file})
    told = {one["label"]: one for one in row(run_id)["facts"]}
    assert (told["Receipt"]["text"], told["Receipt"]["file"]) == ("receipt.pdf", file)
    page = logged_in("rita").get(f"/requests/{run_id}").text
    asked = page[page.index("What you asked") :]
    assert f'<a href="/api/v1/requests/{run_id}/files/{file}"><bdi>receipt.pdf</bdi></a>' in asked
    assert "Ben Berg" in asked
    assert file not in logged_in("rita").get("/requests/").text
