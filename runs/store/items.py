"""The statements by which people change an item of a container, as typed functions (SQL in `sql/items.sql`)."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from engine.catalogue import Json
from engine.containers import Counts
from engine.statuses import StepStatus
from engine.verbs import HELD, ItemStand, PausedAbove, container_state, is_redone
from lib.clock import now_or_none
from runs.store.hot import SQL, document


class ItemRead(NamedTuple):
    """An item of a container, or a step that is none, with its container and its run (`child`), where it has one.

    `total`: how many items there are. `status` is None where there is no row. `held`: it is paused by itself; `waits`:
    it waits for its run. `child_failed`: that goes on although something of it has failed. `paused_above`: id and place
    of the topmost of its run and those above that is paused.
    """

    run: str
    version: int
    total: int | None
    container: str | None
    container_cause: str | None
    container_output: bool
    container_asks: bool
    status: str | None
    cause: str | None
    has_output: bool
    held: bool | None
    waits: bool | None
    child: str | None
    child_status: str | None
    child_failed: bool | None
    child_is_part: bool | None
    paused_above: tuple[str, Sequence[tuple[str, int | None]]] | None

    @property
    def paused(self) -> PausedAbove | None:
        """The topmost of its run and those above that is paused."""
        return PausedAbove(*self.paused_above) if self.paused_above else None

    @property
    def state(self) -> str:
        """The state of its container, as `engine.verbs` names it."""
        if self.container is None:
            return "over"
        redone = is_redone(self.container, self.container_cause, self.container_output)
        return container_state(self.run, self.container, redone=redone, asks=self.container_asks)

    @property
    def stand(self) -> ItemStand:
        """What verbs on it depend on."""
        return ItemStand(
            self.run,
            self.state,
            self.container or StepStatus.CANCELLED,
            HELD if self.held else str(self.status),
            self.child_status if self.waits else None,
            bool(self.child_failed),
            self.paused,
        )


def item_as_it_stands(tenant: int, run: str, node: str, index: int | None) -> ItemRead | None:
    """An item, or where `index` is None a step; None where the tenant has no such run."""
    return items_as_they_stand(tenant, run, node, [index]).get(index)


def items_as_they_stand(
    tenant: int, run: str, node: str, indexes: Sequence[int | None]
) -> dict[int | None, ItemRead]:
    """Items of a container by their places."""
    params = {"tenant": tenant, "run": run, "node": node, "indexes": list(indexes)}
    return {index: ItemRead(*row) for index, *row in SQL.value("items_as_they_stand", params)}


def withdraw_item(step: str, payload: Mapping[str, Json]) -> Counts | None:
    """Have an item that failed begin once more; gives how its container counts then, None where it has not failed."""
    counts = SQL.value("withdraw_item", {"step": step, "payload": document(payload), "now": now_or_none()})
    return None if counts is None else Counts(*counts)


def pass_item(step: str, output: Json, payload: Mapping[str, Json]) -> bool:
    """Have an item that failed, or was cancelled with its container, count as done; False where it is neither."""
    params = {
        "step": step,
        "output": document(output),
        "payload": document(payload),
        "now": now_or_none(),
    }
    return bool(SQL.value("pass_item", params))


def hold_item(step: str, payload: Mapping[str, Json], *, hold: bool) -> list[str]:
    """Pause a queued item, or let it go on; gives its queue, nothing where a worker has it."""
    params = {"step": step, "hold": hold, "payload": document(payload), "now": now_or_none()}
    return SQL.value("hold_item", params) or []


def newest_child_at(parent: str, node: str, index: int | None) -> str | None:
    """The newest run that a run has begun for an item, or for a step that is none."""
    child = SQL.value("newest_child_at", {"parent": parent, "last": document([node, index])})
    return None if child is None else str(child)
