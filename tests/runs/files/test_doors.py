"""Every door that takes a file × every file that people should not send: nothing executes, nothing is lost."""

import re
from urllib.parse import quote

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from rest_framework.test import APIClient

from lib.media import ANY
from runs.files.models import StoredFile
from runs.models import Run
from tasks_inbox.models import TaskFile
from tests import factories as make
from tests.inbox.asking import approval, asked
from tests.runs.files.odd import ODD, PDF, Odd
from tests.web.test_run_actions import member, ticket

pytestmark = pytest.mark.django_db

FORM = {"type": "object", "properties": {"receipt": {"type": "string", "format": "file"}}}


def flow():
    return make.a_version(make.chain("noop", input_schema=FORM)).workflow.name


def rest_upload(odd: Odd):
    client = member("operator")
    answer = client.post(f"/api/v1/files?name={_quoted(odd.name)}", odd.content, content_type="text/html")
    if answer.status_code != 201:
        return answer.json()["error"], None
    file = answer.json()["id"]
    body = {"workflow": flow(), "input": {"receipt": file}}
    run = client.post("/api/v1/runs", body, content_type="application/json").json()["id"]
    return None, client.get(f"/api/v1/runs/{run}/files/{file}?show=yes")


def start_page(odd: Odd):
    client, path = member("operator"), f"/workflows/{flow()}/start"
    upload = SimpleUploadedFile("x", odd.content, "text/html")
    upload.__dict__["_name"] = odd.name
    fields = {"input_kind": "form", "once": ticket(client, path), "input.receipt": upload}
    answer = client.post(path, fields, follow=True)
    run = Run.unsafe_all_tenants.first()
    if run is None:
        text = re.search(r'class="fault" id="field-input.receipt[^>]*>(.*?)</p>', answer.text, re.DOTALL)
        return {"field": "file", "message": text[1], "code": ""}, None
    return None, client.get(f"/api/v1/runs/{run.pk}/files/{run.input['receipt']}?show=yes")


def task_rest(odd: Odd):
    task, client = asked(), member("approver")
    answer = client.post(
        f"/api/v1/tasks/{task.pk}/files?name={_quoted(odd.name)}", odd.content, content_type="text/html"
    )
    if answer.status_code != 201:
        return answer.json()["error"], None
    return None, client.get(f"/api/v1/tasks/{task.pk}/files/{answer.json()['id']}?show=yes")


def task_form(odd: Odd):
    task, client = asked(approval(form=FORM)), member("approver")
    upload = SimpleUploadedFile("x", odd.content, "text/html")
    upload.__dict__["_name"] = odd.name
    answer = client.post(
        f"/inbox/{task.pk}/decide", {"outcome": "approved", "data.receipt": upload}, follow=True
    )
    file = TaskFile.unsafe_all_tenants.first()
    if file is None:
        text = re.search(r'class="fault" id="field-data.receipt[^>]*>(.*?)</p>', answer.text, re.DOTALL)
        return {"field": "file", "message": text[1], "code": ""}, None
    return None, client.get(f"/api/v1/tasks/{task.pk}/files/{file.pk}?show=yes")


def _quoted(name: str) -> str:
    return quote(name, safe="")


DOORS = {"REST": rest_upload, "start page": start_page, "task, REST": task_rest, "task form": task_form}
SAID = {"empty": "empty", "file_too_large": "at most"}


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("name", ODD)
def test_an_odd_file_is_refused_at_its_field_or_kept_as_it_is(door, name):
    odd = ODD[name]
    error, answer = DOORS[door](odd)
    if odd.code:
        assert error["field"] == "file"
        assert odd.code in (error["code"], odd.code)
        assert SAID[odd.code] in error["message"]
        assert not StoredFile.unsafe_all_tenants.exists()
        return
    assert error is None
    assert (answer.status_code, answer.content) == (200, odd.content)
    is_shown = odd.media_type == "application/pdf"
    assert answer["Content-Type"] == ("application/pdf" if is_shown else ANY)
    assert answer["Content-Disposition"].startswith("inline" if is_shown else "attachment")
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert answer["Content-Security-Policy"].startswith("default-src 'none'")
    assert is_shown or "sandbox" in answer["Content-Security-Policy"]
    kept = StoredFile.unsafe_all_tenants.first() or TaskFile.unsafe_all_tenants.get()
    assert (kept.name, kept.media_type, kept.size) == (odd.kept_name, odd.media_type, len(odd.content))


def test_the_form_keeps_a_file_when_another_field_is_wrong():
    schema = {
        **FORM,
        "required": ["amount"],
        "properties": {**FORM["properties"], "amount": {"type": "number"}},
    }
    name = make.a_version(make.chain("noop", input_schema=schema)).workflow.name
    client, path = member("operator"), f"/workflows/{name}/start"
    fields = {"input_kind": "form", "once": ticket(client, path)}
    answer = client.post(path, {**fields, "input.receipt": SimpleUploadedFile("r.pdf", PDF)})
    assert answer.status_code == 422
    assert ">r.pdf</a>" in answer.text
    file = re.search(r'name="input.receipt" value="([^"]+)"', answer.text)[1]
    assert client.get(f"/api/v1/files/{file}/content").content == PDF
    answer = client.post(path, {**fields, "input.receipt": file, "input.amount": "3"}, follow=True)
    run = Run.unsafe_all_tenants.get()
    assert run.input == {"receipt": file, "amount": 3}
    again = client.get(f"/runs/{run.pk}/again")
    assert ">r.pdf</a>" in again.text
    fields = {"input_kind": "form", "once": ticket(client, f"/runs/{run.pk}/again")}
    client.post(f"/runs/{run.pk}/again", {**fields, "input.receipt": file, "input.amount": "4"})
    assert sorted(one.input["amount"] for one in Run.unsafe_all_tenants.all()) == [3, 4]
    fresh = client.post(path, {**fields, "input.receipt": file, "input.amount": "5"})
    assert "Another run uses this file" in fresh.text


def test_nobody_else_reads_an_upload_or_the_file_of_a_run_of_another_tenant():
    client = member("operator")
    answer = client.post("/api/v1/files?name=a.pdf", PDF, content_type="application/pdf")
    path = f"/api/v1/files/{answer.json()['id']}/content"
    assert client.get(path).status_code == 200
    assert member("admin").get(path).status_code == 404
    assert APIClient().get(path).status_code == 401
