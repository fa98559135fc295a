"""Two authors at once: real threads on the real database, every one with its own connection."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from threading import Barrier

import pytest
from django.db import connection

from accounts.principal import Principal
from lib.refusals import Conflict, Stale
from tests.definitions import chain
from tests.people import People
from workflows.models import Workflow, WorkflowVersion
from workflows.versions import lifecycle

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def author() -> Principal:
    return People().principal("author")


def at_once(*acts: Callable[[], object]) -> list[object]:
    """Runs all acts at the same time; what each returned or raised."""
    barrier = Barrier(len(acts))

    def run(act: Callable[[], object]) -> object:
        try:
            connection.ensure_connection()
            barrier.wait(timeout=10)
            return act()
        except (Conflict, Stale) as refusal:
            return refusal
        finally:
            connection.close()

    with ThreadPoolExecutor(len(acts)) as pool:
        return [future.result(timeout=30) for future in [pool.submit(run, act) for act in acts]]


def save(author, length):
    return lambda: lifecycle.save_draft(
        author, "flow", definition=chain("flow", length=length), expected_revision=1
    )


def test_of_many_saves_of_the_same_revision_exactly_one_wins(author):
    lifecycle.create_workflow(author, name="flow", definition=chain("flow"))
    results = at_once(*(save(author, length) for length in range(2, 8)))
    (won,) = [result for result in results if not isinstance(result, Stale)]
    assert sum(isinstance(result, Stale) for result in results) == 5
    stored = Workflow.objects.for_tenant(author.tenant_id).get()
    assert stored.draft_revision == 2
    assert stored.draft_definition == won.workflow.draft_definition


def test_publishing_one_draft_many_times_at_once_gives_one_version(author):
    lifecycle.create_workflow(author, name="flow", definition=chain("flow"))
    results = at_once(*[lambda: lifecycle.publish(author, "flow")] * 6)
    assert [result.version.number for result in results] == [1] * 6
    assert sum(result.created for result in results) == 1
    assert WorkflowVersion.objects.for_tenant(author.tenant_id).count() == 1


def test_publishing_different_drafts_at_once_gives_each_its_number(author):
    lifecycle.create_workflow(author, name="flow", definition=chain("flow"))

    def import_and_publish(length: int) -> list[int]:
        numbers = []
        for _ in range(5):
            try:
                lifecycle.import_definition(author, chain("flow", length=length))
            except Stale:
                continue
            numbers.append(lifecycle.publish(author, "flow").version.number)
        return numbers

    at_once(lambda: import_and_publish(2), lambda: import_and_publish(3))
    versions = WorkflowVersion.objects.for_tenant(author.tenant_id).order_by("number")
    numbers = [version.number for version in versions]
    assert numbers == list(range(1, len(numbers) + 1))
    hashes = [version.content_hash for version in versions]
    assert all(one != two for one, two in pairwise(hashes))


def test_one_of_many_makers_of_a_name_wins(author):
    results = at_once(*[lambda: lifecycle.create_workflow(author, name="flow")] * 6)
    assert sum(isinstance(result, Conflict) for result in results) == 5
    assert Workflow.objects.for_tenant(author.tenant_id).count() == 1
