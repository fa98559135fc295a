"""The check before publishing over REST: by role and folder, with publishing, and with the requests that it offers."""

import pytest

from accounts.models import Folder, FolderGrant
from tests import factories as make
from tests.workflows.test_concurrency import at_once
from workflows.models import Workflow

MAIL = {"id": "tell", "type": "email.send", "params": {"to": "a@example.org", "subject": "x", "body": "y"}}
WAIT = {"id": "w", "type": "wait", "params": {"seconds": 600}}


def draft(api, *steps, name="flow"):
    definition = {"name": name, "nodes": list(steps), "edges": []}
    assert api.post("/api/v1/workflows", {"name": name, "definition": definition}).status_code == 201


def found(api, code, name="flow"):
    answer = api.get(f"/api/v1/workflows/{name}/readiness")
    assert answer.status_code == 200, answer.json()
    return next((one for one in answer.json()["findings"] if one["code"] == code), None)


@pytest.mark.django_db
def test_readiness_says_what_blocks_and_what_does_not(api):
    draft(api, MAIL)
    answer = api.get("/api/v1/workflows/flow/readiness").json()
    assert (answer["revision"], answer["version"], answer["ready"]) == (1, 1, True)
    [finding] = answer["findings"]
    assert (finding["code"], finding["severity"], finding["node"]) == ("no_mail_server", "warning", "tell")
    draft(api, MAIL | {"colour": "red"}, name="wrong")
    assert not api.get("/api/v1/workflows/wrong/readiness").json()["ready"]
    assert found(api, "unknown_field", "wrong")["severity"] == "error"


@pytest.mark.django_db
def test_publishing_answers_with_what_was_found_in_the_version(api):
    draft(api, MAIL)
    answer = api.post("/api/v1/workflows/flow/publish").json()
    assert (answer["version"], answer["problems"]) == (1, [])
    assert answer["readiness"]["version"] == 1
    assert [one["code"] for one in answer["readiness"]["findings"]] == ["no_mail_server"]


@pytest.mark.django_db
@pytest.mark.parametrize("role", ["viewer", "author", "operator", "approver", "requester"])
def test_each_role_learns_what_it_may_mend(people, api, role):
    draft(api, MAIL)
    for each in ("author", "operator"):
        people.member(each)
    FolderGrant.unsafe_all_tenants.filter(role__in=("author", "operator")).update(
        verbs=["read", "edit", "publish"]
    )
    answer = people.client(role).get("/api/v1/workflows/flow/readiness")
    if role == "requester":
        assert answer.status_code in (403, 404)
        return
    assert answer.status_code == 200
    [finding] = [one for one in answer.json()["findings"] if one["code"] == "nobody_may_start"]
    assert (finding["mend"]["allowed"], finding["mend"]["people"]) == (False, ["admin-of-ours"])


@pytest.mark.django_db
def test_another_tenants_workflow_is_not_there(people, api):
    draft(api, MAIL)
    assert people.client("admin", "theirs").get("/api/v1/workflows/flow/readiness").status_code == 404


@pytest.mark.django_db(transaction=True)
def test_the_grant_that_it_offers_is_made_once_however_often_it_is_sent(people, api):
    draft(api, WAIT)
    people.member("requester")
    FolderGrant.unsafe_all_tenants.filter(verbs__contains=["start"]).delete()
    folder = Workflow.unsafe_all_tenants.get(name="flow").folder_id
    mend = found(api, "nobody_may_start")["mend"]
    assert (mend["kind"], mend["method"], mend["allowed"]) == ("request", "PATCH", True)
    body = mend["choices"][0]["body"]
    answers = at_once(*[lambda: people.client("admin").patch(mend["path"], body).status_code] * 3)
    assert answers == [200] * 3
    [grant] = FolderGrant.unsafe_all_tenants.filter(folder=folder, role="requester")
    assert sorted(grant.verbs) == ["decide", "start"]
    assert found(api, "nobody_may_start") is None


@pytest.mark.django_db
def test_one_grant_is_added_to_those_there_are_and_a_bad_one_is_refused_at_its_field(api):
    make.GroupFactory(tenant=Folder.unsafe_all_tenants.get().tenant, name="Sales")
    folder = api.post(
        "/api/v1/folders", {"name": "Legal", "grants": [{"role": "author", "may": ["edit"]}]}
    ).json()
    url = f"/api/v1/folders/{folder['id']}"
    answer = api.patch(url, {"grant": {"group": "sales", "may": ["start"]}})
    assert answer.json()["grants"] == [
        {"group": "Sales", "may": ["start"]},
        {"role": "author", "may": ["edit"]},
    ]
    for wrong in (
        {"role": "admin", "may": ["start"]},
        {"group": "nobody", "may": ["start"]},
        {"may": ["start"]},
    ):
        answer = api.patch(url, {"grant": wrong})
        assert answer.status_code == 400
        assert answer.json()["error"]["field"].startswith("grant")
