"""What is sent to a draft by somebody who has not heard yet of what others did to its steps and connections."""

import uuid

import pytest

from tests.definitions import chain
from tests.people import People
from workflows import queries
from workflows.document.change_requests import read_groups
from workflows.drafts import changing, writing
from workflows.versions import lifecycle

pytestmark = pytest.mark.django_db
STEP = {"type": "noop"}


@pytest.fixture
def ana():
    ana = People().principal("author")
    lifecycle.create_workflow(ana, name="flow", definition=chain("flow", length=3))
    return ana


@pytest.fixture
def ben():
    return People().principal("admin")


def sent(*changes):
    return {"id": str(uuid.uuid4()), "label": "", "changes": list(changes)}


def way(source, target):
    return {"path": ["edges", f"{source}>{target}"], "to": {"from": source, "to": target}}


def no_way(source, target):
    return {"path": ["edges", f"{source}>{target}"], "from": {"from": source, "to": target}}


def renaming():
    """The first step of three gets the id `begin`."""
    taken_out = {"path": ["nodes", "s0"], "from": STEP}
    put_in = {"path": ["nodes", "begin"], "to": STEP, "at": None}
    return sent(no_way("s0", "s1"), taken_out, put_in, way("begin", "s1"))


def change(who, *groups, revision=1):
    return changing.change_draft(who, "flow", revision=revision, groups=read_groups(list(groups)))


def ways(who):
    definition = queries.get_workflow(who.tenant_id, "flow").draft_definition
    return {(edge["from"], edge["to"]) for edge in definition["edges"]}


def test_a_connection_to_a_step_that_got_another_id_is_a_conflict_that_says_who_gave_it(ana, ben):
    change(ana, renaming())
    change(ana, sent({"path": ["settings", "title"], "to": "Ours"}), revision=2)
    changed = change(ben, sent(way("s0", "s2")))
    (clash,) = changed.conflicts
    said = clash.as_dict()
    assert (said["path"], said["yours"], said["by"]) == (
        ["edges", "s0>s2"],
        way("s0", "s2")["to"],
        ana.username,
    )
    assert said["at"] == writing.draft_log(ana.tenant_id, "flow").get(revision=2).at
    assert "theirs" not in said
    assert ways(ana) == {("begin", "s1"), ("s1", "s2")}


def test_who_knows_that_a_step_is_not_there_may_draw_a_connection_to_it(ana, ben):
    change(ana, renaming())
    assert change(ben, sent(way("s2", "soon")), revision=2).conflicts == []


def test_a_step_that_gets_another_id_takes_along_what_others_connected_and_so_says_the_log(ana, ben):
    drawn = sent(way("s0", "s2"))
    change(ben, drawn)
    changed = change(ana, renaming())
    assert (changed.conflicts, changed.draft is None) == ([], False)
    assert ways(ana) == {("begin", "s1"), ("begin", "s2"), ("s1", "s2")}
    entry = writing.draft_log(ana.tenant_id, "flow").get(revision=3)
    assert way("begin", "s2")["path"] in [change["path"] for change in entry.changes]
    # Of a third one it is the step's new id that is known.
    (clash,) = change(ben, sent(no_way("s0", "s2")), revision=2).conflicts
    assert clash.conflict.path == ("edges", "s0>s2")


def test_what_was_applied_before_the_answer_got_lost_is_not_what_others_did(ana):
    out = sent(no_way("s1", "s2"), {"path": ["nodes", "s2"], "from": STEP})
    change(ana, out)
    assert change(ana, out, sent(way("s0", "s2"))).conflicts == []
    assert len(change(ana, sent(way("s1", "s2"))).conflicts) == 1


def test_where_the_log_begins_later_nothing_comes_in_that_leads_nowhere(ana, ben):
    change(ana, sent(no_way("s1", "s2"), {"path": ["nodes", "s2"], "from": STEP}))
    change(ana, sent({"path": ["settings", "title"], "to": "Ours"}), revision=2)
    writing.draft_log(ana.tenant_id, "flow").filter(revision=2).delete()
    assert [clash.conflict.path for clash in change(ben, sent(way("s0", "s2"))).conflicts] == [
        ("edges", "s0>s2")
    ]
    assert change(ben, sent(way("s0", "s1")), revision=1).conflicts == []


def test_a_step_that_is_deleted_is_not_lost_with_what_others_connected(ana, ben):
    change(ben, sent(way("s0", "s2")))
    (clash,) = change(ana, sent(no_way("s1", "s2"), {"path": ["nodes", "s2"], "from": STEP})).conflicts
    assert clash.as_dict() | {"at": None} == {
        "group": clash.conflict.group,
        "path": ["nodes", "s2"],
        "theirs": STEP,
        "by": ben.username,
        "at": None,
    }
