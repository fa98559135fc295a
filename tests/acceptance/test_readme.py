"""README's tour, typed as it stands into a shell beside a running Handoff."""

import re
import subprocess

from tests.acceptance.running import ROOT

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
