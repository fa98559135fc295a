"""What a worker is at when it dies: each scenario with what it prepares, and how its runs end."""

from collections.abc import Callable
from typing import Any

from accounts.roles import ADMIN
from lib.uuid7 import uuid7
from runs.commands import jobs
from tests import damage, of_features
from tests import factories as make
from tests.crash import approving, containers, failures, large, limits, victim
from tests.inbox.asking import approval, member

Work = tuple[Callable[..., None], tuple[Any, ...]]
BAD = {"type": "text.clean", "retry": "none"}
"""A step that fails at once: its input is no text."""
ELSEWHERE = {"queue": "blocking"}
REMINDED = {"boundary_timers": [{"after_seconds": 20, "interrupting": False, "to": "e"}]}
STOPPED = {"boundary_timers": [{"after_seconds": 20, "to": "f"}]}

CHAIN = make.graph(["a", {"id": "b", **ELSEWHERE}, "c"], ["a>b", "b>c"])
DIAMOND = make.graph(
    [*"abcd", {"id": "e", "type": "decision"}, *"fgh"],
    [
        *("a>b", "a>c", "b>d", "c>d", "d>e", "f>h", "g>h"),
        {"from": "e", "to": "f", "when": "false"},
        {"from": "e", "to": "g", "default": True},
    ],
    output={"h": "{{ steps.h.output }}"},
)
ANY = make.graph(["a", {"id": "b", **ELSEWHERE}, {"id": "c", "join": "any"}, "d"], ["a>c", "b>c", "b>d"])
NEVER_FIRED = make.graph(
    ["a", {"id": "b", **ELSEWHERE}, {"id": "c", "join": "all"}],
    ["a>c", {"from": "b", "to": "c", "when": "false"}],
)
FAILING = make.graph(["a", {"id": "b", **BAD}, {"id": "c", **ELSEWHERE}, "d"], ["a>b", "a>c", "c>d"])
HALF = make.graph([{"id": "a", "retry": "none"}, "b", "c", "d", "e"], ["a>c", "b>c", "b>d", "c>e", "d>e"])
MADE = {"type": "transform", "params": {"set": {"x": "{{ run.workflow }}"}}}
ENGINE_FIRST = make.graph([{"id": "a", **MADE}, "b", "c"], ["a>b", "a>c"])
BROKEN_START = make.graph(
    [{"id": "a", "type": "transform", "params": {"set": {"x": "{{ input.no }}"}}}, "b"], []
)
SETTING = make.graph(
    [
        {"id": "a", "set_vars": {"x": 1}},
        {"id": "b", **ELSEWHERE, "set_vars": {"x": 2}},
        {"id": "c", **MADE, "set_vars": {"y": "{{ vars.x }}"}},
    ],
    ["a>c", "b>c"],
)
UNCLEAN = make.graph(["a", {"id": "b", **BAD}, "c"], ["a>b", "b>c"])
CLEANED = [
    {"id": "b", "type": "text.clean", "input": {"text": "{{ string(prev.n) }}"}},
    {"id": "c", "type": "noop"},
]
JOB = make.graph(["a", {"id": "b", "type": "job", "queue": victim.OUTSIDE}], ["a>b"])

UNDO = {"compensate": {"type": "noop"}}
UNDONE = make.graph([{"id": "a", **UNDO}, {"id": "b", **UNDO}, {"id": "c", **BAD}], ["a>b", "b>c"])
NOT_UNDONE = make.graph(
    [{"id": "a", "compensate": BAD}, {"id": "b", **UNDO}, {"id": "c", **BAD}], ["a>b", "b>c"]
)
TREE_UNDONE = make.graph(
    [
        {"id": "a", **UNDO},
        {
            "id": "each",
            "type": "map",
            "params": {
                "items": [1, 2],
                "body": {
                    "steps": [
                        {"id": "in", "type": "noop", **UNDO},
                        {
                            "id": "again",
                            "type": "loop",
                            "params": {
                                "count": 2,
                                "body": {
                                    "steps": [
                                        {"id": "x", "type": "noop", **UNDO},
                                        {"id": "y", "type": "noop"},
                                    ]
                                },
                            },
                        },
                    ]
                },
            },
        },
        {"id": "c", **BAD},
    ],
    ["a>each", "each>c"],
)
HALF_UNDONE = make.graph(
    [{"id": "a", **UNDO}, {"id": "b", "compensate": BAD}, {"id": "c", **UNDO}, {"id": "d", **BAD}],
    ["a>b", "a>c", "b>d", "c>d"],
    compensation="parallel",
)
WAITS = make.graph(
    [
        {"id": "a", "type": "wait", "params": {"seconds": 20}},
        {
            "id": "b",
            "type": "signal",
            "params": {"name": "x", "timeout_seconds": 20, "on_timeout": "continue"},
        },
        {"id": "c", "type": "job", "queue": victim.OUTSIDE, **REMINDED},
        {"id": "d", "type": "job", "queue": victim.OUTSIDE, **STOPPED},
        *"efgz",
    ],
    ["z>c", "a>g", "b>g", "c>g", "d>g", "e>g", "f>g"],
    sla_seconds=30,
)
SIGNALS = make.graph(
    [{"id": name, "type": "signal", "params": {"name": name}} for name in ("go", "later")], ["go>later"]
)

MAPPED, MAP_FAILS = (make.mapped(body, [1, "two", 3], max_concurrency=2) for body in ("noop", "text.clean"))
MAP_HANDLED = make.mapped("text.clean", [1, "two", 3], {"on_error": "continue"}, max_concurrency=2)


def parent_of(child, **more):
    """A definition of which a step runs `child`, on two of them where a map does."""
    name = make.a_version(child).workflow.name
    sub = {"type": "subworkflow", "params": {"workflow": name}}
    each = {"id": "each", "type": "map", "params": {"items": [1, 2], "body": sub}}
    return make.graph([{"id": "a", **sub}, each, "z"], ["a>z", "each>z"], **more)


def drained(definition) -> Callable[[], Work]:
    def prepare():
        make.start(definition, {"n": 1}, {"n": 2})
        return victim.drain, ()

    return prepare


def started(definition) -> Callable[[], Work]:
    def prepare():
        version = make.a_version(definition)
        return victim.start, (version.pk, version.tenant_id, ("one", "two"))

    return prepare


def started_again() -> Work:
    work, (version, tenant, keys) = started(ENGINE_FIRST)()
    work(version, tenant, keys[:1])
    return work, (version, tenant, keys)


def started_anew() -> Work:
    work, (version, tenant, keys) = started(ENGINE_FIRST)()
    work(version, tenant, keys[:1])
    make.work()
    return victim.start_anew, (version, tenant, keys)


def stuck_for_ever() -> Work:
    """Damage of each kind that is repaired in a way of its own."""
    for stage in (
        damage.held_for_ever,
        damage.a_step_that_is_gone,
        damage.a_wait_without_its_timer,
        damage.a_wait_that_says_nothing,
        damage.failing_for_ever,
        damage.a_person_is_waited_for_and_nothing_failed,
    ):
        stage(None)
    return victim.check, ()


def resumed() -> Work:
    run_ids = make.start(HALF, {"n": 1}, {"n": 2})
    batch = make.claimed()
    make.fail(*(step for step in batch if step.node == "a"))
    make.complete(*(step for step in batch if step.node == "b"))
    return victim.resume, (make.a_tenant().pk, run_ids)


def mapped_again() -> Work:
    return victim.resume, (make.a_tenant().pk, failed_of(MAP_FAILS))


def cancelled() -> Work:
    run_ids = make.start(HALF, {"n": 1}, {"n": 2})
    make.claimed(limit=2)
    return victim.cancel, (make.a_tenant().pk, run_ids)


def swept() -> Work:
    make.start(CHAIN, {"n": 1}, {"n": 2})
    make.claimed()
    return victim.sweep, ()


def lost() -> Work:
    make.start(CHAIN, {"n": 1}, {"n": 2})
    make.claimed(worker="dead")
    return victim.lose, (["dead"],)


def jobs_done() -> Work:
    make.start(JOB, {"n": 1}, {"n": 2}, {"n": 3})
    make.work()
    return victim.do_jobs, (make.a_tenant().pk,)


def given_up_while_cancelling() -> Work:
    (run_id,) = make.start(JOB, {"n": 1})
    make.work()
    tenant = make.a_tenant().pk
    (job,) = jobs.poll(tenant=tenant, worker="w", queues=[victim.OUTSIDE], max_jobs=1)
    make.cancel(run_id)
    return victim.release, (tenant, job.step.id, job.lease_token)


def waited() -> Work:
    make.start(WAITS, {"n": 1}, {"n": 2})
    return victim.wait, ()


def signalled() -> Work:
    run_ids = make.start(SIGNALS, {"n": 1}, {"n": 2})
    make.work()
    return victim.send, (make.a_tenant().pk, run_ids)


def given_up(definition) -> Callable[[], Work]:
    return lambda: (victim.give_up, (make.a_tenant().pk, make.start(definition, {"n": 1}, {"n": 2})))


def handed_over() -> Work:
    member("bob")
    run_ids = make.start(approval(), {"amount": 1}, {"amount": 2})
    return victim.hand_over, (make.a_tenant().pk, run_ids, [uuid7() for _ in run_ids])


def voted_on() -> Work:
    for name in ("ann", "bob", "cat"):
        member(name, ADMIN)
    asks = approval(quorum=2, candidates={"users": ["ann", "bob"]})
    return victim.vote, (make.a_tenant().pk, make.start(asks, {"amount": 1}, {"amount": 2}))


def sent_back() -> Work:
    for name in ("ann", "bob"):
        member(name, ADMIN)
    asks = approval(undo_seconds=10)
    return victim.send_back, (make.a_tenant().pk, make.start(asks, {"amount": 1}, {"amount": 2}))


def ran_out() -> Work:
    asks = approval(due_seconds=30, on_timeout="approved", reminders=[10])
    return victim.run_out, (make.a_tenant().pk, make.start(asks, {"amount": 1}, {"amount": 2}))


def begun_by_others() -> Work:
    """Runs that others begin, which are followed by none: that is kept in history."""
    make.start(parent_of(CHAIN, next_workflow="nobody"), {"n": 1}, {"n": 2})
    return victim.drain, ()


def cancelled_with_others() -> Work:
    return victim.cancel_children, (make.a_tenant().pk, make.start(parent_of(SIGNALS), {"n": 1}, {"n": 2}))


def paused_with_others() -> Work:
    run_ids = make.start(parent_of(CHAIN), {"n": 1}, {"n": 2})
    make.work("engine")
    return victim.pause, (make.a_tenant().pk, run_ids)


def paused() -> Work:
    return victim.pause, (make.a_tenant().pk, make.start(CHAIN, {"n": 1}, {"n": 2}))


def failed_of(definition) -> list[str]:
    """Two runs of which a step has failed."""
    run_ids = make.start(definition, {"n": 1}, {"n": 2})
    make.work()
    return run_ids


def mended() -> Work:
    return victim.mend, (make.a_tenant().pk, failed_of(UNCLEAN))


def resumed_on() -> Work:
    run_ids = failed_of(UNCLEAN)
    fixed = {**UNCLEAN, "nodes": [{"id": "a", "type": "noop"}, *CLEANED]}
    version = make.a_version(fixed)
    return victim.resume_on, (make.a_tenant().pk, run_ids, version.pk)


def rerun() -> Work:
    run_ids = failed_of(UNCLEAN)
    return victim.rerun, (make.a_tenant().pk, run_ids, [uuid7() for _ in run_ids])


def dutiful() -> Work:
    make.start(make.chain("noop"))
    make.work()
    make.start(CHAIN)
    return victim.duties, ()


SCENARIOS: dict[str, tuple[Callable[[], Work], set[str]]] = {
    "chain": (drained(CHAIN), {"COMPLETED"}),
    "diamond": (drained(DIAMOND), {"COMPLETED"}),
    "large payloads": (large.handed_on, {"COMPLETED"}),
    "variables": (drained(SETTING), {"COMPLETED"}),
    "any": (drained(ANY), {"COMPLETED"}),
    "join that never fires": (drained(NEVER_FIRED), {"FAILED"}),
    "failing": (drained(FAILING), {"FAILED"}),
    "failing when the others have ended": (drained(failures.LAST), {"FAILED"}),
    "asked": (failures.asked, {"FAILED"}),
    "tried again beside others": (failures.tried_again, {"FAILED"}),
    "map": (drained(MAPPED), {"COMPLETED"}),
    "map that fails": (drained(MAP_HANDLED), {"COMPLETED"}),
    "map that is resumed": (mapped_again, {"FAILED"}),
    "items that are runs": (containers.with_parts, {"COMPLETED"}),
    "items near a limit": (containers.with_limit, {"COMPLETED"}),
    "items that are sent signals": (containers.with_waiting_parts, {"COMPLETED"}),
    "items that are resumed": (containers.with_failed_parts, {"COMPLETED"}),
    "item that was resumed by itself": (containers.with_resumed_item, {"COMPLETED"}),
    "loop that goes on": (containers.looped, {"COMPLETED"}),
    "start": (started(ENGINE_FIRST), {"COMPLETED"}),
    "start again": (started_again, {"COMPLETED"}),
    "start anew": (started_anew, {"COMPLETED"}),
    "failing start": (started(BROKEN_START), {"FAILED"}),
    "stuck": (stuck_for_ever, {"COMPLETED", "FAILED", "COMPENSATED"}),
    "resume": (resumed, {"COMPLETED"}),
    "cancel": (cancelled, {"CANCELLED"}),
    "sweep": (swept, {"COMPLETED"}),
    "workers that are lost": (lost, {"COMPLETED"}),
    "jobs": (jobs_done, {"COMPLETED"}),
    "release while cancelling": (given_up_while_cancelling, {"CANCELLED"}),
    "waits": (waited, {"COMPLETED"}),
    "not begun": (limits.not_begun, {"COMPLETED"}),
    "signals": (signalled, {"COMPLETED"}),
    "saga": (drained(UNDONE), {"COMPENSATED"}),
    "saga of a tree": (drained(TREE_UNDONE), {"COMPENSATED"}),
    "given up": (given_up(NOT_UNDONE), {"FAILED"}),
    "given up beside others": (given_up(HALF_UNDONE), {"FAILED"}),
    "handed over": (handed_over, {"COMPLETED"}),
    "voted on": (voted_on, {"COMPLETED"}),
    "sent back": (sent_back, {"COMPLETED"}),
    "withheld": (approving.withheld, {"COMPLETED"}),
    "changed below": (approving.changed_below, {"COMPLETED"}),
    "ran out": (ran_out, {"COMPLETED"}),
    "pause": (paused, {"COMPLETED"}),
    "child runs": (begun_by_others, {"COMPLETED"}),
    "child runs of a cancelled one": (cancelled_with_others, {"CANCELLED"}),
    "child runs of a paused one": (paused_with_others, {"COMPLETED"}),
    "mend": (mended, {"COMPLETED"}),
    "resume on": (resumed_on, {"COMPLETED"}),
    "items that are operated": (containers.with_operated_items, {"COMPLETED"}),
    "item that is skipped in a failed run": (containers.with_failed_item, {"COMPLETED"}),
    "rerun": (rerun, {"FAILED", "COMPLETED"}),
    "duties": (dutiful, {"COMPLETED"}),
}
for _module in of_features.modules("crashing"):
    SCENARIOS |= getattr(_module, "SCENARIOS", {})
