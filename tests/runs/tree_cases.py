"""Random definitions that begin child runs, from a seed: maps, loops and subworkflows to depth 4."""

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from engine.catalogue import Json

WORK, UNDO = "work", "undo"
"""The queues of all jobs, and of all compensations."""
DEPTH = 4
MOST_RUNS = 24
LEASE = 86_400
CONTAINERS = ("map", "loop", "subworkflow")


@dataclass(frozen=True)
class TreeCase:
    """What is run: the root's definition, and the workflows that subworkflows name.

    `continues`: nothing of it can be undone, and its loops go on as new runs after few events.
    """

    seed: int
    definition: Mapping[str, Json]
    workflows: Mapping[str, Mapping[str, Json]]
    continues: bool


@dataclass
class _Maker:
    """`runs`: how many runs the root may begin yet."""

    dice: random.Random
    seed: int
    continues: bool
    runs: int = MOST_RUNS
    ids: int = 0
    workflows: dict[str, Mapping[str, Json]] = field(default_factory=dict)

    def name(self, kind: str) -> str:
        self.ids += 1
        return f"{kind}{self.ids}"

    def is_so(self, chance: float) -> bool:
        return self.dice.random() < chance

    def workflow(self, name: str, depth: int, times: int) -> dict[str, Json]:
        """A definition whose runs begin this many times."""
        nodes, edges = self.steps(depth, times)
        more: dict[str, Json] = {}
        if self.is_so(0.3):
            more["compensation"] = "parallel"
        if self.is_so(0.2):
            more["on_failure"] = "finish_others"
        return {"name": name, "nodes": nodes, "edges": edges, **more}

    def steps(self, depth: int, times: int) -> tuple[list[Json], list[Json]]:
        """Steps of one run, and the edges between them."""
        count = self.dice.choice((2, 3, 4) if depth == 0 else (1, 1, 2, 2, 3))
        nodes = [self.node(depth, times) for _ in range(count)]
        if depth == 0 and not any(node["type"] in CONTAINERS for node in nodes):
            nodes[self.dice.randrange(count)] = self.container(1, times)
        edges: list[Json] = []
        for at, node in enumerate(nodes):
            sources = self.dice.sample(nodes[:at], k=min(at, self.dice.choice((0, 1, 1, 1, 2))))
            for source in sources:
                edge = {"from": source["id"], "to": node["id"]}
                if source.get("on_error") == "branch" and self.is_so(0.7):
                    edge["on"] = "error"
                edges.append(edge)
            timed = [one for one in nodes[:at] if one not in sources and self._may_be_timed(one)]
            if timed and self.is_so(0.3):
                timer = {
                    "after_seconds": self.dice.choice((20, 60, 200)),
                    "to": node["id"],
                    "interrupting": self.is_so(0.6),
                }
                self.dice.choice(timed).setdefault("boundary_timers", []).append(timer)
            if len(sources) > 1:
                node["join"] = self.dice.choice(("any_taken", "all", "any", {"n_of": 2}))
        for node in nodes:
            # Nobody would handle its error.
            handled = any(edge["from"] == node["id"] and edge.get("on") for edge in edges)
            if node.get("on_error") == "branch" and not handled:
                del node["on_error"]
        return nodes, edges

    def _may_be_timed(self, node: Mapping[str, Json]) -> bool:
        return node["type"] in ("job", "signal", "human.approval", *CONTAINERS)

    def node(self, depth: int, times: int) -> dict[str, Json]:
        """A step of any kind."""
        roll = self.dice.random()
        if depth < DEPTH and self.runs >= times and roll < (0.5, 0.4, 0.3, 0.2)[depth]:
            return self.container(depth + 1, times)
        if roll > 0.97:
            return {"id": self.name("n"), "type": "noop"}
        if roll > 0.92:
            return {
                "id": self.name("p"),
                "type": "human.approval",
                "params": {"title": "Go on?"},
                "retry": "none",
            }
        if roll > 0.87:
            name = self.name("s")
            return {"id": name, "type": "signal", "params": {"name": name}, "retry": "none"}
        return self.fallible(
            {"id": self.name("j"), "type": "job", "queue": WORK, "lease_seconds": LEASE}, 0.7
        )

    def fallible(self, node: dict[str, Json], undoable: float) -> dict[str, Json]:
        """The step with what follows when it fails."""
        node["retry"] = "none"
        if self.is_so(0.15):
            node["retry"] = {"max_retries": 1, "base_seconds": 1, "jitter": 0}
        on_error = self.dice.choices(("fail", "continue", "branch", "ask"), (70, 15, 10, 5))[0]
        if on_error != "fail":
            node["on_error"] = on_error
        if self.is_so(undoable) and not self.continues:
            node["compensate"] = {"type": "job", "queue": UNDO, "retry": "none", "lease_seconds": LEASE}
            if self.is_so(0.15):
                node["compensate_on_unknown"] = False
        return node

    def container(self, depth: int, times: int) -> dict[str, Json]:
        """A step that begins runs."""
        kind = self.dice.choice(CONTAINERS)
        count = 1 if kind == "subworkflow" else self.dice.choice((1, 2, 2, 3))
        self.runs -= count * times
        node: dict[str, Json] = {"id": self.name(kind[0]), "type": kind}
        if kind == "subworkflow":
            name = f"w{self.seed}_{self.name('w')}"
            self.workflows[name] = self.workflow(name, depth, times)
            node["params"] = {"workflow": name}
        elif kind == "loop":
            node["params"] = {"count": count, "input": 1, "body": self.body(depth, times * count)}
        else:
            node["params"] = {"items": list(range(count)), "body": self.body(depth, times * count)}
            if self.is_so(0.3):
                node["params"]["max_concurrency"] = self.dice.choice((1, 2))
            if self.is_so(0.3):
                node["params"]["tolerate_failures"] = 1
        return self.fallible(node, 0.15)

    def body(self, depth: int, times: int) -> Json:
        """What a map does for an item, or a loop in a round."""
        if self.is_so(0.08):
            return {"type": "job", "queue": WORK, "retry": "none"}
        steps, edges = self.steps(depth, times)
        return {"steps": steps, "edges": edges}


def case_of(seed: int) -> TreeCase:
    """The case of this seed, always the same."""
    maker = _Maker(random.Random(seed), seed, random.Random(-1 - seed).random() < 0.15)
    definition = maker.workflow("tree", 0, 1)
    return TreeCase(seed, definition, maker.workflows, maker.continues)


def signals_of(nodes: Sequence[Mapping[str, Json]]) -> Iterator[str]:
    """The names of the signals that these steps wait for, and those of the containers among them."""
    for node in nodes:
        if node["type"] == "signal":
            yield node["params"]["name"]
        yield from signals_of(node.get("params", {}).get("body", {}).get("steps", ()))


def nodes_of(definition: Mapping[str, Json]) -> Sequence[Mapping[str, Json]]:
    """The steps of a definition, without those of its containers."""
    return definition["nodes"]
