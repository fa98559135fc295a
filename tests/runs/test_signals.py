"""Signals: one progression for each, whenever it comes; duplicates are dropped (R-125 to R-133, R-255)."""

import pytest

from lib.uuid7 import uuid7
from runs.commands.signals import NewSignal, send_signals
from runs.commands.starts import NewRun, Terms, start_runs
from runs.kernel.refused import RunRefused
from runs.models import Signal
from tests import factories as make

pytestmark = pytest.mark.django_db


def waits(**params):
    nodes = [
        {"id": "paid", "type": "signal", "params": {"name": "paid", **params}},
        {"id": "after", "type": "transform", "params": {"set": {"amount": "{{ prev.amount }}"}}},
    ]
    return make.graph(nodes, ["paid>after"])


def test_a_run_waits_for_its_signal_and_goes_on_with_what_it_says():
    run_id = make.start(waits())[0]
    make.work()
    assert make.statuses(run_id) == {"paid": "WAITING"}
    assert make.send(run_id, "other", {"amount": 1})
    assert make.statuses(run_id) == {"paid": "WAITING"}
    assert make.send(run_id, "paid", {"amount": 7})
    make.work()
    assert make.run(run_id).status == "COMPLETED"
    assert make.run(run_id).output == {"amount": 7}
    assert "SIGNAL_CONSUMED paid" in make.history(run_id)


def test_an_early_signal_is_kept_until_somebody_waits_for_it():
    run_id = make.start(waits())[0]
    make.send(run_id, "paid", {"amount": 7})
    make.work()
    assert make.run(run_id).output == {"amount": 7}


def test_the_same_signal_again_is_dropped_also_after_the_end_and_a_new_one_is_refused():
    run_id = make.start(waits())[0]
    make.work()
    assert make.send(run_id, "paid", {"amount": 7}, signal_id="s-1")
    assert not make.send(run_id, "paid", {"amount": 7}, signal_id="s-1")
    make.work()
    assert make.run(run_id).output == {"amount": 7}
    assert not make.send(run_id, "paid", {"amount": 7}, signal_id="s-1")
    with pytest.raises(RunRefused, match="takes no more signals"):
        make.send(run_id, "paid", {"amount": 9}, signal_id="s-2")
    assert Signal.unsafe_all_tenants.filter(run_id=run_id).count() == 1


def test_an_id_is_any_text_and_counts_for_its_run_only():
    """H-10: two workflows may be sent the same one."""
    runs = [make.start(waits())[0] for _ in range(2)]
    make.work()
    assert [make.send(run_id, "paid", {"amount": 7}, signal_id="sig_uniq_7761a") for run_id in runs] == [
        True
    ] * 2
    make.work()
    assert [make.run(run_id).status for run_id in runs] == ["COMPLETED"] * 2


def test_two_that_wait_for_one_name_get_one_signal_each_in_order():
    nodes = [{"id": name, "type": "signal", "params": {"name": "go"}} for name in ("a", "b")]
    run_id = make.start(make.graph(nodes, []))[0]
    make.work()
    make.send(run_id, "go", 1)
    assert sorted(make.statuses(run_id).values()) == ["COMPLETED", "WAITING"]
    make.send(run_id, "go", 2)
    assert {step.output for step in make.steps(run_id).values()} == {1, 2}
    assert make.run(run_id).status == "COMPLETED"


def test_two_early_ones_serve_two_steps_that_begin_to_wait_in_one_batch():
    nodes = [{"id": name, "type": "signal", "params": {"name": "go"}} for name in ("a", "b")]
    run_id = make.start(make.graph(nodes, []))[0]
    make.send(run_id, "go", 1)
    make.send(run_id, "go", 2)
    make.work()
    assert make.run(run_id).status == "COMPLETED"
    assert {step.output for step in make.steps(run_id).values()} == {1, 2}


def test_one_after_another_two_steps_take_two_signals_of_one_name():
    nodes = [{"id": name, "type": "signal", "params": {"name": "go"}} for name in ("a", "b")]
    run_id = make.start(make.graph(nodes, ["a>b"]))[0]
    make.work()
    make.send(run_id, "go", 1)
    make.work()
    assert make.statuses(run_id) == {"a": "COMPLETED", "b": "WAITING"}
    make.send(run_id, "go", 2)
    assert make.run(run_id).output == 2


@pytest.mark.parametrize("on_timeout", ["fail", "continue", "branch"])
def test_what_a_timeout_means(clock, on_timeout):
    definition = {
        "name": "t",
        "nodes": [
            {
                "id": "s",
                "type": "signal",
                "params": {"name": "x", "timeout_seconds": 60, "on_timeout": on_timeout},
            },
            {"id": "on", "type": "noop"},
            {"id": "instead", "type": "noop"},
        ],
        "edges": [{"from": "s", "to": "on"}],
    }
    if on_timeout == "branch":
        definition["edges"].append({"from": "s", "to": "instead", "on": "error"})
    else:
        definition["nodes"].pop()
    run_id = make.start(definition)[0]
    make.work()
    clock.advance(59)
    assert make.tick() == 0
    clock.advance(1)
    assert make.tick() == 1
    make.work()
    run = make.run(run_id)
    assert make.steps(run_id)["s"].error["code"] == "SignalTimeout"
    if on_timeout == "fail":
        assert (run.status, run.error["code"]) == ("FAILED", "SignalTimeout")
    elif on_timeout == "continue":
        assert (run.status, run.output["error"]["code"]) == ("COMPLETED", "SignalTimeout")
    else:
        assert run.status == "COMPLETED"
        assert make.statuses(run_id) == {"s": "FAILED", "on": "SKIPPED", "instead": "COMPLETED"}


def test_a_signal_that_came_in_time_leaves_no_timer(clock):
    run_id = make.start(waits(timeout_seconds=60))[0]
    make.work()
    assert make.pending_timers(run_id) == [("paid", "timeout")]
    make.send(run_id, "paid", {"amount": 1})
    assert make.pending_timers(run_id) == []
    clock.advance(100)
    assert make.tick() == 0


def test_a_signal_with_the_start_is_there_when_the_run_waits_and_sent_once():
    version = make.a_version(waits())
    terms = Terms(tenant=version.tenant_id, version=version.pk, by="test")
    item = NewRun({}, "order-1", signal=NewSignal("s-1", "paid", {"amount": 3}))
    first, again = start_runs(terms, [item])[0], start_runs(terms, [item])[0]
    assert (first.created, again.created, first.id) == (True, False, again.id)
    make.work()
    assert make.run(first.id).output == {"amount": 3}


def test_a_thousand_signals_to_a_thousand_runs_are_one_transaction_and_one_bad_one_stops_all():
    runs = make.start(waits(), *({"n": n} for n in range(1_000)))
    make.work()
    signals = [(run, NewSignal("s", "paid", {"amount": 1})) for run in runs]
    stranger = (uuid7(), NewSignal("s", "paid", {}))
    with pytest.raises(RunRefused, match="no such run"):
        send_signals(make.a_tenant().pk, [*signals, stranger], by="test")
    assert Signal.unsafe_all_tenants.count() == 0
    assert all(send_signals(make.a_tenant().pk, signals, by="test"))
    assert {make.run(run).status for run in runs[::100]} == {"COMPLETED"}


def test_the_payload_fails_the_run_like_any_output_where_no_edge_fits():
    definition = waits()
    definition["edges"] = [{"from": "paid", "to": "after", "when": "output.amount > 5"}]
    run_id = make.start(definition)[0]
    make.work()
    make.send(run_id, "paid", {"nothing": 1})
    assert (make.run(run_id).status, make.run(run_id).error["code"]) == ("FAILED", "ExpressionError")
