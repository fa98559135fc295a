"""`manage.py run_workflow`: a run from the command line, with a worker beside it."""

import io
import json
import sys
from io import StringIO
from threading import Event, Thread

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from accounts.queries import command_principal
from accounts.services import ensure_admin
from runs.files import trees, uploads
from runs.models import Run, StartedFrom
from tests import factories
from tests.definitions import chain
from workflows.versions import lifecycle

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def admin():
    ensure_admin("a long password")
    return command_principal("admin", "default")


@pytest.fixture
def flow(admin):
    lifecycle.import_definition(admin, chain("flow", length=2))
    lifecycle.publish(admin, "flow")
    failing = {"id": "s0", "type": "transform", "params": {"set": {"x": "{{ input.missing }}"}}}
    lifecycle.import_definition(admin, {"name": "broken", "nodes": [failing], "edges": []})
    lifecycle.publish(admin, "broken")


@pytest.fixture
def worker():
    """Works in a thread until the test ends."""
    stop = Event()

    def go():
        try:
            while not stop.wait(0.02):
                factories.work()
        finally:
            connection.close()

    thread = Thread(target=go)
    thread.start()
    yield
    stop.set()
    thread.join(timeout=20)


def command(*arguments, stdin=None, monkeypatch=None):
    if stdin is not None:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
    out, err = StringIO(), StringIO()
    code = 0
    try:
        call_command("run_workflow", *arguments, stdout=out, stderr=err)
    except SystemExit as ending:
        code = ending.code
    return code, out.getvalue(), err.getvalue()


def test_json_gives_the_final_run_and_nothing_else(flow, worker, tmp_path):
    path = tmp_path / "input.json"
    path.write_text('{"n": 1}')
    code, out, err = command("flow", "--input", str(path), "--json")
    run = json.loads(out)
    assert (code, run["status"], run["output"]) == (0, "COMPLETED", {"n": 1})
    assert [step["status"] for step in run["steps"]] == ["COMPLETED", "COMPLETED"]
    assert err.count("COMPLETED") == 2


def test_a_plain_text_becomes_the_text(flow, worker, monkeypatch):
    article = "„Ein Satz.“ [1] And another one.\n".encode()
    code, out, _err = command("flow", "--input", "-", stdin=article, monkeypatch=monkeypatch)
    assert code == 0
    assert "== s1 (noop): COMPLETED" in out
    run = Run.unsafe_all_tenants.get()
    assert (run.input, run.started_from) == ({"text": article.decode()}, StartedFrom.COMMAND)


def test_a_run_that_fails_is_told_and_is_no_success(flow, worker, tmp_path):
    path = tmp_path / "input"
    path.write_text("{}")
    code, out, err = command("broken", "--input", str(path))
    assert code == 1
    assert "FAILED" in err
    assert "ExpressionError" in out


def test_the_same_business_key_shows_the_run_that_it_has(flow, worker, tmp_path):
    path = tmp_path / "input"
    path.write_text("{}")
    for words in ("started", "exists already"):
        code, _out, err = command("flow", "--input", str(path), "--business-key", "k")
        assert code == 0
        assert words in err
        assert "another input" not in err
    path.write_text('{"n": 2}')
    code, _out, err = command("flow", "--input", str(path), "--business-key", "k")
    assert (code, "It was started with another input" in err) == (0, True)
    assert Run.unsafe_all_tenants.count() == 1


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("none", b"{}", "no workflow none"),
        ("flow", b'{"broken', "not JSON"),
        ("flow", b'{"a": 1e999}', "at /a"),
        ("flow", b"\xff\xfe", "neither JSON nor a text"),
        ("flow", b"a\x00b", "NUL"),
        ("flow", None, "No such file"),
    ],
)
def test_what_can_not_be_started_is_said_in_one_line(flow, tmp_path, name, content, words):
    path = tmp_path / "input"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(CommandError, match=words) as refusal:
        command(name, "--input", str(path))
    assert refusal.value.returncode == 2
    assert Run.unsafe_all_tenants.count() == 0


def test_ctrl_c_leaves_the_run_running(flow, tmp_path, monkeypatch):
    path = tmp_path / "input"
    path.write_text("{}")

    def interrupt(seconds):
        raise KeyboardInterrupt

    monkeypatch.setattr("runs.management.commands.run_workflow.sleep", interrupt)
    code, _out, err = command("flow", "--input", str(path))
    assert code == 130
    assert "goes on without me" in err
    assert Run.unsafe_all_tenants.get().status == "RUNNING"


def test_the_input_may_name_an_upload_of_who_runs_it(admin, worker, tmp_path):
    schema = {"type": "object", "properties": {"receipt": {"type": "string", "format": "file"}}}
    lifecycle.import_definition(admin, chain("filed") | {"input_schema": schema})
    lifecycle.publish(admin, "filed")
    file, path = uploads.upload(admin, name="a.pdf", content=b"%PDF-1.7")["id"], tmp_path / "input.json"
    path.write_text(json.dumps({"receipt": file}))
    code, out, _ = command("filed", "--input", str(path), "--json")
    assert code == 0
    assert file in trees.files_of_run(admin.tenant_id, json.loads(out)["id"], [file])
    with pytest.raises(CommandError, match=r"input\.receipt: Another run uses this file"):
        command("filed", "--input", str(path), "--json")
