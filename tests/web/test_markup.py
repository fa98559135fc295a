"""Every field of our pages has a label, every button and link a name, and nothing comes from another site."""

import pytest

from tests import factories as make
from tests.web.markup import faults
from tests.web.test_run_actions import member
from tests.web.test_workflow_pages import a_workflow

pytestmark = pytest.mark.django_db

PAGES = (
    *("/", "/workflows/", "/workflows/new", "/workflows/import", "/workflows/ours/", "/workflows/ours/edit"),
    *(
        "/runs/",
        "/inbox/",
        "/requests/",
        "/telemetry",
        "/settings/",
        "/api/docs",
        "/schedules/",
        "/settings/webhooks",
    ),
    *("/operations/", "/operations/dispatch", "/operations/alerts", "/operations/messages"),
)


@pytest.mark.parametrize(
    ("html", "found"),
    [
        ('<a href="/"><svg><path></svg></a>', 1),
        (
            '<button><svg role="img" aria-label="Larger"></svg></button><a href="/" title="Home"></a><a></a>',
            0,
        ),
        (
            '<label for="a">A</label><input id="a"><input id="b"><input type="hidden"><label>C<input></label>',
            1,
        ),
        ('<script src="https://cdn.example/x.js"></script><script src="/static/x.js"></script>', 1),
    ],
)
def test_a_fault_is_found(html, found):
    assert len([*faults(html)]) == found


@pytest.mark.parametrize("path", PAGES)
def test_a_page_has_none(path):
    client = member("admin")
    a_workflow()
    answer = client.get(path, follow=True)
    assert answer.status_code == 200
    assert [*faults(answer.text)] == []


@pytest.mark.parametrize("view", ["graph", "timeline", "story"])
def test_a_run_has_none(view):
    client = member("admin")
    child = make.a_version(make.chain("noop")).workflow.name
    nodes = [{"id": "ask", "type": "human.approval", "params": {"title": "Well?"}}]
    nodes += [{"id": "other", "type": "subworkflow", "params": {"workflow": child}}]
    run_id = make.start(make.graph(nodes, []))[0]
    make.work()
    answer = client.get(f"/runs/{run_id}?view={view}")
    assert answer.status_code == 200
    assert [*faults(answer.text)] == []
