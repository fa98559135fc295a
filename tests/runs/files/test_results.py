"""An answer that a step keeps as a file of its run (docs/steps.md, "http.request")."""

from hashlib import sha256

import pytest
from django.db import transaction
from django.test import Client

from runs.files import for_steps, store, trees
from runs.files.models import FileUse, StoredFile, StoredFileContent
from runs.models import Run
from tests import factories as make
from tests.answering import answering, http
from tests.inbox.asking import member
from tests.runs.files.odd import PDF
from tests.runs.files.test_starts import FLOW, archive
from tests.web.test_requests import logged_in, own_request

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _reachable(monkeypatch):
    monkeypatch.setenv("HANDOFF_EGRESS_ALLOW", "127.0.0.1/32")


def fetched(*answers, path="/reports/may.pdf", nodes=(), edges=(), **params):
    """A run whose first step keeps the answer of a server."""
    with answering(*answers) as server:
        first = {"id": "get", "type": "http.request", "retry": "none"}
        first["params"] = {"url": server.url(path), "answer": "file", **params}
        (run_id,) = make.start(make.graph([first, *nodes], list(edges)))
        for _ in range(3):
            make.work("blocking", "default")
    return run_id


def output(run_id):
    return make.steps(run_id)["get"].output


def test_an_answer_is_a_file_of_the_run_with_its_hash():
    run_id = fetched(http(PDF, content_type="application/octet-stream"))
    body = output(run_id)["body"]
    assert body == {
        "id": body["id"],
        "name": "may.pdf",
        "media_type": "application/pdf",
        "size": len(PDF),
        "sha256": sha256(PDF).hexdigest(),
    }
    tenant = make.a_tenant().pk
    assert trees.content_of(tenant, body["id"]) == PDF
    ann = member("ann", "operator")
    answer = logged_in(ann.username).get(f"/api/v1/runs/{run_id}/files/{body['id']}")
    assert (answer.status_code, answer.content) == (200, PDF)
    assert Client().get(f"/api/v1/runs/{run_id}/files/{body['id']}").status_code == 401


@pytest.mark.parametrize(
    ("header", "name"),
    [
        ('attachment; filename="Bill 7.pdf"', "Bill 7.pdf"),
        ("attachment; filename*=UTF-8''%C3%9Cber.pdf", "Über.pdf"),
        ('attachment; filename="../../etc/passwd"', "passwd"),
        ("attachment", "may.pdf"),
    ],
)
def test_the_server_names_the_file_and_names_are_made_safe(header, name):
    assert output(fetched(http(PDF, content_disposition=header)))["body"]["name"] == name


def test_a_later_step_sends_the_file_on():
    with answering(http(b"ok")) as other:
        part = {"name": "report", "file": "{{ steps.get.output.body.id }}"}
        send = {"id": "send", "type": "http.request", "retry": "none"}
        send["params"] = {"method": "POST", "url": other.url(), "multipart": [part]}
        run_id = fetched(http(PDF), nodes=[send], edges=["get>send"])
    assert make.run(run_id).status == "COMPLETED"
    assert PDF in other.asked[0].body


def test_it_is_a_file_of_a_step_on_the_page_of_the_run_and_none_of_the_start():
    run_id = fetched(http(PDF))
    file = output(run_id)["body"]["id"]
    page = logged_in(member("ann", "operator").username).get(f"/runs/{run_id}").text
    assert "Files of steps" in page
    assert "Files of the start" not in page
    assert f'href="/api/v1/runs/{run_id}/files/{file}"' in page
    assert trees.files_used(make.a_tenant().pk, run_id, str) == []
    assert not trees.is_of_start(make.a_tenant().pk, run_id, file)
    assert StoredFile.unsafe_all_tenants.get().by == "step get"


def test_who_asked_for_a_run_gets_a_file_that_its_result_names():
    member("rita", "requester")
    with answering(http(PDF)) as server:
        step = {"id": "get", "type": "http.request"}
        step["params"] = {"url": server.url("/may.pdf"), "answer": "file"}
        result = {"Report": "{{ steps.get.output.body.id }}"}
        run_id = own_request(make.a_version(make.graph([step], []) | {"request": {"result": result}}), "rita")
        make.work("blocking")
    rita, file = logged_in("rita"), output(run_id)["body"]["id"]
    (row,) = rita.get(f"/api/v1/requests/{run_id}").json()["result"]
    assert (row["value"], row["schema"]) == (file, {"format": "file"})
    assert "may.pdf" in rita.get(f"/requests/{run_id}").text
    assert rita.get(f"/api/v1/requests/{run_id}/files/{file}").content == PDF


@pytest.mark.parametrize(("limit", "value"), [("RESULT_FILES", 0), ("RESULT_BYTES", len(PDF) - 1)])
def test_the_runs_of_a_tree_keep_a_bounded_number_of_files(monkeypatch, limit, value):
    monkeypatch.setattr(store, limit, value)
    error = make.steps(fetched(http(PDF)))["get"].error
    assert (error["code"], error["details"]["outcome"]) == ("TooManyFiles", "done")
    assert not StoredFileContent.unsafe_all_tenants.exists()


def test_the_scan_and_the_size_apply(monkeypatch, settings):
    settings.HANDOFF_FILE_SCAN = "false"
    assert make.steps(fetched(http(PDF)))["get"].error["code"] == "FileRefused"
    monkeypatch.setattr(for_steps, "FILE_BYTES", len(PDF) - 1)
    error = make.steps(fetched(http(PDF)))["get"].error
    assert (error["code"], error["details"]["outcome"]) == ("HttpTooLarge", "done")
    assert not StoredFile.unsafe_all_tenants.exists()


def test_it_goes_with_the_last_run_of_its_tree():
    run_id = fetched(http(PDF))
    with transaction.atomic():
        archive(run_id)
        for table in (StoredFile, StoredFileContent, FileUse):
            assert not table.unsafe_all_tenants.exists()
        transaction.set_rollback(True)


@pytest.mark.parametrize("way", ["subworkflow", "next_workflow"])
def test_a_run_that_is_started_with_it_has_it(way):
    after = make.a_version(FLOW).workflow.name
    given = {"receipt": "{{ steps.get.output.body.id }}"}
    call = {"id": "call", "type": "subworkflow", "input": given, "params": {"workflow": after}}
    last = {"id": "call", "type": "transform", "params": {"set": given}}
    with answering(http(PDF)) as server:
        get = {"id": "get", "type": "http.request", "params": {"url": server.url("/a.pdf"), "answer": "file"}}
        definition = make.graph([get, call if way == "subworkflow" else last], ["get>call"])
        definition |= {"next_workflow": after} if way == "next_workflow" else {}
        (run_id,) = make.start(definition)
        for _ in range(3):
            make.work("blocking", "default", "engine")
    file, tenant = output(run_id)["body"]["id"], make.a_tenant().pk
    other = Run.unsafe_all_tenants.exclude(pk=run_id).get()
    assert (make.run(run_id).status, other.status, other.input) == (
        "COMPLETED",
        "COMPLETED",
        {"receipt": file},
    )
    assert file in trees.files_of_run(tenant, other.pk, [file])
    assert trees.is_of_start(tenant, other.pk, file) is (way == "next_workflow")
