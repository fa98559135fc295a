"""Each SDK, and HTTP without one, does in each case what the case expects (R-193)."""

import json
import os
import shutil
import subprocess

import pytest

from config.embedded.processes import wait_until
from runs.models import Run, StepExecution, StepLog
from tests import factories as make
from tests.conformance.playing import CASES, PLAYERS, SDKS, CannotBuild, copied, run_in
from tests.people import People
from tests.serving import ROOT

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.processes]


@pytest.fixture(scope="module")
def commands(tmp_path_factory):
    """Gives the command of a player, built once."""
    built = {}

    def command(name):
        if name not in built:
            try:
                built[name] = PLAYERS[name].command(tmp_path_factory.mktemp(name))
            except CannotBuild as reason:
                pytest.skip(str(reason))
        return built[name]

    return command


@pytest.mark.conformance
@pytest.mark.parametrize("case", CASES, ids=lambda path: path.stem)
@pytest.mark.parametrize(
    "player",
    [
        pytest.param(name, marks=getattr(pytest.mark, player.needs)) if player.needs else name
        for name, player in PLAYERS.items()
    ],
)
def test_a_case(request, commands, tmp_path, player, case):
    command = commands(player)
    place = request.getfixturevalue(PLAYERS[player].place)
    told = json.loads(case.read_text())
    people = People()
    definition = {"name": "played", "nodes": told["nodes"], "edges": told.get("edges", [])}
    api = people.client("admin")
    assert api.post("/api/v1/workflows", {"name": "played", "definition": definition}).status_code == 201
    assert api.post("/api/v1/workflows/played/publish").status_code == 201
    with (tmp_path / "said").open("w+") as said:
        process = subprocess.Popen(
            [*command, str(case), "played", "key-1"],
            cwd=ROOT,
            stdout=said,
            stderr=subprocess.PIPE,
            text=True,
            env={
                **os.environ,
                "TOKEN": people.token("admin"),
                "PYTHONPATH": str(SDKS / "python" / "src"),
                "NO_PROXY": "127.0.0.1",
                **place.environment,
            },
        )
        try:
            wait_until(lambda: _go_on(place) and process.poll() is not None, 90, lambda: case.stem)
        finally:
            process.kill()
            _, trouble = process.communicate()
        said.seek(0)
        assert process.returncode == 0, trouble
        assert json.loads(said.read()) == told["expect"]
    run = Run.unsafe_all_tenants.filter(business_key="key-1").first()
    if "log" in told:
        lines = (
            StepLog.unsafe_all_tenants.filter(run_id=run.pk).order_by("seq").values_list("text", flat=True)
        )
        assert list(lines) == told["log"]
    if "calls" in told:
        assert StepExecution.unsafe_all_tenants.get(run_id=run.pk).epoch == told["calls"]


def _go_on(place):
    """What workers and a relay do."""
    make.work()
    place.turn()
    return True


OWN_TESTS = {
    "go": ["go", "test", "-count=1", "."],
    "typescript": ["npm", "test", "--silent"],
    "java": ["mvn", "--quiet", "--batch-mode", "test"],
}


@pytest.mark.toolchains
@pytest.mark.parametrize("sdk", OWN_TESTS)
def test_what_an_sdk_tests_by_itself(sdk, tmp_path):
    """What no case can play: answers that come at a moment of the test's choice, a server whose clock is wrong."""
    if shutil.which(OWN_TESTS[sdk][0]) is None:
        pytest.skip(f"{OWN_TESTS[sdk][0]} is missing")
    folder = copied(sdk, tmp_path)
    if sdk == "typescript":
        run_in(folder, "npm", "ci", "--silent")
    run_in(folder, *OWN_TESTS[sdk])
