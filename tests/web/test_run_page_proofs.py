"""The page of a large run stays at hand: what holds it up are long tasks, also on a computer four times as slow."""

import pytest
from django.db import connection
from playwright.sync_api import expect

from accounts.models import Membership
from engine.statuses import StepStatus
from runs.models import Container, StepExecution
from tests import factories as make
from tests.web.visitor import Visitor

pytestmark = pytest.mark.browser

WATCH = """
window.long = [];
new PerformanceObserver((list) => window.long.push(...list.getEntries().map((task) => Math.round(task.duration))))
    .observe({type: "longtask", buffered: true});
"""
FLOOD = """
window.WebSocket = class {
    constructor() { window.watching = this; queueMicrotask(() => this.onopen?.({})); }
    close() {}
};
window.flood = async (seconds) => {
    let sent = 0;
    const began = performance.now();
    while (sent < seconds * 200) {
        // Two hundred a second, whatever the page is at meanwhile.
        const due = Math.min((performance.now() - began) / 5, seconds * 200);
        for (; sent < due; sent += 1) {
            const node = `s0_${sent % 200}`;
            window.watching.onmessage({data: JSON.stringify({changed: ["steps"], nodes: {[node]: "RUNNING"}})});
        }
        await new Promise((next) => setTimeout(next, 5));
    }
    return sent;
};
"""
COUNT = """
window.answers = 0;
window.Worker = class extends Worker {
    constructor(...all) { super(...all); this.addEventListener("message", () => { window.answers += 1; }); }
};
"""
HELD_UP = 2_000
"""So many milliseconds a task may take on a machine that others work on meanwhile; alone less than half of
one second. On the page's own thread the layout of five hundred steps took more than three."""


@pytest.fixture
def author(visitor, ann) -> Visitor:
    """Somebody who builds: they see the graph first."""
    Membership.objects.for_tenant(make.a_tenant().pk).filter(user=ann).update(role="author")
    return visitor


@pytest.fixture(params=[1, pytest.param(4, marks=pytest.mark.soak)])
def slowness(request) -> int:
    """How many times as slow the computer is. To be slow it wastes its time: the limit is as much lower instead."""
    return request.param


@pytest.fixture
def watched(author, slowness) -> Visitor:
    author.page.add_init_script(WATCH)
    if slowness > 1:
        session = author.page.context.new_cdp_session(author.page)
        session.send("Emulation.setCPUThrottlingRate", {"rate": slowness})
    author.page.set_default_timeout(120_000)
    return author


def longest(visitor: Visitor) -> int:
    """How long the task took that held the page up most, in milliseconds."""
    return visitor.page.evaluate("Math.max(0, ...window.long)")


def layers(many: int, wide: int):
    """So many layers of so many steps, each of which leads to two of the next; no step has a place, none is done."""
    nodes = [
        {"id": f"s{n}_{m}", "type": "noop"} if n else {"id": f"s0_{m}", "type": "job", "queue": "mine"}
        for n in range(many)
        for m in range(wide)
    ]
    edges = [
        {"from": f"s{n}_{m}", "to": f"s{n + 1}_{(m + by) % wide}"}
        for n in range(many - 1)
        for m in range(wide)
        for by in (0, 1)
    ]
    return make.graph(nodes, edges)


def test_five_hundred_steps_without_places_are_drawn_while_the_page_answers_keys(watched, slowness):
    run_id = make.start(layers(25, 20), {"n": 1})[0]
    watched.page.add_init_script(COUNT)
    watched.open(f"/runs/{run_id}?view=graph")
    # The list is there before the picture.
    watched.page.locator(".graph-step").first.wait_for()
    watched.press("j")
    expect(watched.page.locator("#inspector h3").first).to_have_text("External job (s0_0)", timeout=60_000)
    watched.page.wait_for_selector("#graph[data-drawn]")
    assert watched.page.locator(".picture-line").count() == 960
    assert longest(watched) < HELD_UP * slowness
    assert watched.page.evaluate("window.answers") == 2, "its places and its lines came from workers"


def test_two_hundred_changes_a_second_leave_the_page_at_hand_and_the_last_state_right(watched, slowness):
    watched.page.add_init_script(FLOOD)
    run_id = make.start(layers(1, 200), {"n": 1})[0]
    watched.open(f"/runs/{run_id}?view=graph")
    watched.page.wait_for_selector("#graph[data-drawn]")
    seconds = 2 if slowness == 1 else 5
    watched.page.evaluate(f"window.long.length = 0; window.flooding = window.flood({seconds}); 0")
    for _ in range(4):
        make.complete(*make.claimed("mine", limit=50))
    sent = watched.page.evaluate("window.flooding")
    assert sent == 200 * seconds
    watched.page.evaluate(
        "window.watching.onmessage({data: JSON.stringify({changed: ['run', 'steps'], nodes: {}})})"
    )
    expect(watched.page.locator(".graph-step[data-status=COMPLETED]")).to_have_count(200, timeout=60_000)
    assert longest(watched) < HELD_UP * slowness


def test_a_map_of_ten_thousand_items_is_looked_at_without_stalling(watched, slowness):
    run_id = make.start(make.mapped(max_concurrency=1), {"items": [*range(3)]})[0]
    make.work("engine")
    first = StepExecution.unsafe_all_tenants.get(run_id=run_id, index=0)
    with_items(first, 10_000)
    watched.open(f"/runs/{run_id}?view=graph&step=each")
    watched.page.wait_for_selector("#graph[data-drawn]")
    expect(watched.page.locator(".graph-step").first).to_contain_text("of 10000 items, 100 failed")
    watched.page.locator("#inspector a", has_text="of 10000 items").click()
    expect(watched.page.locator(".item-grid a")).to_have_count(1_000, timeout=60_000)
    watched.page.locator(".item-grid a").first.focus()
    watched.press("ArrowDown", "End", "Enter")
    expect(watched.page.locator("#item")).to_be_visible(timeout=60_000)
    assert longest(watched) < HELD_UP * slowness


def with_items(first: StepExecution, many: int) -> None:
    """Ten thousand items where there was one: most are done, some have failed."""
    columns = {f'"{field.column}"': f's."{field.column}"' for field in StepExecution._meta.fields}
    status = f"CASE mod(n, 100) WHEN 7 THEN '{StepStatus.FAILED}' ELSE '{StepStatus.COMPLETED}' END"
    columns |= {'"id"': "gen_random_uuid()", '"index"': "n", '"status"': status, '"worker"': "NULL"}
    with connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO runs_stepexecution ({', '.join(columns)}) SELECT {', '.join(columns.values())}"
            " FROM runs_stepexecution s, generate_series(1, %s) n WHERE s.id = %s",
            (many - 1, first.pk),
        )
    Container.unsafe_all_tenants.filter(run_id=first.run_id).update(
        total=many, opened=many, ended=many - 1, failed=100
    )
