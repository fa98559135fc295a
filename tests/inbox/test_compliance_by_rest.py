"""An order that compliance must approve, by REST alone; tests/web/test_compliance_browser.py does it with browsers."""

import io
import json
import subprocess
import sys
import zipfile

from tests import factories as make
from tests.inbox.asking import ORDER
from tests.inbox.persons import Person


def counts(*people):
    return [one.get("tasks/counts").json()["teams"] for one in people]


def test_an_order_is_claimed_and_approved_and_its_evidence_checks_itself(tmp_path):
    boss, bob = Person("boss", "admin"), Person("bob")
    ann, cat = (Person(name, "approver", "Compliance") for name in ("ann", "cat"))
    assert boss.post("workflows", {"name": "order", "definition": ORDER}).status_code == 201
    assert boss.post("workflows/order/publish").status_code == 201
    given = {"workflow": "order", "input": {"order": "A-17", "city": "Berlin"}}
    run = boss.post("runs", given).json()["id"]
    make.work()

    # Admins are asked no more than others whom it does not name.
    assert counts(ann, cat, bob, boss) == [1, 1, 0, 0]
    (task,) = ann.tasks(run)
    assert [one.post(f"tasks/{task['id']}/claim").status_code for one in (bob, boss, ann, cat)] == [
        403,
        403,
        200,
        409,
    ]
    assert [one.decides(run, "approved") for one in (bob, boss)] == [403, 403]
    late = cat.post(f"tasks/{task['id']}/complete", {"outcome": "approved"})
    assert (late.status_code, late.json()["error"]["details"]) == (409, {"assignee": "ann"})
    assert ann.decides(run, "approved", comment="The address is on no list.") == 200
    assert (ann.sees(run)["status"], ann.sees(run)["output"]) == ("COMPLETED", {"by": "ann"})
    again = ann.post(f"tasks/{task['id']}/complete", {"outcome": "rejected", "comment": "No."})
    assert (again.status_code, again.json()["error"]["details"]["decided_by"]) == (409, "ann")

    with zipfile.ZipFile(io.BytesIO(cat.get(f"runs/{run}/evidence?format=zip").content)) as file:
        file.extractall(tmp_path)
    (decision,) = json.loads((tmp_path / "evidence.json").read_text())["decisions"]
    assert "The address is on no list." in json.dumps(decision)
    assert checked(tmp_path) == (0, "Right. Decisions: 1")
    file = tmp_path / "evidence.json"
    file.write_bytes(file.read_bytes().replace(b"on no list", b"on a  list"))
    assert checked(tmp_path)[0] == 1


def checked(folder):
    told = [sys.executable, "-I", "verify.py", "evidence.json"]
    done = subprocess.run(told, cwd=folder, capture_output=True, text=True)
    return done.returncode, done.stdout.split(",")[0]
