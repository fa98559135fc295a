"""The main job: Clean → Summarize → Keywords → Tag on a real article, over REST and from the command line."""

import json
import threading

import httpx
import pytest

from tests.acceptance.client import Client
from tests.acceptance.running import ROOT

ARTICLE = ROOT / "docs/examples/cities_and_heat.txt"
CATEGORIES = ["environment", "sport", "finance"]
STEPS = [
    "text.clean",
    {"type": "text.summarize", "params": {"sentences": 3}},
    {"type": "text.keywords", "params": {"limit": 8}},
    {"type": "text.tag", "params": {"categories": CATEGORIES}},
]


@pytest.fixture(scope="module")
def client(handoff):
    """A client of a Handoff that has the pipeline published."""
    with Client(handoff) as client:
        client.publish({"name": "pipeline", "steps": STEPS})
        yield client


def ended(client: Client, run_id: str) -> dict:
    """The run when it has ended."""
    client.until(f"SELECT count(*) FROM runs_run WHERE id = '{run_id}' AND completed_at IS NOT NULL", 1, 60)
    return client.get(f"/runs/{run_id}")


def assert_sensible(run: dict) -> None:
    """Four steps, each with what it was given, what it made of it, and how long that took."""
    assert run["status"] == "COMPLETED", run["error"]
    clean, summarize, keywords, tag = run["steps"]
    for step in run["steps"]:
        assert step["status"] == "COMPLETED"
        assert step["input"]["text"]
        assert step["output"]["text"]
        assert step["duration_ms"] > 0
    assert clean["input"] == run["input"]
    assert summarize["input"] == clean["output"]
    assert keywords["input"] == summarize["output"]
    assert tag["input"] == keywords["output"]
    assert 40 < len(summarize["output"]["text"].split()) < 200
    assert summarize["output"]["sentences"] == 3
    found = {keyword["keyword"].lower() for keyword in keywords["output"]["keywords"]}
    assert found & {"heat", "trees", "street trees", "cities"}
    assert tag["output"]["category"] == "environment"
    assert run["output"] == tag["output"]


def test_an_article_of_5000_words_over_rest(client):
    text = ARTICLE.read_text()
    assert len(text.split()) > 4900

    run = client.post("/runs", {"workflow": "pipeline", "input": {"text": text}})

    assert_sensible(ended(client, run["id"]))


def test_the_same_from_the_command_line(handoff, client):
    told = handoff.manage("run_workflow", "pipeline", "--input", str(ARTICLE), "--json")

    assert told.returncode == 0, told.stderr
    assert_sensible(json.loads(told.stdout))
    assert [word for word in ("clean", "summarize", "keywords", "tag") if word not in told.stderr] == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "empty"),
        ("   \n", "empty"),
        ("word " * 220_000, "1 MiB"),
        (42, "must be a text, but is a number"),
    ],
    ids=["empty", "blank", "over 1 MiB", "a number"],
)
def test_what_is_no_text_fails_its_step_with_a_clear_error_and_nothing_after_it_runs(client, text, said):
    run = ended(client, client.post("/runs", {"workflow": "pipeline", "input": {"text": text}})["id"])

    assert run["status"] == "FAILED"
    first, *others = run["steps"]
    assert (first["status"], first["attempt"], first["error"]["code"]) == ("FAILED", 1, "BadInput")
    assert said.lower() in first["error"]["message"].lower()
    assert "text" in first["error"]["message"]
    assert {step["status"] for step in others} == {"PENDING"}
    letters = client.get("/dead-letters")["results"]
    assert run["id"] in {letter["run_id"] for letter in letters}


def test_the_same_business_key_twenty_times_at_once_is_one_run(client):
    body = {"workflow": "pipeline", "business_key": "order-17", "input": {"text": "Rain fell on the town."}}
    answers: list[httpx.Response] = []

    def start() -> None:
        answers.append(client.http.post("/runs", json=body))

    threads = [threading.Thread(target=start) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len({answer.json()["id"] for answer in answers}) == 1
    assert sorted(answer.status_code for answer in answers) == [200] * 19 + [201]


def test_a_failed_run_is_resumed_from_its_failed_step(client):
    nodes = [{"id": "clean", "type": "text.clean"}, {"id": "price", "type": "job", "retry": "none"}]
    client.publish({"name": "resumed", "nodes": nodes, "edges": [{"from": "clean", "to": "price"}]})
    run = client.post("/runs", {"workflow": "resumed", "input": {"text": "Two boxes of tea."}})
    poll = {"worker_id": "w", "queues": ["price"], "max_jobs": 1, "wait_seconds": 10}
    (job,) = client.post("/jobs/poll", poll)["jobs"]
    error = {"code": "NoPrice", "message": "The price list is away."}
    client.post(
        f"/jobs/{job['id']}/fail", {"lease_token": job["lease_token"], "error": error, "retryable": False}
    )
    failed = ended(client, run["id"])
    assert (failed["status"], failed["error"]["code"], failed["error"]["node"]) == (
        "FAILED",
        "NoPrice",
        "price",
    )

    client.post(f"/runs/{run['id']}/resume", {"reason": "the list is back"})
    (again,) = client.post("/jobs/poll", poll)["jobs"]
    assert again["idempotency_key"] == job["idempotency_key"]
    done = {"lease_token": again["lease_token"], "output": {"price": 7}}
    assert client.post(f"/jobs/{again['id']}/complete", done)["applied"] is True

    run = ended(client, run["id"])
    assert (run["status"], run["life"], run["output"]) == ("COMPLETED", 2, {"price": 7})
    types = [event["type"] for event in client.get(f"/runs/{run['id']}/history")["results"]]
    assert types.count("STEP_COMPLETED") == 2, "the cleaned text was kept, not made again"
