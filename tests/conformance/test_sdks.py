"""Each SDK, and HTTP without one, does in each case what the case expects (R-193)."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from config.embedded.processes import wait_until
from runs.models import Run, StepExecution, StepLog
from tests import factories as make
from tests.conformance.playing import CASES, PLAYERS, SDKS, CannotBuild, copied, run_in
from tests.families import exhaustive
from tests.forking import Forking
from tests.people import People
from tests.serving import ROOT

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.processes]


def surroundings():
    return {**os.environ, "PYTHONPATH": str(SDKS / "python" / "src"), "NO_PROXY": "127.0.0.1"}


class Process:
    """Plays one case after another, each by starting the program anew."""

    def __init__(self, command):
        self._command = command

    def begin(self, words, environment, said, trouble):
        with said.open("w") as out, trouble.open("w") as err:
            self._process = subprocess.Popen(
                [*self._command, *words], cwd=ROOT, stdout=out, stderr=err, env=environment
            )
        self.poll = self._process.poll

    def kill(self):
        self._process.kill()
        self._process.wait()

    def leave(self):
        pass


@pytest.fixture(scope="module")
def playing(tmp_path_factory):
    """Gives who plays for a player: what is built or loaded for that is so once."""
    known = {}

    def made(program):
        if isinstance(program, Path):
            return Forking(program, surroundings())
        try:
            return Process(program(tmp_path_factory.mktemp("player")))
        except CannotBuild as reason:
            pytest.skip(str(reason))

    def who(name):
        program = PLAYERS[name].program
        if program not in known:
            known[program] = made(program)
        return known[program]

    yield who
    for one in known.values():
        one.leave()


# Who hears by Redis renews leases in a way of its own; who tells of many jobs at once gives variables in another.
SHOWN = {("python-redis", "progress"), ("python-redis", "long-step"), ("python", "variables")}


def played():
    """Each case by each player. Of those who need no more than Handoff does, `make test` shows one for each case in
    turn, and what only one of them can show.
    """
    here = [name for name, player in PLAYERS.items() if not player.needs]
    for name, player in PLAYERS.items():
        for place, case in enumerate(CASES):
            is_shown = name == here[place % len(here)] or (name, case.stem) in SHOWN
            marks = [getattr(pytest.mark, player.needs)] if player.needs else []
            member = pytest.param(name, case, marks=marks, id=f"{name}-{case.stem}")
            yield member if is_shown or player.needs else exhaustive(member)


@pytest.mark.conformance
@pytest.mark.parametrize(("player", "case"), [*played()])
def test_a_case(request, playing, tmp_path, player, case):
    who = playing(player)
    place = request.getfixturevalue(PLAYERS[player].place)
    told = json.loads(case.read_text())
    people = People()
    definition = {"name": "played", "nodes": told["nodes"], "edges": told.get("edges", [])}
    api = people.client("admin")
    assert api.post("/api/v1/workflows", {"name": "played", "definition": definition}).status_code == 201
    assert api.post("/api/v1/workflows/played/publish").status_code == 201
    said, trouble = tmp_path / "said", tmp_path / "trouble"
    environment = {**surroundings(), "TOKEN": people.token("admin"), **place.environment}
    who.begin([str(case), "played", "key-1"], environment, said, trouble)
    codes = []
    try:
        wait_until(lambda: _go_on(place) and _note(who.poll(), codes), 90, lambda: case.stem)
    except BaseException:
        who.kill()
        raise
    assert codes == [0], trouble.read_text()
    assert json.loads(said.read_text()) == told["expect"]
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


def _note(code, codes):
    """Whether it has ended, with its code."""
    codes += [] if code is None else [code]
    return codes


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
