"""Workers with the SDK: what they do with jobs, signals and a server that is away."""

import re
import signal
import tempfile
from datetime import timedelta
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from django.db.models.functions import Now

from config.embedded.processes import wait_until
from runs.maintenance.leases import sweep
from runs.models import StepExecution, StepLog
from tests.serving import served, site

__all__ = ["site"]
pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.processes]

ECHO = """
worker = Worker(slots=4)

@worker.step("charge")
def charge(ctx):
    return {"n": ctx.input["n"], "key": ctx.idempotency_key, "attempt": ctx.attempt, "left": ctx.retries_remaining}

worker.run()
"""
SLOW = """
worker = Worker(slots=2, drain_seconds=float(os.environ.get("DRAIN", "30")))

def say(word):
    # At once: of two threads that print a word and then the end of its line, one may come in between.
    print(f"{word}\\n", end="", flush=True)

@worker.step("charge")
def charge(ctx):
    say("begun")
    for _ in range(int(float(os.environ["SECONDS"]) * 10)):
        time.sleep(0.1)
        if ctx.is_cancelled:
            say("cancelled")
            raise StepError("Nobody wants it.")
    return "done"

worker.run()
"""


def leases(run):
    """How often a worker was given its step."""
    return StepExecution.unsafe_all_tenants.get(run_id=run).epoch


def test_a_worker_does_jobs_and_ends_at_sigterm(site, program, publish, start, ended):
    publish()
    with program(ECHO, site) as worker:
        runs = ended(*start(5))
        assert worker.stop() == 0
    assert [run["status"] for run in runs] == ["COMPLETED"] * 5
    assert [run["output"]["n"] for run in runs] == [0, 1, 2, 3, 4]
    assert {(run["output"]["attempt"], run["output"]["left"]) for run in runs} == {(1, 2)}
    assert len({run["output"]["key"] for run in runs}) == 5
    assert worker.said().rstrip().endswith("stopped")


def test_a_worker_never_has_more_jobs_than_slots(site, program, publish, start, ended):
    publish()
    text = """
    worker = Worker(slots=3)
    now = most = 0

    @worker.step("charge")
    async def charge(ctx):
        global now, most
        now += 1
        most = max(most, now)
        await asyncio.sleep(0.05)
        now -= 1
        return {"most": most}

    worker.run()
    """
    with program(text, site):
        runs = ended(*start(12))
    assert max(run["output"]["most"] for run in runs) == 3


def test_errors_of_steps_are_told_with_their_code_and_stack(site, program, publish, start, ended):
    publish(retry={"max_retries": 1, "base_seconds": 0})
    text = """
    worker = Worker()

    @worker.step("charge")
    def charge(ctx):
        match ctx.input["n"]:
            case 0: raise NonRetryableError("No such card.", code="NoCard", details={"card": "1"})
            case 1: raise KeyError("card")
            case 2: return object()
            case 3: return "x" * 5_000_000
            case 4: return "bad \\ud800"
            case 5: raise SystemExit("x" * 20_000)
        return float("nan")

    worker.run()
    """
    with program(text, site) as worker:
        runs = ended(*start(7))
        assert worker.process.poll() is None
    errors = [run["steps"][0]["error"] for run in runs]
    assert [run["status"] for run in runs] == ["FAILED"] * 7
    assert errors[0]["code"] == "NoCard"
    assert errors[0]["details"]["card"] == "1"
    assert "in charge\n" in errors[0]["stack"]
    assert (errors[1]["code"], errors[1]["message"]) == ("KeyError", "'card'")
    assert [error["code"] for error in errors[2:4]] == ["NotJson", "too_large"]
    assert errors[6]["code"] == "NotJson"
    attempts = [run["steps"][0]["attempt"] for run in runs]
    assert [attempts[place] for place in (0, 1, 2, 3, 6)] == [1, 2, 1, 1, 1]


def test_many_results_are_told_in_few_calls(site, program, publish, start, ended):
    publish()
    runs = start(200)
    text = """
    logging.getLogger("handoff_sdk").setLevel("DEBUG")
    worker = Worker(slots=50)

    @worker.step("charge")
    async def charge(ctx):
        return ctx.input["n"]

    worker.run()
    """
    with program(text, site) as worker:
        outputs = [run["output"] for run in ended(*runs)]
    sizes = [int(size) for size in re.findall(r"complete: reported (\d+) jobs", worker.said())]
    assert outputs == list(range(200))
    assert sum(sizes) == 200
    assert len(sizes) < 40


def test_a_result_that_is_refused_fails_its_own_job_and_no_other(site, program, publish, start, ended):
    publish(retry={"max_retries": 0})
    runs = start(20)
    text = """
    worker = Worker(slots=20)

    @worker.step("charge")
    async def charge(ctx):
        await asyncio.sleep(0.2)
        return "a \\0 b" if ctx.input["n"] == 7 else ctx.input["n"]

    worker.run()
    """
    with program(text, site):
        found = ended(*runs)
    assert [place for place, run in enumerate(found) if run["status"] == "FAILED"] == [7]
    error = found[7]["steps"][0]["error"]
    assert error["message"].startswith("The output is refused: ")
    assert [run["output"] for run in found if run["status"] == "COMPLETED"] == [*range(7), *range(8, 20)]


@pytest.mark.exhaustive
def test_a_job_of_five_seconds_keeps_a_lease_of_two(site, program, publish, start, ended):
    publish(lease_seconds=2)
    swept = []
    with program(SLOW, site, SECONDS="5") as worker:
        [run] = start()
        wait_until(lambda: swept.append(sweep()) or ": completed" in worker.said(), 20, "the job")
        [ended_run] = ended(run)
    assert sum(swept) == 0
    assert (ended_run["status"], ended_run["steps"][0]["attempt"], leases(run)) == ("COMPLETED", 1, 1)


def test_a_signal_lets_the_job_in_hand_end(site, program, publish, start, ended):
    publish()
    with program(SLOW, site, SECONDS="1.5") as worker:
        [run] = start()
        worker.until_it_says("\nbegun\n")
        worker.process.send_signal(signal.SIGTERM)
        assert worker.stop() == 0
        assert ended(run)[0]["output"] == "done"
    assert leases(run) == 1


def test_a_job_that_does_not_end_in_time_is_told_and_left(site, program, publish, start):
    publish()
    with program(SLOW, site, SECONDS="60", DRAIN="0.5") as worker:
        start()
        worker.until_it_says("\nbegun\n")
        assert worker.stop(signal.SIGINT) == 0
    assert "cancelled" in worker.said()


@pytest.mark.exhaustive
def test_a_step_gives_its_job_back(site, program, publish, start, ended):
    publish()
    text = """
    worker = Worker()

    @worker.step("charge")
    def charge(ctx):
        print("begun", flush=True)
        ctx.wait(60)
        raise Release

    worker.run()
    """
    with program(text, site) as worker:
        [run] = start()
        worker.until_it_says("\nbegun\n")
        assert worker.stop() == 0
    with program(ECHO, site, name="another"):
        assert ended(run)[0]["output"]["attempt"] == 1


def test_the_job_of_a_killed_worker_goes_to_another(site, program, publish, start, ended):
    publish(lease_seconds=1)
    with program(SLOW, site, SECONDS="60") as worker:
        [run] = start()
        worker.until_it_says("\nbegun\n")
        worker.process.kill()
    with program(ECHO, site, name="another"):
        wait_until(lambda: sweep() == 1, 20, "the lost lease")
        assert ended(run)[0]["status"] == "COMPLETED"
    assert leases(run) == 2


def test_a_lost_lease_and_a_cancelled_run_tell_the_step(site, api, program, publish, start, ended):
    publish(lease_seconds=3)
    with program(SLOW, site, SECONDS="60") as worker:
        [run, lost] = start(2)
        wait_until(lambda: worker.said().splitlines().count("begun") == 2, 20, "both jobs")
        assert api.post(f"/api/v1/runs/{run}/cancel").status_code == 200
        worker.until_it_says("not wanted any more (cancelled)")
        wait_until(lambda: loses_its_lease(lost), 20, "a lost lease")
        worker.until_it_says("not wanted any more (lease_lost)")
        worker.until_it_says("too late (lease_lost)")
        assert worker.said().splitlines().count("cancelled") == 2
    assert ended(run)[0]["status"] == "CANCELLED"


def loses_its_lease(run):
    """Whether the sweep found the lease over before a heartbeat renewed it."""
    StepExecution.unsafe_all_tenants.filter(run_id=run).update(lease_expires_at=Now() - timedelta(seconds=1))
    return sweep() == 1


def test_progress_is_told_with_a_heartbeat(site, program, publish, start):
    publish(lease_seconds=30)
    text = """
    worker = Worker()

    @worker.step("charge")
    def charge(ctx):
        ctx.heartbeat({"share": 0.5})
        ctx.wait(60)

    worker.run()
    """
    with program(text, site):
        [run] = start()
        found = StepExecution.unsafe_all_tenants.filter(run_id=run)
        wait_until(lambda: found.get().progress == {"share": 0.5}, 10, "the progress")


def test_what_a_step_says_is_told_while_it_goes_on_and_with_its_end_each_line_once(
    site, program, publish, start, ended
):
    publish(lease_seconds=30)
    text = """
    worker = Worker()

    @worker.step("charge")
    def charge(ctx):
        ctx.log("begun")
        while not os.path.exists(os.environ["GO_ON"]) and not ctx.wait(0.05):
            pass
        for n in range(250):
            ctx.log(f"line {n}", level="warning")
        return "done"

    worker.run()
    """
    with tempfile.TemporaryDirectory() as folder:
        go_on = Path(folder) / "go_on"
        with program(text, site, GO_ON=str(go_on)):
            [run] = start()
            found = StepLog.unsafe_all_tenants.filter(run_id=run).order_by("seq")
            wait_until(lambda: [line.text for line in found.all()] == ["begun"], 10, "what it said")
            go_on.touch()
            assert ended(run)[0]["output"] == "done"
    lines = [*found.all()]
    assert [line.seq for line in lines] == [*range(1, 202)]
    assert (lines[199].text, lines[200].more) == ("line 198", 51)


def test_a_server_that_is_away_is_waited_for_and_told_later(program, publish, start, ended):
    publish()
    with served() as (address, process), program(SLOW, address, SECONDS="2") as worker:
        [run] = start()
        worker.until_it_says("\nbegun\n")
        process.kill()
        process.wait()
        worker.until_it_says("trying again: ")
        with served(port=urlsplit(address).port):
            assert ended(run)[0]["output"] == "done"
            [next_run] = start()
            assert ended(next_run)[0]["output"] == "done"
    assert (leases(run), leases(next_run)) == (1, 1)


def test_a_worker_that_is_refused_ends_and_says_why(site, program, publish):
    publish()
    with program(ECHO, site, TOKEN="wrong") as worker:
        assert worker.process.wait(20) == 1
    assert re.search(r"NotAuthenticated: \w+ \(401\)", worker.said())


def test_a_worker_counts_for_prometheus(site, program, publish, start, ended):
    publish(retry={"max_retries": 0})
    text = """
    from prometheus_client import CollectorRegistry, generate_latest
    from handoff_sdk.metrics import Metrics
    registry = CollectorRegistry()
    worker = Worker(watcher=Metrics(registry))

    @worker.step("charge")
    def charge(ctx):
        if ctx.input["n"] == 2:
            raise NonRetryableError("No such card.")
        return 1

    worker.run()
    print(generate_latest(registry).decode())
    """
    with program(text, site) as worker:
        ended(*start(3))
        assert worker.stop() == 0
    lines = worker.said().splitlines()
    assert 'handoff_jobs_total{node="charge",result="completed"} 2.0' in lines
    assert 'handoff_jobs_total{node="charge",result="failed"} 1.0' in lines
    assert 'handoff_jobs_held{node="charge"} 0.0' in lines
    assert 'handoff_job_seconds_count{node="charge"} 3.0' in lines
    assert 'handoff_reported_jobs_sum{verb="complete"} 2.0' in lines
    assert any(line.startswith('handoff_polls_total{result="jobs"}') for line in lines)
    assert any(line.startswith('handoff_poll_seconds_count{result="jobs"}') for line in lines)
