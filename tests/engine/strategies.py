"""Random workflows with all that DESIGN "Semantics" speaks of, scripts of outcomes, and orders of arrival.

A case is made from plain bytes, each of which makes one choice. Drawing each choice from Hypothesis takes ten times
as long, and it shrinks these just as well: a zero is always the simplest choice.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from hypothesis import settings
from hypothesis import strategies as st

Json = Any
Chosen = TypeVar("Chosen")
Pick = Callable[[list[str]], list[str]]

NAMES = "abcdefghijkl"
BRANCHES = ("x", "y", "z")
BOOM = {"code": "Boom", "message": "It broke."}
BYTES = 500

settings.register_profile("quick", max_examples=100, deadline=None, derandomize=True, database=None)
settings.register_profile("soak", max_examples=20_000, deadline=None, database=None)
QUICK, SOAK = settings.get_profile("quick"), settings.get_profile("soak")


@dataclass(frozen=True)
class Order:
    """In which order open steps end, and how many at a time workers have: the same choice for the same steps."""

    ranks: tuple[str, ...]
    sizes: tuple[int, ...]

    def pick(self) -> Pick:
        """A fresh chooser of the next batch."""
        turn = 0

        def choose(open_steps: list[str]) -> list[str]:
            nonlocal turn
            turn += 1
            return sorted(open_steps, key=self.ranks.index)[: self.sizes[turn % len(self.sizes)]]

        return choose


@dataclass(frozen=True)
class Case:
    """A run in the making: a definition of the native dialect, its input, how its steps end, and when."""

    definition: dict[str, Json]
    run_input: Json
    script: dict[str, tuple[str, Json]]
    order: Order
    other_order: Order

    def sources_of(self, name: str) -> set[str]:
        """The distinct predecessors of a node."""
        return {edge["from"] for edge in self.definition["edges"] if edge["to"] == name}


def cases(*, races: bool = True) -> st.SearchStrategy[Case]:
    """Random cases; without `races` every join waits for all its edges."""
    return st.binary(min_size=BYTES, max_size=BYTES).map(lambda data: case_from(data, races=races))


def case_from(data: bytes, *, races: bool = True) -> Case:
    """The case that `data` stands for."""
    choices = Choices(data)
    definition = _Drawing(choices, races).definition()
    workers = [node["id"] for node in definition["nodes"] if node["type"] in ("noop", "job")]
    script = {name: _outcome(choices) for name in sorted(workers)}
    return Case(definition, _usual(choices), script, _order(choices), _order(choices))


class Choices:
    """Bytes, used up one by one as choices; when they are used up, the simplest is chosen."""

    def __init__(self, data: bytes) -> None:
        self._left = iter(data)

    def of(self, options: Sequence[Chosen]) -> Chosen:
        """One of `options`; the first is the simplest."""
        return options[next(self._left, 0) % len(options)]

    def one_in(self, count: int) -> bool:
        """True about once in `count` times."""
        return next(self._left, 0) % count == count - 1

    def arranged(self, items: Sequence[Chosen]) -> list[Chosen]:
        """`items` in any order."""
        places = {index: next(self._left, 0) for index in range(len(items))}
        return [items[index] for index in sorted(places, key=lambda index: places[index])]


def _order(choices: Choices) -> Order:
    sizes = [choices.of([1, 12, 1, 2, 3]) for _ in range(choices.of([1, 2, 3, 4]))]
    return Order(tuple(choices.arranged(NAMES)), tuple(sizes))


def _outcome(choices: Choices) -> tuple[str, Json]:
    if choices.one_in(4):
        return "failed", BOOM
    return "completed", choices.of([None, 7, "text", [], {}]) if choices.one_in(10) else _usual(choices)


def _usual(choices: Choices) -> dict[str, Json]:
    """An object with the keys that conditions ask for."""
    found: dict[str, Json] = {"n": choices.of(range(5)), "ok": choices.of([True, False])}
    if choices.one_in(2):
        found["branch"] = choices.of([*BRANCHES, "none of them", None])
    return found


class _Drawing:
    """Draws one definition. `passed` are the steps that every way to a node passes: their outputs are known there."""

    def __init__(self, choices: Choices, races: bool) -> None:
        self.choices = choices
        self.races = races
        self.may_fail = choices.one_in(2)
        self.sources = self._shape(NAMES[: choices.of(range(1, len(NAMES) + 1))])
        self.passed: dict[str, list[str]] = {}
        for name, before in self.sources.items():
            ways = [{*self.passed[source], source} for source in before]
            self.passed[name] = sorted(set.intersection(*ways)) if ways else []

    def _shape(self, names: str) -> dict[str, list[str]]:
        """Predecessors by node: anything, long chains with short cuts, or layers that fan out and in."""
        shape = self.choices.of(["any", "chain", "layers"])
        sources: dict[str, list[str]] = {}
        for place, name in enumerate(names):
            before = names[:place]
            if shape == "layers":
                before = names[max(0, (place // 3 - 1) * 3) : place // 3 * 3]
            count = self.choices.of([1, 2, 0, 3]) if before else 0
            found = {self.choices.of(before) for _ in range(count)}
            if shape == "chain" and before:
                found = {before[-1], *(found if self.choices.one_in(4) else ())}
            sources[name] = sorted(found)
        return sources

    def definition(self) -> dict[str, Json]:
        """A valid definition of 1 to 12 nodes; nodes and edges stand in any order."""
        nodes = {name: self.node(name) for name in self.sources}
        edges = [
            edge
            for name in nodes
            for source in self.sources[name]
            for edge in self.edges(nodes[source], name)
        ]
        caught = {edge["from"] for edge in edges if edge.get("on") == "error"}
        for name, node in nodes.items():
            if node["on_error"] == "branch" and name not in caught and not self.choices.one_in(4):
                node["on_error"] = "continue"
        arranged = self.choices.arranged
        return {"name": "random", "nodes": arranged(list(nodes.values())), "edges": arranged(edges)}

    def node(self, name: str) -> dict[str, Json]:
        of, one_in = self.choices.of, self.choices.one_in
        handled = ["continue", "branch"]
        node: dict[str, Json] = {
            "id": name,
            "type": of(["noop", "job", "job", "decision", "transform"]),
            "on_error": of(["fail", *handled, *handled] if self.may_fail else handled),
        }
        if node["type"] == "job":
            node["queue"] = "outside"
        if node["type"] == "transform":
            node["params"] = {"set": self.settings(name), "keep_input": one_in(4)}
        if one_in(8):
            node["input"] = self.settings(name)
        if one_in(4):
            node["allow_no_match"] = True
        degree = len(self.sources[name])
        if self.races and one_in(2):
            node["join"] = of(["all", "any", {"n_of": of(range(1, degree + 1))} if degree else "all"])
        return node

    def settings(self, name: str) -> dict[str, Json]:
        """Keys with literals and expressions: what a transform sets, or a mapping of inputs."""
        of, one_in, before = self.choices.of, self.choices.one_in, self.sources[name]
        given = f"prev.{of(before)}" if len(before) > 1 else "prev"
        numbers = [3, 3, "{{ input.n }}", f"{{{{ {given}.n }}}}"]
        numbers += [f"{{{{ steps.{step}.output.n }}}}" for step in self.passed[name]]
        found: dict[str, Json] = {"n": of(numbers), "ok": of([True, False])}
        if one_in(3):
            found["branch"] = of(BRANCHES)
        if one_in(4):
            found["all"] = "{{ prev }}"
        return found

    def edges(self, source: dict[str, Json], target: str) -> list[dict[str, Json]]:
        """One edge from `source` to `target`, at times two or three."""
        return [self.edge(source, target) for _ in range(self.choices.of([1, 1, 1, 1, 1, 2, 3]))]

    def edge(self, source: dict[str, Json], target: str) -> dict[str, Json]:
        plain: list[Any] = [{}] * (1 if source["type"] == "decision" else 8)
        conditional = [*({"branch": branch} for branch in BRANCHES), *["when"] * 4, {"default": True}]
        caught = [{"on": "error"}] * 6 if source["on_error"] == "branch" else []
        kind = self.choices.of([*plain, *conditional, *caught])
        found = {"when": self.condition(source["id"])} if kind == "when" else kind
        return {"from": source["id"], "to": target, **found}

    def condition(self, source: str) -> str:
        """A condition on what is known on every way; at times one that can't be evaluated."""
        of = self.choices.of
        limit = of(range(4))
        known = ["output.ok", f"output.n > {limit}", f"output.n < {limit}", f"input.n == {limit}", "input.ok"]
        reading = ["prev.ok", 'output.error.code == "Boom"', "output.n"]
        reading += [f"steps.{step}.output.n > {limit}" for step in (source, *self.passed[source])]
        return of([*known, *known, *reading])
