"""The eight things that S1 asks of an engine, on its own example, by real processes over real HTTP.

Two orders go through *Order fulfilment* side by side: one is shipped, of the other the carrier wants nothing to do.
Every process of Handoff and every worker is killed in the middle of each phase (R-253, R-255, R-256, R-137, H-24).
"""

import json
import os
import signal
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from itertools import pairwise
from pathlib import Path

import httpx
import pytest

from config.embedded.processes import wait_until
from tests.acceptance.client import Client
from tests.acceptance.running import Handoff
from tests.acceptance.shop import Shop, open_shop
from tests.acceptance.workers import working
from tests.webhooks import signed

SHIPPED, REFUSED = "A-1", "B-2"
ORDERS = (SHIPPED, REFUSED)
MAPPING = {
    "business_key": "{{ body.order }}",
    "signal_name": "payment",
    "payload": {"status": "{{ body.status }}", "transaction": "{{ body.transaction }}"},
}
EVERYBODY = frozenset({"everybody"})


class Story:
    """Two orders, the systems that they touch, and what is killed meanwhile: names of processes, or parts of them."""

    def __init__(self, client: Client, shop: Shop, address: str, folder: Path, kills: frozenset[str]) -> None:
        self.client, self.shop, self._address, self._folder = client, shop, address, folder
        self._kills, self._terminals = kills, ExitStack()
        self.runs: dict[str, str] = {}
        self.workflow = client.publish(on_short_leases(client))
        self.hook = client.post(
            "/webhooks",
            {"name": self.workflow, "workflow": self.workflow, "action": "signal", "mapping": MAPPING},
        )

    def start_workers(self) -> None:
        """Four of them, as a supervisor would: one for each call that is made at once."""
        for number in range(4):
            knobs = {"SHOP": self._address, "WORK_SECONDS": "0"}
            output = self._folder / f"worker-{number}"
            self._terminals.enter_context(working(self.client, "order_worker.py", output, **knobs))

    def stop_workers(self) -> None:
        """All of them, by kill -9."""
        self._terminals.close()

    def in_the_middle_of(self, *calls: tuple[str, str]) -> None:
        """These calls are in hand: now what is to be killed is killed. It comes back, and the calls are answered."""
        self.shop.until_held(*calls)
        killed = self._kill() if self._kills else {}
        self.shop.let_go(*calls)
        if self._kills:
            self._come_back(killed)

    def _kill(self) -> dict[str, int]:
        pids = self.client.handoff.pids()
        del pids["supervisor"]
        chosen = {
            name: pid
            for name, pid in pids.items()
            if self._kills == EVERYBODY or any(part in name for part in self._kills)
        }
        for pid in chosen.values():
            # Some die with another one.
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        if self._kills == EVERYBODY or "order-worker" in self._kills:
            self.stop_workers()
        return chosen

    def _come_back(self, killed: dict[str, int]) -> None:
        handoff = self.client.handoff
        wait_until(lambda: not killed.items() & handoff.pids().items(), 60, "the supervisor")
        handoff.until_answering()
        if self._kills == EVERYBODY or "order-worker" in self._kills:
            self.start_workers()

    def run(self, order: str) -> dict:
        return self.client.get(f"/runs/{self.runs[order]}")

    def step(self, order: str, node: str) -> dict:
        return self.client.get(f"/runs/{self.runs[order]}/steps?node={node}")["results"][0]

    def until(self, order: str, status: str, waiting_for: str = "") -> None:
        """Wait until its run has this status, and says that it waits for this."""

        def is_there() -> bool:
            run = self.run(order)
            return run["status"] == status and waiting_for in (run["waiting_for"] or "")

        wait_until(is_there, 60, f"{order}: {status} {waiting_for}")

    def pay(self, order: str, message_id: str, secret: str | None = None) -> httpx.Response:
        """What the payment service sends."""
        raw = json.dumps({"order": order, "status": "SUCCESS", "transaction": f"txn-{order}"}).encode()
        headers = signed(secret or self.hook["secret"], raw, message_id=message_id)
        return httpx.post(self.hook["url"], content=raw, headers=headers, trust_env=False, timeout=60)

    def events(self, order: str, kind: str) -> list[str]:
        """The nodes of the events of a type, oldest first."""
        run = self.runs[order]
        rows = self.client.rows(
            f"SELECT node FROM runs_historyevent WHERE run_id = '{run}' AND type = '{kind}' ORDER BY id"
        )
        return [node for (node,) in rows]


def on_short_leases(client: Client) -> dict:
    """The example as it is shipped, with leases that end soon where a worker is killed and the call is tried again.

    `loyalty` is tried once: nobody is killed in its middle, and a slow machine may need more than such a lease for it.
    """
    definition = client.get("/workflows/order_fulfillment/export")
    definition["name"] = f"orders-{client.number('SELECT count(*) FROM workflows_workflow')}"
    for node in definition["nodes"]:
        if node["type"] == "job" and node["id"] != "loyalty":
            node["lease_seconds"] = 2
        if "compensate" in node:
            node["compensate"]["lease_seconds"] = 2
    return definition


def an_order(number: str) -> dict:
    items = [{"sku": "lamp-3", "quantity": 2}]
    given = {"orderId": number, "customerId": "anna@example.org", "city": "Berlin", "amountCents": 15000}
    return given | {"items": items}


HELD = (
    ("reserve", SHIPPED),
    ("charge", REFUSED),
    ("offer", REFUSED),
    ("refund", REFUSED),
    ("ship", SHIPPED),
)


def order(story: Story, number: str) -> None:
    run = story.client.post("/runs", {"workflow": story.workflow, "input": an_order(number)})["id"]
    assert story.runs.setdefault(number, run) == run, "a business key has one run"


def pay(story: Story, number: str) -> None:
    """Somebody who has no key says so, and the payment service does, twice."""
    story.until(number, "WAITING", "waits for the signal payment")
    assert story.pay(number, "forged", secret=f"whsec_{'A' * 43}=").status_code == 401
    answers = [story.pay(number, f"msg-{number}") for _ in range(2)]
    assert [(one.status_code, one.json()["duplicate"]) for one in answers] == [(202, False), (200, True)]


def approve(story: Story, number: str) -> None:
    story.until(number, "WAITING", "Approval by compliance")
    assert story.shop.tried(number, "ship") == [], "nothing is shipped before somebody approved it"
    [task] = story.client.get(f"/tasks?run={story.runs[number]}")["results"]
    seen = story.client.get(f"/tasks/{task['id']}")["shown_hash"]
    story.client.post(f"/tasks/{task['id']}/complete", {"outcome": "approved", "seen": seen})


def two_orders(story: Story) -> None:
    """The second one is ahead of the first, so that each kill meets two phases."""
    for number in (REFUSED, SHIPPED, SHIPPED):
        order(story, number)
    story.in_the_middle_of(("charge", REFUSED), ("reserve", SHIPPED))

    story.until(SHIPPED, "WAITING", "waits for the signal payment")
    pay(story, REFUSED)
    # It is tried once: whoever was killed between its lease and its call would never have given anything.
    story.shop.until_done("give_points", REFUSED)
    story.in_the_middle_of(("offer", REFUSED))

    pay(story, SHIPPED)
    story.until(SHIPPED, "WAITING", "Approval by compliance")
    approve(story, REFUSED)
    story.in_the_middle_of(("refund", REFUSED))

    approve(story, SHIPPED)
    story.in_the_middle_of(("ship", SHIPPED))
    story.until(SHIPPED, "COMPLETED")
    story.until(REFUSED, "COMPENSATED")


def point_1_the_items_were_reserved_once(story: Story) -> None:
    for order in ORDERS:
        [done] = story.shop.effects(order, "reserve")
        assert done.asked == {"order": order, "items": an_order(order)["items"]}


def point_2_the_card_was_charged_once(story: Story) -> None:
    for order in ORDERS:
        [done] = story.shop.effects(order, "charge")
        assert done.asked["amount_cents"] == 15000


def point_3_the_payment_was_waited_for_and_counted_once(story: Story) -> None:
    for order in ORDERS:
        payment = story.step(order, "payment")
        assert payment["output"] == {"status": "SUCCESS", "transaction": f"txn-{order}"}
        assert story.events(order, "STEP_COMPLETED").count("payment") == 1
        asked = story.shop.tried(order, "offer")[0].at
        assert asked > story.shop.tried(order, "charge")[-1].at


def point_4_three_warehouses_were_asked_at_once_and_the_closest_was_picked(story: Story) -> None:
    for order, closest in ((SHIPPED, "north"), (REFUSED, "west")):
        asked = [story.step(order, node) for node in ("north", "west", "south")]
        assert max(step["queued_at"] for step in asked) < min(step["completed_at"] for step in asked)
        assert story.step(order, "closest")["output"] == {"warehouse": closest}


def point_5_one_call_was_tried_again_later_and_later_while_others_failed_without_harm(story: Story) -> None:
    price = [call.at for call in story.shop.tried(SHIPPED, "price")]
    pauses = [later - earlier for earlier, later in pairwise(price)]
    assert len(pauses) >= 2
    assert (pauses[0] >= 1, pauses[1] >= 2) == (True, True)
    assert [story.step(SHIPPED, node)["status"] for node in ("west", "loyalty")] == ["FAILED", "FAILED"]
    assert story.shop.effects(SHIPPED, "give_points") == []


def point_6_what_was_done_was_undone_in_reverse_where_shipping_failed(story: Story) -> None:
    undone = ["take_points", "refund", "release"]
    done = story.shop.effects(REFUSED)
    assert [call.verb for call in done][-3:] == undone
    assert [node for node in story.events(REFUSED, "STEP_COMPLETED") if ":" in node] == [
        "loyalty:compensate",
        "charge:compensate",
        "reserve:compensate",
    ]
    keys = {call.verb: call.key for call in done}
    [points, refund, release] = done[-3:]
    assert points.asked["given_with"] == keys["give_points"]
    assert (refund.asked["charged_with"], refund.asked["amount_cents"]) == (keys["charge"], 15000)
    assert release.asked["reserved_with"] == keys["reserve"]
    assert story.shop.effects(SHIPPED, *undone, "recall") == []
    assert story.shop.effects(REFUSED, "ship", "recall") == []


def point_7_a_person_approved_it(story: Story) -> None:
    for order in ORDERS:
        approval = story.step(order, "approve")["output"]
        assert (approval["outcome"], approval["by"]) == ("approved", "admin")
        assert story.events(order, "STEP_COMPLETED").count("approve") == 1
    assert story.run(SHIPPED)["output"] == {
        "order": SHIPPED,
        "transaction": f"txn-{SHIPPED}",
        "warehouse": "north",
        "approved_by": "admin",
        "tracking": f"trk-{SHIPPED}",
        "points": 0,
    }


def point_8_whatever_was_killed_everything_was_done_once(story: Story) -> None:
    for order in ORDERS:
        asked = {}
        for call in story.shop.effects(order):
            thing = (call.verb, call.asked.get("warehouse"))
            assert thing not in asked, "done twice"
            asked[thing] = (call.key, call.asked)
        for call in story.shop.tried(order):
            thing = (call.verb, call.asked.get("warehouse"))
            assert asked.get(thing, (call.key, call.asked)) == (call.key, call.asked), (
                "a repeat is the same call"
            )
    assert story.client.broken_invariants() == {}
    assert (
        story.client.number("SELECT count(*) FROM runs_deadletter WHERE resolution IS NULL AND node = 'ship'")
        >= 1
    )


POINTS = (
    point_1_the_items_were_reserved_once,
    point_2_the_card_was_charged_once,
    point_3_the_payment_was_waited_for_and_counted_once,
    point_4_three_warehouses_were_asked_at_once_and_the_closest_was_picked,
    point_5_one_call_was_tried_again_later_and_later_while_others_failed_without_harm,
    point_6_what_was_done_was_undone_in_reverse_where_shipping_failed,
    point_7_a_person_approved_it,
    point_8_whatever_was_killed_everything_was_done_once,
)


def tell(client: Client, folder: Path, kills: frozenset[str]) -> Shop:
    """The whole story, and what must be true at its end."""
    with open_shop() as (shop, address):
        shop.hold(*HELD)
        shop.refuse("give_points", SHIPPED, 503, times=9)
        shop.refuse("offer", SHIPPED, 503, times=9, warehouse="west")
        shop.refuse("price", SHIPPED, 503, times=2)
        shop.refuse("ship", REFUSED, 422, times=9)
        story = Story(client, shop, address, folder, kills)
        story.start_workers()
        try:
            two_orders(story)
        finally:
            story.stop_workers()
        for point in POINTS:
            point(story)
        return shop


@pytest.fixture
def client(handoff: Handoff) -> Iterator[Client]:
    with Client(handoff) as client:
        yield client


@pytest.mark.exhaustive
def test_an_order_is_fulfilled_or_undone_though_everything_is_killed_in_each_phase(client, tmp_path):
    shop = tell(client, tmp_path, EVERYBODY)
    assert [
        call for call in HELD if len(shop.tried(call[1], call[0])) == len(shop.effects(call[1], call[0]))
    ] == []


def test_a_worker_that_is_stopped_gives_back_what_it_has_not_begun(client, tmp_path):
    run = client.post("/runs", {"workflow": "order_fulfillment", "input": an_order("C-3")})["id"]
    with working(client, "order_worker.py", tmp_path / "worker", WORK_SECONDS="60") as worker:
        worker.until_it_says(": begun")
        assert worker.stop() == 0
    assert worker.said().endswith(": given back\nstopped\n")
    assert (reserving(client, run)["status"], reserving(client, run)["attempt"]) == ("QUEUED", 0)
    client.post(f"/runs/{run}/cancel", {})


def test_a_worker_that_is_stopped_finishes_the_call_that_it_has_begun(client, tmp_path):
    with open_shop() as (shop, address):
        shop.hold(("reserve", "D-4"))
        run = client.post("/runs", {"workflow": "order_fulfillment", "input": an_order("D-4")})["id"]
        knobs = {"WORK_SECONDS": "0", "SHOP": address}
        with working(client, "order_worker.py", tmp_path / "worker", **knobs) as worker:
            shop.until_held(("reserve", "D-4"))
            worker.process.send_signal(signal.SIGTERM)
            shop.let_go(("reserve", "D-4"))
            assert worker.stop() == 0
    assert worker.said().endswith(": completed\nstopped\n")
    assert reserving(client, run)["status"] == "COMPLETED"
    client.post(f"/runs/{run}/cancel", {})


def reserving(client: Client, run: str) -> dict:
    return client.get(f"/runs/{run}/steps?node=reserve")["results"][0]


@pytest.mark.soak
@pytest.mark.parametrize(
    "name",
    [
        "nobody",
        "web",
        "worker-default",
        "worker-blocking",
        "worker-engine",
        "worker-ticks",
        "beat",
        "nursery",
        "postgres",
        "redis",
        "order-worker",
    ],
)
def test_an_order_is_fulfilled_or_undone_though_one_is_killed_in_each_phase(client, tmp_path, name):
    tell(client, tmp_path, frozenset({name}))
