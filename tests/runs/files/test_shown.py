"""Files of the start on pages and in the evidence, for who may see the run, its task or their request."""

import subprocess
import sys
from io import BytesIO
from zipfile import ZipFile

import pytest
from django.test import Client

from runs.commands.starts import NewRun, Terms, start_runs
from runs.files import uploads
from tasks_inbox.evidence import exports
from tests import factories as make
from tests.inbox.asking import approval, decide, member, read, task_of
from tests.runs.files.odd import ODD, PDF, PNG

pytestmark = pytest.mark.django_db

FILES = {
    "type": "object",
    "properties": {"receipts": {"type": "array", "items": {"type": "string", "format": "file"}}},
}


def asked_with(who, *contents):
    files = [uploads.upload(who, name=name, content=content)["id"] for name, content in contents]
    version = make.a_version({**approval(), "input_schema": FILES})
    terms = Terms(who.tenant_id, version.pk, who.username, requested_by=who.user_id)
    (run,) = start_runs(terms, [NewRun({"amount": 1, "receipts": files})])
    make.work()
    return task_of(run.id), files


def client_of(who):
    client = Client()
    client.force_login(make.UserFactory._meta.model.objects.get(pk=who.user_id))
    return client


@pytest.mark.parametrize(
    ("role", "page", "place"),
    [
        ("operator", "/runs/{run}", "/api/v1/runs/{run}/files/{file}"),
        ("operator", "/requests/{run}", "/api/v1/requests/{run}/files/{file}"),
        ("approver", "/inbox/{task}", "/api/v1/tasks/{task}/files/{file}"),
    ],
)
def test_a_page_links_a_file_with_its_size_hash_and_preview(role, page, place):
    ann = member("ann", "operator")
    task, (pdf, picture) = asked_with(ann, ("a<b>.pdf", PDF), ("p.png", PNG))
    who = ann if role == "operator" else member("bob", role)
    ids = {"run": task.run_id, "task": task.pk}
    text = client_of(who).get(page.format(**ids)).text
    url = place.format(**ids, file=pdf)
    assert f'href="{url}"' in text
    assert f'href="{url}?show=yes"' in text
    assert f'src="{place.format(**ids, file=picture)}?show=yes"' in text
    assert "SHA-256" in text
    assert client_of(who).get(url).content == PDF


def test_nobody_else_reads_the_file_of_a_request_or_run():
    ann = member("ann", "operator")
    task, (pdf,) = asked_with(ann, ("a.pdf", PDF))
    other, (theirs,) = asked_with(ann, ("b.pdf", PDF))
    bob = client_of(member("bob", "operator"))
    assert bob.get(f"/api/v1/requests/{task.run_id}/files/{pdf}").status_code == 404
    assert bob.get(f"/api/v1/runs/{task.run_id}/files/{theirs}").status_code == 404
    assert bob.get(f"/api/v1/tasks/{other.pk}/files/{pdf}").status_code == 404
    stranger = Client()
    stranger.force_login(make.a_member("eve", "admin", tenant="elsewhere"))
    assert stranger.get(f"/api/v1/runs/{task.run_id}/files/{pdf}").status_code == 404


def test_the_evidence_has_the_files_of_the_start_and_its_script_checks_them(tmp_path):
    ann, bob = member("ann", "operator"), member("bob")
    odd = [one for one in ODD.values() if not one.code]
    task, files = asked_with(ann, *((one.name, one.content) for one in odd))
    decide(bob, task, seen=read(bob, task))
    zipped = exports.export(member("root", "admin"), task.run_id, "zip").content
    names = ZipFile(BytesIO(zipped)).namelist()
    assert len(names) == len(set(names))
    expected = {f"files/{id}-{one.kept_name}" for id, one in zip(files, odd, strict=True)}
    assert expected == {name for name in names if name.startswith("files/")}
    ZipFile(BytesIO(zipped)).extractall(tmp_path)

    def check():
        command = [sys.executable, "-I", "verify.py", "evidence.json"]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)

    assert check().returncode == 0, check().stdout
    (tmp_path / sorted(expected)[0]).write_bytes(b"other")
    assert (check().returncode, "start: its file" in check().stdout) == (1, True)
