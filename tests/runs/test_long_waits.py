"""Runs that wait for months, while time and their workflow go on (R-009, R-114)."""

import pytest

from runs.commands.starts import NewRun, Terms, start_runs
from tests import factories as make
from tests.inbox.asking import decide, member, task_of
from tests.people import People
from workflows.queries import startable_version
from workflows.versions import lifecycle

pytestmark = pytest.mark.django_db

NINETY_DAYS = 90 * 86_400
WAITS = {
    "a moment": {"type": "wait", "params": {"duration": "P90D"}},
    "a signal": {"type": "signal", "params": {"name": "go"}},
    "a person": {"type": "human.approval", "params": {"title": "Go on?"}},
}


def contract(wait, *, number):
    """Version `number` of one workflow; each reckons in another way."""
    nodes = [
        {"id": "sign", "type": "transform", "params": {"set": {"fee": 100}}},
        {"id": "rest", **wait},
        {
            "id": "bill",
            "type": "transform",
            "params": {"set": {"by": number, "total": f"{{{{ steps.sign.output.fee * {number} }}}}"}},
        },
    ]
    on = {"branch": "approved"} if wait["type"] == "human.approval" else {}
    return {
        "name": "contract",
        "nodes": nodes,
        "edges": [{"from": "sign", "to": "rest"}, {"from": "rest", "to": "bill", **on}],
    }


def newer(wait):
    """Three later versions: another sum, another thing to wait for, other steps."""
    other_wait = contract({"type": "wait", "params": {"seconds": 1}}, number=3)
    other_steps = {"name": "contract", "nodes": [{"id": "start_over", "type": "noop"}], "edges": []}
    return contract(wait, number=2), other_wait, other_steps


def end(kind, run_id):
    """What it waits for happens."""
    match kind:
        case "a moment":
            assert make.tick() == 1
        case "a signal":
            make.send(run_id, "go", {})
        case "a person":
            decide(member("ann"), task_of(run_id))


@pytest.mark.parametrize("kind", WAITS)
def test_a_run_waiting_90_days_goes_on_where_it_was_on_the_version_it_started_with(kind, clock):
    """… after three newer versions were published."""
    author = People().principal("author", tenant="default")
    member("ann")

    def publish(definition):
        lifecycle.import_definition(author, definition)
        return lifecycle.publish(author, "contract").version

    def start(given):
        terms = Terms(author.tenant_id, startable_version(author.tenant_id, "contract"), "test")
        return start_runs(terms, [NewRun(given)])[0].id

    first = publish(contract(WAITS[kind], number=1))
    run_id = start({"customer": "Anna"})
    make.work()
    assert make.statuses(run_id) == {"sign": "COMPLETED", "rest": "WAITING"}
    before = make.history(run_id)

    for definition in newer(WAITS[kind]):
        clock.advance(NINETY_DAYS / 3)
        assert make.run(run_id).status == "RUNNING"
        latest = publish(definition)
    # As in a process that was started since.
    make.forget_compiled()
    assert make.history(run_id) == before

    end(kind, run_id)
    make.work()
    run = make.run(run_id)
    assert (run.status, run.version_id, run.output) == ("COMPLETED", first.pk, {"by": 1, "total": 100})
    assert run.completed_at == clock.now
    assert make.history(run_id).count("STEP_COMPLETED sign") == 1
    assert make.run(start({})).version_id == latest.pk
    assert latest.number == 4
