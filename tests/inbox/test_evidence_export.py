"""The evidence of a run can be taken away, read, and checked by whoever has it: whatever is changed in it is found."""

import ast
import io
import json
import subprocess
import sys
import zipfile
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from uuid import UUID

import pytest
from django.db import connection, transaction
from hypothesis import given
from hypothesis import strategies as st
from pypdf import PdfReader

from accounts.models import User
from lib.refusals import Missing, NotAllowed
from runs.maintenance import seals
from tasks_inbox.duties.clock import tick
from tasks_inbox.evidence import exports, gathering
from tasks_inbox.evidence.exported import verify
from tasks_inbox.evidence.verifying import verify_chain
from tests import factories as make
from tests.inbox.asking import approval, asked, decide, hand, member, resolve, stuck, undo_the_rest
from tests.people import People

SCRIPT = Path(verify.__file__)
FORM = {"type": "object", "properties": {"limit": {"type": "number"}, "note": {"type": "string"}}}
NAMES = {"ann": "Ann Größe", "bob": "Łukasz Żak", "li": "李"}


def named(name, role="approver"):
    who = member(name, role)
    User.objects.filter(username=name).update(name=NAMES[name])
    return who


def export(task, written_as="json", who=None):
    found = exports.export(who or member("vic", "viewer"), task.run_id, written_as)
    return found.content.decode() if written_as in ("json", "html") else found.content


@pytest.fixture
def task():
    """Decided by two in a run that has ended and is sealed; another task was decided in between."""
    ann, bob, li = named("ann"), named("bob"), named("li")
    task = asked(
        approval(
            quorum=2, form=FORM, title="Pay <b>{{ input.amount }}</b> “EUR”?", instructions="Look & <see>."
        )
    )
    decide(bob, task, data={"limit": 2.50, "note": "Größe\u2028<script>"}, comment="Fine.\nReally.")
    decide(ann, asked(), "rejected", comment="No.")
    decide(li, task, data={"limit": 1e22})
    make.work()
    seals.seal()
    return task


def faults(text):
    return list(verify.faults(text, Path("nowhere")))


def changed(text, at, char=None):
    return text[:at] + (char or chr(ord(text[at]) ^ 1)) + text[at + 1 :]


def made_anew(text, change):
    """What somebody makes of it who also makes the file's own digest anew."""
    told = json.loads(text)
    change(told)
    return gathering.sealed({name: value for name, value in told.items() if name != "sha256"})


def test_the_script_is_short_and_needs_nothing_but_python():
    tree = ast.parse(SCRIPT.read_text(), feature_version=(3, 9))
    imported = {
        (name.name if isinstance(node, ast.Import) else node.module).partition(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in node.names
    }
    assert imported <= sys.stdlib_module_names
    assert len(SCRIPT.read_text().splitlines()) <= 190


def test_what_is_exported_is_right_and_says_all(task):
    text = export(task)
    told = json.loads(text)
    assert faults(text) == []
    assert [json.loads(one["record"])["by"]["name"] for one in told["decisions"]] == ["Łukasz Żak", "李"]
    assert [one["seq"] for one in told["decisions"]] == [1, 3]
    assert told["chain"]["seq"] == 3
    assert (told["run"]["status"], len(told["seals"]), told["exported"]["by"]) == ("COMPLETED", 1, "vic")
    (question,) = told["questions"]
    assert json.loads(question["shown"])["title"] == "Pay <b>40</b> “EUR”?"
    assert list(verify_chain(task.tenant_id)) == []


def test_every_character_of_the_file_counts(task):
    text = export(task)
    for at in range(0, len(text), 23):
        assert faults(changed(text, at)), (at, text[at - 20 : at + 20])
    for other in (text[:-1], text + "\n", " " + text, "", "[]", "null", text.replace("\n", "\r\n"), text * 2):
        assert faults(other)


def test_nothing_that_is_hashed_can_be_changed_by_who_makes_the_files_own_digest_anew(task):
    text = export(task)
    told = json.loads(text)
    places = [("decisions", n, key) for n in range(2) for key in ("record", "digest")]
    places += [("history", n, None) for n in range(len(told["history"]))]
    places += [("questions", 0, "shown"), ("seals", 0, "digest")]
    for part, n, key in places:
        whole = told[part][n] if key is None else told[part][n][key]
        for at in range(0, len(whole), 11):

            def change(told, part=part, n=n, key=key, at=at, whole=whole):
                holder, place = (told[part], n) if key is None else (told[part][n], key)
                holder[place] = changed(whole, at)

            assert faults(made_anew(text, change)), (part, n, key, at)


@pytest.mark.parametrize(
    "change",
    [
        lambda told: told["decisions"].pop(),
        lambda told: told["decisions"].reverse(),
        lambda told: told["decisions"].append(told["decisions"][0]),
        lambda told: told["history"].pop(3),
        lambda told: told["history"].insert(0, told["history"][0]),
        lambda told: told["questions"].pop(),
        lambda told: told["questions"][0].update(round=2),
        lambda told: told["questions"][0].update(node="other"),
        lambda told: told["seals"].pop(),
        lambda told: told["seals"][0].update(life=2),
        lambda told: told["seals"][0].update(events=told["seals"][0]["events"] - 1),
        lambda told: told["run"].update(requester="somebody"),
        lambda told: told["run"].update(tenant="theirs"),
        lambda told: told["run"].update(id=told["questions"][0]["task"]),
        lambda told: told["chain"].update(seq=2),
        lambda told: told["chain"].update(digest="0" * 64),
        lambda told: told.update(format="handoff-evidence/1"),
        lambda told: told["decisions"][0].update(seq=2),
    ],
)
def test_whatever_is_taken_out_put_in_or_moved_is_found(task, change):
    assert faults(made_anew(export(task), change))


def test_any_change_of_any_bytes_is_found(task):
    raw = export(task).encode()

    @given(st.integers(0, len(raw) - 1), st.binary(max_size=4), st.integers(0, 3))
    def whatever(at, put, gone):
        other = raw[:at] + put + raw[at + gone :]
        assert bool(faults(other.decode("utf-8", "surrogateescape"))) == (other != raw)

    whatever()


def run_script(folder, *more):
    told = [sys.executable, "-I", "verify.py", "evidence.json", *more]
    done = subprocess.run(told, cwd=folder, capture_output=True, text=True)
    return done.returncode, done.stdout


def test_the_zip_holds_all_and_its_script_checks_it(task, tmp_path):
    with zipfile.ZipFile(io.BytesIO(export(task, "zip"))) as found:
        assert sorted(found.namelist()) == [
            "README.txt",
            "evidence.csv",
            "evidence.html",
            "evidence.json",
            "evidence.pdf",
            "verify.py",
        ]
        found.extractall(tmp_path)
    file = tmp_path / "evidence.json"
    digest = sha256(file.read_bytes()).hexdigest()
    assert digest in (tmp_path / "evidence.html").read_text()
    assert digest in PdfReader(tmp_path / "evidence.pdf").pages[0].extract_text().replace("\n", "")

    code, said = run_script(tmp_path, digest)
    assert (code, said.startswith("Right. Decisions: 2, "), digest in said) == (0, True, True)
    assert "decisions ended at 3 with" in said
    assert run_script(tmp_path, "0" * 64)[0] == 1
    file.write_bytes(file.read_bytes().replace(b"Really.", b"Reelly."))
    code, said = run_script(tmp_path)
    assert (code, "FAULT decision 1: its record is not what its digest says" in said) == (1, True)
    file.write_bytes(b"\xff" + file.read_bytes())
    assert run_script(tmp_path)[0] == 1


def test_the_html_says_each_decision_and_escapes_what_people_wrote(task):
    page = export(task, "html")
    for text in (
        "Łukasz Żak (bob)",
        "李 (li)",
        "Fine.\nReally.",
        "UTC",
        "Record before it",
        "Größe",
        "limit (number)",
    ):
        assert text in page
    assert "2 for “Approve”; any other choice decides at once" in page
    assert "1 of 2 for the first choice; not decided yet" in page
    assert "2 of 2 for the first choice; decided: approved" in page
    assert "Pay &lt;b&gt;40&lt;/b&gt; “EUR”?" in page
    assert "Look &amp; &lt;see&gt;." in page
    for text in ("<script", "<b>", "http://", "https://", "<see>"):
        assert text not in page


def test_the_pdf_has_the_names_in_letters_of_their_own_and_says_what_it_can_not_set(task):
    cy = member("cy")
    User.objects.filter(username="cy").update(name="Ж Ω 김 ע ไ \U000f1234\u200d")
    decide(cy, other := asked(approval(instructions="a" * 5_000)), comment="\n".join("lines" * 100))
    pages = PdfReader(io.BytesIO(export(other, "pdf"))).pages
    text = "".join(page.extract_text() for page in pages)
    assert len(pages) > 1
    for one in ("Ж", "Ω", "김", "ע", "ไ", "[U+F1234]"):
        assert one in text
    text = "".join(page.extract_text() for page in PdfReader(io.BytesIO(export(task, "pdf"))).pages)
    for one in ("Łukasz Żak", "李", "Größe"):
        assert one in text


def test_a_run_that_asked_nobody_is_told_as_such():
    (run_id,) = make.start(make.chain("noop"))
    make.work()
    told = exports.export(member("vic", "viewer"), run_id, "json").content.decode()
    assert faults(told) == []
    assert (json.loads(told)["chain"]["seq"], json.loads(told)["seals"]) == (0, [])
    page = exports.export(member("vic", "viewer"), run_id, "html").content.decode()
    assert "This run did not ask anybody." in page
    assert "not sealed yet" in page
    exports.export(member("vic", "viewer"), run_id, "pdf")


def test_what_is_open_cancelled_or_decided_for_somebody_is_told():
    ann = named("ann")
    task = asked(approval(title="Open?"))
    assert "nobody yet" in export(task, "html")
    hand(named("bob"), task, "ann")
    decide(ann, task)
    page = export(task, "html")
    assert "<dt>On behalf of</dt><dd>bob</dd>" in page
    assert faults(export(task)) == []
    make.cancel(str((gone := asked()).run_id))
    assert "nobody: the run went on" in export(gone, "html")
    assert faults(export(gone)) == []


def test_a_settled_compensation_is_in_it():
    task = stuck()
    resolve(member("olga", "operator"), task, "abandon", "Beyond help.")
    undo_the_rest()
    seals.seal()
    assert faults(export(task)) == []
    page = export(task, "html")
    assert "Give it up (abandon)" in page
    assert "<dt>Settled</dt><dd>at this task</dd>" in page


def test_what_a_deadline_decided_is_told_as_that(clock):
    task = asked(approval(due_seconds=60, on_timeout="rejected", quorum=2))
    decide(named("ann"), task)
    clock.advance(61)
    tick()
    make.work()
    assert faults(export(task)) == []
    page = export(task, "html")
    assert "<dt>Decided by</dt><dd>the deadline, by itself</dd>" in page
    assert "1 of 2 for the first choice; decided: rejected" in page


def test_deleted_users_stay_named(task):
    User.objects.filter(username__in=NAMES).delete()
    assert faults(export(task)) == []
    assert "Łukasz Żak (bob)" in export(task, "html")


def test_what_was_changed_in_the_tables_is_found_in_the_export(task):
    for table, statement in [
        ("tasks_inbox_taskdecision", "UPDATE {} SET record = replace(record, 'Fine', 'Nice')"),
        ("tasks_inbox_taskdecision", "DELETE FROM {} WHERE seq = 1"),
        ("tasks_inbox_manualtask", "UPDATE {} SET title = 'Another?'"),
        ("runs_historyevent", "DELETE FROM {} WHERE type = 'TASK_VOTED'"),
        ("runs_historyevent", "UPDATE {} SET payload = payload || '{{\"x\": 1}}' WHERE type = 'TASK_OPENED'"),
    ]:
        with transaction.atomic():
            with connection.cursor() as cursor:
                cursor.execute(f"ALTER TABLE {table} DISABLE TRIGGER USER")
                cursor.execute(statement.format(table))
            found = faults(export(task))
            transaction.set_rollback(True)
        assert found, statement
    assert faults(export(task)) == []


def test_it_is_for_those_of_the_tenant_who_may_read_runs_and_tasks(task):
    with pytest.raises(Missing):
        export(task, who=People().principal("admin", "theirs"))
    with pytest.raises(NotAllowed):
        export(task, who=People().principal("worker"))
    for scope in ("runs:read", "tasks:read"):
        with pytest.raises(NotAllowed):
            export(task, who=replace(member("vic", "viewer"), scopes=frozenset({scope})))


def test_pages_of_runs_and_decided_tasks_lead_to_it(task, client):
    address = f"/api/v1/runs/{task.run_id}/evidence?format=zip"
    client.force_login(User.objects.get(username="ann"))
    for page in (f"/runs/{task.run_id}", f"/inbox/{task.pk}"):
        assert f'href="{address}"' in client.get(page).text, page
    assert client.get(address).content.startswith(b"PK")
    other = asked()
    assert "Export evidence" not in client.get(f"/inbox/{other.pk}").text


def test_it_is_a_file_of_each_kind_for_the_tenant(people):
    our = people.client("viewer", "default")
    (run_id,) = make.start(make.chain("noop"))
    for written_as, kind in exports.KINDS.items():
        answer = our.get(f"/api/v1/runs/{run_id}/evidence?format={written_as}")
        assert (answer.status_code, answer["Content-Type"].partition(";")[0]) == (200, kind)
        assert answer["Content-Disposition"] == f'attachment; filename="evidence-{run_id}.{written_as}"'
    assert our.get(f"/api/v1/runs/{run_id}/evidence").json()["run"]["id"] == run_id
    assert our.get(f"/api/v1/runs/{run_id}/evidence?format=exe").json()["error"]["field"] == "format"
    assert people.client("viewer", "theirs").get(f"/api/v1/runs/{run_id}/evidence").status_code == 404


def test_a_rerun_has_the_decisions_that_it_kept_and_the_run_that_asked_for_them():
    task = asked(approval(quorum=2))
    for name in ("bob", "li"):
        decide(named(name), task)
    make.work()
    rerun = make.rerun(str(task.run_id), "yes")
    make.work()
    seals.seal()
    text = exports.export(member("vic", "viewer"), UUID(rerun), "json").content.decode()
    told = json.loads(text)
    assert faults(text) == []
    assert [one["seq"] for one in told["decisions"]] == [1, 2]
    (original,) = told["runs"]
    assert (told["run"]["rerun_of"], original["rerun_of"]) == (original["id"], None)
    assert original["id"] == str(task.run_id)
    page = exports.export(member("vic", "viewer"), UUID(rerun), "html").content.decode()
    assert f"run {task.run_id}, whose decisions are here" in page
    for change in (
        lambda told: told["run"].update(rerun_of=None),
        lambda told: told["runs"].pop(),
        lambda told: told["decisions"].pop(),
    ):
        assert faults(made_anew(text, change))


@pytest.mark.parametrize("more", [[], ["nothing.json"], ["verify.py", "1", "2"]])
def test_without_a_file_the_script_says_how_it_is_used(more):
    told = [sys.executable, "-I", str(SCRIPT), *more]
    done = subprocess.run(told, capture_output=True, text=True, cwd=SCRIPT.parent)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "Usage: python verify.py evidence.json [its SHA-256]\n"
