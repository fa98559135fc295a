"""Decision tables over REST: in real runs, in the body of a map, and imported, exported and tried without a run."""

import pytest

from tests import factories as make

pytestmark = pytest.mark.django_db

TABLE = {
    "columns": [
        {"title": "Amount", "when": "input.amount"},
        {"title": "Country", "when": "input.country"},
        {"set": "approver"},
    ],
    "rows": [["> 1000", "-", "finance"], ["-", '"DE", "FR"', "{{ input.lead }}"]],
}


def of_items(params):
    columns = [
        {**column, "when": column["when"].replace("input", "item")} for column in params["columns"][:2]
    ]
    return {**params, "columns": [*columns, *params["columns"][2:]], "rows": params["rows"][:1]}


def test_a_run_takes_the_row_that_matches_and_says_why():
    definition = make.graph([{"id": "who", "type": "decision.table", "params": TABLE}], [])
    runs = make.start(definition, {"amount": 1000.01, "country": "IT", "lead": "ada"})

    make.work()

    row = make.run(runs[0])
    assert (row.status, row.output) == (
        "COMPLETED",
        {"approver": "finance", "row": 1, "because": "Amount > 1,000"},
    )


def test_a_cell_with_an_expression_gives_its_value():
    definition = make.graph([{"id": "who", "type": "decision.table", "params": TABLE}], [])
    run_id = make.start(definition, {"amount": 1000, "country": "DE", "lead": "ada"})[0]

    make.work()

    assert make.run(run_id).output["approver"] == "ada"


def test_a_run_fails_once_where_no_row_matches():
    definition = make.graph([{"id": "who", "type": "decision.table", "params": TABLE}], [])
    run_id = make.start(definition, {"amount": 1, "country": "IT", "lead": "ada"})[0]

    make.work()

    row = make.run(run_id)
    assert (row.status, row.error["code"]) == ("FAILED", "NoRowMatched")


@pytest.mark.parametrize("several", [False, True])
def test_a_table_decides_for_each_item_of_a_map(several):
    step = {"type": "decision.table", "params": of_items(TABLE)}
    body = {"steps": [{"id": "who", **step}, {"id": "on", "type": "noop"}]} if several else step
    definition = make.graph(
        [
            {
                "id": "all",
                "type": "map",
                "params": {"items": "{{ input.items }}", "body": body, "tolerate_failures": 1},
            }
        ],
        [],
    )
    run_id = make.start(
        definition, {"items": [{"amount": 2000, "country": "x"}, {"amount": 1, "country": "x"}]}
    )[0]

    make.work()

    results = make.run(run_id).output["results"]
    assert results[0]["approver"] == "finance"
    assert results[1]["error"]["code"] == ("ChildFailed" if several else "NoRowMatched")


def test_edges_follow_a_result_called_branch():
    params = {
        **TABLE,
        "columns": [*TABLE["columns"][:2], {"set": "branch"}],
        "rows": [["> 5", "-", "big"], ["-", "-", "small"]],
    }
    definition = make.graph(
        [{"id": "who", "type": "decision.table", "params": params}, "a", "b"],
        [{"from": "who", "to": "a", "branch": "big"}, {"from": "who", "to": "b", "branch": "small"}],
    )
    run_id = make.start(definition, {"amount": 6, "country": "x"})[0]

    make.work()

    assert make.statuses(run_id) == {"who": "COMPLETED", "a": "COMPLETED", "b": "SKIPPED"}


def test_the_log_of_the_attempt_says_which_row_matched(api):
    definition = make.graph([{"id": "who", "type": "decision.table", "params": TABLE}], [])
    api.post("/api/v1/workflows", {"name": "approver", "definition": {**definition, "name": "approver"}})
    assert api.post("/api/v1/workflows/approver/publish", {}).status_code == 201
    given = {"amount": 2000, "country": "IT", "lead": "ada"}
    run_id = api.post("/api/v1/runs", {"workflow": "approver", "input": given}).json()["id"]

    make.work()

    lines = api.get(f"/api/v1/runs/{run_id}/steps/who/logs").json()
    assert "Row 1, because Amount > 1,000." in str(lines)


def test_a_table_goes_to_dmn_and_csv_and_comes_back(api):
    params = {**TABLE, "rows": [["> 1000", "-", "finance"], ["-", '"DE", "FR"', None]], "hit": "unique"}
    for format in ("dmn", "csv"):
        written = api.post("/api/v1/decision-tables/export", {"format": format, "params": params})
        assert written.status_code == 200
        read = api.post(
            "/api/v1/decision-tables/import", {"format": format, "text": written.json()["text"]}
        ).json()
        assert read == {
            "columns": params["columns"],
            "rows": params["rows"],
            "hit": "unique" if format == "dmn" else None,
        }


@pytest.mark.parametrize(
    ("action", "payload", "status", "field"),
    [
        ("import", {"format": "dmn", "text": "<a/>"}, 422, "text"),
        ("import", {"format": "xls", "text": "a"}, 400, "format"),
        ("import", {"format": "csv", "text": "a"}, 422, "text"),
        ("export", {"format": "csv", "params": {"columns": 1, "rows": []}}, 400, "params.columns"),
        ("test", {"params": {"rows": []}}, 400, "params.columns"),
    ],
)
def test_a_bad_table_is_refused_by_its_field(api, action, payload, status, field):
    answer = api.post(f"/api/v1/decision-tables/{action}", payload)
    assert (answer.status_code, answer.json()["error"]["field"]) == (status, field)


def test_test_cases_say_what_the_table_gives(api):
    tests = [
        {"given": {"Amount": 2000, "Country": "IT"}, "expect": {"approver": "finance"}},
        {"given": {"Amount": 1, "Country": "IT"}, "expect": None},
        {"given": {"Amount": 1, "Country": "IT"}, "expect": {"approver": "x"}},
        {"given": {"amount": 1}, "expect": None},
    ]
    answer = api.post(
        "/api/v1/decision-tables/test", {"params": {**TABLE, "rows": TABLE["rows"][:1], "tests": tests}}
    )
    results = answer.json()["results"]
    assert [result["passed"] for result in results] == [True, True, False, False]
    assert (results[0]["rows"], results[0]["message"]) == ([1], "Row 1, because Amount > 1,000.")
    assert results[3]["message"] == "There is no condition amount."
    assert {problem["code"] for problem in answer.json()["problems"]} == {"gap_in_rows", "table_test_failed"}
