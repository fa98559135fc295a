"""Changing a draft in parts: what is applied, what is refused, what is remembered, and who is told what."""

import uuid

import pytest

from accounts.principal import Forbidden
from lib.refusals import Conflict, Missing, Unprocessable
from tests.definitions import chain
from tests.people import People
from workflows import queries
from workflows.document.change_requests import read_groups
from workflows.drafts import changing, writing
from workflows.models import DraftChange, Workflow
from workflows.versions import lifecycle

pytestmark = pytest.mark.django_db


@pytest.fixture
def author():
    author = People().principal("author")
    lifecycle.create_workflow(author, name="flow", definition=chain("flow", length=3))
    return author


@pytest.fixture
def other():
    return People().principal("admin")


def sent(*changes, key=None, label="Changed something"):
    """A group as a client sends it."""
    return {"id": str(key or uuid.uuid4()), "label": label, "changes": list(changes)}


def title(node, to, **before):
    return {"path": ["nodes", node, "title"], "to": to, **before}


def change(who, *groups, revision=1):
    return changing.change_draft(who, "flow", revision=revision, groups=read_groups(list(groups)))


def draft(who):
    return queries.get_workflow(who.tenant_id, "flow")


def titles(who):
    return [node.get("title") for node in draft(who).draft_definition["nodes"]]


def log(who):
    return list(writing.draft_log(who.tenant_id, "flow").order_by("-id"))


def test_a_group_that_fits_is_the_next_revision(author):
    group = sent(title("s1", "One"))
    changed = change(author, group)
    assert (changed.revision, changed.applied, changed.conflicts, changed.draft) == (
        2,
        [group["id"]],
        [],
        None,
    )
    assert titles(author) == [None, "One", None]
    (entry,) = log(author)
    assert (entry.revision, entry.label, entry.changes) == (2, "Changed something", group["changes"])
    assert entry.by.username == author.username


def test_a_group_that_was_applied_counts_as_applied_and_changes_nothing_whatever_the_draft_is_now(
    author, other
):
    group = sent(title("s1", "One"))
    change(author, group)
    change(other, sent(title("s1", "Two", **{"from": "One"})), revision=2)
    again = change(author, group, revision=1)
    assert (again.revision, again.applied, again.conflicts) == (3, [group["id"]], [])
    assert titles(author) == [None, "Two", None]
    assert again.draft is not None, "its sender was not at the present revision"


def test_the_same_group_twice_in_one_request_is_applied_once(author):
    group = sent(title("s1", "One"))
    changed = change(author, group, group)
    assert (changed.revision, changed.applied) == (2, [group["id"]])


def test_disjoint_changes_of_two_people_both_land(author, other):
    change(author, sent(title("s0", "Mine")))
    changed = change(other, sent(title("s2", "Theirs")))
    assert changed.conflicts == []
    assert titles(author) == ["Mine", None, "Theirs"]
    assert changed.draft is not None
    assert changed.draft[0]["nodes"] == draft(author).draft_definition["nodes"]


def test_two_values_for_one_field_are_a_conflict_that_names_both_and_who_and_when(author, other):
    change(author, sent(title("s0", "Mine")))
    group = sent(title("s0", "Theirs"), title("s1", "Also theirs"))
    changed = change(other, group)
    (clash,) = changed.conflicts
    said = clash.as_dict()
    assert said.pop("at") == log(author)[0].at
    assert said == {
        "group": group["id"],
        "path": ["nodes", "s0", "title"],
        "yours": "Theirs",
        "theirs": "Mine",
        "by": author.username,
    }
    assert (changed.revision, changed.applied) == (2, [])
    assert titles(author) == ["Mine", None, None], "a group is applied whole or not at all"
    assert changed.draft is not None


def test_of_several_groups_those_without_conflict_are_applied(author):
    good, bad = sent(title("s0", "Good")), sent(title("s1", "Bad", **{"from": "Old"}))
    changed = change(author, bad, good)
    assert changed.applied == [good["id"]]
    assert changed.revision == 2
    assert [clash.conflict.group for clash in changed.conflicts] == [bad["id"]]


def test_what_is_so_already_is_applied_and_no_new_revision_but_remembered(author):
    group = sent({"path": ["nodes", "s0", "type"], "from": "noop", "to": "noop"})
    changed = change(author, group)
    assert (changed.revision, changed.applied) == (1, [group["id"]])
    change(author, sent({"path": ["nodes", "s0", "type"], "from": "noop", "to": "decision"}))
    assert change(author, group, revision=2).conflicts == []


def test_title_and_description_of_the_workflow_follow(author):
    path = ["settings", "title"]
    change(
        author,
        sent({"path": path, "to": "A flow"}, {"path": ["settings", "description"], "to": "What it does"}),
    )
    assert (draft(author).title, draft(author).description) == ("A flow", "What it does")


def test_no_groups_at_all_give_the_problems(author):
    assert change(author).problems == []
    lifecycle.save_draft(author, "flow", definition={"name": "flow", "nodes": [7]}, expected_revision=1)
    assert [problem.field for problem in change(author, revision=2).problems] == ["nodes[0]"]


def test_a_draft_in_another_dialect_is_translated_by_the_first_change(author):
    steps = {"name": "flow", "steps": ["text.clean", "text.keywords"]}
    lifecycle.save_draft(author, "flow", definition=steps, expected_revision=1)
    assert change(author, revision=2).draft is None
    changed = change(author, sent({"path": ["settings", "title"], "to": "Two"}), revision=2)
    assert [node["type"] for node in draft(author).draft_definition["nodes"]] == [
        "text.clean",
        "text.keywords",
    ]
    assert changed.draft[0] == draft(author).draft_definition


def test_a_draft_that_can_not_be_keyed_says_why(author):
    nodes = [{"id": "a", "type": "noop"}, {"id": "a", "type": "noop"}]
    lifecycle.save_draft(author, "flow", definition={"name": "flow", "nodes": nodes}, expected_revision=1)
    with pytest.raises(Unprocessable, match="Another node has the id a") as refused:
        change(author, sent(title("a", "One")), revision=2)
    assert (refused.value.code, refused.value.details) == ("not_keyable", {"place": "nodes[1].id"})


def test_the_order_of_nodes_is_kept_as_it_was_asked_for(author):
    change(author, sent({"path": ["nodes", "new"], "to": {"type": "noop"}, "at": "s0"}))
    change(author, sent({"path": ["nodes", "s2"], "at": None, "was_at": "s1"}), revision=2)
    assert [node["id"] for node in draft(author).draft_definition["nodes"]] == ["s2", "s0", "new", "s1"]


def test_edges_that_are_counted_anew_are_told(author):
    first, second = {"from": "s0", "to": "s1"}, {"from": "s0", "to": "s1", "when": "output.ok"}
    assert change(author, sent({"path": ["edges", "s0>s1#2"], "to": second})).draft is None
    changed = change(author, sent({"path": ["edges", "s0>s1"], "from": first}), revision=2)
    assert changed.draft[0]["edges"] == [{"from": "s1", "to": "s2"}, second]


def test_who_saves_the_whole_draft_imports_or_restores_writes_it_to_the_log_too(author):
    version = lifecycle.publish(author, "flow").version
    longer = chain("flow", length=3) | {"title": "Longer"}
    lifecycle.save_draft(author, "flow", definition=longer, expected_revision=1)
    lifecycle.import_definition(author, chain("flow", length=2))
    lifecycle.restore(author, version, expected_revision=3)
    assert [(entry.revision, entry.label) for entry in log(author)] == [
        (4, "Restored version 1"),
        (3, "Imported a definition"),
        (2, "Saved the whole draft"),
    ]
    assert log(author)[2].changes == [{"path": ["settings", "title"], "to": "Longer"}]


def test_who_is_behind_a_whole_save_meets_it_as_a_conflict(author, other):
    lifecycle.save_draft(
        author, "flow", definition=chain("flow", length=3, step="decision"), expected_revision=1
    )
    type_of = {"path": ["nodes", "s0", "type"], "from": "noop", "to": "job"}
    (clash,) = change(other, sent(type_of)).conflicts
    assert (clash.by, clash.conflict.theirs) == (author.username, "decision")


def test_what_can_not_be_said_in_changes_is_logged_without_and_blamed_all_the_same(author, other):
    lifecycle.save_draft(author, "flow", definition={"name": "flow", "nodes": "none"}, expected_revision=1)
    lifecycle.save_draft(author, "flow", definition=chain("flow", step="decision"), expected_revision=2)
    assert [entry.changes for entry in log(author)] == [None, None]
    type_of = {"path": ["nodes", "s0", "type"], "from": "noop", "to": "job"}
    assert change(other, sent(type_of)).conflicts[0].by == author.username


def test_many_changes_are_logged_without(author):
    change(author, sent(title("s0", "x" * 70_000)))
    assert log(author)[0].changes is None


def test_the_log_is_kept_short(author, monkeypatch):
    monkeypatch.setattr(writing, "KEPT", 3)
    groups = [sent(title("s0", "0"))]
    groups += [sent(title("s0", str(number + 1), **{"from": str(number)})) for number in range(4)]
    for revision, group in enumerate(groups):
        change(author, group, revision=revision + 1)
    assert [entry.revision for entry in log(author)] == [6, 5, 4]


def test_a_log_is_of_one_workflow_alone(author):
    lifecycle.create_workflow(author, name="second", definition=chain("second"))
    key = uuid.uuid4()
    change(author, sent(title("s0", "One"), key=key))
    groups = read_groups([sent(title("s0", "Two"), key=key)])
    assert changing.change_draft(author, "second", revision=1, groups=groups).revision == 2
    assert DraftChange.objects.for_tenant(author.tenant_id).count() == 2


def test_a_draft_does_not_grow_beyond_what_can_be_sent(author, settings):
    settings.HANDOFF_MAX_BODY_BYTES = 1_000
    with pytest.raises(Unprocessable, match="can't be kept"):
        change(author, sent(title("s0", "x" * 2_000)))
    assert draft(author).draft_revision == 1


def test_a_draft_does_not_grow_deeper_than_what_can_be_sent(author):
    deep: object = 1
    for _ in range(60):
        deep = [deep]
    with pytest.raises(Unprocessable, match="nested deeper"):
        change(author, sent({"path": ["settings", "metadata", "a", "b", "c", "d", "e", "f"], "to": deep}))


def test_an_archived_workflow_takes_no_changes_and_an_unknown_one_is_missing(author):
    with pytest.raises(Missing):
        changing.change_draft(author, "none", revision=1, groups=[])
    lifecycle.archive(author, "flow")
    with pytest.raises(Conflict, match="archived"):
        change(author, sent(title("s0", "One")))


def test_who_may_only_read_changes_nothing(author):
    with pytest.raises(Forbidden):
        change(People().principal("viewer"))


def test_another_tenants_workflow_is_not_there(author):
    with pytest.raises(Missing):
        change(People().principal("author", "theirs"))
    assert Workflow.objects.for_tenant(author.tenant_id).get().draft_revision == 1


def test_a_step_that_two_give_another_id_is_there_once_and_the_second_is_told_of_the_first(author, other):
    def renamed(to):
        body = {"type": draft(author).draft_definition["nodes"][2]["type"]}
        return sent({"path": ["nodes", "s2"], "from": body}, {"path": ["nodes", to], "to": body})

    first, second = renamed("ours"), renamed("theirs")
    assert change(other, first).applied == [first["id"]]
    changed = change(author, second)
    assert [node["id"] for node in draft(author).draft_definition["nodes"]] == ["s0", "s1", "ours"]
    [clash] = changed.conflicts
    assert (clash.conflict.path, clash.by) == (("nodes", "s2"), other.username)
