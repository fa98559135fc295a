"""A token that is limited to folders does nothing that is about the tenant as a whole."""

import pytest
from rest_framework.test import APIClient

from accounts.principal import JobReach
from accounts.services import create_token
from runs.models import Run
from tests import factories as make
from tests.people import People

pytestmark = pytest.mark.django_db


def test_a_limited_token_manages_no_members_and_no_folders_beyond_its_own(db):
    people = People()
    here, there = (make.FolderFactory(tenant=people.tenant(), name=name) for name in ("Here", "There"))
    _, text = create_token(
        user=people.member("admin"),
        tenant=people.tenant(),
        role="admin",
        jobs=JobReach(("pay*",), (here.pk,)),
    )
    one = APIClient()
    one.credentials(HTTP_AUTHORIZATION=f"Bearer {text}")
    made = one.post(
        "/api/v1/members", {"username": "evil", "role": "admin", "email": "e@x.org"}, format="json"
    )
    renamed = one.patch(f"/api/v1/folders/{there.pk}", {"name": "Taken"}, format="json")
    assert (made.status_code, renamed.status_code) == (403, 403)


@pytest.mark.parametrize("door", ["REST", "batch", "S4", "rerun", "schedule", "trial"])
def test_what_a_limited_token_starts_starts_nothing_beyond_its_folders(door):
    people = People()
    here, there = (make.FolderFactory(tenant=people.tenant(), name=name) for name in ("Here", "There"))
    node = {"id": "a", "type": "subworkflow", "retry": "none", "params": {"workflow": "{{ input.w }}"}}
    for name, folder, nodes in (("parent", here, [node]), ("secret", there, ["x"])):
        version = make.VersionFactory(
            workflow__tenant=people.tenant(),
            workflow__folder=folder,
            workflow__draft_definition=make.graph(nodes, []) | {"name": name},
        )
    jobs = JobReach(folders=(here.pk,))
    _, text = create_token(user=people.member("admin"), tenant=people.tenant(), role="operator", jobs=jobs)
    one = APIClient()
    one.credentials(HTTP_AUTHORIZATION=f"Bearer {text}")
    given = {"workflow": "parent", "input": {"w": "secret"}}
    if door == "REST":
        answer = one.post("/api/v1/runs", given, format="json")
    elif door == "batch":
        answer = one.post(
            "/api/v1/runs/batch", {"workflow": "parent", "items": [{"input": given["input"]}]}, format="json"
        )
    elif door == "S4":
        answer = one.post(
            "/v1/instances", {"definitionId": "parent", "variables": given["input"]}, format="json"
        )
    elif door == "schedule":
        body = {"name": "s", "workflow": "parent", "cron": "0 9 1 1 *", "input": given["input"]}
        made = people.client("admin").post("/api/v1/schedules", body, format="json")
        assert made.status_code == 201, made.content
        answer = one.post("/api/v1/schedules/s/run", {"reason": "x"}, format="json")
    elif door == "trial":
        body = {"input": given["input"], "live": "all"}
        answer = one.post("/api/v1/workflows/parent/trials", body, format="json")
    else:
        run = people.client("admin").post("/api/v1/runs", {**given, "input": {"w": "none"}}).json()["id"]
        make.work("default", "engine")
        answer = one.post(
            f"/api/v1/runs/{run}/rerun",
            {"from_node": "a", "input": given["input"], "reason": "x"},
            format="json",
        )
    assert answer.status_code in (200, 201, 202), answer.content
    make.work("default", "engine")
    assert Run.unsafe_all_tenants.order_by("-pk")[0].status == "FAILED"
    assert not Run.unsafe_all_tenants.filter(version_id=version.pk).exists()


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("schedules", {"name": "two", "workflow": "parent", "cron": "0 9 * * *"}),
        ("webhooks", {"name": "two", "workflow": "parent", "action": "start"}),
    ],
)
def test_a_limited_token_makes_nothing_that_acts_for_its_user_later(path, body):
    people = People()
    here = make.FolderFactory(tenant=people.tenant(), name="Here")
    make.VersionFactory(
        workflow__tenant=people.tenant(),
        workflow__folder=here,
        workflow__draft_definition=make.graph(["x"], []) | {"name": "parent"},
    )
    jobs = JobReach(("*",), (here.pk,))
    _, text = create_token(user=people.member("admin"), tenant=people.tenant(), role="admin", jobs=jobs)
    one = APIClient()
    one.credentials(HTTP_AUTHORIZATION=f"Bearer {text}")
    answer = one.post(f"/api/v1/{path}", body, format="json")
    assert (answer.status_code, answer.json()["error"]["code"]) == (403, "no_member")
