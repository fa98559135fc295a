"""Files of the start at every door that starts runs: used by who uploaded them, refused at their field otherwise."""

import pytest

from accounts import folders
from accounts.folders import Grant
from runs.files import trees, uploads
from runs.models import Run
from tests import factories as make
from tests.inbox.asking import member
from tests.runs.files.odd import PDF
from tests.web.test_requests import logged_in

pytestmark = pytest.mark.django_db

FORM = {"type": "object", "properties": {"receipt": {"type": "string", "format": "file"}}}
FLOW = make.chain("noop", input_schema=FORM)


def upload(who):
    return uploads.upload(who, name="a.pdf", content=PDF)["id"]


def readable(run_id, file):
    tenant = Run.unsafe_all_tenants.get(pk=run_id).tenant_id
    return file in trees.files_of_run(tenant, run_id, [file])


def single(who, workflow, file):
    body = {"workflow": workflow, "input": {"receipt": file}}
    return logged_in(who).post("/api/v1/runs", body, content_type="application/json")


def batch(who, workflow, file):
    body = {"workflow": workflow, "items": [{"input": {"receipt": file}}]}
    return logged_in(who).post("/api/v1/runs/batch", body, content_type="application/json")


def for_another(who, workflow, file):
    body = {"workflow": workflow, "input": {"receipt": file}, "on_behalf_of": "bob"}
    return logged_in(who).post("/api/v1/runs", body, content_type="application/json")


@pytest.mark.parametrize("door", [single, batch, for_another])
def test_a_door_for_people_takes_their_own_uploads_alone(door):
    ann, bob = member("ann", "admin"), member("bob", "admin")
    workflow = make.a_version(FLOW).workflow.name
    theirs, own = upload(bob), upload(ann)
    refused = door("ann", workflow, theirs)
    assert (refused.status_code, refused.json()["error"]["code"]) == (400, "no_such_file")
    assert refused.json()["error"]["field"].endswith("input.receipt")
    answer = door("ann", workflow, own)
    assert answer.status_code in (200, 201), answer.text
    assert readable(Run.unsafe_all_tenants.get().pk, own)


def test_who_is_filed_for_and_who_filed_read_the_file():
    ann = member("ann", "admin")
    member("bob", "requester")
    member("eve", "requester")
    flow = make.a_version(FLOW).workflow
    flow.folder = folders.create_folder(ann, "Money", [Grant(("start",), "requester")])
    flow.save()
    file = upload(ann)
    run_id = for_another("ann", flow.name, file).json()["id"]
    path = f"/api/v1/requests/{run_id}/files/{file}"
    answers = {name: logged_in(name).get(path).status_code for name in ("ann", "bob", "eve")}
    assert answers == {"ann": 200, "bob": 200, "eve": 404}


def test_a_run_that_continues_another_has_its_file(settings):
    settings.HANDOFF_CONTINUE_AFTER_EVENTS = 15
    ann = member("ann", "admin")
    loop = {"id": "again", "type": "loop", "params": {"count": 40, "input": 1, "body": {"type": "noop"}}}
    workflow = make.a_version(make.graph([loop], [], input_schema=FORM)).workflow.name
    file = upload(ann)
    run_id = single("ann", workflow, file).json()["id"]
    make.work()
    last = Run.unsafe_all_tenants.latest("id")
    assert str(last.pk) != run_id
    assert last.status == "COMPLETED"
    assert readable(last.pk, file)
    assert logged_in("ann").get(f"/api/v1/requests/{last.pk}/files/{file}").content == PDF
