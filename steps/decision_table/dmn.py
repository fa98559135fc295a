"""Decision tables as DMN 1.3: tables with the hit policies UNIQUE, FIRST and COLLECT; the rest is refused by name."""

from xml.sax.saxutils import escape, quoteattr

from engine.catalogue import Json
from steps.decision_table import feel
from steps.decision_table.cells import BadCell, parse_cell
from steps.decision_table.csv_text import named
from steps.decision_table.limits import TABLE_COLUMNS, TABLE_ROWS
from steps.decision_table.refused import Refused
from steps.decision_table.table import ConditionColumn, ResultColumn, TableParams
from steps.decision_table.xml_tree import Element, parse_xml

NAMESPACE = "https://www.omg.org/spec/DMN/20191111/MODEL/"
"""DMN 1.3, which is written; tables read the same in 1.1 to 1.5."""
FAMILY = "omg.org/spec/DMN/"
HITS = {"UNIQUE": "unique", "FIRST": "first", "COLLECT": "collect"}


def read_dmn(text: str) -> dict[str, Json]:
    """The columns, rows and hit policy of the only decision of a document. Raises Refused."""
    root = parse_xml(text)
    if root.name != "definitions" or FAMILY not in root.namespace:
        raise Refused("a document that is not DMN")
    decisions = root.all("decision")
    if len(decisions) != 1:
        raise Refused(f"a document with {len(decisions)} decisions")
    decision = decisions[0]
    if any(requirement.first("requiredDecision") for requirement in decision.all("informationRequirement")):
        raise Refused("a decision that requires another decision")
    table = decision.first("decisionTable")
    if table is None:
        raise Refused("a decision without a decision table")
    policy = table.attributes.get("hitPolicy", "UNIQUE")
    if policy not in HITS:
        raise Refused(f"the hit policy {policy}")
    if aggregation := table.attributes.get("aggregation"):
        raise Refused(f"the aggregation {aggregation}")
    columns = _columns(table, decision)
    rules = table.all("rule")
    if len(rules) > TABLE_ROWS:
        raise Refused(f"a table of more than {TABLE_ROWS} rows")
    return {"columns": columns, "rows": [_row(rule, columns) for rule in rules], "hit": HITS[policy]}


def _columns(table: Element, decision: Element) -> list[Json]:
    columns: list[Json] = []
    taken: set[str] = set()
    for column in table.all("input"):
        expression = column.first("inputExpression")
        source = _text(expression)
        title = _free(column.attributes.get("label") or source or f"Column {len(columns) + 1}", taken)
        columns.append({"title": title, "when": feel.to_cel(source)})
    for result in table.all("output"):
        if result.first("defaultOutputEntry"):
            raise Refused("a default output")
        label = (
            result.attributes.get("name")
            or result.attributes.get("label")
            or decision.attributes.get("name", "")
        )
        columns.append({"set": _free(named(label, len(columns)), taken)})
    if len(columns) > TABLE_COLUMNS:
        raise Refused(f"a table of more than {TABLE_COLUMNS} columns")
    return columns


def _free(name: str, taken: set[str]) -> str:
    free, count = name, 1
    while free in taken:
        count += 1
        free = f"{name}_{count}"
    taken.add(free)
    return free


def _row(rule: Element, columns: list[Json]) -> list[Json]:
    inputs, outputs = rule.all("inputEntry"), rule.all("outputEntry")
    if len(inputs) + len(outputs) != len(columns):
        raise Refused(
            f"a rule with {len(inputs) + len(outputs)} entries in a table of {len(columns)} columns"
        )
    return [
        *(feel.to_cell(_text(entry)) for entry in inputs),
        *(feel.to_value(_text(entry)) for entry in outputs),
    ]


def _text(element: Element | None) -> str:
    text = element.first("text") if element else None
    return text.text if text else ""


def write_dmn(table: TableParams, name: str) -> str:
    """The table as a document of one decision of this name. Raises Refused."""
    places = sorted(range(len(table.columns)), key=lambda at: isinstance(table.columns[at], ResultColumn))
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<definitions xmlns="{NAMESPACE}" id="definitions" name={quoteattr(name)} namespace="https://handoff.dev/dmn">',
        f'  <decision id="decision" name={quoteattr(name)}>',
        f'    <decisionTable id="table" hitPolicy="{table.hit.upper()}">',
    ]
    for at in places:
        lines += _column_lines(table.columns[at], at)
    for number, row in enumerate(table.rows, 1):
        lines.append(f'      <rule id="rule{number}">')
        lines += [_entry(table.columns[at], row[at], number, at) for at in places if at < len(row)]
        lines.append("      </rule>")
    lines += ["    </decisionTable>", "  </decision>", "</definitions>", ""]
    text = "\n".join(lines)
    if any(ord(letter) < 32 and letter not in "\t\n\r" for letter in text):
        raise Refused("a character that XML doesn't have")
    return text


def _column_lines(column: ConditionColumn | ResultColumn, at: int) -> list[str]:
    if isinstance(column, ResultColumn):
        return [f'      <output id="output{at}" name={quoteattr(column.set)}/>']
    expression = escape(feel.from_cel(column.when, column.title))
    return [
        f'      <input id="input{at}" label={quoteattr(column.title)}>',
        f'        <inputExpression id="expression{at}"><text>{expression}</text></inputExpression>',
        "      </input>",
    ]


def _entry(column: ConditionColumn | ResultColumn, cell: Json, number: int, at: int) -> str:
    if isinstance(column, ResultColumn):
        tag, text = "outputEntry", feel.from_value(cell, column.set)
    else:
        try:
            tag, text = "inputEntry", feel.from_cell(parse_cell(cell))
        except BadCell as bad:
            raise Refused(f"the condition of row {number}, column {column.title}: {bad}") from None
    return f'        <{tag} id="{tag}{number}_{at}"><text>{escape(text)}</text></{tag}>'
