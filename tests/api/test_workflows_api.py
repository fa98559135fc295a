"""The workflows' routes, as a client sees them (docs/api.md, "Workflows")."""

import pytest

from tests.definitions import chain

pytestmark = pytest.mark.django_db


def made(api, name="clean_up", **more):
    answer = api.post("/api/v1/workflows", {"name": name, "definition": chain(name), **more})
    assert answer.status_code == 201, answer.json()
    return answer


def published(api, name="clean_up", **more):
    made(api, name)
    return api.post(f"/api/v1/workflows/{name}/publish", more)


def test_a_workflow_is_made_with_its_draft(api):
    answer = made(api, title="Clean it up")
    assert answer.headers["Location"] == "/api/v1/workflows/clean_up"
    assert answer.headers["ETag"] == '"1"'
    body = answer.json()
    assert body["problems"] == []
    assert (body["name"], body["title"], body["version"], body["draft_revision"]) == (
        "clean_up",
        "Clean it up",
        None,
        1,
    )
    assert api.get("/api/v1/workflows/clean_up").json() == {
        key: value for key, value in body.items() if key != "problems"
    }


def test_a_workflow_may_begin_empty(api):
    answer = api.post("/api/v1/workflows", {"name": "later"})
    assert answer.status_code == 201
    draft = api.get("/api/v1/workflows/later/draft").json()
    assert draft["definition"] == {"name": "later", "nodes": [], "edges": []}


def test_a_name_is_taken_once(api):
    made(api)
    answer = api.post("/api/v1/workflows", {"name": "clean_up"})
    assert answer.status_code == 409
    assert answer.json()["error"]["code"] == "name_taken"
    assert answer.json()["error"]["field"] == "name"


@pytest.mark.parametrize("name", ["", "a b", "ä", "x" * 257, "a/b", "a\n", "validate", "import", "a.b"])
def test_a_bad_name_is_refused(api, name):
    answer = api.post("/api/v1/workflows", {"name": name})
    assert answer.status_code == 400
    assert answer.json()["error"]["field"] == "name"


def test_the_definition_must_have_the_workflows_name(api):
    answer = api.post("/api/v1/workflows", {"name": "a", "definition": chain("b")})
    assert answer.status_code == 400
    assert answer.json()["error"]["field"] == "definition.name"


def test_the_list_is_newest_first_and_searchable(api):
    for name in ("one", "two", "three"):
        made(api, name)
    assert [row["name"] for row in api.get("/api/v1/workflows").json()["results"]] == ["three", "two", "one"]
    found = api.get("/api/v1/workflows?q=TW").json()["results"]
    assert [row["name"] for row in found] == ["two"]


def test_a_draft_is_saved_with_its_etag(api):
    made(api)
    before = api.get("/api/v1/workflows/clean_up/draft")
    new = chain("clean_up", length=2)
    answer = api.put(
        "/api/v1/workflows/clean_up/draft",
        {"definition": new, "layout": {"a": [1, 2]}},
        HTTP_IF_MATCH=before.headers["ETag"],
    )
    assert answer.status_code == 200
    assert answer.json()["problems"] == []
    after = api.get("/api/v1/workflows/clean_up/draft")
    assert after.headers["ETag"] == answer.headers["ETag"] == '"2"'
    assert after.json()["definition"] == new
    assert after.json()["layout"] == {"a": [1, 2]}
    assert after.json()["updated_by"] == "admin-of-ours"


def test_a_draft_without_if_match_is_a_428(api):
    made(api)
    answer = api.put("/api/v1/workflows/clean_up/draft", {"definition": chain("clean_up")})
    assert answer.status_code == 428
    assert answer.json()["error"]["code"] == "precondition_required"


@pytest.mark.parametrize("given", ['"7"', "1", '"*"', 'W/"1"', '"2", W/"1"', '"99999999999"', '"0"', ""])
def test_a_draft_with_another_etag_is_a_412(api, given):
    made(api)
    answer = api.put(
        "/api/v1/workflows/clean_up/draft", {"definition": chain("clean_up")}, HTTP_IF_MATCH=given
    )
    assert answer.status_code == 412
    assert api.get("/api/v1/workflows/clean_up").json()["draft_revision"] == 1


@pytest.mark.parametrize("given", ["*", " * ", '"1", "2"', 'W/"1","1"'])
def test_any_etag_and_one_of_several_replace_a_draft(api, given):
    made(api)
    url = "/api/v1/workflows/clean_up/draft"
    answer = api.put(url, {"definition": chain("clean_up")}, HTTP_IF_MATCH=given)
    assert (answer.status_code, answer.headers["ETag"]) == (200, '"2"')
    assert api.get(url, HTTP_IF_NONE_MATCH="*").status_code == 304
    assert api.put(f"{url}x", {"definition": {}}, HTTP_IF_MATCH="*").status_code == 404


def test_a_draft_may_have_problems(api):
    made(api)
    broken = {"name": "clean_up", "nodes": [{"id": "a", "type": "no.such"}], "edges": []}
    answer = api.put("/api/v1/workflows/clean_up/draft", {"definition": broken}, HTTP_IF_MATCH='"1"')
    assert answer.status_code == 200
    (problem,) = [p for p in answer.json()["problems"] if p["severity"] == "error"]
    assert problem["node"] == "a"
    assert set(problem) == {"code", "severity", "node", "field", "pointer", "message", "fix"}
    assert (problem["field"], problem["pointer"]) == ("nodes[0].type", "/nodes/0/type")


def test_publishing_gives_version_after_version(api):
    answer = published(api, note="first")
    assert answer.status_code == 201, answer.json()
    assert answer.json()["version"] == 1
    api.put(
        "/api/v1/workflows/clean_up/draft",
        {"definition": chain("clean_up", length=2)},
        HTTP_IF_MATCH='"1"',
    )
    assert api.post("/api/v1/workflows/clean_up/publish").json()["version"] == 2
    assert api.get("/api/v1/workflows/clean_up").json()["version"] == 2
    versions = api.get("/api/v1/workflows/clean_up/versions").json()["results"]
    assert [(row["version"], row["note"]) for row in versions] == [(2, ""), (1, "first")]
    assert api.get("/api/v1/workflows/clean_up/versions/1").json()["definition"] == chain("clean_up")


def test_publishing_the_same_content_again_gives_the_same_version(api):
    first = published(api)
    again = api.post("/api/v1/workflows/clean_up/publish", {"note": "again"})
    assert (again.status_code, again.json()["version"]) == (200, 1)
    assert again.json()["content_hash"] == first.json()["content_hash"]


def test_a_draft_with_problems_is_not_published(api):
    api.post("/api/v1/workflows", {"name": "empty"})
    answer = api.post("/api/v1/workflows/empty/publish")
    assert answer.status_code == 422
    error = answer.json()["error"]
    assert error["code"] == "invalid_definition"
    assert error["details"]["problems"][0]["message"]
    assert api.get("/api/v1/workflows/empty/versions").json()["results"] == []


def test_validate_gives_all_problems_and_stores_nothing(api):
    broken = {"name": "x y", "nodes": [{"id": "a", "type": "no.such"}], "edges": [{"from": "a", "to": "b"}]}
    answer = api.post("/api/v1/workflows/validate", {"definition": broken})
    assert answer.status_code == 200
    fields = {problem["field"] for problem in answer.json()["problems"]}
    assert {"name", "nodes[0].type", "edges[0].to"} <= fields
    assert api.get("/api/v1/workflows").json()["results"] == []
    good = api.post("/api/v1/workflows/validate", {"definition": chain("good")})
    assert good.json() == {"problems": []}


def test_a_list_of_steps_is_imported_as_a_chain(api):
    document = {"name": "two_steps", "steps": ["noop", "noop"]}
    answer = api.post("/api/v1/workflows/import", {"document": document})
    assert answer.status_code == 201, answer.json()
    definition = api.get("/api/v1/workflows/two_steps/draft").json()["definition"]
    assert [node["type"] for node in definition["nodes"]] == ["noop", "noop"]
    assert len(definition["edges"]) == 1


def test_importing_the_same_again_changes_nothing_and_something_else_is_the_next_draft(api):
    document = chain("again")
    assert api.post("/api/v1/workflows/import", {"document": document}).status_code == 201
    second = api.post("/api/v1/workflows/import", {"document": document})
    assert (second.status_code, second.json()["draft_revision"]) == (200, 1)
    third = api.post("/api/v1/workflows/import", {"document": chain("again", length=2)})
    assert (third.status_code, third.json()["draft_revision"]) == (200, 2)


def test_what_is_no_workflow_is_not_imported(api):
    answer = api.post("/api/v1/workflows/import", {"document": {"name": "x"}})
    assert answer.status_code == 422
    assert answer.json()["error"]["details"]["problems"]
    answer = api.post("/api/v1/workflows/import", {"document": chain("x"), "dialect": "klingon"})
    assert (answer.status_code, answer.json()["error"]["field"]) == (400, "dialect")


@pytest.mark.parametrize(
    "document",
    [
        {"dag": {"nodes": [{"step_name": "charge"}], "edges": []}},
        {"steps": ["text.clean"]},
        {"nodes": [{"id": "a", "type": "noop"}], "edges": []},
        {"dag": {"name": 7, "nodes": [{"step_name": "charge"}]}},
    ],
)
def test_a_document_without_a_name_is_told_to_have_one(api, document):
    answer = api.post("/api/v1/workflows/import", {"document": document})
    error = answer.json()["error"]
    assert (answer.status_code, error["code"], error["field"]) == (422, "invalid_definition", "document.name")
    assert "add `name`" in error["message"]


def test_a_document_that_cannot_be_translated_says_where(api):
    answer = api.post(
        "/api/v1/workflows/import", {"document": {"dag": {"name": "x", "nodes": [{"id": 1}, {}]}}}
    )
    assert (answer.status_code, answer.json()["error"]["field"]) == (422, "document.dag.nodes[1].step_name")
    assert "needs a step_name" in answer.json()["error"]["message"]


def test_export_and_import_are_inverse(api, people):
    published(api)
    exported = api.get("/api/v1/workflows/clean_up/export")
    assert exported.headers["Content-Disposition"] == 'attachment; filename="clean_up.json"'
    theirs = people.client("admin", tenant="theirs")
    assert theirs.post("/api/v1/workflows/import", {"document": exported.json()}).status_code == 201
    assert theirs.get("/api/v1/workflows/clean_up/export").json() == exported.json()
    assert api.get("/api/v1/workflows/clean_up/export?version=1").json() == exported.json()
    assert api.get("/api/v1/workflows/clean_up/export?version=2").status_code == 404


def test_an_archived_workflow_stays_readable_and_takes_no_changes(api):
    published(api)
    assert api.delete("/api/v1/workflows/clean_up", {"reason": "not used"}).status_code == 204
    assert api.delete("/api/v1/workflows/clean_up").status_code == 204
    assert api.get("/api/v1/workflows").json()["results"] == []
    assert len(api.get("/api/v1/workflows?archived=true").json()["results"]) == 1
    assert api.get("/api/v1/workflows/clean_up").json()["archived_at"]
    assert api.get("/api/v1/workflows/clean_up/versions/1").status_code == 200
    draft = {"definition": chain("clean_up")}
    for answer in (
        api.put("/api/v1/workflows/clean_up/draft", draft, HTTP_IF_MATCH='"1"'),
        api.post("/api/v1/workflows/clean_up/publish"),
        api.patch("/api/v1/workflows/clean_up", {"title": "x"}),
        api.post("/api/v1/workflows", {"name": "clean_up"}),
    ):
        assert answer.status_code == 409
    assert api.patch("/api/v1/workflows/clean_up", {"archived": False}).json()["archived_at"] is None


def test_title_and_description_can_be_changed(api):
    made(api)
    answer = api.patch("/api/v1/workflows/clean_up", {"title": "T", "description": "D", "reason": "asked"})
    assert (answer.json()["title"], answer.json()["description"]) == ("T", "D")


def test_a_number_of_any_size_comes_back_as_it_went_in(api):
    numbers = {"small": 1.5, "large": 1e20, "largest": 1e308, "whole": 2**53}
    definition = chain("numbers") | {"metadata": numbers}
    api.post("/api/v1/workflows", {"name": "numbers", "definition": definition})
    assert api.get("/api/v1/workflows/numbers/draft").json()["definition"]["metadata"] == numbers
    assert api.post("/api/v1/workflows/numbers/publish").status_code == 201
    assert api.get("/api/v1/workflows/numbers/versions/1").json()["definition"]["metadata"] == numbers
