"""Rows for tests: a tenant, published versions and runs in any legal state, made the way the product makes them."""

from collections.abc import Mapping, Sequence
from hashlib import sha256
from itertools import pairwise
from typing import Any

import orjson

from accounts.models import Tenant, User
from lib.uuid7 import uuid7
from runs.drain import Drain
from runs.models import HistoryEvent, Run, StepExecution
from runs.services import NewRun, Terms, start_runs
from workflows.models import Workflow, WorkflowVersion

Json = Any


def a_tenant(slug: str = "default") -> Tenant:
    """The tenant of this name."""
    return Tenant.objects.get_or_create(slug=slug, defaults={"name": slug.title()})[0]


def a_user(username: str = "author") -> User:
    """The user of this name."""
    return User.objects.get_or_create(username=username)[0]


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


def a_version(definition: Mapping[str, Json], *, tenant: Tenant | None = None) -> WorkflowVersion:
    """The definition published under a name of its own."""
    tenant, user = tenant or a_tenant(), a_user()
    name = f"{definition['name']}-{uuid7()[-12:]}"
    definition = {**definition, "name": name}
    workflow = Workflow.objects.create(
        tenant=tenant, name=name, draft_definition=definition, draft_updated_by=user
    )
    return WorkflowVersion.objects.create(
        tenant=tenant,
        workflow=workflow,
        number=1,
        definition=definition,
        content_hash=sha256(orjson.dumps(definition)).hexdigest(),
        published_by=user,
    )


def start(definition: Mapping[str, Json], *inputs: Json, tenant: Tenant | None = None) -> list[str]:
    """Publish and start it, once for each input; gives the ids of the runs."""
    version = a_version(definition, tenant=tenant)
    terms = Terms(tenant=version.tenant_id, version=version.pk, by="test")
    return [started.id for started in start_runs(terms, [NewRun(given) for given in inputs or [{}]])]


def work(*queues: str) -> int:
    """Drain the queues in this process until they are quiet; gives the number of steps ended."""
    drains = [Drain(queue) for queue in queues or ("default", "engine")]
    return sum(iter(lambda: sum(drain.run() for drain in drains), 0))


def run(run_id: str) -> Run:
    """The run as it stands now."""
    return Run.unsafe_all_tenants.get(pk=run_id)


def steps(run_id: str) -> dict[str, StepExecution]:
    """The steps of a run by node."""
    return {step.node: step for step in StepExecution.unsafe_all_tenants.filter(run_id=run_id)}


def statuses(run_id: str) -> dict[str, str]:
    """node → status."""
    return {node: step.status for node, step in steps(run_id).items()}


def history(run_id: str) -> list[str]:
    """What happened to a run, as `TYPE node`."""
    events = HistoryEvent.unsafe_all_tenants.filter(run_id=run_id).order_by("id")
    return [f"{event.type} {event.node}" if event.node else event.type for event in events]
