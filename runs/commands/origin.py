"""The parent, chain and tree of a run that another run started."""

from collections.abc import Sequence
from dataclasses import dataclass

from runs.store.rows import RunRow


@dataclass(frozen=True, slots=True)
class Origin:
    """The parent, chain and tree of a run that another run started.

    It is the child that `parent_step` waits for, or `follows` the run. `shard`: a child's is its parent's. `root`: the
    first run of the chain, for a run that continues another one. `tree`: the root of a child's tree; `place`: the
    steps, as (node, index), that lead from there down to the child. `counted_in`: the tree whose count includes the
    run, where that is another one.
    """

    parent: str | None = None
    parent_step: str | None = None
    shard: int | None = None
    depth: int = 0
    follows: str | None = None
    chained: int = 0
    root: str | None = None
    tree: str | None = None
    counted_in: str | None = None
    place: Sequence[tuple[str, int | None]] = ()

    def columns(self) -> RunRow:
        """The columns of its row."""
        row: RunRow = {"depth": self.depth, "chained": self.chained}
        if self.parent and self.parent_step:
            row |= {"parent_id": self.parent, "parent_step_id": self.parent_step}
        if self.shard is not None:
            row["shard"] = self.shard
        if self.follows:
            row["follows"] = self.follows
        if self.root:
            row["root"] = self.root
        if self.tree:
            row["tree"] = self.tree
        if self.counted_in:
            row["counted_in"] = self.counted_in
        if self.place:
            row["place"] = self.place
        return row
