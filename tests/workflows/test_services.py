"""Workflows and versions below the API."""

import pytest
from django.db import IntegrityError, connection, transaction

from accounts.principal import Forbidden
from lib.refusals import Conflict, Missing, Unprocessable
from tests import factories as make
from tests.definitions import chain
from tests.people import People
from tests.store.watching import watching
from workflows import queries
from workflows.models import VersionIsImmutable, Workflow, WorkflowVersion
from workflows.versions import lifecycle, withdrawing

pytestmark = pytest.mark.django_db


@pytest.fixture
def people():
    return People()


@pytest.fixture
def author(people):
    return people.principal("author")


def published(author, name="flow", length=1):
    lifecycle.import_definition(author, chain(name, length=length))
    return lifecycle.publish(author, name).version


@pytest.mark.parametrize(
    "change",
    [
        lambda version: version.save(),
        lambda version: WorkflowVersion.objects.for_tenant(version.tenant_id).update(note="x"),
        lambda version: WorkflowVersion.objects.for_tenant(version.tenant_id).update(definition={}),
    ],
)
def test_a_published_version_never_changes(author, change):
    version = published(author)
    with pytest.raises((VersionIsImmutable, IntegrityError)), transaction.atomic():
        change(version)


def test_the_database_itself_refuses_to_change_a_version(author):
    version = published(author)
    with (
        pytest.raises(IntegrityError, match="never changes"),
        transaction.atomic(),
        connection.cursor() as cursor,
    ):
        cursor.execute("UPDATE workflows_workflowversion SET number = 7 WHERE id = %s", [version.pk])


@pytest.mark.parametrize(
    "values",
    [{"number": 0}, {"number": 1}, {"content_hash": "x" * 64}],
)
def test_the_table_refuses_what_no_version_can_be(author, values):
    first = published(author)
    row = {
        "tenant_id": first.tenant_id,
        "workflow": first.workflow,
        "number": 2,
        "definition": {},
        "content_hash": "0" * 64,
        "published_by_id": author.user_id,
    }
    with pytest.raises(IntegrityError), transaction.atomic():
        WorkflowVersion.objects.create(**row | values)


def test_the_table_refuses_a_name_that_no_url_can_have(author):
    with pytest.raises(IntegrityError), transaction.atomic():
        Workflow.objects.create(
            tenant_id=author.tenant_id, name="a b", draft_definition={}, draft_updated_by_id=author.user_id
        )


@pytest.mark.parametrize("role", ["viewer", "operator", "approver"])
def test_the_services_check_the_scope_themselves(people, author, role):
    published(author)
    principal = people.principal(role)
    for act in (
        lambda: lifecycle.create_workflow(principal, name="x"),
        lambda: lifecycle.save_draft(principal, "flow", definition={}, expected_revision=1),
        lambda: lifecycle.publish(principal, "flow"),
        lambda: lifecycle.archive(principal, "flow"),
        lambda: lifecycle.update_workflow(principal, "flow", title="x"),
        lambda: lifecycle.import_definition(principal, chain("x")),
    ):
        with pytest.raises(Forbidden):
            act()


def test_content_is_the_same_however_it_is_written(author):
    first = published(author)
    reordered = dict(reversed(chain("flow").items()))
    lifecycle.save_draft(author, "flow", definition=reordered, expected_revision=1)
    assert lifecycle.publish(author, "flow").version.pk == first.pk


def test_the_version_before_the_latest_may_come_back(author):
    published(author)
    published(author, length=2)
    assert published(author).number == 3


def test_a_draft_in_another_dialect_is_published_in_ours(author):
    lifecycle.create_workflow(author, name="flow", definition={"steps": ["noop", "noop"]})
    version = lifecycle.publish(author, "flow").version
    assert version.definition["name"] == "flow"
    assert len(version.definition["nodes"]) == 2


def test_a_draft_that_has_another_name_is_not_published(author):
    lifecycle.create_workflow(author, name="flow")
    drafted = lifecycle.save_draft(author, "flow", definition=chain("other"), expected_revision=1)
    assert [problem.field for problem in drafted.problems] == ["name"]
    with pytest.raises(Unprocessable):
        lifecycle.publish(author, "flow")


def test_a_new_run_takes_the_latest_version_or_the_one_asked_for(author):
    first, second = published(author), published(author, length=2)
    assert queries.startable_version(author.tenant_id, "flow") == second.pk
    assert queries.startable_version(author.tenant_id, "flow", 2) == second.pk
    assert queries.startable_version(author.tenant_id, "flow", 1, may_pin=lambda: True) == first.pk
    with pytest.raises(Forbidden, match="not the newest"):
        queries.startable_version(author.tenant_id, "flow", 1)
    with pytest.raises(Missing):
        queries.startable_version(author.tenant_id, "flow", 3)
    with pytest.raises(Missing):
        queries.startable_version(author.tenant_id, "none")


def test_versions_that_are_asked_for_together_are_those_that_are_asked_for_alone(author):
    first, _ = published(author), published(author, length=2)
    withdrawing.withdraw(author, "flow", 2, reason="It pays twice.")
    third = published(author, length=3)
    withdrawing.withdraw(author, "flow", 1, reason="It pays never.")
    asked = [("flow", None), ("none", None), ("flow", 1), ("flow", 2), ("flow", 3), ("flow", 4)]
    together = queries._startable_each(author.tenant_id, asked)
    assert together == [queries._startable_each(author.tenant_id, [one])[0] for one in asked]
    assert [row and (row.is_withdrawn, row.is_older) for row in together] == [
        (False, False), None, (True, True), (True, True), (False, False), None,
    ]  # fmt: skip
    assert (together[0].id, together[2].id) == (third.pk, first.pk)


def test_no_run_starts_of_what_was_never_published_or_is_archived(author):
    lifecycle.create_workflow(author, name="flow", definition=chain("flow"))
    with pytest.raises(Conflict, match="never published"):
        queries.startable_version(author.tenant_id, "flow")
    lifecycle.publish(author, "flow")
    lifecycle.archive(author, "flow")
    for number in (None, 1):
        with pytest.raises(Conflict, match="archived"):
            queries.startable_version(author.tenant_id, "flow", number)


def test_a_copy_of_a_workflow_has_its_canvas_too(author):
    lifecycle.create_workflow(author, name="flow", definition=chain("flow"))
    layout = {
        "nodes": {"n0": {"x": 7, "y": 9}},
        "notes": {"note": {"x": 0, "y": 0, "w": 200, "h": 100, "text": "Ask Ann first", "color": "yellow"}},
        "pins": {"n0": {"text": "as on Monday"}},
    }
    lifecycle.save_draft(author, "flow", definition=chain("flow"), layout=layout, expected_revision=1)
    assert lifecycle.duplicate(author, "flow").draft_layout == layout


def test_restoring_a_version_takes_no_notes_and_pins_from_the_canvas(author):
    version = published(author)
    notes = {"note": {"x": 0, "y": 0, "w": 200, "h": 100, "text": "Ask Ann first", "color": "yellow"}}
    layout = {"nodes": {"n0": {"x": 7, "y": 9}}, "notes": notes, "pins": {"n0": 1}}
    lifecycle.save_draft(
        author, "flow", definition=chain("flow", length=2), layout=layout, expected_revision=1
    )
    restored = lifecycle.restore(author, version, expected_revision=2).workflow
    assert (restored.draft_definition, restored.draft_layout) == (version.definition, layout)


def test_a_workflow_is_found_whole_and_as_the_models_have_it(author):
    numbers = {"large": 1e20, "exact": 9007199254740991, "half": 0.5}
    for number in (None, 1, 2):
        lifecycle.import_definition(author, chain("flow", length=number or 3) | {"metadata": numbers})
        if number:
            lifecycle.publish(author, "flow")
            shown = {
                "title": f"T{number}",
                "description": "D",
                "draft_layout": {"a": 1.5},
                "comments_number": 3,
            }
            Workflow.objects.for_tenant(author.tenant_id).update(**shown)
        found = queries.get_workflow(author.tenant_id, "flow")
        stored = Workflow.objects.for_tenant(author.tenant_id).get(name="flow")
        assert found.latest == number
        pairs = [
            (found, stored),
            (found.folder, stored.folder),
            (found.draft_updated_by, stored.draft_updated_by),
        ]
        for one, other in pairs:
            assert one.get_deferred_fields() == set()
            fields = [field.attname for field in other._meta.concrete_fields]
            assert [(name, getattr(one, name)) for name in fields] == [
                (name, getattr(other, name)) for name in fields
            ]


def test_what_tests_run_is_not_the_latest_version(author):
    version = published(author)
    make.VersionFactory(workflow=version.workflow, number=None, is_test=True)
    assert queries.get_workflow(author.tenant_id, "flow").latest == 1


def test_a_workflow_is_found_by_one_statement(author, django_assert_num_queries):
    published(author)
    with django_assert_num_queries(0), watching() as seen:
        found = queries.get_workflow(author.tenant_id, "flow")
        assert (found.folder.name, found.draft_updated_by.username) == ("General", "author-of-ours")
    assert seen.trips == 1
