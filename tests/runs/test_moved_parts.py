"""A run is moved with the open runs of its items, all or none; one that does not fit any more by its turn says so."""

import pytest

from runs.commands import migration
from runs.integrity.verify import verify
from runs.kernel.refused import RunRefused
from runs.models import RunMessage
from tests import factories as make
from tests.invariants import broken

pytestmark = pytest.mark.django_db

ONCE = {"retry": "none"}


def noop(id, **more):
    return {"id": id, "type": "noop", **ONCE, **more}


def wait(seconds=10_000):
    return {"id": "w", "type": "wait", "params": {"seconds": seconds}}


def mapped(*steps, **params):
    body = {"steps": list(steps)}
    return {"id": "m", "type": "map", "params": {"items": "{{ input.items }}", "body": body, **params}}


def waiting(*nodes, items=2):
    """A run of these nodes, which waits."""
    run_id = make.start(make.graph(list(nodes), []), {"items": list(range(items))})[0]
    make.work()
    return run_id


def newer(run_id, *nodes):
    return make.newer(run_id, make.graph(list(nodes), []))


def check(run_id, version):
    return migration.check_run(make.a_tenant().pk, run_id, version.pk)


def parts(run_id):
    return sorted(make.children_of(run_id), key=lambda run: run.place[-1][1])


def whole(*runs):
    assert list(verify(runs)) == []
    assert not broken()


def test_what_an_item_waits_for_is_shortened_and_new_steps_follow(clock):
    run_id = waiting(mapped(noop("a"), wait(), noop("b")))
    version = newer(run_id, mapped(noop("a"), wait(2), noop("n"), noop("b")))
    checked = check(run_id, version)
    assert (checked.ok, checked.parts) == (True, 2)
    assert [(one.place, one.node, one.kind) for one in checked.times] == [
        ([("m", 0)], "w", "wait"),
        ([("m", 1)], "w", "wait"),
    ]
    make.migrate(run_id, version)
    make.work("engine")
    clock.advance(3)
    make.tick()
    make.work()
    assert make.run(run_id).status == "COMPLETED"
    for part in parts(run_id):
        assert make.statuses(str(part.pk)) == dict.fromkeys(["a", "w", "n", "b"], "COMPLETED")
        assert make.history(str(part.pk)).count("STEP_COMPLETED a") == 1
    whole(run_id, *(str(part.pk) for part in parts(run_id)))


def test_items_that_begin_later_do_what_the_version_says(clock):
    run_id = waiting(mapped(wait(5), max_concurrency=1))
    make.migrate(run_id, newer(run_id, mapped(wait(5), noop("n"), max_concurrency=1)))
    make.work()
    for _ in range(2):
        clock.advance(6)
        make.tick()
        make.work()
    assert make.run(run_id).status == "COMPLETED"
    assert [make.statuses(str(part.pk))["n"] for part in parts(run_id)] == ["COMPLETED"] * 2


def test_one_that_does_not_fit_refuses_all_with_its_place():
    run_id = waiting(mapped(noop("a"), wait(), noop("b")))
    version = newer(run_id, mapped(noop("a"), noop("b")))
    with pytest.raises(RunRefused, match=r"^Item 0 of m: Wait \(w\) is in progress") as refusal:
        make.migrate(run_id, version)
    assert refusal.value.details["problems"][1]["place"] == [{"node": "m", "index": 1}]
    assert make.run(run_id).version.number == 1
    assert not RunMessage.unsafe_all_tenants.exists()
    assert {make.run(str(part.pk)).version_id for part in parts(run_id)} != {version.pk}
    whole(run_id)


def test_a_worker_at_an_item_refuses_all():
    run_id = waiting(mapped(wait(0), noop("b")), items=1)
    make.tick()
    make.work("engine")
    (held,) = make.claimed()
    version = newer(run_id, mapped(wait(0), noop("b"), noop("c")))
    with pytest.raises(RunRefused, match=r"Item 0 of m: Do nothing \(b\) is being worked on"):
        make.migrate(run_id, version)
    make.complete(held)


def test_items_of_containers_within_items_move_too(clock):
    def outer(*steps):
        return mapped(
            {**mapped(*steps), "id": "inner", "params": {"items": [7], "body": {"steps": list(steps)}}}
        )

    run_id = waiting(outer(wait(), noop("b")))
    version = newer(run_id, outer(wait(2), noop("n"), noop("b")))
    assert check(run_id, version).parts == 4
    make.migrate(run_id, version)
    make.work("engine")
    clock.advance(3)
    make.tick()
    make.work()
    assert make.run(run_id).status == "COMPLETED"
    (inner,) = make.children_of(str(parts(run_id)[0].pk))
    assert make.statuses(str(inner.pk)) == dict.fromkeys(["w", "n", "b"], "COMPLETED")
    whole(run_id)


def test_what_an_item_was_not_given_it_can_not_read():
    run_id = waiting(mapped(wait(), noop("b")))
    version = newer(run_id, mapped(wait(), noop("b", input="{{ vars.x }}")))
    with pytest.raises(RunRefused, match="Item 0 of m: Its steps read vars"):
        make.migrate(run_id, version)


def test_a_round_of_a_loop_moves(clock):
    def loop(*steps):
        return {"id": "l", "type": "loop", "params": {"body": {"steps": list(steps)}, "count": 2}}

    run_id = waiting(loop(wait()))
    make.migrate(run_id, newer(run_id, loop(wait(2), noop("n"))))
    for _ in range(2):
        make.work()
        clock.advance(3)
        make.tick()
    make.work()
    assert make.run(run_id).status == "COMPLETED"
    assert [make.statuses(str(part.pk))["n"] for part in make.children_of(run_id)] == ["COMPLETED"] * 2


def test_other_items_or_a_single_step_are_still_refused():
    run_id = waiting(mapped(wait()))
    other = mapped(wait(), noop("n"))
    other["params"]["items"] = "{{ [1] }}"
    for node in (
        other,
        {"id": "m", "type": "map", "params": {"items": "{{ input.items }}", "body": {"type": "noop"}}},
    ):
        with pytest.raises(RunRefused, match="does other things"):
            make.migrate(run_id, newer(run_id, node))


def worked_on(clock, *steps):
    """A run that was told to move to these steps, and its item, in which a worker took `b` before that was heard."""
    run_id = waiting(mapped(wait(), noop("b"), {**wait(0), "id": "x"}), items=1)
    clock.advance(20_000)
    make.migrate(run_id, newer(run_id, mapped(*steps)))
    (part,) = parts(run_id)
    make.tick()
    held = make.claimed()
    make.work("engine")
    return run_id, str(part.pk), held


def test_an_item_that_went_on_meanwhile_stays_on_its_version_and_says_so(clock):
    run_id, part, held = worked_on(clock, wait(30_000), {**wait(0), "id": "x"})
    (event,) = make.events(part, "RUN_NOT_MIGRATED")
    assert "step_gone" in [one["code"] for one in event.payload["problems"]]
    assert event.payload["by"] == "test"
    make.complete(*held)
    make.work("engine")
    make.tick()
    make.work()
    assert make.run(run_id).status == "COMPLETED"
    assert not RunMessage.unsafe_all_tenants.exists()
    whole(run_id, part)


def test_an_item_that_a_worker_is_at_moves_when_that_is_over(clock):
    run_id, part, held = worked_on(clock, wait(30_000), noop("b"), {**wait(0), "id": "x"}, noop("n"))
    assert RunMessage.unsafe_all_tenants.filter(kind="migrate").exists()
    make.complete(*held)
    clock.advance(3)
    make.work("engine")
    make.tick()
    make.work()
    assert make.statuses(part) == dict.fromkeys(["w", "b", "x", "n"], "COMPLETED")
    assert "RUN_NOT_MIGRATED" not in make.history(part)
    whole(run_id, part)
