"""Whatever a definition lacks, or has of another type: no route that takes one answers with an error of ours."""

import copy
import json

import pytest
from django.db import transaction

from accounts.models import User
from engine.definition import Compensation, Definition, Edge, Node
from engine.validate import validate
from steps.catalogue import CATALOGUE
from tests.families import shown
from tests.people import People

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

URL = "/api/v1/workflows"
ABSENT = object()
# What is absent first, then what is of another type.
WRONG = (ABSENT, 5, [None], {"a": 1})
ALL = tuple(range(len(WRONG)))

WHOLE = {
    "name": "any",
    "title": "Any",
    "input_schema": {"type": "object"},
    "nodes": [
        {"id": "ask", "type": "human.approval", "params": {"title": "?", "exclude_deciders": True}},
        {
            "id": "wait",
            "type": "wait",
            "params": {"seconds": 5},
            "boundary_timers": [{"after_seconds": 5, "to": "done"}],
            "compensate": {"type": "human.form", "params": {"title": "Undone?"}},
        },
        {"id": "pick", "type": "decision"},
        {"id": "done", "type": "transform", "params": {"set": {"x": "{{ input.x }}"}}},
    ],
    "edges": [
        {"from": "ask", "to": "wait", "branch": "approved"},
        {"from": "wait", "to": "pick"},
        {"from": "pick", "to": "done", "when": "output.x == 1"},
    ],
}


def names_of(model):
    return [field.alias or name for name, field in model.model_fields.items()]


PLACES = [
    *(((), name) for name in names_of(Definition)),
    *((("nodes", 0), name) for name in names_of(Node)),
    *((("nodes", 1), name) for name in ("params", "boundary_timers", "compensate")),
    *((("nodes", 1, "compensate"), name) for name in names_of(Compensation)),
    *((("nodes", 1, "boundary_timers", 0), name) for name in ("after_seconds", "duration", "to")),
    *((("nodes", 0, "params"), name) for name in ("title", "candidates", "quorum", "due_seconds", "form")),
    *((("edges", 0), name) for name in names_of(Edge)),
]


def broken(path, name):
    """The definition once for each thing that may stand, or not, at a place."""
    for value in WRONG:
        made = copy.deepcopy(WHOLE)
        at = made
        for key in path:
            at = at[key]
        if value is ABSENT:
            at.pop(name, None)
        else:
            at[name] = value
        yield made


def sent(definition):
    """All that takes a definition: method, path, body."""
    place = {"definition": definition, "place": "params", "node": "done"}
    yield "post", f"{URL}/validate", {"definition": definition}
    yield "post", f"{URL}/import", {"document": definition}
    yield "post", f"{URL}/write", {"definition": definition, "format": "yaml"}
    yield "post", f"{URL}/read", {"text": json.dumps(definition)}
    yield "post", f"{URL}/any/scope", place
    yield "post", f"{URL}/any/evaluate", {**place, "text": "{{ input.x }}"}
    yield "post", f"{URL}/any/rename-step", {"definition": definition, "from": "done", "to": "over"}
    yield "post", f"{URL}/any/trials", {"definition": definition, "input": {"x": 1}}
    yield "post", f"{URL}/any/test-cases/run", {"definition": definition}


DOORS = len([*sent({})])


@pytest.fixture(scope="module")
def made(django_db_setup, django_db_blocker):
    """A client of a tenant with the workflow and a test case of it; each test goes back to that."""
    with django_db_blocker.unblock(), transaction.atomic():
        api = People().client("admin")
        assert api.post(URL, {"name": "any", "definition": WHOLE}).status_code == 201
        case = {"name": "One", "input": {"x": 1}, "expect": {"status": "COMPLETED"}}
        assert api.post(f"{URL}/any/test-cases", case).status_code == 201
        yield api
        transaction.set_rollback(True)


@pytest.fixture
def kept(made, db):
    """A client, and a way to keep a draft of the workflow."""
    return made


def each_of(places):
    return pytest.mark.parametrize(("path", "name"), places, ids=lambda one: str(one).replace(" ", ""))


def test_the_engine_judges_each():
    """Beside what Hypothesis thinks of: nearly whole ones, with what is wrong at one place."""
    wrong = [made for path, name in PLACES for made in broken(path, name)]
    found = [validate(made, CATALOGUE) for made in wrong]
    assert len(wrong) == len(PLACES) * len(WRONG)
    errors = [[one for one in problems if one.severity == "error"] for problems in found]
    # What may be absent, or anything at all, is none.
    assert len([*filter(None, errors)]) > len(found) / 2
    assert not [one for one in validate(WHOLE, CATALOGUE) if one.severity == "error"]


@each_of(shown(PLACES, 20))
def test_nothing_that_is_missing_or_of_another_type_is_an_error_of_ours(kept, client, path, name):
    """What is absent, and one of the others, for each door at each place. Pages, versions and test runs read the same
    draft: one way to be wrong does for them.
    """
    at = PLACES.index((path, name))
    ways = [(0, 1 + (at + door) % len(ALL[1:])) for door in range(DOORS)]
    nothing_is_an_error_of_ours(kept, client, path, name, ways, {at % len(ALL)})


@pytest.mark.soak
@each_of(PLACES)
def test_nothing_is_whatever_of_it_is_shown_published_or_tested(kept, client, path, name):
    nothing_is_an_error_of_ours(kept, client, path, name, [ALL] * DOORS, ALL)


def nothing_is_an_error_of_ours(kept, client, path, name, ways, shown):
    client.force_login(User.objects.get(username="admin-of-ours"))
    for way, definition in enumerate(broken(path, name)):
        for door, (method, address, body) in enumerate(sent(definition)):
            if way not in ways[door]:
                continue
            status = getattr(kept, method)(address, body).status_code
            assert status < 500, (address, definition)
        tag = kept.get(f"{URL}/any/draft").headers["ETag"]
        put = kept.put(f"{URL}/any/draft", {"definition": definition}, HTTP_IF_MATCH=tag)
        assert put.status_code < 500, definition
        if way not in shown:
            continue
        for address in ("any/", "any/edit", "any/pipeline"):
            assert client.get(f"/workflows/{address}").status_code < 500, (address, definition)
        assert kept.post(f"{URL}/any/publish", {}).status_code < 500, definition
        assert kept.post(f"{URL}/any/trials", {}).status_code < 500, definition
