"""Names of workflows and ids of steps with 256 characters break no page (R-016)."""

import pytest

from accounts.models import Membership
from tests import factories as make

pytestmark = pytest.mark.browser

NAME = "w" * 243
"""The factory adds a part of its own."""
ASK = {
    "id": "a" * 256,
    "type": "human.approval",
    "params": {"title": "Well?", "candidates": {"roles": ["admin"]}},
}
NODES = [{"id": "j" * 256, "type": "job", "retry": "none"}, ASK, {"id": "f" * 256, "type": "text.clean"}]


@pytest.fixture
def run_id(ann):
    Membership.objects.for_tenant(make.a_tenant().pk).filter(user=ann).update(role="admin")
    (run_id,) = make.start(make.graph(NODES, [], name=NAME), {"n": 1})
    make.work()
    return run_id


@pytest.mark.parametrize("width", [390, 1280])
def test_pages_are_as_wide_as_the_window(visitor, run_id, width):
    visitor.page.set_viewport_size({"width": width, "height": 844})
    name = make.run(run_id).version.workflow.name
    wide = {}
    for path in (
        "/",
        "/workflows/",
        f"/workflows/{name}",
        f"/workflows/{name}/edit",
        "/runs/",
        f"/runs/{run_id}",
        "/inbox/",
        f"/operations/?queue={'j' * 256}",
        "/operations/dead-letters",
        "/telemetry",
        "/schedules/",
    ):
        assert visitor.open(path) == 200, path
        if visitor.scrolls_sideways():
            wide[path] = visitor.page.evaluate("document.documentElement.scrollWidth")
    assert wide == {}
