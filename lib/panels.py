"""Places on pages that apps above fill: `{% panels "run-list" %}` shows their templates, in the context of the page."""

from typing import Any, Final

from django.template import Library, RequestContext
from django.utils.html import format_html_join

from lib.ports import Port

PANELS: Final = Port[tuple[str, str]]()
"""The name of a place and the name of a template."""

register = Library()


@register.simple_tag(takes_context=True)
def panels(context: RequestContext, place: str) -> str:
    """What is registered for the place, one after another."""
    engine: Any = context.template.engine if context.template else None
    texts = (engine.get_template(template).render(context) for name, template in PANELS if name == place)
    return format_html_join("", "{}", ((text,) for text in texts))
