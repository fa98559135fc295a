"""What docs/engine.md, "Semantics", says, played out by hand: small, slow, and written from the page alone.

It shares no line with the engine, so where both agree both have read the same page. Everything is looked up again
in the whole definition each time: no counters, no compiled graph, no cleverness.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from tests.engine.lives import (
    CANCELLED,
    CANCELLING,
    COMPLETED,
    FAILED,
    FAILING,
    QUEUED,
    RUNNING,
    SKIPPED,
    WAITING,
    Broken,
    Final,
    Json,
    Step,
    evaluate,
)

Definition = Mapping[str, Any]
Script = Mapping[str, tuple[str, Json]]
Rung = Mapping[str, Sequence[str]]
Pick = Callable[[list[str]], list[str]]

CLOSED = {FAILING: FAILED, CANCELLING: CANCELLED}


def interpret(
    definition: Definition,
    run_input: Json,
    script: Script,
    pick: Pick = list,
    rung: Rung = {},  # noqa: B006
    lost: Collection[str] = (),
    cancel_at: int = 0,
    rules: int = 2,
) -> Final:
    """Play a run to its end.

    `script` says how each step ends that the run doesn't do itself: ("completed", output), ("failed", error), for good,
    or ("interrupted", target) by the boundary timer that leads there. `rung` says to which targets timers lead that
    fire while it goes on. `pick` says which of the open steps workers have in hand or wait, and in which order these
    end. `lost`: whose worker is lost where a closing run awaits it. After `cancel_at` of those steps have ended, the
    run is cancelled. `rules`: those of the version. What is undone then is not played here. Raises AssertionError for
    a run that is stuck.
    """
    run = _Run(definition, run_input, script, rung)
    run.lost, run.cancel_at, run.rules = lost, cancel_at, rules
    run.begin()
    while run.final.status == RUNNING:
        batch = pick(run.having(QUEUED))
        assert batch, "the run is not over, and nothing is left that could end it"
        run.work(batch)
    return run.final


NOBODY = Step(SKIPPED)


class _Run:
    def __init__(self, definition: Definition, run_input: Json, script: Script, rung: Rung) -> None:
        self.nodes = {node["id"]: node for node in definition["nodes"]}
        self.edges = list(definition["edges"])
        for name, node in self.nodes.items():
            self.edges += [
                {"from": name, "to": one["to"], "timer": True} for one in node.get("boundary_timers", ())
            ]
        self.stops = definition.get("on_failure") != "finish_others"
        self.run_input, self.script, self.rung = run_input, script, rung
        self.lost: Collection[str] = ()
        self.cancel_at = self.ended = self.tick = 0
        self.rules = 2
        self.final = Final()
        self.steps = self.final.steps
        self.unresolved: list[tuple[str, set[str], list[str]]] = []

    def begin(self) -> None:
        """All nodes without incoming edges start."""
        for name in self.nodes:
            if not self.sources(name):
                self.start(name)
        self.follow()

    def work(self, batch: list[str]) -> None:
        """Workers take the steps of `batch`, those that wait begin to, and one after another they end."""
        for name in batch:
            self.steps[name].status = WAITING if self.waits(name) else RUNNING
        for name in batch:
            kind, value = self.script[name]
            left = list(self.rung.get(name, ()))
            while left and self.is_open(name):
                self.tick += 1
                self.ring(name, left.pop(0))
                self.follow()
            self.tick += 1
            if self.is_open(name):
                self.end(name, kind, value)
                self.follow()
                self.ended += 1
                if self.ended == self.cancel_at and self.final.status == RUNNING:
                    self.cancel(QUEUED, WAITING)
                    self.final.status = CANCELLING
            elif self.steps[name].status == RUNNING:
                self.await_end(name, kind, value, hopeless=bool(left) or kind == "interrupted")
        self.final.status = CLOSED.get(self.final.status, self.final.status)

    def is_open(self, name: str) -> bool:
        """Whether the run goes on, and this step of it."""
        return self.final.status == RUNNING and self.steps[name].status in (RUNNING, WAITING)

    def await_end(self, name: str, kind: str, value: Json, hopeless: bool) -> None:
        """The run closes, and the step is awaited: what it gives is kept, and nothing follows from it.

        `hopeless`: only timers would end it, which don't fire any more, so its worker gives it back.
        """
        completed, step = kind == "completed", self.steps[name]
        step.at, step.lost = self.tick, name in self.lost and not hopeless
        hopeless = hopeless or step.lost
        step.status = CANCELLED if hopeless else COMPLETED if completed else FAILED
        step.output = value if completed and not hopeless else None
        step.error = None if completed or hopeless else value

    def follow(self) -> None:
        """Resolve edges until nothing more follows; only then see how the run stands."""
        waiting = [name for name in self.nodes if name not in self.steps]
        while self.unresolved:
            source, taken, targets = self.unresolved.pop(0)
            for target in targets:
                self.resolve(source, target, target in taken)
        self.final.tied |= any(len(self.taken_into(name)) > self.limit(name) for name in waiting)
        sinks = [name for name in self.nodes if self.is_sink(name)]
        is_over = all(self.is_resolved(name) and not self.is_stuck(name) for name in sinks)
        is_over |= any(self.ends_run(name) for name in self.having(COMPLETED))
        if self.final.culprit is not None:
            if is_over or self.stops or not self.having(QUEUED, RUNNING, WAITING):
                self.cancel(QUEUED, WAITING)
                self.final.status = FAILING if self.having(RUNNING) else FAILED
        elif is_over:
            never = None if any(self.has_run(name) for name in sinks) else self.never_fired()
            self.final.status, self.final.culprit = (FAILED, never) if never else (COMPLETED, None)
            self.final.output = None if never else self.run_output()
            self.cancel(QUEUED, WAITING, RUNNING)

    def has_run(self, name: str) -> bool:
        return name in self.having(COMPLETED, FAILED)

    def never_fired(self) -> str | None:
        """A join that was skipped although a link into it was taken, by the rules of today."""
        strict = [
            name
            for name in self.having(SKIPPED)
            if self.nodes[name].get("join", "any") not in ("any", "any_taken")
        ]
        taken = [name for name in strict if self.taken_into(name) and len(self.sources(name)) > 1]
        return taken[0] if taken and self.rules > 1 else None

    def cancel(self, *statuses: str) -> None:
        for name in self.having(*statuses):
            self.steps[name].status = CANCELLED

    def run_output(self) -> Json:
        """The output of the one completed sink, or those of several under their ids."""
        done = {name: self.steps[name].output for name in self.having(COMPLETED) if self.is_sink(name)}
        return (done if len(done) > 1 else next(iter(done.values()))) if done else None

    # Edges and joins.

    def resolve(self, source: str, target: str, taken: bool) -> None:
        assert (source, target) not in self.final.links, "an edge resolves once"
        self.final.links[source, target] = taken
        if target in self.steps:
            return
        match self.verdict(target):
            case "run":
                self.start(target)
            case "skip":
                self.steps[target] = Step(SKIPPED)
                self.unresolved.append((target, set(), self.targets(target)))

    def verdict(self, target: str) -> str:
        """The table of joins."""
        join = self.nodes[target].get("join", "any_taken")
        taken, dead = len(self.taken_into(target)), len(self.dead_into(target))
        still_open = len(self.sources(target)) - taken - dead
        if join == "any_taken":
            return "wait" if still_open else "run" if taken else "skip"
        if taken >= self.limit(target):
            return "run"
        if self.rules == 1 and join != "any":
            return "skip" if taken + still_open < self.limit(target) else "wait"
        return "wait" if still_open else "skip"

    def limit(self, target: str) -> int:
        """How many taken links decide a join, and give it its input: those that arrive first."""
        join = self.nodes[target].get("join", "any_taken")
        if isinstance(join, dict):
            return join["n_of"]
        return 1 if join == "any" else len(self.sources(target))

    def taken_into(self, target: str) -> list[str]:
        """Sources of the taken links into `target`, in the order of their arrival."""
        return [source for (source, to), taken in self.final.links.items() if to == target and taken]

    def dead_into(self, target: str) -> list[str]:
        return [source for (source, to), taken in self.final.links.items() if to == target and not taken]

    # Steps.

    def start(self, name: str) -> None:
        node, step = self.nodes[name], Step(QUEUED)
        self.steps[name] = step
        try:
            step.given = self.given(name)
            if "input" in node:
                step.given = self.filled(node["input"], self.scope(prev=step.given))
            if node["type"] in ("decision", "end"):
                self.end(name, "completed", step.given)
            elif node["type"] == "transform":
                self.end(name, "completed", self.transformed(name))
        except Broken as broken:
            self.end(name, "failed", broken.args[0])

    def given(self, name: str) -> Json:
        """The input of a step, but for its mapping."""
        sources, given = self.sources(name), self.run_input
        if len(sources) == 1:
            given = self.carried(sources[0], name)
        elif sources:
            first = self.taken_into(name)[: self.limit(name)]
            given = {source: self.carried(source, name) for source in first}
        return given

    def carried(self, source: str, target: str) -> Json:
        """What a taken link brings: what its source gave, or the moment at which a timer took it."""
        step = self.steps[source]
        return step.rung.get(target, step.output)

    def transformed(self, name: str) -> Json:
        params, given = self.nodes[name]["params"], self.steps[name].given
        made = self.filled(params["set"], self.scope(prev=given))
        if not params.get("keep_input"):
            return made
        if not isinstance(given, dict):
            raise Broken({"code": "BadInput"})
        return {**given, **made}

    def ring(self, name: str, target: str) -> None:
        """A timer fires beside a step that goes on: its link is taken at once, if it was not before."""
        if target not in self.steps[name].rung:
            self.steps[name].rung[target] = moment(name)
            self.unresolved.append((name, {target}, [target]))

    def end(self, name: str, kind: str, value: Json) -> None:
        """A step ended: its final status, and which of its links are taken."""
        node, step = self.nodes[name], self.steps[name]
        targets = [target for target in self.targets(name) if target not in step.rung]
        step.at, before = self.tick, self.final.variables
        if kind == "interrupted":
            step.status, step.interrupted, step.output = CANCELLED, True, moment(name)
            self.unresolved.append((name, {value}, targets))
            return
        try:
            if kind == "failed":
                raise Broken(value)
            step.output = value
            made = self.filled(node.get("set_vars", {}), self.scope(prev=step.given, output=value))
            self.final.variables, self.final.tied = {**before, **made}, self.final.tied or self.overlap(name)
            taken = self.taken_after(name)
            step.status = COMPLETED
        except Broken as broken:
            self.final.variables = before
            step.status, step.error, step.output = FAILED, broken.args[0], {"error": broken.args[0]}
            match self.on_failure(name):
                case "fail" | "ask":
                    self.final.culprit = self.final.culprit or name
                    return
                case "continue":
                    taken = self.taken_after(name)
                case "branch":
                    taken = {edge["to"] for edge in self.edges_of(name) if edge.get("on") == "error"}
        self.unresolved.append((name, taken, targets))

    def overlap(self, name: str) -> bool:
        names, done = self.nodes[name].get("set_vars", {}).keys(), self.having(COMPLETED)
        return any(
            names & self.nodes[one].get("set_vars", {}).keys()
            for one in done
            if self.steps[one].at == self.tick
        )

    def taken_after(self, name: str) -> set[str]:
        """Targets of the success edges that hold."""
        node, step = self.nodes[name], self.steps[name]
        edges = [edge for edge in self.edges_of(name) if is_success(edge)]
        conditional = [edge for edge in edges if "branch" in edge or "when" in edge]
        others = [edge for edge in edges if edge.get("default")]
        if node["type"] == "decision":
            first = next((e for e in edges if not e.get("default") and self.holds(e, step)), None)
            taken = [first] if first else others[:1]
            matched = bool(taken)
        else:
            taken = [edge for edge in edges if not edge.get("default") and self.holds(edge, step)]
            if not any(edge in conditional for edge in taken):
                taken += others
            matched = any(edge in conditional or edge in others for edge in taken)
        by_branch = any("branch" in at for at in (*edges, step.output) if isinstance(at, dict))
        must_match = (node["type"] == "decision" or by_branch) and not node.get("allow_no_match")
        if conditional and must_match and not matched and step.error is None:
            raise Broken({"code": "NoBranchMatched"})
        return {edge["to"] for edge in taken}

    def holds(self, edge: Mapping[str, Any], step: Step) -> bool:
        if "branch" in edge:
            return isinstance(step.output, dict) and step.output.get("branch") == edge["branch"]
        if "when" not in edge:
            return True
        extra = {"error": step.error} if step.error is not None else {}
        try:
            held = evaluate(edge["when"], self.scope(prev=step.given, output=step.output, **extra))
            if not isinstance(held, bool):
                raise Broken({"code": "ExpressionError"})
        except Broken:
            if step.error is not None:
                return False
            raise
        return held

    # Looking things up in the definition.

    def edges_of(self, name: str) -> list[Mapping[str, Any]]:
        return [edge for edge in self.edges if edge["from"] == name]

    def sources(self, name: str) -> list[str]:
        return sorted({edge["from"] for edge in self.edges if edge["to"] == name})

    def targets(self, name: str) -> list[str]:
        return list(dict.fromkeys(edge["to"] for edge in self.edges_of(name)))

    def is_sink(self, name: str) -> bool:
        """No success edge leads on, but to where a timer leads while it goes on (which the first rules counted)."""
        timers = self.nodes[name].get("boundary_timers", ()) if self.rules > 1 else ()
        rung = {timer["to"] for timer in timers if timer.get("interrupting") is False}
        return not any(is_success(edge) and edge["to"] not in rung for edge in self.edges_of(name))

    def ends_run(self, name: str) -> bool:
        node = self.nodes[name]
        return node["type"] == "end" and node.get("params", {}).get("ends", "run") == "run"

    def waits(self, name: str) -> bool:
        return self.nodes[name]["type"] in ("wait", "signal", "map", "loop", "subworkflow")

    def is_resolved(self, name: str) -> bool:
        return name in self.having(COMPLETED, SKIPPED, FAILED) or self.steps.get(name, NOBODY).interrupted

    def is_stuck(self, name: str) -> bool:
        """A failure of which nothing follows: somebody may have it tried again."""
        return name in self.having(FAILED) and self.on_failure(name) in ("fail", "ask")

    def on_failure(self, name: str) -> str:
        node = self.nodes[name]
        return node.get("on_error") or node.get("params", {}).get("on_timeout", "fail")

    def having(self, *statuses: str) -> list[str]:
        """Nodes in one of `statuses`, in the order of the definition."""
        return [name for name in self.nodes if name in self.steps and self.steps[name].status in statuses]

    # Expressions, as far as generated graphs use them.

    def scope(self, **more: Json) -> dict[str, Json]:
        seen = {name: {"output": step.output} for name, step in self.steps.items() if step.status != SKIPPED}
        return {"input": self.run_input, "steps": seen, "vars": self.final.variables, **more}

    def filled(self, template: Json, scope: Mapping[str, Json]) -> Json:
        """`template` with its `{{ … }}` strings evaluated."""
        if isinstance(template, dict):
            return {key: self.filled(value, scope) for key, value in template.items()}
        if isinstance(template, str) and template.startswith("{{"):
            return evaluate(template[2:-2].strip(), scope)
        return template


def moment(name: str) -> Json:
    """What an edge carries that a timer of this step took; when that was, no case says."""
    return {"fired_at": "then", "timer_of": name}


def is_success(edge: Mapping[str, Any]) -> bool:
    """Whether an edge is one that success may take."""
    return edge.get("on") != "error" and not edge.get("timer")
