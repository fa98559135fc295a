"""The form of the page of items: what it takes, and whom it lets act on runs of other workflows."""

import pytest

from accounts import folders
from tests import factories as make
from tests.inbox.asking import member
from workflows.models import Workflow

pytestmark = pytest.mark.django_db


@pytest.fixture
def operator(client):
    client.force_login(make.a_member("ops", "operator"))
    return client


def failed():
    """A run of a map of three items, one of which has failed."""
    run_id = make.start(
        make.mapped({"type": "noop", "retry": "none"}, tolerate_failures=1), {"items": [1, 2, 3]}
    )[0]
    make.work("engine")
    make.fail(next(step for step in make.claimed() if step.index == 1))
    return run_id


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"places": "", "verb": "retry"}, "Say which items"),
        ({"places": "x", "verb": "retry"}, "x is no place of an item"),
        ({"places": "0-500", "verb": "retry"}, "more than 200 items"),
        ({"places": "1"}, "Choose what to do"),
        ({"places": "1", "verb": "explode"}, "explode"),
        ({"places": "1", "verb": "skip", "output": "{"}, "Output, as JSON"),
    ],
)
def test_what_is_wrong_stands_at_its_field(operator, fields, words):
    run_id = failed()
    page = operator.post(f"/runs/{run_id}/items/each/act", fields)
    assert page.status_code == 422
    assert words in page.text
    assert make.children(run_id, "each")[1].status == "FAILED"


def test_items_are_named_by_ranges(operator):
    run_id = failed()
    page = operator.get(f"/runs/{run_id}/items/each?status=RUNNING").text
    assert 'value="0, 2"' in page
    operator.post(f"/runs/{run_id}/items/each/act", {"places": "1, 0-1", "verb": "retry"})
    assert make.children(run_id, "each")[1].status == "QUEUED"


def test_the_run_of_an_item_in_a_folder_that_lets_nobody_in_is_left_alone(operator):
    version = make.VersionFactory(
        workflow__tenant=make.a_tenant(),
        workflow__name="child",
        workflow__draft_definition=make.graph("a", []),
    )
    run_id = make.start(make.mapped({"workflow": "child"}), {"items": [1]})[0]
    make.work("engine")
    locked = folders.create_folder(member("root", "admin"), "Locked", [])
    Workflow.objects.for_tenant(version.tenant_id).filter(name="child").update(folder=locked)
    page = operator.post(f"/runs/{run_id}/items/each/act", {"places": "0", "verb": "pause"}, follow=True)
    assert "There is no such run." in page.text
    (child,) = make.children_of(run_id)
    assert make.run(str(child.pk)).status == "RUNNING"
