"""What a page's HTML lacks for those who can't see it, found without a browser."""

from collections.abc import Iterator
from html.parser import HTMLParser

_UNLABELLED = frozenset({"hidden", "submit", "button", "reset", "image"})
_VOID = frozenset(
    {"input", "img", "br", "hr", "link", "meta", "source", "path", "use", "circle", "rect", "line"}
)
_NAMES = ("aria-label", "aria-labelledby", "title")


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open: list[tuple[str, dict[str, str | None], list[str]]] = []
        self.nameless: list[str] = []
        self.fields: list[tuple[str, dict[str, str | None]]] = []
        self.labelled: set[str] = set()
        self.foreign: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        if tag in ("script", "link", "img", "iframe") and found.get("rel") not in ("canonical", "license"):
            address = found.get("src") or found.get("href") or ""
            if "//" in address.partition("?")[0]:
                self.foreign.append(f"<{tag}> of {address}")
        if tag == "label" and found.get("for"):
            self.labelled.add(found["for"] or "")
        if (
            tag in ("input", "select", "textarea")
            and found.get("type") not in _UNLABELLED
            and all(name != "label" for name, _, _ in self.open)
        ):
            self.fields.append((tag, found))
        self.handle_data(found.get("aria-label") or found.get("alt") or "")
        if tag not in _VOID:
            self.open.append((tag, found, []))

    def handle_data(self, data: str) -> None:
        if data.strip():
            for _, _, words in self.open:
                words.append(data)

    def handle_endtag(self, tag: str) -> None:
        if all(name != tag for name, _, _ in self.open):
            return
        while self.open:
            name, found, words = self.open.pop()
            is_one = name == "button" or (name == "a" and "href" in found)
            is_shown = not any("hidden" in attrs for attrs in (found, *(attrs for _, attrs, _ in self.open)))
            if is_one and is_shown and not words and not any(found.get(key) for key in _NAMES):
                self.nameless.append(f"<{name}> without a name: {found}")
            if name == tag:
                return


def faults(html: str) -> Iterator[str]:
    """Fields without a label, buttons and links without a name, and what is fetched from another site."""
    reader = _Reader()
    reader.feed(html)
    yield from reader.nameless
    yield from reader.foreign
    for tag, found in reader.fields:
        if found.get("id") not in reader.labelled and not any(found.get(key) for key in _NAMES):
            yield f"<{tag}> without a label: {found}"
