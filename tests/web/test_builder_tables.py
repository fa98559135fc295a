"""Decision tables in the builder: typed, pasted, moved by keys and mouse, tried with test cases, imported, exported."""

import pytest
from playwright.sync_api import Locator, expect

from accounts.models import Membership
from tests import factories as make
from tests.inbox.asking import member
from tests.web.axe import faults_by_day_and_night
from tests.web.builder import Builder

pytestmark = pytest.mark.browser

TABLE = {
    "columns": [
        {"title": "Amount", "when": "input.amount"},
        {"title": "Country", "when": "input.country"},
        {"set": "approver"},
    ],
    "rows": [["> 1000", "-", "finance"], ["-", '"DE"', "lead"]],
}
DRAFT = {
    "name": "ours",
    "title": "Ours",
    "metadata": {"sample_input": {"amount": 1500, "country": "DE"}},
    "nodes": [{"id": "who", "type": "decision.table", "title": "Who decides", "params": TABLE}],
    "edges": [],
}
PASTE = """([target, text]) => {
  const data = new DataTransfer();
  data.setData("text/plain", text);
  target.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
}"""


@pytest.fixture
def table(visitor, ann) -> Builder:
    """The builder of a workflow with a table, which is selected."""
    member("eve")
    Membership.objects.for_tenant(make.a_tenant().pk).filter(user=ann).update(role="author")
    make.a_workflow("ours", DRAFT)
    builder = Builder(visitor, "ours")
    builder.row("Who decides").first.click()
    expect(pane(builder).get_by_role("table")).to_be_visible()
    return builder


def pane(builder: Builder) -> Locator:
    return builder.page.locator(".inspector")


def cell(builder: Builder, name: str) -> Locator:
    return builder.page.get_by_label(name, exact=True)


def params(builder: Builder) -> dict:
    return builder.saved()["nodes"][0]["params"]


def test_cells_are_typed_and_left_by_enter_and_arrows(table):
    cell(table, "Amount, row 2").click()
    table.page.keyboard.press("Control+a")
    table.page.keyboard.type("[1..10]")
    table.page.keyboard.press("Enter")
    expect(cell(table, "Amount, row 3")).to_be_focused()
    table.page.keyboard.type("< 0.5")
    table.page.keyboard.press("Tab")
    expect(cell(table, "Country, row 3")).to_be_focused()
    table.page.keyboard.press("Tab")
    table.page.keyboard.type("7")
    table.page.keyboard.press("ArrowUp")
    expect(cell(table, "approver, row 2")).to_be_focused()
    assert params(table)["rows"] == [
        ["> 1000", "-", "finance"],
        ["[1..10]", '"DE"', "lead"],
        ["< 0.5", "-", 7],
    ]


def test_cells_of_a_spreadsheet_are_pasted_and_add_rows(table):
    target = cell(table, "Amount, row 2")
    target.click()
    target.evaluate(f"(target, text) => ({PASTE})([target, text])", "> 5\tDE, FR\t0.5\n\tIT\ttrue\n1\t\t\n")
    expect(cell(table, "Amount, row 4")).to_have_value("1")
    assert params(table)["rows"] == [
        ["> 1000", "-", "finance"],
        ["> 5", '"DE", "FR"', 0.5],
        ["-", '"IT"', True],
        ["1", "-", None],
    ]


def test_rows_and_columns_are_added_moved_copied_and_removed(table):
    press = lambda name: pane(table).get_by_role("button", name=name, exact=True).click()  # noqa: E731
    cell(table, "Amount, row 1").click()
    press("Move row 1 down")
    press("Duplicate row 2")
    press("Remove row 3")
    press("Add row")
    press("Add result")
    pane(table).get_by_label("Name of the result in column 4").fill("limit")
    press("Move limit left")
    press("Add condition")
    press("Remove Condition 3")
    assert params(table)["columns"] == [*TABLE["columns"][:2], {"set": "limit"}, TABLE["columns"][2]]
    assert params(table)["rows"] == [
        ["-", '"DE"', None, "lead"],
        ["> 1000", "-", None, "finance"],
        ["-", "-", None, None],
    ]


def test_errors_stand_at_the_cell_and_gaps_below_the_table(table):
    expect(pane(table).get_by_text("No row matches Amount <= 1,000 and Country is not DE")).to_be_visible()
    cell(table, "Country, row 2").fill("DE")
    expect(cell(table, "Country, row 2")).to_have_attribute("aria-invalid", "true")
    expect(pane(table).get_by_text("put texts in quotation marks")).to_be_visible()
    cell(table, "Country, row 2").fill("-")
    expect(cell(table, "Country, row 2")).not_to_have_attribute("aria-invalid", "true")
    pane(table).get_by_label("Rows that count").select_option("unique")
    expect(pane(table).get_by_text("Rows 1 and 2 match the same values")).to_be_visible()


def test_test_cases_run_at_once(table):
    pane(table).get_by_role("button", name="Add a test case").click()
    cell(table, "Amount, case 1").fill("2000")
    cell(table, "approver expected, case 1").fill("lead")
    expect(pane(table).get_by_text("Failed. Row 1, because Amount > 1,000.")).to_be_visible()
    cell(table, "approver expected, case 1").fill("finance")
    expect(pane(table).get_by_text("Passed. Row 1, because Amount > 1,000.")).to_be_visible()
    assert params(table)["tests"] == [{"given": {"Amount": 2000}, "expect": {"approver": "finance"}}]


def test_a_table_is_exported_and_imported(table):
    table.visitor.forgive("status of 422")
    with table.page.expect_download() as download:
        pane(table).get_by_role("button", name="DMN").click()
    text = download.value.path().read_text()
    assert 'hitPolicy="FIRST"' in text
    with table.page.expect_download() as download:
        pane(table).get_by_role("button", name="CSV").click()
    content = download.value.path().read_bytes()
    assert content.startswith(b"\xef\xbb\xbfAmount")
    pane(table).get_by_role("button", name="Import…").click()
    dialog = table.page.get_by_role("dialog", name="Import a decision table")
    dialog.get_by_label("Text").fill(text.replace("FIRST", "PRIORITY"))
    dialog.get_by_role("button", name="Replace the table").click()
    expect(dialog.get_by_text("The hit policy PRIORITY has no equivalent here.")).to_be_visible()
    dialog.get_by_label("Text").fill("Total,who\n> 7,ann\n,bob\n")
    dialog.get_by_role("button", name="Replace the table").click()
    expect(cell(table, "Total, row 2")).to_have_value("-")
    assert params(table)["rows"] == [["> 7", "ann"], ["-", "bob"]]
    pane(table).get_by_role("button", name="Import…").click()
    file = {
        "name": "table.csv",
        "mimeType": "text/csv",
        "buffer": "Größe;who\r\n> 8;cem\r\n".encode("utf-16"),
    }
    dialog.get_by_label("File").set_input_files(file)
    expect(dialog.get_by_label("Text")).to_have_value("Größe;who\n> 8;cem\n")
    dialog.get_by_role("button", name="Replace the table").click()
    expect(cell(table, "Größe, row 1")).to_have_value("> 8")


def test_the_value_of_a_column_is_shown_with_the_sample(table):
    expect(pane(table).get_by_text("1500")).to_be_visible()


def test_it_can_be_used_by_everybody_by_day_and_night_large_and_on_a_phone(table):
    pane(table).get_by_role("button", name="Add a test case").click()
    assert faults_by_day_and_night(table.page, ".table-form", widths=[1280, 390]) == []
    table.page.set_viewport_size({"width": 1280, "height": 844})
    pane(table).get_by_role("button", name="Enlarge").click()
    dialog = table.page.get_by_role("dialog", name="Decision table")
    expect(dialog.get_by_role("table")).to_be_visible()
    assert faults_by_day_and_night(table.page, ".table-dialog") == []
    dialog.get_by_role("button", name="Close").click()
    expect(dialog).to_be_hidden()
