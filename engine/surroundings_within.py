"""What is known of the values at a place within a body: its own steps, the item, and what is around its container."""

from collections.abc import Mapping
from functools import cached_property

from engine.catalogue import Catalogue, Json
from engine.checks.bodies import inside
from engine.checks.outline import Limits, Outline, OutlineNode, outline_of
from engine.checks.places import Place
from engine.surroundings import BeforeEach, Known, Sample, Surroundings, items


def surroundings(
    document: Mapping[str, Json],
    catalogue: Catalogue,
    sample: Sample,
    node: str | None = None,
    before_each: BeforeEach = None,
) -> Surroundings:
    """The definition (native, of whatever quality) with a sample, or the body in it that `node` stands in.

    `before_each`: as Surroundings has it.
    """
    outer = Surroundings(outline_of(document, catalogue, Limits()), sample, before_each)
    return _holding(outer, node) or outer


def _holding(around: Surroundings, node: str | None) -> Surroundings | None:
    if node is None or node in around.outline.by_id:
        return around
    for body in inside(around.outline, around.flow, holding=node):
        inner = _Within(body.outline, around, around.outline.by_id[body.container])
        holder = _holding(inner, node)
        if holder is not None:
            return holder
    return None


class _Within(Surroundings):
    """The steps of a container."""

    def __init__(self, outline: Outline, around: Surroundings, container: OutlineNode) -> None:
        super().__init__(outline, around.sample, around.before_each)
        self.around = around
        self.container = container

    @cached_property
    def item(self) -> Known:
        """What the first of the container's items is."""
        return self.around.item_of(self.container)

    @cached_property
    def _seen(self) -> list[Known]:
        """What the container's own steps see, of as many levels as there are: each asks the next one once."""
        return self.around.around_items(self.container)

    def outside(self, place: Place) -> list[Known]:
        """The item, and what the container's own steps see."""
        return [*items(self.item, self.item.origin), *self._seen]

    def _first_schema(self) -> Json:
        return self.item.schema

    def _before(self, item: OutlineNode) -> Known:
        if self.flow.into[item.id]:
            return super()._before(item)
        return Known(("prev",), self.item.schema, self.item.sample, self.item.origin, True)

    def _outputs(self, place: Place) -> dict[str, Json]:
        outer = {
            value.path[1]: {"output": value.sample}
            for value in self._seen
            if value.path[0] == "steps" and self._has(value)
        }
        return {**outer, **super()._outputs(place)}

    def _has(self, value: Known) -> bool:
        return value.path[1] in self.sample.outputs
