"""A fact of a step that asks people gets another label: expressions that read it are rewritten by their syntax trees.

What reads it: `steps.ask.output.facts["Amount"]`, behind the step `prev.facts.Amount`, in its conditions
`output.facts.Amount`, in the step's own texts `facts.Amount`.
"""

from collections.abc import Mapping

from engine.catalogue import Catalogue, Json
from engine.cel_reads import Path
from engine.errors import ExpressionInvalid
from engine.renaming import Renamed, Renaming, Unclear, renamed_in
from engine.typed_texts import FACTS

_LISTS = ("facts_order", "amendable")
_OBJECTS = (FACTS, "facts_schema")
_UNQUOTED = frozenset("\"'\\\n\r{}")


def rename_fact(
    definition: Mapping[str, Json], step: str, old: str, new: str, *, catalogue: Catalogue
) -> Renamed:
    """The definition (native, of whatever quality) with the fact `old` of a step called `new`.

    An expression that reads it and can't be rewritten, as where the label has quotes, is among `unread`.
    """
    renaming = _FactRenaming(definition, step, old, new, catalogue)
    return Renamed(renaming.definition(), renaming.changed, renaming.unread)


class _FactRenaming(Renaming):
    def __init__(
        self, definition: Mapping[str, Json], step: str, old: str, new: str, catalogue: Catalogue
    ) -> None:
        super().__init__(definition, old, new, catalogue)
        self.step = step
        self.everywhere = frozenset({("steps", step, "output", FACTS)})

    def _is_id(self, value: Json) -> bool:
        return False

    def _find_holders(self, node: Json, *, behind_mapping: bool = True) -> frozenset[Path]:
        sources = self.sources.get(node, ()) if isinstance(node, str) else ()
        if self.step not in sources or (behind_mapping and node in self.mapped):
            return self.everywhere
        return self.everywhere | {("prev", FACTS) if len(sources) == 1 else ("prev", self.step, FACTS)}

    def _find_output(self, node: Json) -> frozenset[Path]:
        return frozenset({("output", FACTS)}) if node == self.step else frozenset()

    def _find_undone(self, node: Json, from_params: frozenset[Path]) -> frozenset[Path]:
        before = {("prev", "input", *path[1:]) for path in from_params if path[0] == "prev"}
        return self.everywhere | before | ({("prev", "output", FACTS)} if node == self.step else set())

    def _params(self, node: Mapping[str, Json], field: str, holders: frozenset[Path]) -> Json:
        if node.get("id") != self.step:
            return super()._params(node, field, holders)
        params = super()._params(node, field, holders | {(FACTS,)})
        return self._labelled(params, field) if isinstance(params, dict) else params

    def _labelled(self, params: dict[str, Json], field: str) -> dict[str, Json]:
        """The params of the step itself with the new label, in its place."""
        copy = dict(params)
        for key in _OBJECTS:
            if isinstance(part := copy.get(key), dict) and self.old in part:
                copy[key] = {self.new if label == self.old else label: one for label, one in part.items()}
                self.changed.append(f"{field}.{key}")
        for key in _LISTS:
            if isinstance(part := copy.get(key), list) and self.old in part:
                copy[key] = [self.new if label == self.old else label for label in part]
                self.changed.append(f"{field}.{key}")
        return copy

    def _rename_in(self, source: str, holders: frozenset[Path]) -> str:
        if not _UNQUOTED.isdisjoint(self.new) and self._reads(source, holders):
            raise Unclear
        return super()._rename_in(source, holders)

    def _reads(self, source: str, holders: frozenset[Path]) -> bool:
        """Whether an expression reads the fact at all: with a label that needs no quoting it would change."""
        try:
            return renamed_in(source, holders, self.old, "x") != source
        except ExpressionInvalid:
            return False
