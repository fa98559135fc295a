"""Whose output is there when a node runs: what `validate` is sure of holds in every course that a run can take."""

from itertools import product

from hypothesis import given, settings
from hypothesis import strategies as st

from engine.checks.flow import Flow
from engine.checks.outline import Limits, outline_of
from tests.engine.spec_samples import CATALOGUE, definition, edge, node

NAMES = "abcdef"
JOINS = [None, "any_taken", "all", "any", {"n_of": 2}]


@st.composite
def small_graphs(draw):
    """A DAG of up to six nodes with at most six edges that may be dead."""
    size = draw(st.integers(2, 6))
    pairs = [(one, two) for one in range(size) for two in range(one + 1, size)]
    chosen = draw(st.lists(st.sampled_from(pairs), min_size=1, max_size=9, unique=True))
    conditional = draw(st.sets(st.sampled_from(chosen), max_size=6))
    joins = draw(st.lists(st.sampled_from(JOINS), min_size=size, max_size=size))
    nodes = [node(NAMES[at], **({"join": joins[at]} if joins[at] else {})) for at in range(size)]
    edges = [
        edge(NAMES[one], NAMES[two], **({"when": "output.x"} if (one, two) in conditional else {}))
        for one, two in chosen
    ]
    return definition(nodes, edges)


def courses(document):
    """For each way in which the conditions can turn out: node -> the nodes surely done before it, or None."""
    conditional = [at for at, one in enumerate(document["edges"]) if "when" in one]
    for outcome in product([True, False], repeat=len(conditional)):
        yield ran_before(document, dict(zip(conditional, outcome, strict=True)))


def ran_before(document, outcome):
    done = {}
    for one in document["nodes"]:
        name, join = one["id"], one.get("join", "any_taken")
        incoming = [(at, e["from"]) for at, e in enumerate(document["edges"]) if e["to"] == name]
        taken = [source for at, source in incoming if done[source] is not None and outcome.get(at, True)]
        need = (
            {"all": len(incoming), "any_taken": 1, "any": 1}.get(join)
            if isinstance(join, str)
            else join["n_of"]
        )
        if incoming and len(taken) < need:
            done[name] = None
            continue
        if join in ("any", {"n_of": 2}) and len(taken) > need:
            # Whichever came first decided: only what is before all of those choices is sure.
            sets = [done[source] | {source} for source in taken]
            done[name] = {n for n in set().union(*sets) if sum(n not in each for each in sets) < need}
            continue
        ahead = ancestors(document, name) if join in ("any_taken", "all") else set()
        done[name] = {n for n in ahead if done[n] is not None}.union(*(done[s] | {s} for s in taken))
    return done


def ancestors(document, name):
    found = {e["from"] for e in document["edges"] if e["to"] == name}
    return found.union(*(ancestors(document, source) for source in found))


@settings(max_examples=100, deadline=None, derandomize=True, database=None)
@given(small_graphs())
def test_what_is_taken_as_certain_is_there_in_every_course(document):
    flow = Flow(outline_of(document, CATALOGUE, Limits()))
    certain = {
        name: {other for other in flow.order if mask & flow.bits[other]}
        for name, mask in flow.certain.items()
    }
    for done in courses(document):
        for name, before in done.items():
            if before is not None:
                assert certain[name] <= before
        end = {other for other in flow.order if flow.certain_at_end & flow.bits[other]}
        assert end <= {name for name, before in done.items() if before is not None}


def test_the_longest_chain_is_found():
    document = definition(
        [node(n) for n in "abcd"], [edge("a", "d"), edge("a", "b"), edge("b", "c"), edge("c", "d")]
    )
    assert Flow(outline_of(document, CATALOGUE, Limits())).longest_chain() == ["a", "b", "c", "d"]
