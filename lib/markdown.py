"""Markdown that somebody wrote, as HTML that is safe to show.

Raw HTML stays text, and what comes out goes through an allow-list: no images, no styles, no scripts; links lead out of
the application only by http, https and mailto. A line break stays one, so that plain text reads as it was typed.
"""

from functools import lru_cache
from importlib import import_module
from typing import Any

import nh3
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt

# A table ends where its rows lack more cells than this: a wide head over empty rows would be 300 times its source.
_TABLES: Any = import_module("markdown_it.rules_block.table")
_TABLES.MAX_AUTOCOMPLETED_CELLS = 100

_TAGS = {
    *("a", "blockquote", "br", "code", "em", "hr", "li", "ol", "p", "pre", "s", "strong", "ul"),
    *("h2", "h3", "h4", "h5", "h6", "table", "thead", "tbody", "tr", "th", "td"),
}
# Four blanks before a line are layout where people type: no code.
_READER = MarkdownIt("commonmark", {"html": False, "breaks": True}).enable(["table", "strikethrough"])
_READER.disable(["image", "code"])


@lru_cache(maxsize=500)
def markdown(text: str) -> SafeString:
    """The text as HTML. Its headings come below the page's own, whatever their levels, and leave none out."""
    tokens = _READER.parse(text)
    headings = [token for token in tokens if token.type in ("heading_open", "heading_close")]
    levels = sorted({token.tag for token in headings})
    for token in headings:
        token.tag = f"h{min(levels.index(token.tag) + 2, 6)}"
    html = nh3.clean(
        _READER.renderer.render(tokens, _READER.options, {}),
        tags=_TAGS,
        attributes={"a": {"href", "title"}, "ol": {"start"}},
        url_schemes={"http", "https", "mailto"},
        link_rel="noopener noreferrer nofollow",
    )
    return mark_safe(html)  # noqa: S308 - what the allow-list let through
