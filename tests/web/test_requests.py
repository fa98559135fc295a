"""What somebody may ask for, and what they see of it though they may not read its workflow; without a browser."""

from uuid import UUID

import pytest
from django.test import Client

from accounts import folders
from accounts.folders import Grant
from accounts.models import Folder
from engine.catalogue import Json
from lib.clock import now_here
from runs.models import Request, Run
from tasks_inbox.actions import comments
from tasks_inbox.reading import requests as reading
from tests import factories as make
from tests.inbox.asking import approval, decide, member, task_of
from tests.store.watching import trips_of_page, watching
from tests.web.test_run_actions import ticket
from workflows.models import Workflow

pytestmark = pytest.mark.django_db

SCHEMA = {
    "type": "object",
    "required": ["amount"],
    "properties": {
        "amount": {"type": "number", "title": "Sum in euros"},
        "why": {"type": "string", "title": "Why"},
    },
}
OUTCOMES = [
    {"name": "approved", "label": "Approve"},
    {"name": "rejected", "label": "Reject", "require_comment": True},
]
LIVE = {"headers": {"HX-Request": "true"}}


def logged_in(name: str) -> Client:
    client = Client()
    client.force_login(make.a_user(name))
    return client


def refund(folder: Folder) -> Workflow:
    """A workflow in this folder that asks the group Claims, published."""
    make.GroupFactory(name="Claims")
    asks = approval(candidates={"groups": ["Claims"]}, outcomes=OUTCOMES, due_seconds=3600)
    workflow = make.a_version(asks | {"input_schema": SCHEMA}).workflow
    workflow.title, workflow.description, workflow.folder = "A refund", "Money back.", folder
    workflow.save()
    return workflow


@pytest.fixture
def refunds() -> Workflow:
    """One that requesters may start and not read."""
    return refund(folders.create_folder(member("boss", "admin"), "Money", [Grant(("start",), "requester")]))


@pytest.fixture
def rita(refunds) -> Client:
    member("rita", "requester")
    return logged_in("rita")


@pytest.fixture
def asked(rita, refunds) -> Run:
    """What Rita asked for by its form, waiting for somebody of Claims."""
    path = f"/workflows/{refunds.name}/start"
    sent = {"input_kind": "form", "once": ticket(rita, path), "input.amount": "40", "input.why": "It broke."}
    answer = rita.post(path, sent)
    make.work()
    run = Run.unsafe_all_tenants.get()
    assert answer.headers["Location"] == f"/requests/{run.pk}"
    return run


def test_a_requester_comes_to_requests_and_is_offered_nothing_that_they_may_not_use(rita):
    assert rita.get("/").headers["Location"] == "/requests/"
    page = rita.get("/requests/").text
    assert 'data-go="q"' in page
    assert 'href="/workflows/"' not in page
    assert 'href="/runs/"' not in page
    assert "A refund" in page
    assert "Money back." in page
    assert "You have asked for nothing yet" in page


@pytest.mark.parametrize("path", ["/requests/", "/settings/members", "/no/such/page"])
def test_a_requester_is_led_nowhere_where_they_may_not_go_from_a_refusal_either(rita, path):
    page = rita.get(path).text
    for away in ("/settings/members", "/settings/groups", "/workflows/", "/runs/"):
        assert f'href="{away}"' not in page
    assert "<dd>Workflows</dd>" not in page
    assert 'href="/requests/"' in page


def test_who_is_no_member_of_anything_is_led_nowhere():
    client = Client()
    client.force_login(make.a_user("nobody"))
    refused = client.get("/runs/")
    assert refused.status_code == 403
    for away in ("/settings/members", "/workflows/", "/runs/", "/inbox/"):
        assert f'href="{away}"' not in refused.text


def test_whoever_reads_runs_has_home_and_is_not_sent_away(refunds, client):
    client.force_login(make.a_user("boss"))
    assert client.get("/").status_code == 200
    assert 'href="/runs/"' in client.get("/requests/").text


def test_the_catalogue_is_searched_and_holds_what_may_be_started_only(rita, refunds):
    make.a_version(make.chain("noop"))
    assert len(rita.get("/requests/").context["offered"]) == 1
    assert len(rita.get("/requests/?q=MONEY").context["offered"]) == 1
    assert "Nothing that you can ask for matches" in rita.get("/requests/?q=rocket%00").text


def test_what_was_used_lately_comes_first(client, refunds):
    client.force_login(make.a_user("boss"))
    other = make.a_version(make.chain("noop")).workflow
    other.title = "Z"
    other.save()
    names = [one.name for one in client.get("/requests/").context["offered"]]
    assert names == [refunds.name, other.name]
    path = f"/workflows/{other.name}/start"
    client.post(path, {"input_kind": "json", "input": "{}", "once": ticket(client, path)})
    names = [one.name for one in client.get("/requests/").context["offered"]]
    assert names == [other.name, refunds.name]


@pytest.mark.parametrize(
    ("role", "says"),
    [
        ("requester", "let you start what you need"),
        ("admin", "grant “start”"),
        ("approver", "Your role may not start anything"),
    ],
)
def test_an_empty_catalogue_says_what_is_missing(role, says):
    member("new", role)
    assert says in logged_in("new").get("/requests/").text


def test_they_see_who_has_it_until_when_and_what_they_asked(rita, asked):
    page = rita.get(f"/requests/{asked.pk}").text
    for words in ("Waiting for the group Claims", "until", "Sum in euros", "It broke.", "Withdraw"):
        assert words in page
    listed = rita.get("/requests/").text
    assert "Waiting for the group Claims" in listed
    assert "Sum in euros: 40" in listed
    assert rita.get(f"/runs/{asked.pk}").status_code == 403


def test_they_see_why_it_was_refused_and_nothing_of_the_steps(rita, asked):
    decide(member("ben", "approver", "Claims"), task_of(asked.pk), "rejected", comment="No receipt.")
    make.work()
    page = rita.get(f"/requests/{asked.pk}").text
    for words in ("Refused", "Reject", "No receipt.", "ben"):
        assert words in page
    assert "Withdraw" not in page
    assert "handoff:tick" not in page
    assert rita.get("/requests/?show=open").context["rows"] == []
    (row,) = rita.get("/requests/?show=done").context["rows"]
    assert (row["status"], row["is_open"]) == ("Refused", False)


@pytest.mark.parametrize(
    ("name", "meaning", "says"),
    [("no_budget", "reject", "Refused"), ("denmark", "approve", "Done"), ("later", "neutral", "Done")],
)
def test_an_outcome_says_itself_whether_it_is_a_no(rita, refunds, name, meaning, says):
    outcomes = [
        {"name": "approved", "label": "Approve"},
        {"name": name, "label": "Other", "meaning": meaning},
    ]
    asks = approval(candidates={"groups": ["Claims"]}, outcomes=outcomes)
    asks["edges"][1]["branch"] = name
    run = make.run(own_request(make.a_version(asks), "rita"))
    decide(member("ben", "approver", "Claims"), task_of(run.pk), name)
    make.work()
    assert f">{says}<" in rita.get(f"/requests/{run.pk}").text.replace("\n", "")
    kinds = {"reject": "bad", "approve": "good", "neutral": "info"}
    (told,) = [
        one for one in rita.get(f"/api/v1/requests/{run.pk}").json()["milestones"] if one["by"] == "ben"
    ]
    assert told["kind"] == kinds[meaning]


def own_request(version, name: str, given: Json = None) -> str:
    """A run of this version that somebody asked for."""
    (run_id,) = make.start_version(version, given or {"amount": 1}, by=name)
    request = Request(
        run_id=run_id,
        tenant_id=version.tenant_id,
        workflow_id=version.workflow_id,
        user_id=make.a_user(name).pk,
    )
    request.save()
    make.work()
    return run_id


def test_a_step_that_no_person_has_is_named_to_who_may_read_the_workflow(rita, refunds):
    job = {"id": "score", "type": "job", "title": "Score the fraud risk", "queue": "risk"}
    version = make.a_version(make.graph([job], []))
    page = rita.get(f"/requests/{own_request(version, 'rita')}").text
    assert "Waiting for a system" in page
    assert "fraud risk" not in page
    assert "fraud risk" in logged_in("boss").get(f"/requests/{own_request(version, 'boss')}").text


def test_asking_again_is_offered_as_long_as_it_is_possible(rita, asked, refunds):
    path, again = f"/requests/{asked.pk}", f"/runs/{asked.pk}/again"
    assert again in rita.get(path).text
    folder = refunds.folder
    folders.change_folder(member("boss", "admin"), folder.pk, grants=[])
    page = rita.get(path).text
    assert again not in page
    assert "Withdraw" in page
    folders.change_folder(member("boss", "admin"), folder.pk, grants=[Grant(("start",), "requester")])
    Workflow.unsafe_all_tenants.filter(pk=refunds.pk).update(archived_at=now_here())
    assert again not in rita.get(path).text


def test_each_request_has_its_share_of_what_is_open(rita, asked, monkeypatch):
    monkeypatch.setattr(reading, "REQUEST_TASKS", 2)
    three = [{"id": name, "type": "human.approval", "params": {"title": "OK?"}} for name in "abc"]
    many = own_request(make.a_version(make.graph(three, [])), "rita")
    stands = reading.standings(member("rita", "requester"), {one: one for one in (asked.pk, UUID(many))})
    assert {str(run): len(one.open_tasks) for run, one in stands.items()} == {str(asked.pk): 1, many: 2}


def test_a_question_to_them_stands_above_all(rita, asked):
    task = task_of(asked.pk)
    comments.ask(member("ben", "approver", "Claims"), task.pk, "Which shop?")
    page = rita.get(f"/requests/{asked.pk}").text
    assert page.index("Your answer is needed") < page.index("What happened")
    assert f"/inbox/{task.pk}" in page
    assert "Which shop?" in page
    assert rita.get(f"/inbox/{task.pk}").status_code == 200


def test_they_withdraw_it_saying_why(rita, asked):
    path = f"/requests/{asked.pk}/withdraw"
    assert "Why" in rita.get(path).text
    assert make.run(str(asked.pk)).status == "RUNNING"
    assert rita.post(path, {"reason": " \x00"}).status_code == 422
    assert "is withdrawn" in rita.post(path, {"reason": "Found it."}, follow=True).text
    assert make.run(str(asked.pk)).status == "CANCELLED"
    said = make.events(str(asked.pk), "RUN_CANCELLING")[0].payload
    assert (said["by"], said["reason"]) == ("rita", "Found it.")
    assert "Found it." in rita.get(f"/requests/{asked.pk}").text
    assert "Nothing was changed" in rita.post(path, {"reason": "Again."}, follow=True).text


def test_they_ask_again_with_what_they_asked(rita, asked):
    page = rita.get(f"/runs/{asked.pk}/again")
    assert page.status_code == 200
    assert "It broke." in page.text


@pytest.mark.parametrize("way", ["", "/withdraw"])
def test_what_somebody_else_asked_for_is_not_there_for_admins_either(rita, asked, way):
    member("tom", "requester")
    for name in ("tom", "boss"):
        client = logged_in(name)
        assert client.get(f"/requests/{asked.pk}{way}").status_code == 404
        assert client.post(f"/requests/{asked.pk}/withdraw", {"reason": "Mine."}).status_code == 404
    assert make.run(str(asked.pk)).status == "RUNNING"


def test_the_list_costs_the_same_for_one_request_as_for_twenty(rita, asked):
    few = trips_of_page(rita, "/requests/")
    for run_id in make.start_version(asked.version, *({"amount": n} for n in range(25)), by="rita"):
        Request(
            run_id=run_id,
            tenant_id=asked.tenant_id,
            workflow_id=asked.workflow_id,
            user_id=make.a_user("rita").pk,
        ).save()
    make.work()
    page = rita.get("/requests/")
    assert len(page.context["rows"]) == 20
    assert page.context["older"]
    assert trips_of_page(rita, "/requests/") == few <= 14


def test_the_live_part_is_a_part(rita, asked):
    part = rita.get("/requests/", **LIVE)
    assert "<html" not in part.text
    # What may be asked for changes seldom: it is not asked for again with what follows.
    assert part.context["offered"] == []
    assert "<html" not in rita.get(f"/requests/{asked.pk}", **LIVE).text
    with watching() as seen:
        rita.get(f"/requests/{asked.pk}", **LIVE)
    assert seen.trips <= 18
