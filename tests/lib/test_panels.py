"""Places on pages that apps above fill, by a port."""

import pytest
from django.http import HttpRequest
from django.template import engines

from lib import panels
from lib.panels import Panel
from lib.ports import Port


def test_what_is_registered_twice_is_there_once_in_its_order():
    port = Port[str]()
    port.register("b", "a")
    port.register("a", "c")
    assert [*port] == ["b", "a", "c"]


@pytest.fixture
def shown(monkeypatch):
    """What a page shows at `here` with these panels; each shows its own name and that of the page."""
    port = Port[Panel]()
    monkeypatch.setattr(panels, "PANELS", port)
    engine = engines["django"]
    page = engine.from_string("<{% panels 'here' %}>{{ own }}")
    found = engine.from_string("{{ own }} of {{ page }};")
    monkeypatch.setattr(engine.engine, "get_template", lambda name: {"own": found.template}[name])

    def show(*provided):
        port.register(*provided)
        return page.render({"page": "&"}, HttpRequest())

    return show


def test_a_place_shows_what_is_registered_for_it_with_its_own_context_and_that_of_the_page(shown):
    there = Panel("there", "own", lambda _: {"own": "not here"})
    nothing = Panel("here", "own", lambda _: None)
    first, second = (Panel("here", "own", lambda _, name=name: {"own": name}) for name in ("1", "2"))
    assert shown(there, nothing, first, second) == "<1 of &amp;;2 of &amp;;>"
