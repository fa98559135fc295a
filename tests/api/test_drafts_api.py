"""A draft in parts, its log and its ETag, as a client sees them."""

import uuid

import pytest

from tests.definitions import chain

pytestmark = pytest.mark.django_db

DRAFT = "/api/v1/workflows/flow/draft"


@pytest.fixture(autouse=True)
def _flow(api):
    answer = api.post("/api/v1/workflows", {"name": "flow", "definition": chain("flow", length=2)})
    assert answer.status_code == 201


def group(*changes, **more):
    return {"id": str(uuid.uuid4()), "label": "A change", "changes": list(changes), **more}


def title(to, **before):
    return {"path": ["nodes", "s0", "title"], "to": to, **before}


def patch(api, *groups, revision=1, **more):
    return api.patch(DRAFT, {"revision": revision, "groups": list(groups), **more})


def test_a_change_is_applied_and_answered_with_the_revision_and_the_problems(api):
    sent = group(title("One"), {"path": ["nodes", "s1", "type"], "from": "noop", "to": "no.such"})
    answer = patch(api, sent)
    assert answer.status_code == 200
    assert answer.headers["ETag"] == '"2"'
    said = answer.json()
    assert [problem["code"] for problem in said.pop("problems")] == ["unknown_type"]
    assert said == {"revision": 2, "applied": [sent["id"]], "conflicts": []}
    assert api.get(DRAFT).json()["definition"]["nodes"][0]["title"] == "One"


def test_who_was_behind_gets_the_draft_and_the_conflict_with_both_values(api, people):
    patch(api, group(title("One")))
    answer = patch(people.client("author"), group(title("Two")))
    (conflict,) = answer.json()["conflicts"]
    assert (conflict["yours"], conflict["theirs"], conflict["by"]) == ("Two", "One", "admin-of-ours")
    assert conflict["path"] == ["nodes", "s0", "title"]
    assert conflict["at"].endswith("Z")
    assert answer.json()["applied"] == []
    assert answer.json()["definition"]["nodes"][0]["title"] == "One"
    assert answer.json()["layout"] == {}


def test_a_conflict_says_nothing_of_what_is_not_there(api):
    (conflict,) = patch(
        api, group({"path": ["nodes", "s0", "title"], "from": "Old"}, title("x", **{"from": "Old"}))
    ).json()["conflicts"]
    assert "theirs" not in conflict
    assert conflict["yours"] == "x"


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"groups": []}, "revision"),
        ({"revision": 1}, "groups"),
        ({"revision": "1", "groups": []}, "revision"),
        ({"revision": -1, "groups": []}, "revision"),
        ({"revision": 2**31, "groups": []}, "revision"),
        ({"revision": 1, "groups": [], "more": 1}, "more"),
        ({"revision": 1, "groups": {}}, "groups"),
        ({"revision": 1, "groups": [{"id": "x", "changes": []}]}, "groups[0].id"),
        ({"revision": 1, "groups": [group({"path": ["x"]})]}, "groups[0].changes[0].path"),
    ],
)
def test_what_is_no_change_is_refused_with_its_field(api, body, field):
    answer = api.patch(DRAFT, body)
    assert answer.status_code == 400
    assert answer.json()["error"]["field"] == field


def test_a_draft_that_takes_no_changes_says_where(api):
    nodes = [{"id": "a", "type": "noop"}, {"id": "a", "type": "noop"}]
    api.put(DRAFT, {"definition": {"name": "flow", "nodes": nodes}}, headers={"If-Match": '"1"'})
    answer = patch(api, group(title("One")), revision=2)
    assert answer.status_code == 422
    assert answer.json()["error"]["code"] == "not_keyable"
    assert answer.json()["error"]["details"] == {"place": "nodes[1].id"}


def test_the_log_says_who_changed_what_newest_first(api, people):
    patch(api, group(title("One"), label="Named it"))
    patch(people.client("author"), group(title("Two", **{"from": "One"})), revision=2)
    page = api.get(f"{DRAFT}/changes?limit=1").json()
    (newest,) = page["results"]
    assert (newest["revision"], newest["by"]) == (3, "author-of-ours")
    assert newest["changes"] == [{"path": ["nodes", "s0", "title"], "from": "One", "to": "Two"}]
    (oldest,) = api.get(page["next"]).json()["results"]
    assert (oldest["label"], oldest["by"]) == ("Named it", "admin-of-ours")


def test_who_has_the_draft_is_not_sent_it_again(api):
    etag = api.get(DRAFT).headers["ETag"]
    for known in (etag, f"W/{etag}", f'"7", {etag}'):
        answer = api.get(DRAFT, headers={"If-None-Match": known})
        assert (answer.status_code, answer.content, answer.headers["ETag"]) == (304, b"", etag)
    patch(api, group(title("One")))
    assert api.get(DRAFT, headers={"If-None-Match": etag}).json()["updated_by"] == "admin-of-ours"


def test_nobody_learns_from_an_etag_what_another_tenant_has(people):
    answer = people.client("author", "theirs").get(DRAFT, headers={"If-None-Match": '"1"'})
    assert answer.status_code == 404


def test_two_versions_are_compared_and_so_is_the_draft(api):
    api.post("/api/v1/workflows/flow/publish", {})
    patch(api, group(title("One"), {"path": ["layout", "nodes", "s0"], "to": {"x": 1, "y": 2}}))
    diff = api.get("/api/v1/workflows/flow/diff?from=1").json()
    assert diff["changes"] == [{"path": ["nodes", "s0", "title"], "to": "One"}]
    assert diff["fields"] == [
        {"where": "nodes", "node": "s0", "field": "title", "kind": "added", "to": "One"}
    ]
    assert diff["summary"]["text"] == "1 step changed"
    assert diff["summary"]["nodes"] == {"added": [], "changed": ["s0"], "removed": [], "moved": []}
    back = api.get("/api/v1/workflows/flow/diff?from=draft&to=1").json()
    assert back["changes"] == [{"path": ["nodes", "s0", "title"], "from": "One"}]
    assert api.get("/api/v1/workflows/flow/versions").json()["results"][0]["open_runs"] == 0


@pytest.mark.parametrize(
    ("query", "status", "field"),
    [
        ("", 400, "from"),
        ("?from=x", 400, "from"),
        ("?from=0", 400, "from"),
        ("?from=draft&to=9999999999", 400, "to"),
        ("?from=draft&more=1", 400, "more"),
        ("?from=7", 404, "version"),
    ],
)
def test_a_comparison_that_there_is_not_is_refused(api, query, status, field):
    answer = api.get(f"/api/v1/workflows/flow/diff{query}")
    assert (answer.status_code, answer.json()["error"]["field"]) == (status, field)


def test_very_many_containers_within_each_other_are_refused_and_change_nothing(api):
    """Each step in the next: far deeper than JSON, and Python's stack, may be."""
    names = [f"c{place}" for place in range(2_000)]
    nodes = [
        {"type": "map", "params": {"items": "{{ input }}", "body": {"steps": []}}}
        | ({"in": names[place - 1]} if place else {})
        for place in range(len(names))
    ]
    sent = group(*({"path": ["nodes", name], "to": node} for name, node in zip(names, nodes, strict=True)))
    answer = patch(api, sent)
    assert answer.status_code == 422
    assert "nested deeper than 64 levels" in answer.json()["error"]["message"]
    assert api.get(DRAFT).json()["revision"] == 1
