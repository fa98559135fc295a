"""Random workflows with all that docs/engine.md, "Semantics", speaks of, scripts of outcomes, and orders of arrival.

A case is made from plain bytes, each of which makes one choice. Drawing each choice from Hypothesis takes ten times
as long, and it shrinks these just as well: a zero is always the simplest choice.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from hypothesis import settings
from hypothesis import strategies as st

from engine.catalogue import Json
from tests.engine.nested import CONTAINERS, completed, failed, params_of

Chosen = TypeVar("Chosen")
Pick = Callable[[list[str]], list[str]]

NAMES = "abcdefghijkl"
BRANCHES = ("x", "y", "z")
BOOM = {"code": "Boom", "message": "It broke."}
TIMEOUT = {"code": "SignalTimeout", "message": "It did not come."}
SLOW = {"code": "Timeout", "message": "It took too long."}
THEN = {"fired_at": "then"}
LATER = 3600
BYTES = 800
OUTSIDE = ("noop", "job", "wait", "signal", *CONTAINERS)
"""The types whose steps are ended by somebody: a worker, the clock, a sender."""

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
    """A run in the making: a definition of the native dialect, its input, how its steps end, and when.

    `script`: ("completed", output), ("failed", error) or ("interrupted", target of the boundary timer). `rung`: where
    the timers of a step lead that fire while it goes on, in their order.

    `undo`: what people decide about a compensation that fails for good, one time after another; where none is named, or
    the last is to try again, it does well. `lost`: the steps whose worker is lost where a closing run awaits them.
    `cancel_at`: cancelled, and undone, after so many of its steps have ended; 0 = never.
    """

    definition: dict[str, Json]
    run_input: Json
    script: dict[str, tuple[str, Json]]
    order: Order
    other_order: Order
    rung: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    undo: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    lost: frozenset[str] = frozenset()
    cancel_at: int = 0

    def sources_of(self, name: str) -> set[str]:
        """The distinct predecessors of a node."""
        found = {edge["from"] for edge in self.definition["edges"] if edge["to"] == name}
        return found | {node["id"] for node in self.nodes if name in targets_of(node)}

    @property
    def nodes(self) -> list[dict[str, Json]]:
        """The nodes of the definition."""
        nodes: list[dict[str, Json]] = self.definition["nodes"]
        return nodes


def targets_of(node: Mapping[str, Json], *, interrupting: bool | None = None) -> list[str]:
    """Where the boundary timers of a node lead: of those that interrupt it, that don't, or of all."""
    timers = node.get("boundary_timers", ())
    found = [
        timer["to"] for timer in timers if interrupting in (None, timer.get("interrupting") is not False)
    ]
    return list(dict.fromkeys(found))


def handling(node: Mapping[str, Json]) -> str:
    """What the failure of a node means: of a signal, what its timeout does."""
    said: str = node.get("on_error") or node["params"]["on_timeout"]
    return said


def cases(*, races: bool = True) -> st.SearchStrategy[Case]:
    """Random cases; without `races` every join waits for all its edges."""
    return st.binary(min_size=BYTES, max_size=BYTES).map(lambda data: case_from(data, races=races))


def case_from(data: bytes, *, races: bool = True, saga: bool = False) -> Case:
    """The case that `data` stands for; with `saga` what it does can be undone."""
    choices = Choices(data)
    definition = _Drawing(choices, races, saga).definition()
    ended = sorted(
        (node for node in definition["nodes"] if node["type"] in OUTSIDE), key=lambda node: node["id"]
    )
    script = {node["id"]: _ending(choices, node) for node in ended}
    rung = {node["id"]: found for node in ended if (found := _rung(choices, node))}
    case = Case(definition, _usual(choices), script, _order(choices), _order(choices), rung)
    if races and not saga:
        _end_runs(choices, case)
    return _undoable(choices, case) if saga else case


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


def _end_runs(choices: Choices, case: Case) -> None:
    """Some of the steps that nothing follows end the run, or their path alone."""
    followed = {edge["from"] for edge in case.definition["edges"]}
    for node in case.nodes:
        is_last = node["id"] not in followed and "boundary_timers" not in node
        if is_last and node["type"] in ("noop", "job") and choices.one_in(3):
            node["type"] = "end"
            node.pop("queue", None)
            if choices.one_in(4):
                node["params"] = {"ends": "path"}


def _undoable(choices: Choices, case: Case) -> Case:
    """The case with failures whose outcome nobody knows, cancels, and compensations that fail."""
    of, one_in = choices.of, choices.one_in
    ways: list[tuple[str, ...]] = [(), (), ("retry",), ("done",), ("abandon",), ("retry", "done")]
    slow = {name for name, ending in case.script.items() if ending == ("failed", BOOM) and one_in(2)}
    return replace(
        case,
        script={name: ("failed", SLOW) if name in slow else end for name, end in case.script.items()},
        undo={node["id"]: of(ways) for node in case.nodes if "compensate" in node},
        lost=frozenset(node["id"] for node in case.nodes if node["type"] in ("noop", "job") and one_in(4)),
        cancel_at=of([0, 0, 2, 3]),
    )


def _order(choices: Choices) -> Order:
    sizes = [choices.of([1, 12, 1, 2, 3]) for _ in range(choices.of([1, 2, 3, 4]))]
    return Order(tuple(choices.arranged(NAMES)), tuple(sizes))


def _ending(choices: Choices, node: Mapping[str, Json]) -> tuple[str, Json]:
    stops = targets_of(node, interrupting=True)
    if stops and choices.one_in(2):
        return "interrupted", choices.of(stops)
    if node["type"] == "wait":
        return "completed", THEN
    kind, value = _outcome(choices)
    if node["type"] in CONTAINERS:
        return failed(node) if kind == "failed" else completed(node, value)
    return (kind, TIMEOUT) if node["type"] == "signal" and kind == "failed" else (kind, value)


def _rung(choices: Choices, node: Mapping[str, Json]) -> tuple[str, ...]:
    return tuple(
        target for target in choices.arranged(targets_of(node, interrupting=False)) if choices.one_in(2)
    )


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

    def __init__(self, choices: Choices, races: bool, saga: bool) -> None:
        self.choices = choices
        self.races = races
        self.saga = saga
        self.may_fail = choices.one_in(2) or saga
        self.timed = choices.one_in(2)
        self.nests = choices.one_in(2)
        self.sources = self._shape(NAMES[: choices.of(range(1, len(NAMES) + 1))])
        self.timers = {
            (source, name): [
                self.choices.of([True, False, None, False]) for _ in range(choices.of([1, 1, 2]))
            ]
            for name, before in self.sources.items()
            for source in before
            if self.timed and choices.one_in(3)
        }
        self.sets = set(NAMES) if choices.one_in(3) else set[str]()
        self.passed: dict[str, list[str]] = {}
        for name, before in self.sources.items():
            # Behind a timer nobody knows whether the step has ended, and with what.
            ways = [{*self.passed[one], *([one] if (one, name) not in self.timers else ())} for one in before]
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
        if not self.races:
            for node in nodes.values():
                self.outlive(node, {edge["to"] for edge in edges if edge["from"] == node["id"]})
        caught = {edge["from"] for edge in edges if edge.get("on") == "error"}
        for name, node in nodes.items():
            if handling(node) == "branch" and name not in caught and not self.choices.one_in(4):
                holder, key = (node, "on_error") if "on_error" in node else (node["params"], "on_timeout")
                holder[key] = "continue"
        arranged = self.choices.arranged
        drawn = {"name": "random", "nodes": arranged(list(nodes.values())), "edges": arranged(edges)}
        if self.may_fail and self.choices.one_in(2):
            drawn["on_failure"] = "finish_others"
        if self.saga and self.choices.one_in(2):
            drawn["compensation"] = "parallel"
        return drawn

    def outlive(self, node: dict[str, Json], targets: set[str]) -> None:
        """Where reminders could lead the run to its end while the step goes on, they interrupt it instead."""
        if targets and targets.issubset(targets_of(node, interrupting=False)):
            for timer in node["boundary_timers"]:
                timer["interrupting"] = True

    def node(self, name: str) -> dict[str, Json]:
        of, one_in = self.choices.of, self.choices.one_in
        handled = ["continue", "branch"]
        waits = ["wait", "signal", "signal"] if self.timed else []
        waits += CONTAINERS if self.nests else []
        node: dict[str, Json] = {
            "id": name,
            "type": of(["noop", "job", "job", "decision", "transform", *waits]),
            "on_error": of(
                [*["fail"] * (4 if self.saga else 1), *handled, *handled, "ask"] if self.may_fail else handled
            ),
        }
        if node["type"] == "wait":
            node["params"] = {"seconds": LATER}
        if node["type"] in CONTAINERS:
            node["params"] = params_of(node["type"], name, of)
        if node["type"] == "signal":
            node["params"] = {"name": name, "timeout_seconds": LATER}
            if one_in(2) and node["on_error"] != "ask":
                node["params"]["on_timeout"] = node.pop("on_error")
        if node["type"] == "job":
            node["queue"] = "outside"
        if node["type"] == "transform":
            node["params"] = {"set": self.settings(name), "keep_input": one_in(4)}
        if self.saga and one_in(2):
            node["compensate"] = {"type": "job", "queue": "undo", "retry": "none"}
            if one_in(4):
                node["compensate_on_unknown"] = False
        if one_in(8):
            node["input"] = self.settings(name)
        if one_in(4):
            node["allow_no_match"] = True
        if name in self.sets and one_in(2):
            node["set_vars"] = {f"of_{name}": of(["{{ output.n }}", "{{ input.n }}", 7])}
            # Which of them comes last only one order says.
            node["set_vars"] |= {"last": name} if self.races else {}
        elif name in self.sets:
            self.sets.discard(name)
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
        numbers += [f"{{{{ vars.of_{step} }}}}" for step in self.passed[name] if step in self.sets]
        found: dict[str, Json] = {"n": of(numbers), "ok": of([True, False])}
        if one_in(3):
            found["branch"] = of(BRANCHES)
        if one_in(4):
            found["all"] = "{{ prev }}"
        return found

    def edges(self, source: dict[str, Json], target: str) -> list[dict[str, Json]]:
        """One edge from `source` to `target`, at times two or three; or timers, at times beside edges."""
        if timers := self.timers.get((source["id"], target)):
            source.setdefault("boundary_timers", []).extend(
                {"after_seconds": LATER, "to": target} | ({} if stops is None else {"interrupting": stops})
                for stops in timers
            )
            if not self.choices.one_in(4):
                return []
        return [self.edge(source, target) for _ in range(self.choices.of([1, 1, 1, 1, 1, 2, 3]))]

    def edge(self, source: dict[str, Json], target: str) -> dict[str, Json]:
        plain: list[Any] = [{}] * (1 if source["type"] == "decision" else 8)
        conditional = [*({"branch": branch} for branch in BRANCHES), *["when"] * 4, {"default": True}]
        caught = [{"on": "error"}] * 6 if handling(source) == "branch" else []
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
        reading += [
            f"vars.of_{step} > {limit}" for step in (source, *self.passed[source]) if step in self.sets
        ]
        return of([*known, *known, *reading])
