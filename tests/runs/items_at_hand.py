"""What tests of verbs on items share: a map whose items a test ends as it likes, and the verb."""

import pytest

from runs.commands import operators
from runs.commands.targets import ItemPlace
from runs.kernel.refused import RunRefused
from runs.models import Container
from tests import factories as make

JOB = {"type": "noop", "retry": "none"}


def mapped(body=JOB, *, count=3, node=None, **params):
    """A run of a map over so many items, which have begun."""
    definition = make.mapped(body, node={"retry": "none", **(node or {})}, **params)
    run_id = make.start(definition, {"items": list(range(count))})[0]
    make.work("engine")
    return run_id


def act(run_id, index, verb, node="each", **given):
    operators.act(make.a_tenant().pk, ItemPlace(run_id, node, index), verb, by="ann", reason="why", **given)


def refused(run_id, index, verb, **given):
    with pytest.raises(RunRefused) as refusal:
        act(run_id, index, verb, **given)
    assert refusal.value.conflict
    return refusal.value.code


def at_hand(node=None):
    """What a worker may take, by the place of the item."""
    return {step.index: step for step in make.claimed() if node in (None, step.node)}


def statuses(run_id, node="each"):
    return [step.status for step in make.children(run_id, node)]


def counts(run_id):
    row = Container.unsafe_all_tenants.get(run_id=run_id)
    return row.opened, row.ended, row.failed


def keys_of(run_id):
    """The children of a run with the places of their items: what their keys are made of."""
    return {str(child.pk): child.place[-1][1] for child in make.children_of(run_id)}
