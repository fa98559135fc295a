"""The evidence of a run holds the decisions of its whole tree, and its script finds whatever is missing there."""

import json

import pytest

from runs.maintenance import seals
from runs.models import Run
from tasks_inbox.evidence import exports
from tasks_inbox.evidence.exported import verify
from tasks_inbox.models import ManualTask
from tests import factories as make
from tests.inbox.asking import decide, member
from tests.inbox.onboarding import GIVEN, onboarding
from tests.inbox.test_evidence_export import faults, made_anew
from tests.store.watching import watching

pytestmark = pytest.mark.django_db

ASK = {"id": "ask", "type": "human.approval", "params": {"title": "Item {{ item }}?"}}
EACH = {"steps": [ASK, {"id": "x", "type": "noop"}], "edges": [{"from": "ask", "to": "x", "default": True}]}


def onboarded():
    (run_id,) = make.start_version(onboarding(), GIVEN)
    make.work()
    return run_id


def decide_all(outcome="approved"):
    boss = member("boss", "admin")
    for task in ManualTask.unsafe_all_tenants.filter(status="OPEN").order_by("id"):
        decide(boss, task, outcome, comment="So it is.")
    make.work()


def export(run_id, who=None, written_as="json"):
    return exports.export(who or member("boss", "admin"), run_id, written_as).content.decode()


def places(told):
    return [[(one["node"], one["index"]) for one in decision["place"]] for decision in told["decisions"]]


def test_every_decision_of_the_tree_is_listed_with_its_place():
    run_id = onboarded()
    decide_all("rejected")
    seals.seal()
    text = export(run_id)
    told = json.loads(text)
    assert faults(text) == []
    assert places(told) == [[("mail", None), ("ask", None)], [("wiki", None), ("ask", None)]]
    assert [one["status"] for one in told["runs"]] == ["COMPLETED", "COMPLETED"]
    page = export(run_id, written_as="html")
    assert "mail › ask" in page
    assert "Open an account in Wiki for Lea Vogt?" in page
    # The evidence of a child run is that of its own part of the tree.
    child = Run.unsafe_all_tenants.filter(parent_id=run_id).earliest("id")
    own = export(child.pk)
    assert faults(own) == []
    assert places(json.loads(own)) == [[("mail", None), ("ask", None)]]


def test_items_and_rounds_are_in_it_and_one_statement_reads_them_however_many():
    def names(items):
        run_id = make.start(make.mapped(EACH), {"items": [*range(items)]})[0]
        make.work()
        decide_all()
        with watching() as seen:
            text = export(run_id)
        assert faults(text) == []
        assert places(json.loads(text)) == [[("each", n), ("ask", None)] for n in range(items)]
        return seen.trips

    assert names(1) == names(12)


@pytest.mark.parametrize(
    "change",
    [
        lambda told: told["decisions"].pop(),
        lambda told: told["runs"].pop(),
        lambda told: told["runs"][0].update(parent=told["runs"][1]["id"]),
        lambda told: told["runs"][0].update(place=told["runs"][1]["place"]),
        lambda told: told["runs"][0]["history"].pop(3),
        lambda told: told["runs"][1]["seals"].pop(),
        lambda told: told["runs"][0].update(history=None),
        lambda told: told["decisions"][0].update(place=told["decisions"][1]["place"]),
        lambda told: told["decisions"][0].update(record=None, hidden={}),
        lambda told: told["questions"].pop(),
    ],
)
def test_whatever_is_taken_out_or_moved_is_found(change):
    run_id = onboarded()
    decide_all()
    seals.seal()
    text = export(run_id)
    assert faults(text) == []
    assert faults(made_anew(text, change))


def test_of_an_open_run_it_is_said_up_to_which_event_it_is_complete(tmp_path, capsys):
    run_id = onboarded()
    text = export(run_id)
    (path := tmp_path / "evidence.json").write_text(text)
    assert verify.main(str(path)) == 0
    said = capsys.readouterr().out
    told = json.loads(text)
    last = json.loads(told["history"][-1])[0]
    assert f"Run {run_id} was open: this is complete up to event {last}." in said
    assert said.count("was open") == 3
    assert "runs: 3" in said
    assert f"event {last}" in export(run_id, written_as="html")


def test_of_what_may_not_be_read_place_outcome_person_time_and_digest_are_told():
    run_id = onboarded()
    decide_all()
    child = Run.unsafe_all_tenants.filter(parent_id=run_id).earliest("id")
    child.version.workflow.folder = make.FolderFactory()
    child.version.workflow.save()
    whole = json.loads(export(run_id))
    text = export(run_id, member("vic", "viewer"))
    told = json.loads(text)
    assert faults(text) == []
    assert places(told) == places(whole)
    assert "Open an account" not in text
    for hidden, decision in zip(told["decisions"], whole["decisions"], strict=True):
        record = json.loads(decision["record"])
        assert (hidden["record"], hidden["digest"]) == (None, decision["digest"])
        assert hidden["hidden"] == {
            "run": record["run"],
            "by": "boss",
            "outcome": "approved",
            "at": record["at"],
        }
    assert [one["history"] for one in told["runs"]] == [None, None]
    assert "So it is" not in export(run_id, member("vic", "viewer"), "html")


def test_a_loop_that_continued_as_a_new_run_is_told_as_a_whole(settings):
    settings.HANDOFF_CONTINUE_AFTER_EVENTS = 15
    loop = {"id": "again", "type": "loop", "params": {"body": {"type": "noop"}, "count": 25}}
    first = {"id": "before", "type": "human.approval", "params": {"title": "Begin?"}}
    last = {"id": "after", "type": "human.approval", "params": {"title": "End?"}}
    edges = [
        {"from": "before", "to": "again", "default": True},
        {"from": "again", "to": "after"},
    ]
    root = make.start(make.graph([first, loop, last], edges), {})[0]
    make.work()
    decide_all()
    decide_all()
    *_, newest = Run.unsafe_all_tenants.filter(root_id=root).order_by("id")
    assert (newest.status, str(newest.pk) == root) == ("COMPLETED", False)
    seals.seal()
    for run_id in (root, str(newest.pk)):
        text = export(run_id)
        assert faults(text) == []
        assert places(json.loads(text)) == [[("before", None)], [("after", None)]]
    assert faults(made_anew(text, lambda told: told["runs"].pop()))


def test_a_run_that_could_not_begin_is_not_missed():
    sub = {"id": "sub", "type": "subworkflow", "params": {"workflow": "nobody", "input": {}}}
    run_id = make.start(make.graph([sub], []), {})[0]
    make.work()
    assert make.run(run_id).error["code"] == "ChildNotStarted"
    assert faults(export(run_id)) == []
