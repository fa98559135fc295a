"""The items of a container, counted and paged."""

import pytest

from runs.reading import items
from tests import factories as make

pytestmark = pytest.mark.django_db


def failing_at(place, count, tenant=None):
    """A run of a map over so many numbers, whose item at this place fails."""
    body = {"type": "transform", "params": {"set": {"of": f"{{{{ 10 / (item - {place}) }}}}"}}}
    run_id = make.start(make.mapped(body, tolerate_failures=1), {"items": [*range(count)]}, tenant=tenant)[0]
    make.work()
    return run_id


def test_they_are_counted_and_paged_in_their_order():
    tenant, run_id = make.a_tenant().pk, failing_at(2, 5)
    assert items.counts_of_items(tenant, run_id, "each") == {"COMPLETED": 4, "FAILED": 1}
    first = items.grid(tenant, run_id, "each", most=2)
    assert ([one.place for one in first.items], first.next) == ([0, 1], 1)
    second = items.grid(tenant, run_id, "each", after=1, most=3)
    assert ([tuple(one) for one in second.items], second.next) == (
        [(2, "FAILED"), (3, "COMPLETED"), (4, "COMPLETED")],
        None,
    )
    assert [one.place for one in items.grid(tenant, run_id, "each", status="FAILED").items] == [2]
