"""What tests begin with: rows by the factories of each app, runs in any legal state the way the product makes them."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import TypeVar

from accounts.models import Tenant
from accounts.principal import EVERYWHERE, Principal
from accounts.roles import ADMIN, SCOPES
from engine.catalogue import Json
from engine.overrides import RerunWith
from lib.uuid7 import uuid7
from runs.commands import migration, operators, replay
from runs.commands.lifecycle import cancel_runs, pause_runs, resume_runs, unpause_runs
from runs.commands.signals import NewSignal, send_signals
from runs.commands.starts import NewRun, Terms, start_runs
from runs.kernel import messages, scopes
from runs.kernel.advance import advance
from runs.kernel.transition import Result
from runs.maintenance import leases, timers
from runs.models import DeadLetter, HistoryEvent, Run, StepExecution, StepJoin, Timer
from runs.store import hot, payloads
from runs.store.attempts import ClaimedStep, Errored, Succeeded
from runs.workers.drain import Drain
from tests.factories.accounts import (
    PASSWORD,
    AccountMailFactory,
    FolderFactory,
    GrantFactory,
    GroupFactory,
    GroupMemberFactory,
    MembershipFactory,
    TenantFactory,
    UserFactory,
    a_member,
    a_tenant,
    a_user,
)
from tests.factories.runs import (
    CalendarFactory,
    ContainerFactory,
    ForecastFactory,
    JoinFactory,
    RepairFactory,
    RestTimeFactory,
    WorkerFactory,
)
from tests.factories.tasks_inbox import NotificationFactory
from tests.factories.workflows import (
    CaseFactory,
    VersionFactory,
    a_version,
    a_workflow,
    forget_compiled,
    next_version,
    not_compiling,
)
from workflows.models import WorkflowVersion

__all__ = [
    "PASSWORD",
    "AccountMailFactory",
    "CalendarFactory",
    "CaseFactory",
    "ContainerFactory",
    "FolderFactory",
    "ForecastFactory",
    "GrantFactory",
    "GroupFactory",
    "GroupMemberFactory",
    "JoinFactory",
    "MembershipFactory",
    "NotificationFactory",
    "RepairFactory",
    "RestTimeFactory",
    "TenantFactory",
    "UserFactory",
    "VersionFactory",
    "WorkerFactory",
    "a_member",
    "a_tenant",
    "a_user",
    "a_version",
    "a_workflow",
    "forget_compiled",
    "not_compiling",
]


Row = TypeVar("Row", Run, StepExecution)


def chain(*types: str, **extra: Json) -> dict[str, Json]:
    """A definition of steps a, b, c… of these types, one after another."""
    names = [chr(ord("a") + place) for place in range(len(types))]
    return {
        "name": "chain",
        "nodes": [{"id": name, "type": kind} for name, kind in zip(names, types, strict=True)],
        "edges": [{"from": one, "to": two} for one, two in pairwise(names)],
        **extra,
    }


def graph(
    nodes: Sequence[str | Mapping[str, Json]], edges: Sequence[str | Mapping[str, Json]], **extra: Json
):
    """A definition in short: "a" is a noop, "a>b" an unconditional edge."""
    return {
        "name": "graph",
        "nodes": [
            {"id": node, "type": "noop"} if isinstance(node, str) else {"type": "noop", **node}
            for node in nodes
        ],
        "edges": [
            dict(zip(("from", "to"), edge.split(">"), strict=True)) if isinstance(edge, str) else edge
            for edge in edges
        ],
        **extra,
    }


def mapped(
    body: str | Mapping[str, Json] = "noop",
    items: Json = "{{ input.items }}",
    node: Mapping[str, Json] | None = None,
    **params: Json,
):
    """A map named `each` over these items, with this body, and a step `after` it."""
    does = {"type": body} if isinstance(body, str) else body
    each = {"id": "each", "type": "map", "params": {"items": items, "body": does, **params}, **(node or {})}
    return graph([each, "after"], ["each>after"])


def start(
    definition: Mapping[str, Json], *inputs: Json, tenant: Tenant | None = None, by: str = "test"
) -> list[str]:
    """Publish and start it, once for each input; gives the ids of the runs."""
    return start_version(a_version(definition, tenant=tenant), *inputs or [{}], by=by)


def start_version(version: WorkflowVersion, *inputs: Json, by: str = "test") -> list[str]:
    """Start runs of this version, one for each input; gives their ids."""
    terms = Terms(tenant=version.tenant_id, version=version.pk, by=by)
    return [started.id for started in start_runs(terms, [NewRun(given) for given in inputs])]


def work(*queues: str) -> int:
    """Drain the queues in this process, and deliver messages, until all is quiet; gives the number of steps ended."""
    drains = [Drain(queue) for queue in queues or ("default", "engine")]
    ended = 0
    while True:
        told, count = messages.deliver(), sum(drain.run() for drain in drains)
        ended += count
        if not told and not count:
            return ended


def whole(rows: Iterable[Row]) -> list[Row]:
    """Rows of runs or steps with what is kept beside the database: so a whole suite can be run with small payloads
    kept there (`make soak`).
    """
    found = list(rows)
    for row in found:
        row.input, row.output = payloads.whole(row.tenant_id, [row.input, row.output])
    return found


def run(run_id: str) -> Run:
    """The run as it stands now."""
    return whole([Run.unsafe_all_tenants.get(pk=run_id)])[0]


def runs_of(version: WorkflowVersion) -> list[Run]:
    """The runs of a version, the oldest first."""
    return whole(Run.unsafe_all_tenants.filter(version_id=version.pk).order_by("created_at", "pk"))


def steps(run_id: str) -> dict[str, StepExecution]:
    """The steps of a run by node, without the children of containers."""
    rows = StepExecution.unsafe_all_tenants.filter(run_id=run_id, index__isnull=True)
    return {step.node: step for step in whole(rows)}


def children(run_id: str, node: str) -> list[StepExecution]:
    """The children of a container in their order."""
    rows = StepExecution.unsafe_all_tenants.filter(run_id=run_id, node=node, index__isnull=False)
    return whole(rows.order_by("index"))


def children_of(run_id: str) -> list[Run]:
    """The runs that a run began, in their order."""
    return whole(Run.unsafe_all_tenants.filter(parent_id=run_id).order_by("id"))


def statuses(run_id: str) -> dict[str, str]:
    """node → status."""
    return {node: step.status for node, step in steps(run_id).items()}


def history(run_id: str) -> list[str]:
    """What happened to a run, as `TYPE node`."""
    events = HistoryEvent.unsafe_all_tenants.filter(run_id=run_id).order_by("id")
    return [f"{event.type} {event.node}" if event.node else event.type for event in events]


def claimed(queue: str = "default", *, limit: int = 100, worker: str = "w") -> list[ClaimedStep]:
    """Steps of a queue, leased to `worker` and ready to be ended; the order is that of their nodes' names."""
    found = hot.claim(queue=queue, worker=worker, cursor=0, limit=limit)
    found = found or hot.claim_alone(queue=queue, worker=worker)
    scopes.load(found)
    return sorted(found, key=lambda step: step.node)


def complete(*steps: ClaimedStep, output: Json = None) -> Result:
    """End these attempts well, in one batch; each gives `output`, or its input where that is None."""
    return advance([(step, Succeeded(step.input if output is None else output)) for step in steps])


def fail(*steps: ClaimedStep, code: str = "Boom", retryable: bool = False) -> Result:
    """End these attempts badly, in one batch."""
    error = {"code": code, "message": "It went wrong.", "retryable": retryable}
    return advance([(step, Errored(error, retryable)) for step in steps])


def events(run_id: str, kind: str) -> list[HistoryEvent]:
    """The events of a type, oldest first."""
    return list(HistoryEvent.unsafe_all_tenants.filter(run_id=run_id, type=kind).order_by("id"))


def letters(run_id: str) -> list[DeadLetter]:
    """The dead letters of a run, oldest first."""
    return list(DeadLetter.unsafe_all_tenants.filter(run_id=run_id).order_by("id"))


def joins(run_id: str) -> dict[str, StepJoin]:
    """The joins of a run by node."""
    return {join.node: join for join in StepJoin.unsafe_all_tenants.filter(run_id=run_id)}


def change(step: ClaimedStep | str, **columns: Json) -> None:
    """Set columns of a step behind the engine's back: ages a lease, or puts it where no short way leads."""
    step_id = step if isinstance(step, str) else step.id
    assert StepExecution.unsafe_all_tenants.filter(pk=step_id).update(**columns) == 1


def cancel(*runs: str) -> None:
    """Cancel these runs."""
    cancel_runs(a_tenant().pk, runs, by="test")


def resume(*runs: str) -> None:
    """Resume these runs."""
    resume_runs(a_tenant().pk, runs, by="test")


def pause(*runs: str) -> None:
    """Pause these runs."""
    pause_runs(a_tenant().pk, runs, by="test")


def unpause(*runs: str) -> None:
    """Let these paused runs go on."""
    unpause_runs(a_tenant().pk, runs, by="test")


def retry(run_id: str, node: str, *given: Json) -> None:
    """Have a step tried again, with another input where one is `given`."""
    edited = RerunWith(given[0]) if given else None
    operators.retry_step(a_tenant().pk, run_id, node, override=edited, by="test", reason="because")


def skip(run_id: str, node: str, output: Json) -> None:
    """Skip a step: it counts as done with `output`; an admin does it."""
    tenant = a_tenant().pk
    who = Principal(tenant, "default", 1, "test", ADMIN, SCOPES, "command", reach=EVERYWHERE)
    operators.skip_step(tenant, run_id, node, output, by="test", reason="because", who=who)


def newer(run_id: str, definition: Mapping[str, Json]) -> WorkflowVersion:
    """Publish this definition as the next version of the workflow of a run."""
    return next_version(run(run_id).version.workflow, definition)


def resume_on(run_id: str, version: WorkflowVersion) -> None:
    """Resume a run on another version."""
    replay.resume_on(a_tenant().pk, run_id, version.pk, by="test", reason="because")


def migrate(run_id: str, version: WorkflowVersion) -> None:
    """Move an open run to another version."""
    migration.migrate_run(a_tenant().pk, run_id, version.pk, by="test", reason="because")


def rerun(run_id: str, from_node: str, *given: Json, version: WorkflowVersion | None = None) -> str:
    """Rerun from a node, with another input for it where one is `given`; gives the new run's id."""
    edited = RerunWith(given[0]) if given else None
    on = version and version.pk
    said = {"by": "test", "reason": "because"}
    return replay.rerun(a_tenant().pk, run_id, from_node, override=edited, version=on, **said).id


def tick() -> int:
    """Fire the timers that are due now; gives how many there were."""
    return timers.fire()


def leases_lost() -> int:
    """Take back the leases that are over; gives how many there were."""
    return leases.sweep()


def send(run_id: str, name: str, payload: Json = None, *, signal_id: str | None = None) -> bool:
    """Send a run a signal; gives whether it was new."""
    signal = NewSignal(signal_id or uuid7(), name, payload)
    return send_signals(a_tenant().pk, [(run_id, signal)], by="test")[0].is_new


def pending_timers(run_id: str) -> list[tuple[str, str]]:
    """(node, kind) of the timers of a run that may still fire."""
    found = Timer.unsafe_all_tenants.filter(run_id=run_id, status="PENDING")
    return sorted(found.values_list("node", "kind"))
