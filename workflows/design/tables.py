"""Decision tables while somebody designs one: imported, exported, and run with their test cases. Nothing is kept."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Literal

from pydantic import ValidationError

from engine.catalogue import Json
from lib.refusals import Invalid, Unprocessable
from steps.decision_table.cases import tried
from steps.decision_table.csv_text import read_csv, write_csv
from steps.decision_table.dmn import read_dmn, write_dmn
from steps.decision_table.findings import findings
from steps.decision_table.refused import Refused
from steps.decision_table.table import TableParams, compiled
from steps.problems import sentence_of

Format = Literal["csv", "dmn"]
FORMATS: tuple[Format, ...] = ("csv", "dmn")


def imported(format: Format, text: str) -> dict[str, Json]:
    """The columns, rows and hit policy of a document. Raises Unprocessable for what has no equivalent."""
    try:
        return {"hit": None, **(read_csv(text) if format == "csv" else read_dmn(text))}
    except Refused as refused:
        raise _no_equivalent(refused, "text") from None


def exported(format: Format, params: Mapping[str, Json], name: str) -> str:
    """The table as a document. Raises Invalid, or Unprocessable for what the format doesn't have."""
    table = _table(params)
    try:
        return write_csv(table) if format == "csv" else write_dmn(table, name)
    except Refused as refused:
        raise _no_equivalent(refused, "params") from None


def tested(params: Mapping[str, Json]) -> dict[str, Json]:
    """What each test case of a table gives, and what is wrong with the table. Raises Invalid."""
    table, faults = compiled(_table(params))
    results = [] if faults else [asdict(result) for result in tried(table, _table(params).tests)]
    return {"results": results, "problems": [finding._asdict() for finding in findings(params)]}


def _table(params: Mapping[str, Json]) -> TableParams:
    try:
        return TableParams.model_validate(params)
    except ValidationError as error:
        field, message = sentence_of(error, "params")
        raise Invalid(message, field=field if field == "params" else f"params.{field}") from None


def _no_equivalent(refused: Refused, field: str) -> Unprocessable:
    reason = str(refused)
    return Unprocessable(
        f"{reason[0].upper()}{reason[1:]} has no equivalent here.", code="no_equivalent", field=field
    )
