"""Payloads that are kept beside the database (R-073, docs/decisions/0021-large-payloads.md)."""

import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from lib.blobs import BlobAway, BlobMissing
from runs.commands import job_reports, jobs
from runs.commands.starts import NewRun, Terms, start_runs
from runs.kernel.refused import RunRefused
from runs.maintenance import blobs
from runs.models import Blob, Run, Signal, StepExecution, SweptDay
from runs.reading.presentation import run_rows, step_rows
from runs.store import payloads
from tests import factories as make

pytestmark = pytest.mark.django_db

LARGE = {"text": "a long article " * 30, "n": 1}
JOB = {"id": "a", "type": "job", "queue": "mine", "retry": "none"}


@pytest.fixture(autouse=True)
def folder(settings, tmp_path):
    """What is larger than 200 bytes is kept in this folder."""
    settings.HANDOFF_BLOBS, settings.HANDOFF_BLOB_BYTES = (tmp_path / "payloads").as_uri(), 200
    return tmp_path / "payloads"


def files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


def stored(run_id, node=None):
    """What a run's row, or that of a step, has as input and output."""
    if node is None:
        return Run.unsafe_all_tenants.values_list("input", "output").get(pk=run_id)
    return StepExecution.unsafe_all_tenants.values_list("input", "output").get(run_id=run_id, node=node)


def is_reference(value):
    return isinstance(value, dict) and value.keys() == {"$blob", "size"}


def shown(run_id):
    return run_rows(make.a_tenant().pk, [run_id])[0]


def test_a_large_value_goes_through_a_run_and_rows_refer_to_it(folder):
    run_id = make.start(make.chain("noop", "noop", "noop"), LARGE)[0]
    make.work()
    assert make.run(run_id).output == make.run(run_id).input == LARGE
    assert [is_reference(value) for value in (*stored(run_id), stored(run_id, "a")[1])] == [True] * 3
    # By its content: the same value of the same run is kept once.
    [file] = files(folder)
    assert file.name in stored(run_id)[0]["$blob"]
    assert shown(run_id)["output"] == shown(run_id)["steps"][1]["input"] == LARGE


def test_numbers_that_no_text_of_ours_has_harm_nothing():
    """PostgreSQL gives 1e20 back as an integer."""
    run_id = make.start(make.chain("noop", "noop"), {"n": 1e20})[0]
    large = make.start(make.chain("noop", "noop"), {"n": [1e20] * 60})[0]
    make.work()
    assert [make.run(run).output["n"] for run in (run_id, large)] == [1e20, [1e20] * 60]


def test_a_small_value_stays_where_it_is(folder):
    run_id = make.start(make.chain("noop"), {"n": 1})[0]
    make.work()
    assert (stored(run_id), files(folder)) == (({"n": 1}, {"n": 1}), [])


def test_expressions_joins_maps_loops_and_children_compute_with_the_values():
    child = make.a_version(make.chain("noop"))
    body = {"type": "transform", "params": {"set": {"text": "{{ item.text + '!' }}"}}}
    nodes = [
        {"id": "size", "type": "transform", "params": {"set": {"n": "{{ size(input.text) }}"}}},
        {"id": "each", "type": "map", "params": {"items": "{{ [input, input] }}", "body": body}},
        {"id": "again", "type": "loop", "params": {"body": body, "until": "size(output.text) > 452"}},
        {"id": "run", "type": "subworkflow", "params": {"workflow": child.workflow.name}},
        {"id": "all", "join": "all"},
        {"id": "last", "type": "transform", "params": {"set": {"texts": "{{ steps.each.output }}"}}},
    ]
    ways = ["size", "each", "again", "run"]
    edges = [*(f"{way}>all" for way in ways), "all>last"]
    run_id = make.start(make.graph(nodes, edges), LARGE)[0]
    make.work()
    text = LARGE["text"]
    joined = make.steps(run_id)["all"].output
    assert joined["size"] == {"n": len(text)}
    assert joined["each"]["results"] == [{"text": f"{text}!"}] * 2
    assert joined["again"] == {"text": f"{text}!!!"}
    assert joined["run"] == LARGE
    assert make.run(run_id).output == {"texts": joined["each"]}
    assert is_reference(stored(run_id, "all")[0])


def test_what_undoes_a_step_is_given_what_that_gave():
    nodes = [{"id": "a", "compensate": {"type": "noop"}}, JOB | {"id": "b"}]
    run_id = make.start(make.graph(nodes, ["a>b"]), LARGE)[0]
    make.work()
    make.fail(*make.claimed("mine"))
    make.work()
    undone = make.steps(run_id)["a:compensate"]
    assert (undone.output["input"], undone.output["output"]) == (LARGE, LARGE)


def test_a_signal_brings_what_was_sent():
    run_id = make.start(make.graph([{"id": "wait", "type": "signal", "params": {"name": "go"}}], []))[0]
    make.work()
    assert make.send(run_id, "go", LARGE, signal_id="1")
    assert is_reference(Signal.unsafe_all_tenants.get().payload)
    assert not make.send(run_id, "go", dict(reversed(LARGE.items())), signal_id="1")
    with pytest.raises(RunRefused, match="another name or payload"):
        make.send(run_id, "go", LARGE | {"n": 2}, signal_id="1")
    make.work()
    assert make.run(run_id).output == LARGE


def poll():
    return jobs.poll(tenant=make.a_tenant().pk, worker="w", queues=["mine"], max_jobs=1)


def complete(job, output):
    say = {"job": job.step.id, "lease_token": job.lease_token, "output": output}
    return job_reports.complete(tenant=make.a_tenant().pk, **say)


def test_a_job_is_given_the_value_and_its_output_again_is_a_duplicate():
    run_id = make.start(make.graph([JOB], []), LARGE)[0]
    [job] = poll()
    assert job.step.input == LARGE
    gave = LARGE | {"n": 2}
    assert complete(job, gave) == job_reports.Answer(True)
    assert complete(job, dict(reversed(gave.items()))) == job_reports.Answer(True, duplicate=True)
    assert complete(job, LARGE) == job_reports.Answer(False, "completed_otherwise")
    assert make.run(run_id).output == gave


def test_the_input_of_a_business_key_is_compared():
    version = make.a_version(make.chain("noop", business_key="{{ input.n }}"))
    same, turned, other = (
        start_runs(Terms(version.tenant_id, version.pk, "test"), [NewRun(given)])[0]
        for given in (LARGE, dict(reversed(LARGE.items())), LARGE | {"text": "x" * 300})
    )
    assert [one.input_mismatch for one in (same, turned, other)] == [False, False, True]


def test_a_changed_input_is_kept_too_and_a_rerun_takes_it_along():
    run_id = make.start(make.graph([JOB], []), {"n": 0})[0]
    make.fail(*make.claimed("mine"))
    make.retry(run_id, "a", LARGE)
    assert is_reference(stored(run_id, "a")[0])
    make.complete(*make.claimed("mine"))
    assert make.run(run_id).output == LARGE
    again = make.rerun(run_id, "a")
    make.complete(*make.claimed("mine"), output=LARGE)
    assert make.run(again).output == LARGE


def test_a_step_is_skipped_with_a_large_output():
    run_id = make.start(make.graph([JOB, "b"], ["a>b"]))[0]
    make.skip(run_id, "a", LARGE)
    make.work()
    assert (make.run(run_id).output, is_reference(stored(run_id, "a")[1])) == (LARGE, True)


# ---- what is missing, changed or away


def broken(folder, how):
    for file in files(folder):
        if how == "missing":
            file.unlink()
        else:
            file.write_bytes(file.read_bytes().replace(b"long", b"wrong"[:4]))


@pytest.mark.parametrize(("how", "code"), [("missing", "payload_missing"), ("changed", "payload_changed")])
def test_a_bad_payload_fails_the_step_that_needs_it_and_no_other(folder, tmp_path, how, code):
    bad, good = make.start(make.chain("noop", "noop"), LARGE, {"n": 1})
    shutil.copytree(folder, tmp_path / "backup")
    broken(folder, how)
    make.work()
    assert make.run(good).status == "COMPLETED"
    step = StepExecution.unsafe_all_tenants.get(run_id=bad, node="a")
    assert (step.status, step.attempt, step.error["code"]) == ("FAILED", 1, "PayloadUnreadable")
    assert step.error["details"] == {"reason": code}
    row = shown(bad)
    assert row["input"] is None
    assert ("missing from storage" if how == "missing" else "changed in storage") in row["unreadable"][
        "input"
    ]
    assert row["truncated"]["input"] > 200
    # Put back from the backup, it goes on.
    shutil.rmtree(folder)
    shutil.copytree(tmp_path / "backup", folder)
    make.resume(bad)
    make.work()
    assert make.run(bad).output == LARGE
    assert "unreadable" not in shown(bad)


def test_a_bad_payload_of_a_job_fails_it_and_the_next_one_is_given(folder):
    bad, good = make.start(make.graph([JOB], []), LARGE, {"n": 1})
    broken(folder, "missing")
    given = [job for _ in range(3) for job in poll()]
    assert [job.step.run_id for job in given] == [good]
    assert make.steps(good)["a"].status == "RUNNING"
    assert StepExecution.unsafe_all_tenants.get(run_id=bad).error["code"] == "PayloadUnreadable"


def test_what_is_computed_from_a_bad_payload_fails(folder):
    """The edges behind a job read what is gone: nothing is decided without it."""
    edges = [{"from": "a", "to": "b", "when": "size(input.text) > 3"}]
    run_id = make.start(make.graph([JOB, "b"], edges), LARGE)[0]
    [job] = poll()
    broken(folder, "missing")
    complete(job, {"n": 1})
    step = StepExecution.unsafe_all_tenants.get(run_id=run_id, node="a")
    assert (step.status, step.error["code"]) == ("FAILED", "PayloadUnreadable")


def test_while_the_store_is_away_values_stay_in_rows_and_old_ones_are_tried_again(folder, tmp_path, clock):
    retry = {"max_retries": 3, "base_seconds": 5, "jitter": 0}
    nodes = [{"id": "a", "type": "noop", "retry": retry}]
    before = make.start(make.graph(nodes, []), LARGE)[0]
    folder.rename(tmp_path / "unmounted")
    folder.write_text("no folder")
    during = make.start(make.graph(nodes, []), LARGE)[0]
    make.work()
    assert (stored(during), make.run(during).output) == ((LARGE, LARGE), LARGE)
    step = StepExecution.unsafe_all_tenants.get(run_id=before)
    assert (step.status, step.error["details"]["reason"]) == ("QUEUED", "payload_store_away")
    assert "can't be used" in shown(before)["unreadable"]["input"]
    folder.unlink()
    (tmp_path / "unmounted").rename(folder)
    clock.advance(6)
    make.work()
    assert make.run(before).output == LARGE


def test_a_wait_that_a_lost_signal_would_end_fails(folder):
    run_id = make.start(
        make.graph([JOB, {"id": "wait", "type": "signal", "params": {"name": "go"}}], ["a>wait"])
    )[0]
    make.send(run_id, "go", LARGE)
    broken(folder, "missing")
    make.complete(*make.claimed("mine"), output={})
    make.work()
    step = make.steps(run_id)["wait"]
    assert (step.status, step.error["code"]) == ("FAILED", "PayloadUnreadable")


def test_a_step_whose_input_is_lost_is_skipped_all_the_same(folder):
    run_id = make.start(make.graph(["a", "b"], ["a>b"]), LARGE)[0]
    broken(folder, "missing")
    make.work()
    make.skip(run_id, "a", {"n": 5})
    make.work()
    run = Run.unsafe_all_tenants.get(pk=run_id)
    assert (run.status, run.output) == ("COMPLETED", {"n": 5})


def test_nothing_is_computed_with_a_reference_in_place_of_what_is_lost(folder):
    """A wait ends, and the edge behind it reads what the step was given."""
    nodes = [{"id": "wait", "type": "signal", "params": {"name": "go"}}, "b", "c"]
    edges = [
        {"from": "wait", "to": "b", "when": "has(prev.size)"},
        {"from": "wait", "to": "c", "when": "size(input.text) > 0"},
    ]
    run_id = make.start(make.graph(nodes, edges), LARGE)[0]
    make.work()
    broken(folder, "missing")
    make.send(run_id, "go", {"n": 1})
    make.work()
    steps = {step.node: step for step in StepExecution.unsafe_all_tenants.filter(run_id=run_id)}
    assert [*steps] == ["wait"]
    assert (steps["wait"].status, steps["wait"].error["code"]) == ("FAILED", "PayloadUnreadable")


# ---- whose it is


def test_what_looks_like_a_reference_is_read_as_what_it_is():
    secret = make.start(make.chain("noop"), LARGE)[0]
    forged = stored(secret)[0]
    run_id = make.start(make.chain("noop", "noop"), {"see": forged})[0]
    make.work()
    assert make.run(run_id).output == {"see": forged}
    assert shown(run_id)["output"] == {"see": forged}


def test_no_tenant_reads_what_is_anothers():
    run_id = make.start(make.chain("noop"), LARGE)[0]
    other = make.TenantFactory(slug="other")
    with pytest.raises(BlobMissing, match="another tenant's"):
        payloads.whole(other.pk, stored(run_id)[0])


def test_without_a_word_where_payloads_are_they_are_away(settings):
    run_id = make.start(make.chain("noop"), LARGE)[0]
    settings.HANDOFF_BLOBS = ""
    with pytest.raises(BlobAway, match="HANDOFF_BLOBS"):
        payloads.whole(make.a_tenant().pk, stored(run_id)[0])
    inline = make.start(make.chain("noop"), LARGE)[0]
    assert stored(inline)[0] == LARGE


# ---- bounds


def test_lists_are_told_sizes_and_read_no_files(folder):
    much = {"text": "x" * 10_000}
    run_id = make.start(make.chain("noop"), much)[0]
    make.work()
    broken(folder, "missing")
    row = shown(run_id)
    assert row["truncated"]["input"] == row["steps"][0]["truncated"]["output"] > 10_000
    assert "unreadable" not in row
    [step] = step_rows(make.a_tenant().pk, run_id, "a")
    assert "missing from storage" in step["unreadable"]["output"]


def test_a_value_of_many_is_not_made_too_large(monkeypatch):
    run_id = make.start(make.graph(["a", "b", {"id": "c", "join": "all"}], ["a>c", "b>c"]), LARGE)[0]
    monkeypatch.setattr(payloads, "WHOLE_VALUE_BYTES", 600)
    make.work()
    assert Run.unsafe_all_tenants.get(pk=run_id).status == "FAILED"
    assert any(
        step.error and "more than 600 bytes" in step.error["message"] for step in make.steps(run_id).values()
    )


# ---- what nothing refers to


def aged(folder, days):
    """All payloads as if they had been kept some days ago."""
    [today] = folder.iterdir()
    day = (datetime.now(UTC) - timedelta(days=days)).strftime("%Y%m%d")
    today.rename(folder / day)
    Blob.unsafe_all_tenants.update(day=day)
    return day


def unused(folder):
    """A payload whose transaction was never committed, and the remains of a write."""
    payloads.fitted(make.a_tenant().pk, "0198c0de-0000-7000-8000-000000000000", b'"%s"' % (b"y" * 300))
    [file] = [file for file in files(folder) if "0198c0de" in str(file)]
    file.with_name(f"{file.name}.0123.tmp").write_bytes(b"y")


@pytest.mark.parametrize(("days", "left"), [(0, 3), (1, 3), (2, 1), (40, 1)])
def test_payloads_that_nothing_refers_to_are_removed_when_their_day_is_long_over(folder, days, left):
    run_id = make.start(make.chain("noop"), LARGE)[0]
    unused(folder)
    day = aged(folder, days)
    assert blobs.sweep() == 3 - left
    assert len(files(folder)) == left
    assert [*SweptDay.objects.values_list("day", flat=True)] == ([day] if days > 1 else [])
    reference = Blob.unsafe_all_tenants.get()
    assert str(reference.run_id) == run_id
    assert (folder / day / str(reference.tenant_id) / run_id / reference.sha256).is_file()


def test_a_day_is_looked_through_once_and_in_parts(folder, monkeypatch):
    make.start(make.chain("noop"), LARGE, LARGE, LARGE)
    unused(folder)
    aged(folder, 3)
    monkeypatch.setattr(blobs, "BATCH", 1)
    removed = [blobs.sweep(seconds=-1) for _ in range(7)]
    assert (sum(removed), max(removed), len(files(folder))) == (2, 1, 3)
    assert SweptDay.objects.count() == 1
    unused(folder)
    aged_day = folder / SweptDay.objects.get().day
    for left in files(folder):
        if "0198c0de" in str(left):
            left.rename(aged_day / left.name)
    assert blobs.sweep() == 0


def test_a_store_that_is_away_is_swept_later(folder, caplog):
    folder.write_text("no folder")
    assert blobs.sweep() == 0
    assert "looked for later" in caplog.text
