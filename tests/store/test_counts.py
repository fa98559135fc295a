"""The number of statements of claim and advance does not depend on the batch (docs/engine.md, "Advance")."""

import pytest

from runs.kernel.advance import advance
from runs.kernel.plan import Affinity
from runs.maintenance.leases import sweep
from runs.store import hot
from runs.store.attempts import Errored, Succeeded
from runs.workers.drain import Drain
from tests import factories as make
from tests.store.watching import watching

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]

ERROR = {"code": "Boom", "message": "It went wrong."}
READS = "{{ steps.a.output.branch + run.workflow }}"
TWO_SINKS = make.graph("ab", [])

KINDS = {
    "a plain step": (make.chain("noop", "noop"), Succeeded({})),
    "the only sink": (make.chain("noop"), Succeeded({})),
    "a sink that leaves others open": (TWO_SINKS, Succeeded({})),
    "a sink of a graph with an output": (make.chain("noop", output={"n": READS}), Succeeded({"branch": "x"})),
    "a branch, skips and joins two deep": (
        make.graph(
            "abcdefg",
            [
                *("b>d", "c>d", "d>e", "d>f", "e>g", "f>g"),
                {"from": "a", "to": "b", "branch": "x"},
                {"from": "a", "to": "c", "branch": "y"},
                {"from": "a", "to": "g", "branch": "z"},
            ],
        ),
        Succeeded({"branch": "z"}),
    ),
    "engine steps that read": (
        make.graph(
            ["a", {"id": "b", "type": "transform", "params": {"set": {"n": READS}}}, "c"], ["a>b", "b>c"]
        ),
        Succeeded({"branch": "x"}),
    ),
    "an any join": (make.graph(["a", "b", {"id": "c", "join": "any"}], ["a>c", "b>c"]), Succeeded({})),
    "a retry": (make.chain("noop"), Errored(ERROR, retryable=True)),
    "a failure": (make.chain("noop", "noop"), Errored(ERROR)),
    "a failure that goes on": (
        make.graph([{"id": "a", "on_error": "continue"}, "b"], ["a>b"]),
        Errored(ERROR),
    ),
    "a failure behind a join": (
        make.graph(
            ["a", "b", {"id": "c", "type": "transform", "params": {"set": {"x": "{{ prev.no.no }}"}}}],
            ["a>c", "b>c"],
        ),
        Succeeded({}),
    ),
}


def batch_of(kinds, size):
    """`size` runs of each kind, all their first steps leased: what each outcome is."""
    endings = []
    for name in kinds:
        definition, ending = KINDS[name]
        make.start(definition, *[{"n": n} for n in range(size)])
        endings += [(step, ending) for step in make.claimed(limit=10_000)]
    return endings


def sent(kinds, size, keep=None):
    endings = batch_of(kinds, size)
    with watching() as seen:
        result = advance(endings, keep)
    assert len(result.applied) == len(endings)
    return seen


@pytest.mark.parametrize("name", KINDS)
def test_advance_sends_the_same_for_1_and_for_100(name):
    sent([name], 2)
    one, many = sent([name], 1), sent([name], 100)

    assert one.named == many.named
    assert one.trips == many.trips
    assert one.orm == many.orm == []


@pytest.mark.parametrize("keep", [None, Affinity("w", "default", 50)], ids=["sent on", "kept"])
def test_a_batch_of_everything_sends_the_same_whatever_its_size(keep):
    sent(KINDS, 2)
    one, many = sent(KINDS, 1, keep), sent(KINDS, 20, keep)

    assert one.named == many.named
    assert one.trips == many.trips
    assert one.orm == many.orm == []
    assert {
        "advance",
        "fire_joins",
        "finish_runs",
        "close_runs",
        "cancel_open_steps",
        "insert_dead_letters",
    } <= set(one.named)


def test_the_plain_case_is_five_round_trips_with_begin_and_commit():
    """A short transaction: lock, lock what ends, advance; nothing that depends on the steps."""
    sent(["the only sink"], 100)
    seen = sent(["the only sink"], 100)

    assert seen.named == ["lock_light", "lock_sinks", "advance"]
    assert seen.trips == 5


def claims(tenants, runs):
    for tenant in range(tenants):
        make.start(make.chain("noop"), *[{}] * runs, tenant=make.a_tenant(f"t{tenant}"))
    drain = Drain("default")
    with watching() as seen:
        found = drain.claim(100)
    drain.in_hand.drop(found)
    make.complete(*found)
    return len(found), seen


def test_claim_is_one_statement_for_one_step_and_for_a_hundred_of_many_tenants():
    claims(1, 1)
    (one, first), (many, second) = claims(1, 1), claims(10, 10)

    assert (one, many) == (1, 100)
    assert first.named == second.named == ["claim"]
    assert (first.trips, second.trips) == (1, 1)
    assert first.orm == second.orm == []


def test_steps_that_read_are_given_their_scope_by_one_statement_more():
    reading = {"id": "a", "type": "text.clean", "params": {"max_chars": "{{ input.n }}"}, "queue": "default"}
    make.start(make.graph([reading], []), *[{"n": n} for n in range(50)])
    drain = Drain("default")
    drain.in_hand.drop(drain.claim(2))
    with watching() as seen:
        drain.in_hand.drop(drain.claim(100))

    assert seen.named == ["claim", "read_scope"]
    assert seen.orm == []


def test_start_sends_the_same_for_1_and_for_100():
    def started(size):
        version = make.a_version(KINDS["engine steps that read"][0])
        make.start_version(version, {})
        with watching() as seen:
            make.start_version(version, *[{}] * size)
        return seen

    started(1)
    one, many = started(1), started(100)

    assert one.named == many.named
    assert one.trips == many.trips
    assert one.orm == many.orm == []


def test_a_heartbeat_and_a_sweep_send_the_same_for_1_and_for_100(clock):
    def swept(size):
        make.start(make.chain("noop"), *[{}] * (size + 1))
        held = make.claimed(limit=1000)
        clock.advance(10)
        with watching() as beat:
            hot.heartbeat([{"id": step.id, "epoch": step.epoch} for step in held])
        clock.advance(31)
        with watching() as seen:
            sweep()
        for _ in held:
            make.complete(*make.claimed())
        return beat, seen

    swept(1)
    one, many = swept(1), swept(100)

    assert one[0].named == many[0].named == ["heartbeat"]
    assert one[1].named == many[1].named
    assert one[1].trips == many[1].trips
