"""README's tour, and the pages that have commands, typed as they stand into a shell beside a running Handoff."""

import json
import os
import re
import signal
import subprocess
from contextlib import suppress

import pytest

from tests.acceptance.running import ROOT
from workflows.checking.check import check

TOUR = (ROOT / "README.md").read_text().split("<!-- tour", 1)[1].split("\n## ", 1)[0]
MAKES_A_TOKEN = "$(.venv/bin/python manage.py create_token --user admin --queue '*')"
MAKES_A_WORKERS = MAKES_A_TOKEN.replace("--queue", "--role worker --queue")
BLOCKS = re.findall(r"^```sh\n(.*?)^```", TOUR, re.MULTILINE | re.DOTALL)


@pytest.mark.exhaustive
def test_the_tour_does_what_it_says(handoff, shop_port):
    script = "\n".join(["set -euo pipefail", *BLOCKS])
    assert MAKES_A_TOKEN in script

    told = subprocess.run(
        ["bash", "-c", script],
        cwd=ROOT,
        env=handoff.environment | {"SHOP": str(shop_port)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )

    assert told.returncode == 0, told.stdout[-2000:] + told.stderr[-2000:]
    for said in ('"version":1', "== summarize (text.summarize): COMPLETED", '"duration_ms"', "RUN_COMPLETED"):
        assert said in told.stdout
    assert '"applied":true' in told.stdout
    assert '\n"price":4500\n' in told.stdout
    assert '\nrun.completed D-1\n"output":{"amount":40}\n' in told.stdout
    assert re.search(r"COMPLETED +tag \(text.tag\) in \d+ ms", told.stderr)
    assert not (ROOT / "run.json").exists()
    assert not (ROOT / "jobs.json").exists()
    assert not (ROOT / "pricing.py").exists()
    assert not (ROOT / "shop.py").exists()


@pytest.mark.exhaustive
def test_the_page_on_order_fulfilment_does_what_it_says(handoff):
    page = (ROOT / "docs" / "order-fulfilment.md").read_text()
    blocks = re.findall(r"^```sh\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    script = "\n".join(["set -euo pipefail", *blocks])
    assert MAKES_A_WORKERS in script
    script = with_tokens(script, (MAKES_A_TOKEN, handoff.admin_token))
    shell = subprocess.Popen(
        ["bash", "-c", script],
        cwd=ROOT,
        env=handoff.environment | {"WORK_SECONDS": "0"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    try:
        said, _ = shell.communicate(timeout=120)
    finally:
        # Its workers, too.
        with suppress(ProcessLookupError):
            os.killpg(shell.pid, signal.SIGKILL)

    assert shell.returncode == 0, said[-3000:]
    assert said.count('"duplicate":true') == 1
    assert "'tracking': 'trk-A-1'" in said
    assert "'warehouse': 'west'" in said
    done = re.findall(r"'node': '([a-z:]+)'", said)
    assert done[-2:] == ["charge:compensate", "reserve:compensate"]
    assert said.rstrip().endswith("stopped")
    assert not (ROOT / "hook.json").exists()


def with_tokens(script, *known):
    """Commands that are typed elsewhere, to the letter, are not typed again: each takes seconds of a core."""
    assert known[0][0] in script
    for command, token in known:
        script = script.replace(command, token)
    return script


def typed(handoff, block):
    """What a shell says to the commands of a page, all of which must do what they should."""
    tokens = ((MAKES_A_TOKEN, handoff.admin_token), (MAKES_A_WORKERS, handoff.worker_token))
    told = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", with_tokens(block, *tokens)],
        cwd=ROOT,
        env=handoff.environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert told.returncode == 0, told.stdout[-2000:] + told.stderr[-2000:]
    return told


def test_ten_lines_of_python_do_the_jobs_of_a_run(handoff):
    page = (ROOT / "docs" / "workers.md").read_text()
    [block] = re.findall(r"<!-- ten lines.*?```sh\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    assert "{'score': 730, 'accepted': True}" in typed(handoff, block).stdout
    assert not (ROOT / "credit_worker.py").exists()


def test_an_execution_is_started_signalled_and_done_as_the_docs_say(handoff):
    page = (ROOT / "docs" / "orchestration-api.md").read_text()
    [block] = re.findall(r"<!-- typed.*?```sh\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    told = typed(handoff, block)
    assert '"status":"RUNNING","currentState":"STARTED"' in told.stdout
    assert '"activityType":"charge_credit_card"' in told.stdout
    assert '"attemptLimit":5,"leaseDurationSeconds":30' in told.stdout
    assert '"applied":true' in told.stdout
    assert '"signalProcessed":true' in told.stdout
    assert told.stdout.rstrip().endswith("}")
    assert not (ROOT / "task.json").exists()


def test_a_job_is_done_by_hand_as_the_docs_say(handoff):
    page = (ROOT / "docs" / "workers.md").read_text()
    [block] = re.findall(r"<!-- by hand.*?```sh\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    told = typed(handoff, block)
    assert told.stdout.count('"applied":true') == 2
    assert "{'score': 730, 'accepted': True}" in told.stdout
    assert not (ROOT / "job.json").exists()


def test_a_task_is_decided_and_its_evidence_checked_as_the_docs_say(handoff):
    page = (ROOT / "docs" / "inbox.md").read_text()
    [block] = re.findall(r"^```sh\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    told = typed(handoff, block)
    assert told.stdout.startswith("COMPLETED\nRight. Decisions: 1, ")
    assert re.search(r"FAULT decision \d+: its record is not what its digest says", told.stdout)
    assert told.stdout.endswith("somebody changed it\n")
    assert not (ROOT / "evidence.zip").exists()


def test_the_tour_is_all_there():
    assert len(BLOCKS) >= 6
    assert "run_workflow" in TOUR


def test_the_definitions_of_the_docs_are_sound():
    told = (ROOT / "docs" / "definitions.md").read_text()
    definitions = [json.loads(block) for block in re.findall(r"^```json\n(.*?)^```", told, re.M | re.S)]
    assert len(definitions) >= 2
    for definition in definitions:
        assert list(check(definition, name=definition["name"]).problems) == []


def test_the_docs_say_how_to_start_the_worker_as_the_worker_does():
    told = (ROOT / "docs" / "workers.md").read_text()
    worker = (ROOT / "docs" / "examples" / "tissue_worker.py").read_text()
    for line in (
        "create_token --user admin --role worker",
        ".venv/bin/python docs/examples/tissue_worker.py",
    ):
        assert line in told
        assert line in worker


def test_every_page_of_the_docs_that_is_linked_is_there():
    pages = [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]
    missing = [
        f"{page.name}: {link}"
        for page in pages
        for link in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text())
        if not (page.parent / link).exists()
    ]
    assert missing == []
