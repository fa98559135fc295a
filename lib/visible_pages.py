"""Pages on which each character of what came from outside is visible, whichever template, view or fragment it is in."""

import re
from collections.abc import Callable, Iterator

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase

from lib.visible import is_suspect, marked, shown, visible

_MARK = (
    '<abbr class="mixed-scripts" title="Mixed scripts: letters in this word may look like others">⚠</abbr>'
)
_NOTE = '<small class="unseen">Has characters that are not visible: {}</small>'
_TAG = re.compile(
    r"<!--.*?(?:-->|\Z)|<(?P<raw>script|style|textarea)\b[^>]*+(?:>|\Z)(?P<inner>.*?)(?:</(?P=raw)\s*>|\Z)"
    r"""|<(?P<name>/?[a-zA-Z][\w-]*+)(?:[^>"']++|"[^"]*+(?:"|\Z)|'[^']*+(?:'|\Z))*(?:>|\Z)""",
    re.DOTALL,
)
"""What is not closed ends with the page, as in a browser: so no character is looked at twice."""
_SAID = re.compile(
    r'(\s(?:title|alt|placeholder|aria-label|aria-valuetext|data-label|data-says|data-then)=")([^"]*)(?=")'
)
_VALUE = re.compile(r'\svalue="([^"]*)"')
_NOT_TYPED = re.compile(r'\stype="(?:hidden|checkbox|radio|submit|button)"')
_ASCII = bytes(range(0x20, 0x7F)) + b"\t\n"
_PLAIN = frozenset({"svg", "title", "option"})
"""Elements in which no markup may stand for the mark."""


def show_all(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Middleware: HTML pages and fragments as `visible_html`; files that are handed out stay as they are."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        if isinstance(response, HttpResponse) and _is_page(response) and _may_be_suspect(response.content):
            _show(response)
        return response

    return middleware


def _is_page(response: HttpResponse) -> bool:
    kind = response.headers.get("Content-Type", "")
    return kind.startswith("text/html") and "Content-Disposition" not in response.headers


def _may_be_suspect(content: bytes) -> bool:
    """Whether a page is worth a closer look. Nearly all of one is plain ASCII, which is left out at once."""
    return is_suspect(content.translate(None, _ASCII).decode(errors="replace"))


def _show(response: HttpResponse) -> None:
    html = response.content.decode(response.charset)
    if (seen := visible_html(html)) is not html:
        response.content = seen.encode(response.charset)
        if "Content-Length" in response.headers:
            response.headers["Content-Length"] = str(len(response.content))


def visible_html(html: str) -> str:
    """The HTML with its texts, and the attributes that people read, as `visible` makes them. Values of fields and
    scripts stay as they are: they are sent back. Below a field a note shows what in it can't be seen.
    """
    return "".join(_parts(html)) if is_suspect(html) else html


def _parts(html: str) -> Iterator[str]:
    at, plain = 0, ""
    for tag in _TAG.finditer(html):
        yield _text(html[at : tag.start()], plain)
        yield _tag(tag)
        at = tag.end()
        name = (tag["name"] or "").lower()
        if not plain and name in _PLAIN:
            plain = name
        elif name == f"/{plain}":
            plain = ""
    yield _text(html[at:], plain)


def _text(text: str, plain: str) -> str:
    if not is_suspect(text):
        return text
    return visible(text) if plain else marked(text, _MARK)


def _tag(tag: re.Match[str]) -> str:
    whole = tag[0]
    if not is_suspect(whole):
        return whole
    if tag["raw"]:
        return whole + (_note(tag["inner"]) if tag["raw"] == "textarea" else "")
    note = ""
    if tag["name"] == "input" and not _NOT_TYPED.search(whole) and (value := _VALUE.search(whole)):
        note = _note(value[1])
    return _SAID.sub(lambda said: said[1] + visible(said[2]), whole) + note


def _note(value: str) -> str:
    return _NOTE.format(marked(value, _MARK)) if shown(value) != value else ""
