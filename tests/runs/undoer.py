"""Compensations of scripted runs: workers end them, people settle those that fail; what was undone, in its order."""

import random
from dataclasses import dataclass, field
from uuid import UUID

from engine.catalogue import Json
from runs.commands.lifecycle import resolve_compensation
from runs.kernel.advance import advance
from runs.store import hot
from runs.store.attempts import ClaimedStep, Errored, Succeeded
from tests import factories as make
from tests.engine.strategies import BOOM
from tests.runs.fleet import Fleet

UNDO = ":compensate"


@dataclass
class Undoer:
    """`begun`: by run the nodes whose compensation was begun, each time that it was, with what it was given.

    `stands`: by run, each time that nobody had anything to claim any more, what had begun and what was settled.
    """

    fleet: Fleet
    dice: random.Random
    begun: dict[str, list[tuple[str, Json]]] = field(default_factory=dict)
    stands: dict[str, list[tuple[set[str], set[str]]]] = field(default_factory=dict)
    over: dict[str, set[str]] = field(default_factory=dict)

    def drive(self) -> None:
        """Undo until nobody has anything to do."""
        held: list[ClaimedStep] = []
        while claimed := self._claim() or held:
            held = [*held, *claimed] if claimed is not held else held
            self.dice.shuffle(held)
            size = self.dice.randint(1, len(held))
            batch, held = held[:size], held[size:]
            advance([(step, self._ending(step)) for step in batch])
            for step in batch:
                self._settle(step)

    def _claim(self) -> list[ClaimedStep]:
        found = hot.claim(queue="undo", worker="w", cursor=0, limit=10_000)
        while alone := hot.claim_alone(queue="undo", worker="w"):
            found += alone
        for step in found:
            self.begun.setdefault(step.run_id, []).append((step.node.removesuffix(UNDO), step.input))
        for run_id in {step.run_id for step in found}:
            begun, over = {name for name, _ in self.begun[run_id]}, self.over.get(run_id, set())
            self.stands.setdefault(run_id, []).append((begun, set(over)))
        return found

    def _times(self, step: ClaimedStep) -> int:
        """How often this compensation was begun before this time."""
        node = step.node.removesuffix(UNDO)
        return [name for name, _ in self.begun[step.run_id]].count(node) - 1

    def _fails(self, step: ClaimedStep) -> bool:
        ways = self.fleet.cases[step.run_id].undo[step.node.removesuffix(UNDO)]
        return self._times(step) < len(ways)

    def _ending(self, step: ClaimedStep) -> Succeeded | Errored:
        return Errored(BOOM) if self._fails(step) else Succeeded({"undone": True})

    def _settle(self, step: ClaimedStep) -> None:
        """A person decides about a compensation that has failed."""
        node, how = step.node.removesuffix(UNDO), "done"
        if self._fails(step):
            assert make.run(step.run_id).status == "WAITING_FOR_MANUAL_ACTION"
            how = self.fleet.cases[step.run_id].undo[node][self._times(step)]
            resolve_compensation(
                make.a_tenant().pk, step.run_id, UUID(step.id), how, by="test", reason="seen to"
            )
        if how != "retry":
            self.over.setdefault(step.run_id, set()).add(node)
