"""Too deep or too large: it fails the step that made it, and holds up nobody (docs/security.md, "One JSON gate")."""

from itertools import pairwise

import psycopg
import pytest

from runs.kernel.advance import advance
from runs.kernel.refused import RunRefused
from runs.store import hot
from runs.store.attempts import Succeeded
from steps.limits import MAX_INPUT_BYTES, MAX_OUTPUT_BYTES
from tests import factories as make

pytestmark = pytest.mark.django_db


def nested(levels):
    value = "deep"
    for _ in range(levels):
        value = [value]
    return value


def transform(name, value, **extra):
    return {"id": name, "type": "transform", "params": {"set": {"x": value}}, "retry": "none", **extra}


@pytest.mark.parametrize("on_error", ["fail", "continue"])
def test_a_transform_that_nests_too_deep_fails_and_its_neighbours_complete(on_error):
    deep = transform("b", ["{{ prev }}"], on_error=on_error)
    bad = make.start(make.graph(["a", deep, "c"], ["a>b", "b>c"]), nested(63))[0]
    good = make.start(make.chain("noop", "noop"), {})[0]

    make.work()

    assert make.steps(bad)["b"].error["code"] == "BadOutput"
    assert "64 levels" in make.steps(bad)["b"].error["message"]
    assert make.run(bad).status == ("FAILED" if on_error == "fail" else "COMPLETED")
    assert make.run(good).status == "COMPLETED"


def test_a_transform_that_nests_past_what_any_encoder_takes_fails_when_the_run_starts_with_it():
    """The walk goes on inside one transaction, so each level is put on by the engine itself."""
    names = [f"t{place}" for place in range(70)]
    steps = [transform(name, [[[["{{ prev }}"]]]]) for name in names]
    run_id = make.start(make.graph(steps, [f"{one}>{two}" for one, two in pairwise(names)]))[0]

    assert make.run(run_id).status == "FAILED"
    assert make.run(run_id).error["code"] == "BadOutput"


def test_a_transform_that_makes_too_large_an_output_fails():
    big = transform("b", ["{{ prev.text }}"] * 5)
    run_id = make.start(make.graph(["a", big], ["a>b"]), {"text": "x" * (MAX_OUTPUT_BYTES // 4)})[0]

    make.work()

    assert make.steps(run_id)["b"].error["code"] == "BadOutput"
    assert make.run(run_id).status == "FAILED"


def test_a_mapping_that_makes_too_large_an_input_fails_its_step():
    mapped = {"id": "b", "input": ["{{ prev.text }}"] * 3, "retry": "none"}
    run_id = make.start(make.graph(["a", mapped], ["a>b"]), {"text": "x" * (MAX_INPUT_BYTES // 2 - 100)})[0]
    make.complete(*make.claimed(), output={"text": "x" * (MAX_INPUT_BYTES // 2 - 100)})

    assert make.steps(run_id)["b"].error["code"] == "BadInput"
    assert make.run(run_id).status == "FAILED"


def test_outputs_that_meet_at_a_join_and_are_too_much_fail_the_join_and_again_when_resumed():
    sources = [f"s{place}" for place in range(3)]
    run_id = make.start(make.graph([*sources, "j"], [f"{source}>j" for source in sources]))[0]
    make.complete(*make.claimed(), output="x" * (MAX_INPUT_BYTES // 2))

    for _ in range(2):
        join = make.steps(run_id)["j"]
        assert (join.status, join.error["code"], join.input) == ("FAILED", "BadInput", None)
        assert make.run(run_id).status == "FAILED"
        make.resume(run_id)

    assert make.history(run_id).count("STEP_FAILED j") == 3


def test_a_join_that_maps_much_to_little_takes_it():
    sources = [f"s{place}" for place in range(3)]
    join = {"id": "j", "input": {"n": "{{ prev.s0.n }}"}}
    run_id = make.start(make.graph([*sources, join], [f"{source}>j" for source in sources]))[0]
    make.complete(*make.claimed(), output={"n": 1, "text": "x" * (MAX_INPUT_BYTES // 2)})

    make.work()

    assert make.run(run_id).output == {"n": 1}


def test_a_join_that_failed_as_it_started_is_decided_anew_on_resume_by_what_arrived():
    join = {"id": "j", "join": "any", "input": {"x": "{{ prev.missing }}"}, "retry": "none"}
    run_id = make.start(make.graph(["a", "b", join], ["a>j", "b>j"]))[0]
    step = {found.node: found for found in make.claimed()}
    make.complete(step["b"], output={"from": "b"})
    assert make.steps(run_id)["j"].input == {"b": {"from": "b"}}

    make.complete(step["a"], output={"from": "a"})
    make.resume(run_id)

    assert make.steps(run_id)["j"].input == {"b": {"from": "b"}}
    assert make.run(run_id).status == "FAILED"


def test_a_run_whose_sinks_give_too_much_together_fails_and_says_so():
    sinks = [f"s{place}" for place in range(5)]
    run_id = make.start(make.graph(sinks, []))[0]

    make.complete(*make.claimed(), output="x" * (MAX_OUTPUT_BYTES - 100))

    assert make.run(run_id).status == "FAILED"
    assert make.run(run_id).error["code"] == "BadOutput"
    assert "output of the workflow" in make.run(run_id).error["message"]


def test_more_than_one_document_holds_in_a_batch_is_written_in_parts(monkeypatch):
    monkeypatch.setattr(hot, "STATEMENT_BYTES", 10_000)
    runs = make.start(make.chain("noop", "noop"), *[{"n": n} for n in range(8)])

    result = advance([(step, Succeeded("x" * 3_000)) for step in make.claimed()])

    assert len(result.applied) == 8
    make.work()
    assert {make.run(run_id).status for run_id in runs} == {"COMPLETED"}


def test_an_ending_that_starts_more_than_can_be_written_is_that_step_s_failure(monkeypatch):
    monkeypatch.setattr(hot, "STATEMENT_BYTES", 10_000)
    wide = [{"id": f"t{place}", "input": {"y": "{{ prev }}"}} for place in range(10)]
    bad = make.start(make.graph(["a", *wide], [f"a>t{place}" for place in range(10)]))[0]
    good = make.start(make.graph(["a"], []))[0]

    result = advance([(step, Succeeded("x" * 3_000)) for step in make.claimed()])

    assert len(result.applied) == 2
    assert make.run(good).status == "COMPLETED"
    assert (make.run(bad).status, make.run(bad).error["code"]) == ("FAILED", "BadOutput")


def test_a_start_that_begins_with_more_than_can_be_written_is_refused_and_nothing_is_kept(monkeypatch):
    monkeypatch.setattr(hot, "STATEMENT_BYTES", 10_000)
    wide = [transform(f"t{place}", "{{ prev }}") for place in range(10)]
    version = make.a_version(make.graph(wide, []))

    with pytest.raises(RunRefused) as refused:
        make.start_version(version, "x" * 3_000)

    assert (refused.value.code, refused.value.field) == ("too_large", "input")
    assert make.runs_of(version) == []


def test_steps_whose_inputs_are_more_than_one_answer_holds_are_claimed_one_by_one(monkeypatch):
    """Else a queue would be stuck behind them for ever."""
    make.start(make.chain("noop"), *[{"n": n} for n in range(3)])
    asked = []
    claim = hot.claim

    def strained(*, limit, **others):
        asked.append(limit)
        if limit > 1:
            raise psycopg.errors.ProgramLimitExceeded
        return claim(limit=limit, **others)

    monkeypatch.setattr(hot, "claim", strained)

    assert make.work() == 3
    assert asked[:2] == [100, 1]
