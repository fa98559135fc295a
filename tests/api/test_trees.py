"""A run and the runs that its steps started are one tree: what the API says of its parts, and of all of it."""

import pytest

from runs.models import Run
from tests import factories as make

pytestmark = pytest.mark.django_db

RUNS = "/api/v1/runs"
JOB = {"id": "charge", "type": "job", "queue": "card"}


def nested():
    """The ids of a run, of the item of its map, and of the run of another workflow that this began."""
    child = make.a_version(make.graph([JOB], [])).workflow.name
    sub = {"id": "sub", "type": "subworkflow", "params": {"workflow": child, "input": {}}}
    body = {"steps": [sub, {"id": "n", "type": "noop"}]}
    root = make.start(make.mapped(body), {"items": ["a"]})[0]
    make.work()
    (item,) = make.children_of(root)
    (sub_run,) = make.children_of(str(item.pk))
    return root, str(item.pk), str(sub_run.pk)


def test_a_run_says_which_tree_it_is_of_and_where_it_stands_in_it(people):
    api = people.client("admin", tenant="default")
    root, item, sub = nested()
    runs = {row["id"]: row for row in api.get(RUNS).json()["results"]}
    each = {"node": "each", "index": 0}
    for row in (runs[root], api.get(f"{RUNS}/{root}").json()):
        assert (row["root_run"], row["place"]) == (root, [])
    part = api.get(f"{RUNS}/{item}").json()
    assert (part["root_run"], part["place"]) == (root, [each])
    below = [each, {"node": "sub", "index": None}]
    assert (runs[sub]["root_run"], runs[sub]["place"]) == (root, below)
    assert Run.unsafe_all_tenants.get(pk=sub).depth == len(below)
