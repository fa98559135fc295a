"""README's tour, typed as it stands into a shell beside a running Handoff."""

import json
import re
import subprocess

from tests.acceptance.running import ROOT
from workflows.checking import check

TOUR = (ROOT / "README.md").read_text().split("<!-- tour", 1)[1].split("\n## ", 1)[0]
BLOCKS = re.findall(r"^```sh\n(.*?)^```", TOUR, re.MULTILINE | re.DOTALL)


def test_the_tour_does_what_it_says(handoff):
    script = "\n".join(["set -euo pipefail", *BLOCKS])

    told = subprocess.run(
        ["bash", "-c", script],
        cwd=ROOT,
        env=handoff.environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )

    assert told.returncode == 0, told.stdout[-2000:] + told.stderr[-2000:]
    for said in ('"version":1', "== summarize (text.summarize): COMPLETED", '"duration_ms"', "RUN_COMPLETED"):
        assert said in told.stdout
    assert '"applied":true' in told.stdout
    assert re.search(r"COMPLETED +tag \(text.tag\) in \d+ ms", told.stderr)
    assert not (ROOT / "run.json").exists()
    assert not (ROOT / "jobs.json").exists()


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
    for line in ("create_token --user admin --role worker", "python3 docs/examples/tissue_worker.py"):
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
