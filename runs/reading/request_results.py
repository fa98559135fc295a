"""What the requester of a run gets when it has completed: `request.result` of the run's version, over the ended run."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from accounts import people
from engine.catalogue import Json
from engine.cel_reads import References
from engine.errors import ExpressionError, TooMuchWork
from engine.graph import Graph
from engine.statuses import StepStatus
from engine.templates import Template
from engine.typed_texts import Parts, TypedParams, joined
from engine.value_types import Type
from engine.work import EXPRESSIONS_UNITS, sharing_at
from lib.blobs import BlobError
from lib.markdown import markdown
from lib.masking import masked
from lib.typed_values import found, is_link, kind_of, plain_text, text_of
from runs.files.limits import NAMED_FILES
from runs.files.trees import FileView, described
from runs.kernel import scopes
from runs.kernel.graphs import BrokenVersion, compiled
from runs.kernel.scopes import scope_of, wanted
from runs.limits import RESULT_CHARACTERS, RESULT_PEOPLE

NOT_COMPUTED: Final = "This could not be computed."
_NO_FILES: Final[Mapping[str, FileView]] = {}


def result_rows(tenant: int, run_id: str, version_id: int) -> list[dict[str, Json]]:
    """What the requester of a completed run gets, as rows: `label` (empty for a text), `value`, the `schema` that says
    its type (None: not known), its `text` as the current reader reads it, and `fault`, why there is no value.
    """
    try:
        version = compiled(version_id)
        templates = version.graph.result
        if not templates:
            return []
        reads = References.union(one.refs for one in templates.values())
        facts, outputs = scopes.read([wanted(run_id, reads)])[run_id]
    except (BlobError, BrokenVersion):
        return [_row("", None, fault=NOT_COMPUTED)]
    done = {node for node, (status, _) in outputs.items() if status == StepStatus.COMPLETED}
    scope = masked(scope_of(version, run_id, facts, outputs))
    types = version.graph.result_types
    values = [
        (label, TypedParams(one, scope, types))
        for label, one in templates.items()
        if _has_happened(version.graph, one, done)
    ]
    with sharing_at("request.result", EXPRESSIONS_UNITS):
        computed = [_computed(label, value) for label, value in values]
    typed = [pair for one in computed for pair in one.values()]
    people.learn(tenant, found(typed, "person", RESULT_PEOPLE * len(computed)))
    return [one.row() for one in computed]


def _has_happened(graph: Graph, template: Template, done: set[str]) -> bool:
    """Whether each step that it reads has completed."""
    return all(step in done for step in template.refs.steps if step in graph.nodes)


@dataclass(frozen=True, slots=True)
class _Computed:
    """The value of a label; a text that is put together has `parts`."""

    label: str
    value: Json = None
    kind: Type | None = None
    parts: Parts | None = None
    fault: str | None = None

    def values(self) -> list[tuple[Json, Type | None]]:
        """Each typed value in it."""
        if self.parts is None:
            return [(self.value, self.kind)]
        return [(one["value"], one.get("type")) for one in self.parts if isinstance(one, dict)]

    def row(self) -> dict[str, Json]:
        """What is shown of it."""
        value = self.value if self.parts is None else joined(self.parts, text_of)
        return _row(self.label, value, self.kind, self.fault)


def _computed(label: str, typed: TypedParams) -> _Computed:
    try:
        kind = typed.type_at()
        parts = None if kind else typed.parts_at()
        value = typed.template.render(typed.scope) if parts is None else None
    except (ExpressionError, TooMuchWork):
        return _Computed(label, fault=NOT_COMPUTED)
    return _Computed(label, value, kind, parts)


def _row(label: str, value: Json, kind: Type | None = None, fault: str | None = None) -> dict[str, Json]:
    return {"label": label, "value": value, "schema": kind, "text": _text(value, kind), "fault": fault}


def files_in(
    tenant: int, run_id: UUID | str, rows: Sequence[dict[str, Json]], address: Callable[[str], str]
) -> dict[str, FileView]:
    """The files that the rows name, by id, in a constant number of statements."""
    ids = found([(row["value"], row["schema"]) for row in rows], "file", NAMED_FILES)
    return described(tenant, run_id, ids, address) if ids else {}


def result_shown(row: dict[str, Json], files: dict[str, FileView]) -> dict[str, Json]:
    """A row as a page shows it: a text as Markdown, files with their previews, an address as a link, other values as
    text.
    """
    value, kind = row["value"], row["schema"]
    view = row | {"html": "", "link": "", "files": []}
    if not row["label"] and isinstance(value, str) and not kind:
        return view | {"html": markdown(value)}
    if own := [files[one] for one in found([(value, kind)], "file", NAMED_FILES) if one in files]:
        is_file_alone = kind_of(kind) == "file" or kind_of((kind or {}).get("items")) == "file"
        return view | {"files": own, "text": "" if is_file_alone else _text(value, kind, files)}
    return view | {"link": value if is_link(value) and kind_of(kind) in ("", "link") else ""}


def _text(value: Json, kind: Type | None, files: Mapping[str, FileView] = _NO_FILES) -> str:
    names = {id_: one.name for id_, one in files.items()}
    return "" if value is None else plain_text(value, kind, files=names, most=RESULT_CHARACTERS)
