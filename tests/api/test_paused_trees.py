"""Below a paused run nothing starts work, through whichever door it is asked for (`parent_paused`)."""

import pytest
from django.test import Client

from operations.bulk import work
from tests import factories as make
from tests.api.hooks import publish

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

URL = "/api/v1/runs"
JOB = {"id": "a", "type": "job", "queue": "ch", "retry": "none"}
CHILD = {"name": "child", "nodes": [JOB]}
CALL = {"id": "call", "type": "subworkflow", "retry": "none", "params": {"workflow": "child"}}
EACH = {
    "id": "m",
    "type": "map",
    "retry": "none",
    "params": {"items": [1, 2], "tolerate_failures": 1, "body": {"workflow": "child"}},
}


@pytest.fixture
def tree(api):
    """The root of a tree, the run of its step `outer`, and that of the first item of the map `m` in that."""
    publish(api, CHILD)
    publish(api, {"name": "middle", "nodes": [EACH]})
    outer = {**CALL, "id": "outer", "params": {"workflow": "middle"}}
    publish(api, {"name": "root", "nodes": [outer]})

    def start(*, failed):
        root = api.post(URL, {"workflow": "root", "input": None}).json()["id"]
        make.work()
        (middle,) = (str(one.pk) for one in make.children_of(root))
        low = str(make.children_of(middle)[0].pk)
        if failed:
            steps = make.claimed("ch")
            make.fail(*(step for step in steps if step.run_id == low))
            make.work()
        return root, middle, low

    return start


def by_id(api, middle, low, verb):
    return code(api.post(f"{URL}/{low}/{verb}"))


def by_index(api, middle, low, verb):
    return code(api.post(f"{URL}/{middle}/steps/m/{verb}", {"index": 0}))


def by_step(api, middle, low, verb):
    return code(api.post(f"{URL}/{low}/steps/a/{verb}", {"output": 1} if verb == "skip" else {}))


def in_bulk(api, middle, low, verb):
    (looked, done) = (
        api.post(f"{URL}/bulk", {"action": verb, "ids": [low], "dry_run": dry}).json()["results"][0]
        for dry in (True, False)
    )
    assert looked == done
    return done["code"], done["message"]


def in_background(api, middle, low, verb):
    for dry in (True, False):
        body = {"verb": verb, "query": "workflow:child", "reason": "test", "dry_run": dry}
        job = api.post("/api/v1/bulk-jobs", body).json()["id"]
        work.work()
        (item,) = (row for row in api.get(f"/api/v1/bulk-jobs/{job}").json()["results"] if row["run"] == low)
        assert item["code"] == "parent_paused"
    return item["code"], item["message"]


def on_page(api, middle, low, verb):
    return page(f"/runs/{low}/{verb}", {})


def on_items_page(api, middle, low, verb):
    return page(f"/runs/{middle}/items/m/act", {"places": "0", "verb": verb})


def page(path, fields):
    client = Client()
    client.force_login(make.a_member("op", "operator", "ours"))
    text = client.post(path, fields, follow=True).text
    return "parent_paused" if "is paused: unpause that first" in text else None, text


def code(answer):
    assert answer.status_code == 409, answer.json()
    error = answer.json()["error"]
    return error["code"], error["message"]


CASES = [
    *((door, "unpause") for door in (by_id, by_index, in_bulk, in_background, on_page, on_items_page)),
    *((door, "resume") for door in (by_id, by_index, in_bulk, in_background, on_page)),
    *((door, "retry") for door in (by_index, by_step, on_items_page)),
    (by_step, "skip"),
]


@pytest.mark.parametrize("above", ["root", "parent"])
@pytest.mark.parametrize(("door", "verb"), CASES, ids=lambda one: getattr(one, "__name__", one))
def test_each_door_refuses_what_starts_work_below_a_paused_run(api, tree, door, verb, above):
    root, middle, low = tree(failed=verb != "unpause")
    if verb == "unpause":
        assert api.post(f"{URL}/{low}/pause").status_code == 200
    paused = root if above == "root" else middle
    assert api.post(f"{URL}/{paused}/pause").status_code == 200
    before = api.get(f"{URL}/{low}").json()["status"]
    reason, message = door(api, middle, low, verb)
    assert (reason, paused in message) == ("parent_paused", True)
    assert api.get(f"{URL}/{low}").json()["status"] == before


@pytest.mark.parametrize("above", ["root", "parent"])
def test_what_starts_nothing_is_allowed_and_offered(api, tree, above):
    root, middle, low = tree(failed=False)
    assert api.post(f"{URL}/{root if above == 'root' else middle}/pause").status_code == 200
    make.work()
    (first, _) = api.get(f"{URL}/{middle}/items", {"node": "m"}).json()["results"]
    assert first["verbs"] == ["skip", "cancel"]
    assert api.post(f"{URL}/{middle}/steps/m/cancel", {"index": 0}).status_code == 200
    make.work()
    assert api.get(f"{URL}/{low}").json()["status"] == "CANCELLED"
