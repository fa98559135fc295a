"""The step type decision.table."""

from collections.abc import Mapping

from engine.catalogue import Json
from engine.errors import StepError
from engine.holes import has_holes
from steps.base import StepContext, StepType
from steps.decision_table.cases import explanation
from steps.decision_table.findings import findings, plain_expressions
from steps.decision_table.table import ConditionColumn, TableParams, compiled
from steps.transform import SCHEMA_TYPES

EXPLAINED: Mapping[str, Json] = {
    "row": {"type": "integer", "description": "The row that matched, from 1.", "examples": [1]},
    "because": {"type": "string", "description": "Why it matched.", "examples": ["amount > 1,000"]},
}


def run(context: StepContext) -> Json:
    """The results of the row or rows that match. Raises StepError BadParams, NoRowMatched or RowsOverlap."""
    params: TableParams = context.params
    table, faults = compiled(params)
    if faults:
        field = f"params.{faults[0].path}"
        raise StepError("BadParams", f"`{field}`: {faults[0].message}.", details={"field": field})
    values = [column.when for column in params.columns if isinstance(column, ConditionColumn)]
    output = table.decide(values)
    context.log(explanation(output))
    return output


def output_schema(params: Mapping[str, Json]) -> dict[str, Json]:
    """The results by name, with the types of the values in the rows, and what explains them."""
    row = {
        "type": "object",
        "properties": {**_results(params), **EXPLAINED},
        "required": [*_results(params), *EXPLAINED],
        "additionalProperties": not _results(params),
    }
    if params.get("hit") != "collect":
        return row
    return {
        "type": "object",
        "properties": {"rows": {"type": "array", "items": row}},
        "required": ["rows"],
        "additionalProperties": False,
    }


def _results(params: Mapping[str, Json]) -> dict[str, Json]:
    columns, rows = params.get("columns"), params.get("rows")
    if not isinstance(columns, list) or not isinstance(rows, list):
        return {}
    names = {at: column.get("set") for at, column in enumerate(columns) if isinstance(column, dict)}
    return {
        name: _schema([row[at] for row in rows if isinstance(row, list) and at < len(row)])
        for at, name in names.items()
        if isinstance(name, str)
    }


def _schema(values: list[Json]) -> dict[str, Json]:
    """The types of these values; nothing is known of expressions."""
    if has_holes(values) or not values:
        return {}
    kinds = sorted({SCHEMA_TYPES[type(value)] for value in values})
    if {"integer", "number"} <= set(kinds):
        kinds.remove("integer")
    return {"type": kinds[0] if len(kinds) == 1 else kinds}


DECISION_TABLE = StepType(
    name="decision.table",
    kind="inline",
    title="Decision table",
    help="Looks values up in a table of conditions and results.",
    keywords="rules dmn lookup matrix conditions if switch policy",
    icon="table",
    group="flow",
    example={
        "params": {
            "columns": [
                {"title": "Amount", "when": "input.amount"},
                {"title": "Country", "when": "input.country"},
                {"set": "approver"},
            ],
            "rows": [
                ["> 1000", "-", "finance"],
                ["-", '"DE", "FR"', "team lead"],
                ["-", "-", "nobody"],
            ],
            "tests": [{"given": {"Amount": 1200, "Country": "DE"}, "expect": {"approver": "finance"}}],
        },
        "input": {"amount": 1200, "country": "DE"},
    },
    params_model=TableParams,
    run=run,
    output_schema_of=output_schema,
    plain_expressions_of=plain_expressions,
    findings_of=findings,
)
