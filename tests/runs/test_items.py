"""The items of a container, counted and paged."""

import pytest

from runs.reading import items, presentation
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


def test_they_are_not_among_the_steps_of_their_run():
    run_id = failing_at(2, 3)
    rows = presentation.step_rows(make.a_tenant().pk, run_id)
    assert [row["node"] for row in rows] == ["each", "after"]
    (row,) = presentation.step_rows(make.a_tenant().pk, run_id, "each")
    assert (row["index"], row["items"]["failed"]) == (None, 1)


def test_rounds_beyond_measure_are_known_from_their_loop(monkeypatch):
    again = {"id": "again", "type": "loop", "params": {"body": {"type": "noop"}, "count": 5}}
    tenant, run_id = make.a_tenant().pk, make.start(make.graph([again], []))[0]
    make.work("engine")
    for _ in range(2):
        make.complete(*make.claimed())
    make.claimed()
    counted = items.counts_of_items(tenant, run_id, "again")
    assert counted == {"COMPLETED": 2, "RUNNING": 1}
    monkeypatch.setattr(items, "COUNTED_ITEMS", 1)
    assert items.counts_of_items(tenant, run_id, "again") == counted
