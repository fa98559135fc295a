"""Decision tables as CSV and DMN: what is read, what comes back, and what is refused by name."""

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steps.decision_table.csv_text import read_csv, write_csv
from steps.decision_table.dmn import NAMESPACE, read_dmn, write_dmn
from steps.decision_table.refused import Refused
from steps.decision_table.table import TableParams
from tests.steps.decision_table.strategies import tables

RESULTS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**9), 10**9),
    st.sampled_from([0.5, -1.25, 1e-7, 1e15]),
    st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=12).filter(
        lambda text: "{{" not in text
    ),
    st.sampled_from(["12", "true", "null", "=1+1", "-", '"x"', " a ", "a,b;c", "x\ny", "<&>", ""]),
)


@st.composite
def any_table(draw):
    _, params = draw(tables())
    rows = [[*row[:-1], draw(RESULTS), draw(RESULTS)] for row in params["rows"]]
    return params | {"columns": [*params["columns"], {"set": "other"}], "rows": rows}


@given(any_table())
def test_a_table_comes_back_from_csv(params):
    # An empty text and null are both an empty cell of a spreadsheet.
    back = read_csv(write_csv(TableParams.model_validate(params)))
    assert back == {"columns": params["columns"], "rows": params["rows"]}


@given(any_table())
def test_a_table_comes_back_from_dmn(params):
    back = read_dmn(write_dmn(TableParams.model_validate(params), 'A "table" & <more>'))
    assert back == params


def test_a_byte_order_mark_is_part_of_no_column():
    assert read_csv("\ufeffA,B\n1,2\n") == read_csv("A,B\n1,2\n")
    assert read_csv('\ufeff"A";B\n1;2\n')["columns"][0] == {"title": "A", "when": "input.A"}
    text = write_dmn(TableParams.model_validate(read_csv("A,B\n1,2\n")), "a")
    assert read_dmn("\ufeff" + text) == read_dmn(text)


def test_csv_of_a_spreadsheet_needs_no_quotation_marks():
    text = "Amount;Country;Approver\r\n> 1000;DE, FR;finance\r\n;not(IT);\r\n[1..5];New York;0.5\r\n\r\n"
    assert read_csv(text) == {
        "columns": [
            {"title": "Amount", "when": "input.Amount"},
            {"title": "Country", "when": "input.Country"},
            {"set": "Approver"},
        ],
        "rows": [
            ["> 1000", '"DE", "FR"', "finance"],
            ["-", 'not("IT")', None],
            ["[1..5]", '"New York"', 0.5],
        ],
    }


def test_a_formula_in_a_result_is_written_as_a_text():
    table = TableParams.model_validate(
        {"columns": [{"title": "a", "when": "input.a"}, {"set": "x"}], "rows": [["-", "=1+1"]]}
    )
    assert write_csv(table).splitlines()[1] == '-,"""=1+1"""'


def test_a_formula_in_a_title_or_a_condition_is_no_formula_in_the_file_and_comes_back():
    params = {
        "columns": [
            {"title": '=HYPERLINK("http://x")', "when": "input.a"},
            {"title": "'+b", "when": "input.b"},
            {"set": "x"},
        ],
        "rows": [['= "DE"', "-5", "'=1"]],
    }
    text = write_csv(TableParams.model_validate(params))
    cells = next(zip(*csv.reader(io.StringIO(text)), strict=True))
    assert cells == ('\'=HYPERLINK("http://x") when input.a', '\'= "DE"')
    assert read_csv(text) == params


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no header"),
        ("a", "names 1 columns"),
        ("a,b\n1,2,3", "more cells than the header"),
        ("a,b\n" + "1,2\n" * 501, "more than 500 rows"),
        ('a,b\n"x', "not CSV"),
    ],
)
def test_csv_that_is_no_table_is_refused(text, message):
    with pytest.raises(Refused, match=message):
        read_csv(text)


def dmn(table='hitPolicy="FIRST"', expression="amount", entry="&gt; 1000", output='"x"', before="", head=""):
    return (
        f'<?xml version="1.0"?>{head}<definitions xmlns="{NAMESPACE}"><decision name="d">{before}'
        f"<decisionTable {table}>"
        f'<input label="Amount"><inputExpression typeRef="number"><text>{expression}</text></inputExpression></input>'
        f'<output name="who"/><rule><inputEntry><text>{entry}</text></inputEntry>'
        f"<outputEntry><text>{output}</text></outputEntry></rule></decisionTable></decision></definitions>"
    )


@pytest.mark.parametrize(
    ("expression", "when"),
    [
        ("amount", "input.amount"),
        ("applicant.age", "input.applicant.age"),
        ("Order amount", 'input["Order amount"]'),
        ("input.amount", "input.amount"),
        ("steps.a.output.x", "steps.a.output.x"),
        ("true", "true"),
    ],
)
def test_an_input_expression_becomes_a_path(expression, when):
    assert read_dmn(dmn(expression=expression))["columns"][0] == {"title": "Amount", "when": when}


@pytest.mark.parametrize(
    ("entry", "cell"),
    [
        ("1,234", "1, 234"),
        ('date("2026-01-31")', "2026-01-31"),
        ('[date("2026-01-01")..date("2026-01-31")]', "[2026-01-01..2026-01-31]"),
        ('&lt; date and time("2026-01-31T10:00:00Z")', "< 2026-01-31T10:00:00Z"),
        ("", "-"),
        ('not("a","b")', 'not("a", "b")'),
        ("]1..5[", "(1..5)"),
    ],
)
def test_unary_tests_become_a_cell(entry, cell):
    assert read_dmn(dmn(entry=entry))["rows"][0][0] == cell


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"table": 'hitPolicy="PRIORITY"'}, "the hit policy PRIORITY"),
        ({"table": 'hitPolicy="COLLECT" aggregation="SUM"'}, "the aggregation SUM"),
        ({"expression": 'date and time("2026-01-31T10:00:00Z")'}, "the FEEL function `date and time`"),
        ({"expression": "amount * 2"}, r"the FEEL expression `amount \* 2`"),
        ({"entry": 'duration("P1D")'}, "the FEEL function `duration`"),
        ({"entry": "? &gt; 5"}, "the condition `\\? > 5`"),
        ({"output": "amount * 2"}, "the FEEL expression `amount \\* 2` as a result"),
        ({"output": 'upper case("x")'}, "the FEEL function `upper case`"),
        (
            {"before": '<informationRequirement><requiredDecision href="#x"/></informationRequirement>'},
            "requires another decision",
        ),
        ({"head": '<!DOCTYPE d [<!ENTITY x "y">]>'}, "a document type or an entity"),
    ],
)
def test_what_has_no_equivalent_is_refused_by_name(change, named):
    with pytest.raises(Refused, match=named):
        read_dmn(dmn(**change))


def test_an_endless_or_broken_document_is_refused():
    for text in ("<a>" * 40, "<a" + "/><a" * 3, "x", "<a/>", "<a>" + "<b/>" * 60_000 + "</a>"):
        with pytest.raises(Refused):
            read_dmn(text)


@pytest.mark.parametrize(
    ("columns", "rows", "named"),
    [
        (
            [{"title": "a", "when": "input.a * 2"}, {"set": "x"}],
            [],
            "the expression `input.a \\* 2` of the column a",
        ),
        (
            [{"title": "a", "when": "input.a"}, {"set": "x"}],
            [["-", "{{ input.b }}"]],
            "an expression as the result x",
        ),
        (
            [{"title": "a", "when": "input.a"}, {"set": "x"}],
            [["-", [1]]],
            "an object or a list as the result x",
        ),
    ],
)
def test_what_dmn_does_not_have_is_not_written(columns, rows, named):
    with pytest.raises(Refused, match=named):
        write_dmn(TableParams.model_validate({"columns": columns, "rows": rows}), "d")
