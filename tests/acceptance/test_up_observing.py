"""A copy that observes: nothing of it executes or sends, and it works when it is started without the variable."""

import base64
import os

import httpx
import pytest

from config.embedded.processes import wait_until
from tests.acceptance.conftest import end
from tests.acceptance.running import Handoff

WAITS = {"name": "waits", "nodes": [{"id": "a", "type": "wait", "params": {"seconds": 6}}]}


@pytest.fixture
def started(tmp_path):
    """Makes a Handoff of one home, which is not started yet; all of them are ended."""
    made = []

    def started(**environment):
        made.append(Handoff(tmp_path / "home", **environment))
        return made[-1]

    yield started
    for one in made:
        end(one)


def test_nothing_goes_on_while_it_observes_and_all_of_it_afterwards(started):
    handoff = started()
    handoff.start_and_wait()
    token = handoff.admin_token
    with _api(handoff, token) as api:
        api.post("/workflows", json={"name": "waits", "definition": WAITS}).raise_for_status()
        api.post("/workflows/waits/publish").raise_for_status()
        run = api.post("/runs", json={"workflow": "waits", "input": {}}).json()["id"]
        end(handoff)
    observing = started(HANDOFF_START="observe")
    observing.start_and_wait()
    assert {name.partition("-")[0] for name in observing.pids()} == {
        "supervisor",
        "postgres",
        "nursery",
        "web",
    }
    assert "It observes only" in observing.said()
    assert observing.get("/readyz")[0] == 200
    with _api(observing, token) as api:
        before = api.get(f"/runs/{run}").json()
        assert before["status"] == "WAITING"
        refused = api.post("/runs", json={"workflow": "waits", "input": {}})
        assert (refused.status_code, refused.json()["error"]["code"]) == (503, "observing")
        assert api.get(f"/runs/{run}").json()["version"] == before["version"]
    with observing.browser() as browser:
        assert "This Handoff observes only" in browser.get(f"/runs/{run}").text
    end(observing)
    again = started()
    again.start_and_wait()
    with _api(again, token) as api:
        wait_until(lambda: api.get(f"/runs/{run}").json()["status"] == "COMPLETED", 30, "the run")


def test_another_master_key_is_one_clear_line(started):
    handoff = started()
    handoff.start_and_wait()
    with _api(handoff, handoff.admin_token) as api:
        api.post("/webhooks/out", json={"url": "https://shop.example/in"}).raise_for_status()
    end(handoff)
    [line] = started(HANDOFF_MASTER_KEY=base64.b64encode(os.urandom(32)).decode()).refusal()
    assert line.startswith("Handoff cannot start: The master key opens none of the secrets of this database")


def _api(handoff: Handoff, token: str) -> httpx.Client:
    site = f"http://127.0.0.1:{handoff.port}/api/v1"
    headers = {"Authorization": f"Bearer {token}"}
    return httpx.Client(base_url=site, headers=headers, trust_env=False, timeout=30)
