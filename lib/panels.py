"""Places on pages that apps above fill: `{% panels "run-list" %}` shows their templates, in the context of the page."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from django.template import Library, RequestContext
from django.utils.html import format_html_join

from lib.ports import Port


@dataclass(frozen=True, slots=True)
class Panel:
    """A template for a place on pages. `context`: its own context, beside that of the page; None: it is not shown."""

    place: str
    template: str
    context: Callable[[Any], Mapping[str, Any] | None] = lambda _: {}
    """Takes the request."""


PANELS: Final = Port[Panel]()

register = Library()


@register.simple_tag(takes_context=True)
def panels(context: RequestContext, place: str) -> str:
    """What is registered for the place, one after another."""
    engine: Any = context.template.engine if context.template else None
    texts = []
    for panel in PANELS:
        own = panel.context(context["request"]) if panel.place == place else None
        if own is not None:
            with context.push(**own):
                texts.append((engine.get_template(panel.template).render(context),))
    return format_html_join("", "{}", texts)
