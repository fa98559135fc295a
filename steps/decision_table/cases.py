"""The test cases of a decision table: what it gives for the values of each, and whether that is expected."""

from collections.abc import Iterator
from dataclasses import dataclass

from engine.canonical import canonical_bytes
from engine.catalogue import Json
from engine.errors import StepError
from steps.decision_table.table import RESERVED, Table, TableCase, of_values


@dataclass(frozen=True, slots=True)
class Tried:
    """A test case that was run. `output`: as the step gives it, or null; `rows`: those that match, from 1."""

    passed: bool
    output: Json
    rows: list[int]
    message: str


def tried(table: Table, tests: list[TableCase]) -> Iterator[Tried]:
    """Each test case, run in order."""
    for test in tests:
        values = of_values(test.given, table.titles)
        rows = [place + 1 for place in table.matching(values)]
        if unknown := sorted(set(test.given) - set(table.titles)):
            yield Tried(False, None, rows, f"There is no condition {unknown[0]}.")
            continue
        try:
            output: Json = table.decide(values)
        except StepError as error:
            is_expected = error.code == "NoRowMatched" and test.expect is None
            yield Tried(is_expected, None, rows, error.message)
            continue
        results = _results(output["rows"] if table.hit == "collect" else output)
        passed = canonical_bytes(results) == canonical_bytes(_results(test.expect))
        yield Tried(passed, output, rows, explanation(output))


def _results(output: Json) -> Json:
    """The results without what explains them."""
    if isinstance(output, list):
        return [_results(item) for item in output]
    if not isinstance(output, dict):
        return output
    return {name: value for name, value in output.items() if name not in RESERVED}


def explanation(output: Json) -> str:
    """The output of a table in words: `Row 3, because amount > 1,000.`"""
    if "row" in output:
        return f"Row {output['row']}, because {output['because']}."
    text = " ".join(explanation(row) for row in output["rows"])
    return text or "No row matches."
