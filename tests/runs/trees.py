"""Trees of runs whose external work a test does: steps, containers around them, and what is undone in which order."""

from itertools import pairwise

from runs.integrity.verify import verify
from runs.maintenance import seals, stuck
from runs.models import Run
from tests import factories as make
from tests import invariants


def job(id, **more):
    """A step that a test does, with a compensation that the test does, too."""
    undo = {"type": "job", "queue": "undo", "retry": "none"}
    return {"id": id, "type": "job", "queue": id, "retry": "none", "compensate": undo, **more}


def plain(id, **more):
    return {"id": id, "type": "job", "queue": id, "retry": "none", **more}


def container(kind, *steps, **more):
    """A step of this kind that does `steps` in a run of its own: for one item, in one round, in a workflow."""
    node = {"id": "m", "type": kind, "params": {"body": {"steps": list(steps)}}, "retry": "none", **more}
    if kind == "map":
        node["params"]["items"] = "{{ input.l }}"
    elif kind == "loop":
        node["params"] |= {"count": 1, "input": 1}
    else:
        ids = [step["id"] for step in steps]
        name = f"of_{'_'.join(ids)}"
        make.VersionFactory(
            workflow__tenant=make.a_tenant(),
            workflow__name=name,
            workflow__draft_definition=make.graph(list(steps), [f"{a}>{b}" for a, b in pairwise(ids)]),
        )
        node["params"] = {"workflow": name}
    return node


def started(*nodes, run_input=None, **more):
    ids = [node["id"] for node in nodes]
    edges = [f"{a}>{b}" for a, b in pairwise(ids)]
    (run_id,) = make.start(make.graph(list(nodes), edges, **more), run_input or {"l": [1]})
    settle()
    return run_id


def settle():
    """Do what needs nobody outside."""
    while make.work("engine", "default", "blocking"):
        pass


def do(queue, count=1, output=None):
    steps = make.claimed(queue)
    assert len(steps) == count, (queue, steps)
    make.complete(*steps, output=output or {"of": queue})
    settle()
    return steps


def break_(queue):
    (step,) = make.claimed(queue)
    make.fail(step)
    settle()


def undone():
    """Undo what there is to undo, each batch of what is free at once; gives (run, node) in their order."""
    order = []
    while steps := make.claimed("undo"):
        order.append(sorted((step.run_id, step.undoes) for step in steps))
        make.complete(*steps, output={"undone": True})
        settle()
    return order


def undone_nodes():
    return [node for batch in undone() for _, node in batch]


def children(run_id):
    return make.children_of(run_id)


def ends_as(run_id, status):
    """The run ends so, and everything that must hold does; history tells the same of every run of the tree."""
    assert make.run(run_id).status == status
    assert Run.unsafe_all_tenants.filter(completed_at=None).count() == 0
    assert stuck.check() == 0
    seals.seal()
    assert invariants.broken() == {}
    assert list(verify(Run.unsafe_all_tenants.values_list("pk", flat=True))) == []
