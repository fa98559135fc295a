"""How tokens go through a rochallor document: where steps lead, what is parallel, where two tokens may meet."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from engine.catalogue import Json
from engine.dialects.rochallor.shape import DECISION, END, JOIN, PARALLEL, WAITING, Step


@dataclass(frozen=True, slots=True)
class Timer:
    """Where a timer beside a step leads, and whether the step goes on meanwhile."""

    target: str
    goes_on: bool


@dataclass
class Flow:
    """The steps by id, and where each leads. Only ids that there are; of steps with the same id the first."""

    steps: Mapping[str, Step]
    after: Mapping[str, tuple[str, ...]] = field(init=False)
    within: Mapping[str, frozenset[str]] = field(init=False)
    """Gateway to the steps between it and its join."""
    outside: frozenset[str] = field(init=False)
    """The steps that a token can reach which is in no parallel path."""

    def __post_init__(self) -> None:
        self.after = {name: self._targets(step) for name, step in self.steps.items()}
        self.within = {
            name: frozenset(self.reach(self.after[name], stop=[str(step.get("joinStep"))]))
            for name, step in self.steps.items()
            if step.get("type") == PARALLEL
        }
        self.outside = frozenset(self._outside())

    def reach(self, starts: Iterable[str], stop: Collection[str] = ()) -> Iterator[str]:
        """The steps that these lead to, they among them, not past those of `stop`, which are left out."""
        seen: set[str] = set()
        pending = [*starts]
        while pending:
            name = pending.pop()
            if name not in seen and name not in stop:
                seen.add(name)
                yield name
                pending += self.after[name]

    def _targets(self, step: Step) -> tuple[str, ...]:
        return tuple(dict.fromkeys([*self._ways(step), *(timer.target for timer in self.timers(step))]))

    def _ways(self, step: Step) -> list[str]:
        """Where it leads when it is done."""
        return [name for name in ways(step) if name in self.steps]

    def timers(self, step: Step) -> list[Timer]:
        """Its timers."""
        raw = step.get("boundaryEvents", ()) if step.get("type") in WAITING else ()
        timers = [Timer(str(timer.get("targetStepId")), not timer["interrupting"]) for timer in raw]
        return [timer for timer in timers if timer.target in self.steps]

    def _outside(self) -> Iterator[str]:
        pending, seen = [*self.steps][:1], set[str]()
        while pending:
            name = pending.pop()
            if name in seen:
                continue
            seen.add(name)
            yield name
            join = self.steps[name].get("joinStep") if name in self.within else None
            pending += self.after[name] if join is None else [str(join)] if join in self.steps else []

    def cycle(self) -> str | None:
        """A step that comes behind itself."""
        waiting = dict.fromkeys(self.steps, 0)
        for targets in self.after.values():
            for target in targets:
                waiting[target] += 1
        ready = [name for name, count in waiting.items() if not count]
        # It grows while it is gone through.
        for name in ready:
            for target in self.after[name]:
                waiting[target] -= 1
                if not waiting[target]:
                    ready.append(target)
        left = [name for name, count in waiting.items() if count]
        return next((name for name in left if name in {*self.reach(self.after[name])}), None)

    def meetings(self) -> Iterator[tuple[str, str]]:
        """The steps that two tokens may reach at once, with the step behind which these part; no joins and ends."""
        stops = {name for name, step in self.steps.items() if step.get("type") in (JOIN, END)}
        for name, step in self.steps.items():
            for one, others in self._parted(name, step):
                first = {*self.reach(one, stops)}
                # Most timers lead to an end or a join: nothing is to be looked for behind them.
                both = first.intersection(self.reach(others, stops) if first else ())
                if not both:
                    continue
                before = {source for source in self.steps if both.intersection(self.after[source])}
                heads = [
                    target for target in self.steps if target in both and self._is_head(target, both, before)
                ]
                yield from ((target, name) for target in heads[:1])

    def _is_head(self, name: str, both: set[str], before: set[str]) -> bool:
        return any(name in self.after[source] for source in before - both) or not before - both

    def _parted(self, name: str, step: Step) -> Iterator[tuple[list[str], list[str]]]:
        """Starts of paths on which tokens go at the same time: of one of them, and of all others."""
        ways = self._ways(step)
        if name in self.within:
            yield from (([way], ways[:at] + ways[at + 1 :]) for at, way in enumerate(ways))
        timers = self.timers(step)
        for at, timer in enumerate(timers):
            others = [
                other.target for other in timers[:at] + timers[at + 1 :] if other.target != timer.target
            ]
            if timer.goes_on:
                yield [timer.target], ways + others


def ways(step: Step) -> list[str]:
    """The steps that one names which follow it when it is done."""
    kind, conditions = step.get("type"), step.get("conditionalNextSteps")
    if kind == END:
        return []
    if kind == PARALLEL:
        return [*step.get("parallelNextSteps", ())]
    if kind == DECISION or (kind in WAITING and conditions):
        return list(dict.fromkeys((conditions or {}).values()))
    target: Json = step.get("nextStep")
    return [target] if target else []
