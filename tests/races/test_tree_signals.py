"""Signals in a tree of runs: who sends and who begins to wait see each other, and each signal is taken once."""

from django.db import transaction

from lib.uuid7 import uuid7
from runs.commands.signals import NewSignal, send_signals
from runs.kernel import messages
from runs.kernel.advance import advance
from runs.models import Run, RunMessage, Signal
from runs.store.attempts import Suspended
from runs.workers.drain import Drain
from tests import factories as make
from tests.races.staging import Actor, blocked, holding, me

MAP = {"id": "map", "type": "map", "params": {"items": "{{ input.items }}"}}
BODY = {"steps": [{"id": "x", "type": "noop"}, {"id": "go", "type": "signal", "params": {"name": "go"}}]}


def begun(*items, quiet=True):
    """A map whose items wait for the signal `go`, or are about to begin to wait."""
    each = {**MAP, "params": {**MAP["params"], "body": BODY}}
    run_id = make.start(make.graph([each], []), {"items": [*items]})[0]
    if quiet:
        make.work()
        return run_id
    for queue in ("engine", "engine", "default"):
        Drain(queue).run()
    return run_id


def send(run_id, payload, **address):
    return send_signals(make.a_tenant().pk, [(run_id, NewSignal(uuid7(), "go", payload, **address))], by="t")[
        0
    ]


def begin_to_wait():
    """The steps that are queued begin to wait; no message is delivered."""
    claimed = make.claimed("engine")
    assert {step.node for step in claimed} == {"go"}
    advance([(step, Suspended({"kind": "signal", "name": "go"})) for step in claimed])


def taken(run_id):
    below = Run.unsafe_all_tenants.filter(parent_id=run_id).order_by("pk")
    return [make.steps(str(run.pk))["go"].output for run in below]


def test_a_wait_that_begins_behind_the_back_of_a_signal_is_found_by_its_question(rounds):
    """The sender has looked and seen nobody, and has not committed: the question waits for the root's lock."""
    for _ in rounds:
        run_id = begun(1, quiet=False)

        def look(run_id=run_id):
            with transaction.atomic():
                became = send(run_id, "kept")
                me().halt()
            return became

        sender = Actor(look).until_halted()
        begin_to_wait()
        asking = blocked(messages.deliver)
        assert sender.end().is_kept
        asking.end()
        make.work()
        assert taken(run_id) == ["kept"]


def test_a_signal_finds_a_wait_that_began_while_it_waited_for_the_root(rounds):
    for _ in rounds:
        run_id = begun(1, quiet=False)
        begin_to_wait()
        with holding(messages.deliver, before="wanted_signals"):
            sending = blocked(lambda run_id=run_id: send(run_id, "found"))
        assert not sending.end().is_kept
        make.work()
        assert taken(run_id) == ["found"]


def test_two_signals_at_once_go_to_two_waits(rounds):
    for _ in rounds:
        run_id = begun(1, 2)
        with holding(lambda run_id=run_id: send(run_id, 1), before="carry_signals"):
            other = blocked(lambda run_id=run_id: send(run_id, 2))
        assert not other.end().is_kept
        make.work()
        assert taken(run_id) == [1, 2]


def test_two_waits_that_ask_at_once_get_one_signal_once(rounds):
    for _ in rounds:
        run_id = begun(1, 2, quiet=False)
        assert send(run_id, "one").is_kept
        begin_to_wait()
        first, second = RunMessage.unsafe_all_tenants.filter(kind="signal_wanted").order_by("pk")
        with holding(lambda one=first: messages._deliver([one.pk]), before="carry_signals"):
            other = blocked(lambda two=second: messages._deliver([two.pk]))
        other.end()
        make.work()
        assert sorted(taken(run_id), key=str) == [None, "one"]
        assert Signal.unsafe_all_tenants.filter(root_id=run_id, consumed_at=None).count() == 0


def test_a_step_that_stops_waiting_while_a_signal_is_delivered_to_it(rounds):
    for _ in rounds:
        run_id = begun(1, 2)
        (place,) = send(run_id, "go on").delivered
        with holding(lambda run=place.run: make.skip(run, "go", "skipped"), before="advance"):
            delivering = blocked(messages.deliver)
        delivering.end()
        make.work()
        assert sorted(taken(run_id)) == ["go on", "skipped"]


def test_a_signal_to_all_reaches_each_wait_though_they_take_it_at_once(rounds):
    for _ in rounds:
        run_id = begun(1, 2)
        assert len(send(run_id, "all", to_all=True).delivered) == 2
        first, second = RunMessage.unsafe_all_tenants.filter(kind="signal").order_by("pk")
        with holding(lambda one=first: messages._deliver([one.pk]), before="advance"):
            other = blocked(lambda two=second: messages._deliver([two.pk]))
        other.end()
        make.work()
        assert taken(run_id) == ["all"] * 2
