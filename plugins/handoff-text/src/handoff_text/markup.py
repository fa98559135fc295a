"""HTML to plain text, in one pass over the text.

A parser that builds a tree would be the obvious choice, but takes minutes for a megabyte of nested tags, and what
is wanted here is the words only. What isn't surely a tag (`a < b`, `x <- y`, `List<String>`) stays as it is.
"""

import html
import re
from collections.abc import Iterator, Mapping

from handoff_text.stopwords import words

BLANK_LINE, LINE, SPACE, NOTHING = "\n\n", "\n", " ", ""

PARAGRAPHS = words(
    """
    address article aside blockquote body details dialog div dl fieldset figcaption figure footer form h1 h2 h3 h4 h5
    h6 header hgroup hr html main nav ol p pre section table ul
"""
)
LINES = words("br caption dd dt legend li optgroup option summary tbody tfoot thead tr")
CELLS = words("td th")
INLINE = words(
    """
    a abbr acronym area audio b base basefont bdi bdo big button canvas center cite code col colgroup data datalist
    del dfn em embed font head i img input ins kbd label link map mark meta meter object output param picture
    progress q rp rt ruby s samp search select slot small source span strike strong sub sup time track tt u var
    video wbr
"""
)
WITH_CONTENT = words("script style template noscript iframe svg math title textarea")
BREAKS = (
    dict.fromkeys(PARAGRAPHS, BLANK_LINE)
    | dict.fromkeys(LINES, LINE)
    | dict.fromkeys(CELLS, SPACE)
    | dict.fromkeys(INLINE | WITH_CONTENT, NOTHING)
)
# One letter between angle brackets is as likely mathematics, and prose may speak of <script> or a <title>: such a
# name is a tag if it is closed somewhere.
NEED_CLOSING = words("a b i q s u") | WITH_CONTENT
BARE_ATTRIBUTES = words(
    """
    allowfullscreen async autofocus autoplay border checked compact controls default defer disabled download hidden
    inert ismap itemscope loop multiple muted nomodule noshade novalidate nowrap open playsinline readonly required
    reversed selected
    """
)

# None of it may hold a `<`, and nothing is tried twice (`++`), so no text makes this slow.
TAG = re.compile(r"""<(?:!--|[!?/]?([A-Za-z][A-Za-z0-9:-]*+)((?>(?:[^<>"']++|"[^"<]*+"|'[^'<]*+')*))>)""")
ATTRIBUTE = re.compile(r"""([A-Za-z_:@*#.][\w:@.*#-]*)(\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"']+))?|(\S)""")
COMMENT = "-->"
CLOSING = re.compile(r"</([A-Za-z][A-Za-z0-9:-]*)\s*>")
CONTENT_ENDS = {name: re.compile(rf"</{name}\s*>", re.IGNORECASE) for name in WITH_CONTENT}
PREFIXED = re.compile(r"(?:o|w|v|m|x|st1|svg|xsl|xhtml|dc|rdf|fb|g):[a-z]")
ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
# Not \s: a no-break space may be half of a character that was decoded wrongly.
LAYOUT = re.compile("[ \t\n]+")


def strip(text: str) -> str:
    """The text without tags, comments, scripts and styles, entities decoded; blocks become lines of their own."""
    pieces = list(_pieces(text))
    # In a page, line breaks of the source mean nothing; in a text with a few inline tags they are the text's own.
    is_page = any(is_tag and piece in (BLANK_LINE, LINE) for is_tag, piece in pieces)
    return "".join(piece if is_tag else _plain(piece, is_page) for is_tag, piece in pieces)


def _plain(piece: str, is_page: bool) -> str:
    decoded = ENTITY.sub(lambda match: html.unescape(match[0]), piece)
    return LAYOUT.sub(SPACE, decoded) if is_page else decoded


def _pieces(text: str) -> Iterator[tuple[bool, str]]:
    """(False, text) and (True, the break that a tag stands for), in order."""
    # Where each name is closed for the last time: nothing is searched for in vain, so the cost stays linear.
    closed = {match[1].lower(): match.start() for match in CLOSING.finditer(text)}
    closed[COMMENT] = text.rfind(COMMENT)
    start = position = 0
    while match := TAG.search(text, position):
        name = (match[1] or "").lower()
        end = _end(text, match, name, closed)
        if end is None:
            position = match.end() if name else match.start() + 1
            continue
        if start < match.start():
            yield False, text[start : match.start()]
        yield True, BREAKS.get(name, NOTHING)
        start = position = end
    if start < len(text):
        yield False, text[start:]


def _end(text: str, match: re.Match[str], name: str, closed: Mapping[str, int]) -> int | None:
    """Where what is to be left out ends; None where this is no markup."""
    if not name:
        is_closed = match.end() <= closed[COMMENT]
        return text.index(COMMENT, match.end()) + len(COMMENT) if is_closed else None
    if not _is_tag(match, name, closed):
        return None
    if name in CONTENT_ENDS and match[0][1] != "/" and match.end() <= closed[name]:
        ending = CONTENT_ENDS[name].search(text, match.end())
        return ending.end() if ending else match.end()
    return match.end()


def _is_tag(match: re.Match[str], name: str, closed: Mapping[str, int]) -> bool:
    if match[0][1] in "!?":
        return name in ("doctype", "xml", "cdata")
    if name not in BREAKS:
        # Custom elements and those of word processors; but not addresses such as <https://…> or <mailto:…>.
        return (("-" in name and name in closed) or bool(PREFIXED.match(name))) and "://" not in match[0]
    if name in NEED_CLOSING and name not in closed:
        return False
    return all(
        not other and (value or attribute.lower().rstrip("/") in BARE_ATTRIBUTES)
        for attribute, value, other in ATTRIBUTE.findall(match[2].strip().removesuffix("/"))
    )
