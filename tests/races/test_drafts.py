"""Two who change one draft at once: nobody's change is lost, and nobody overwrites what they have not seen."""

import uuid

import pytest
from django.db import transaction

from lib.refusals import Stale
from tests.definitions import chain
from tests.people import People
from tests.races.staging import Actor, blocked, me
from workflows import queries
from workflows.document.change_requests import read_groups
from workflows.drafts import changing
from workflows.models import DraftChange, Workflow
from workflows.versions import lifecycle


@pytest.fixture
def author():
    return People().principal("author")


@pytest.fixture
def other():
    return People().principal("admin")


def flow(author, number):
    """A fresh workflow; its name."""
    name = f"flow{number}"
    lifecycle.create_workflow(author, name=name, definition=chain(name, length=2))
    return name


def entitle(who, name, node, title, key=None):
    """Gives a step a title by a change in parts."""
    change = {"path": ["nodes", node, "title"], "to": title}
    groups = read_groups([{"id": str(key or uuid.uuid4()), "changes": [change]}])
    return changing.change_draft(who, name, revision=1, groups=groups)


def held(work):
    """An actor that has done `work`, and not committed it yet."""

    def act():
        with transaction.atomic():
            done = work()
            me().halt()
        return done

    return Actor(act).until_halted()


def draft(who, name):
    return queries.get_workflow(who.tenant_id, name)


def titles(who, name):
    return [node.get("title") for node in draft(who, name).draft_definition["nodes"]]


def test_two_who_change_different_things_at_once_both_land(author, other, rounds):
    for number in rounds:
        name = flow(author, number)
        first = held(lambda name=name: entitle(author, name, "s0", "Mine"))
        second = blocked(lambda name=name: entitle(other, name, "s1", "Theirs"))
        assert first.end().conflicts == []
        changed = second.end()
        assert (changed.revision, changed.conflicts) == (3, [])
        assert changed.draft is not None, "who was behind is told what is there now"
        assert titles(author, name) == ["Mine", "Theirs"]


def test_of_two_who_change_the_same_thing_at_once_the_second_learns_of_the_first(author, other, rounds):
    for number in rounds:
        name = flow(author, number)
        first = held(lambda name=name: entitle(author, name, "s0", "Mine"))
        second = blocked(lambda name=name: entitle(other, name, "s0", "Theirs"))
        first.end()
        changed = second.end()
        (clash,) = changed.conflicts
        assert (clash.conflict.theirs, clash.by) == ("Mine", author.username)
        assert (changed.revision, titles(author, name)) == (2, ["Mine", None])


def test_the_same_group_sent_twice_at_once_is_applied_once(author, rounds):
    for number in rounds:
        name, key = flow(author, number), uuid.uuid4()
        first = held(lambda name=name, key=key: entitle(author, name, "s0", "Mine", key))
        second = blocked(lambda name=name, key=key: entitle(author, name, "s0", "Mine", key))
        assert first.end().applied == second.end().applied == [str(key)]
        assert draft(author, name).draft_revision == 2


def test_what_is_published_is_the_draft_before_or_after_a_change(author, other, rounds):
    for number in rounds:
        name = flow(author, number)
        first = held(lambda name=name: entitle(author, name, "s0", "Mine"))
        second = blocked(lambda name=name: lifecycle.publish(other, name, expected_revision=1))
        first.end()
        with pytest.raises(Stale):
            second.end()
        first = held(lambda name=name: lifecycle.publish(author, name).version)
        second = blocked(lambda name=name: entitle(other, name, "s1", "Late"))
        version = first.end()
        assert second.end().conflicts == []
        assert [node.get("title") for node in version.definition["nodes"]] == ["Mine", None]
        assert titles(author, name) == ["Mine", "Late"]


def test_who_saves_the_whole_draft_beside_a_change_is_stale(author, other, rounds):
    for number in rounds:
        name = flow(author, number)
        first = held(lambda name=name: entitle(author, name, "s0", "Mine"))
        second = blocked(lambda name=name: save(other, name))
        first.end()
        with pytest.raises(Stale):
            second.end()
        assert titles(author, name) == ["Mine", None]


def test_who_changes_a_draft_that_is_saved_whole_meanwhile_keeps_both(author, other, rounds):
    for number in rounds:
        name = flow(author, number)
        first = held(lambda name=name: save(author, name))
        second = blocked(lambda name=name: entitle(other, name, "s1", "Theirs"))
        first.end()
        assert second.end().conflicts == []
        assert draft(author, name).title == "Saved"
        assert titles(author, name) == [None, "Theirs"]


def save(who, name):
    definition = chain(name, length=2) | {"title": "Saved"}
    return lifecycle.save_draft(who, name, definition=definition, expected_revision=1)


def test_many_at_once_lose_nothing(author, rounds):
    for number in rounds:
        name = f"wide{number}"
        lifecycle.create_workflow(author, name=name, definition=chain(name, length=8))
        actors = [
            Actor(lambda name=name, n=n: entitle(author, name, f"s{n}", f"Title {n}")) for n in range(8)
        ]
        revisions = sorted(actor.end().revision for actor in actors)
        assert revisions == list(range(2, 10))
        assert titles(author, name) == [f"Title {n}" for n in range(8)]
        workflow = Workflow.objects.for_tenant(author.tenant_id).get(name=name)
        logged = DraftChange.objects.for_tenant(author.tenant_id).filter(workflow=workflow)
        assert sorted(entry.revision for entry in logged) == revisions
