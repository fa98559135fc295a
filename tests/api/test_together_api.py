"""Who is here and what is said of steps, as clients ask for it."""

import pytest
import redis
from django.conf import settings

from accounts import folders
from accounts.folders import Grant
from lib.quiet_redis import QuietRedis
from tests.definitions import chain
from tests.store.watching import watching
from workflows import presence, queries
from workflows.limits import PERSON_TABS

pytestmark = pytest.mark.django_db
FLOW = "/api/v1/workflows/flow"


@pytest.fixture(autouse=True)
def _flow(api, people):
    answer = api.post("/api/v1/workflows", {"name": "flow", "definition": chain("flow", length=2)})
    assert answer.status_code == 201
    client = redis.Redis.from_url(settings.REDIS_URL)
    client.delete(*(client.keys("here:*") or ["none"]))


def here(client, tab="tab-00001", **more):
    answer = client.post(f"{FLOW}/presence", {"tab": tab, **more})
    assert answer.status_code == 200, answer.json()
    return answer.json()


def grant(people, *roles, verbs=("read", "edit")):
    """Let these roles into the workflow's folder, and no others."""
    admin = people.principal("admin")
    folder = queries.get_workflow(admin.tenant_id, "flow").folder_id
    folders.change_folder(admin, folder, grants=[Grant(verbs, role) for role in roles])


def test_people_see_each_other_once_with_the_steps_that_they_have_selected(api, people):
    author = people.client("author")
    assert here(api, step="s0")["people"] == []
    assert here(api, "tab-00002", step="s1")["people"] == []
    (admin,) = here(author, step="s0")["people"]
    assert admin == {"username": "admin-of-ours", "name": "", "may_edit": True, "steps": ["s1", "s0"]}
    assert here(api)["people"] == [
        {"username": "author-of-ours", "name": "", "may_edit": True, "steps": ["s0"]}
    ]


def test_a_look_of_an_open_tab_costs_as_little_with_many_steps_and_comments(api, people):
    for place in range(6):
        assert api.post(f"{FLOW}/comments", {"step": "s0", "text": f"{place}"}).status_code == 201
    for place in range(3):
        here(api, f"tab-{place:05}", step="s0")
    author = people.client("author")
    here(author)
    # Whose token it is, in which folder it lies, and its numbers.
    with watching() as seen:
        here(author, step="s1")
    assert seen.trips == 3


def test_who_leaves_is_gone_at_once_and_who_says_nothing_more_after_some_time(api, people, monkeypatch):
    author = people.client("author")
    here(author)
    assert here(author, left=True)["people"] == []
    assert here(api)["people"] == []
    here(author)
    assert len(here(api)["people"]) == 1
    monkeypatch.setattr(presence, "SEEN_SECONDS", -1)
    assert here(api)["people"] == []


def test_who_may_only_read_is_marked_and_who_may_not_read_is_kept_out(api, people):
    viewer = people.client("viewer")
    grant(people, "author")
    assert viewer.post(f"{FLOW}/presence", {"tab": "tab-00001"}).status_code == 404
    grant(people, "viewer", verbs=("read",))
    assert here(viewer)["people"] == []
    assert [one["may_edit"] for one in here(api)["people"]] == [False]


def test_somebody_has_only_so_many_tabs(api, people):
    for place in range(PERSON_TABS + 2):
        here(api, f"tab-{place:05}", step=f"s{place}")
    (admin,) = here(people.client("author"))["people"]
    assert len(admin["steps"]) == PERSON_TABS


def test_without_redis_nobody_is_seen_and_the_numbers_are_told_all_the_same(api, settings, monkeypatch):
    settings.REDIS_URL = "redis://127.0.0.1:1/0"
    monkeypatch.setattr(presence, "_STORE", QuietRedis("who is here"))
    assert here(api) == {"revision": 1, "comments": 0, "people": []}


@pytest.mark.parametrize(
    "sent", [{}, {"tab": "x"}, {"tab": "tab:00001"}, {"tab": "tab-00001", "step": "x" * 257}, {"tab": 7}]
)
def test_a_tab_that_is_none_is_refused(api, sent):
    assert api.post(f"{FLOW}/presence", sent).status_code == 400


def test_comments_are_written_listed_resolved_reopened_and_deleted(api, people):
    author = people.client("author")
    first = author.post(f"{FLOW}/comments", {"step": "s0", "text": " <b>Why?</b>\r\n"})
    assert first.status_code == 201
    reply = api.post(f"{FLOW}/comments", {"step": "s0", "text": "So."}).json()
    listed = author.get(f"{FLOW}/comments").json()["results"]
    assert [one["text"] for one in listed] == ["So.", "<b>Why?</b>"]
    assert {one["thread"] for one in listed} == {reply["thread"]}
    assert (reply["by"], reply["step"], reply["resolved_at"]) == ("admin-of-ours", "s0", None)
    done = author.post(f"{FLOW}/comments/{reply['id']}/resolve").json()
    assert done["resolved_by"] == "author-of-ours"
    assert author.get(f"{FLOW}/comments?resolved=false").json()["results"] == []
    assert len(author.get(f"{FLOW}/comments?resolved=true&step=s0").json()["results"]) == 2
    assert author.post(f"{FLOW}/comments/{reply['id']}/reopen").json()["resolved_at"] is None
    assert author.delete(f"{FLOW}/comments/{reply['id']}").status_code == 403
    assert api.delete(f"{FLOW}/comments/{reply['id']}").status_code == 204
    assert here(api)["comments"] == 5


@pytest.mark.parametrize(
    ("sent", "field"),
    [
        ({"step": "s0", "text": "x" * 2001}, "text"),
        ({"step": "s0", "text": "a\0b"}, "text"),
        ({"step": "s0", "text": " "}, "text"),
        ({"step": "s9", "text": "Why?"}, "step"),
        ({"text": "Why?"}, "step"),
    ],
)
def test_what_is_no_comment_is_refused_at_its_field(api, sent, field):
    answer = api.post(f"{FLOW}/comments", sent)
    assert answer.status_code == 400
    assert answer.json()["error"]["field"] == field


def test_those_may_be_mentioned_who_may_read_the_workflow_but_for_oneself(api, people):
    for role in ("viewer", "author", "operator"):
        people.member(role)
    grant(people, "author", "operator", verbs=("edit",))

    def found(client, q=""):
        return [one["username"] for one in client.get(f"{FLOW}/readers?q={q}").json()["results"]]

    assert found(api) == ["author-of-ours", "operator-of-ours"]
    # It is in both names, and one begins with it.
    assert found(api, "o") == ["operator-of-ours", "author-of-ours"]
    assert found(people.client("author"), "adm") == ["admin-of-ours"]
    without = people.client("admin", scopes=frozenset({"members:read"}))
    assert without.get(f"{FLOW}/readers").status_code == 403
