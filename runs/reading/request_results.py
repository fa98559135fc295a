"""What the requester of a run gets when it has completed: `request.result` of the run's version, over the ended run."""

import re
from typing import Final

from engine.catalogue import Json
from engine.cel_reads import References
from engine.errors import ExpressionError, TooMuchWork
from engine.graph import Graph
from engine.statuses import StepStatus
from engine.templates import Template
from engine.work import EXPRESSIONS_UNITS, sharing_at
from lib.blobs import BlobError
from lib.markdown import markdown
from lib.masking import masked
from runs.kernel import scopes
from runs.kernel.graphs import BrokenVersion, compiled
from runs.kernel.scopes import scope_of, wanted
from runs.limits import RESULT_CHARACTERS

NOT_COMPUTED: Final = "This could not be computed."
_LINK: Final = re.compile(r"https?://[^\s<>\"]+", re.IGNORECASE)


def result_rows(run_id: str, version_id: int) -> list[dict[str, Json]]:
    """What the requester of a completed run gets, as rows: `label` (empty for a text), `value`, its `schema` (None:
    not known) and `fault`, why there is no value.
    """
    try:
        version = compiled(version_id)
        templates = version.graph.result
        if not templates:
            return []
        reads = References.union(one.refs for one in templates.values())
        facts, outputs = scopes.read([wanted(run_id, reads)])[run_id]
    except (BlobError, BrokenVersion):
        return [{"label": "", "value": None, "schema": None, "fault": NOT_COMPUTED}]
    done = {node for node, (status, _) in outputs.items() if status == StepStatus.COMPLETED}
    scope = masked(scope_of(version, run_id, facts, outputs))
    happened = [(label, one) for label, one in templates.items() if _has_happened(version.graph, one, done)]
    with sharing_at("request.result", EXPRESSIONS_UNITS):
        return [_row(label, template, scope) for label, template in happened]


def _has_happened(graph: Graph, template: Template, done: set[str]) -> bool:
    """Whether each step that it reads has completed."""
    return all(step in done for step in template.refs.steps if step in graph.nodes)


def _row(label: str, template: Template, scope: dict[str, Json]) -> dict[str, Json]:
    try:
        return {"label": label, "value": template.render(scope), "schema": None, "fault": None}
    except (ExpressionError, TooMuchWork):
        return {"label": label, "value": None, "schema": None, "fault": NOT_COMPUTED}


def result_shown(row: dict[str, Json]) -> dict[str, Json]:
    """A row as a page shows it: a text as Markdown, an address as a link, other values as text."""
    value = row["value"]
    if not row["label"] and isinstance(value, str):
        return row | {"html": markdown(value), "text": "", "link": ""}
    text = _text(value)
    return row | {"html": "", "text": text, "link": text if _LINK.fullmatch(text) else ""}


def _text(value: Json) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(map(_text, value))[:RESULT_CHARACTERS]
    if isinstance(value, dict):
        return "; ".join(f"{name}: {_text(one)}" for name, one in value.items())[:RESULT_CHARACTERS]
    return str(value)[:RESULT_CHARACTERS]
