"""Markdown as HTML that is safe to show."""

from html.parser import HTMLParser

import pytest
from markdown_it import MarkdownIt

from lib.markdown import markdown


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("Look <b>twice</b>.\n    Then decide.", "<p>Look &lt;b&gt;twice&lt;/b&gt;.<br>\nThen decide.</p>\n"),
        ("# Big\n\n### Small", "<h2>Big</h2>\n<h3>Small</h3>\n"),
        ("*a* **b** ~~c~~ `d`", "<p><em>a</em> <strong>b</strong> <s>c</s> <code>d</code></p>\n"),
        ("", ""),
    ],
)
def test_what_is_marked_is_shown_so_and_the_rest_reads_as_it_was_typed(text, html):
    assert markdown(text) == html


def test_links_lead_away_safely():
    assert markdown("[a](https://b.example/c)") == (
        '<p><a href="https://b.example/c" rel="noopener noreferrer nofollow">a</a></p>\n'
    )


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "![x](https://evil.example/x.png)",
        "[x](javascript:alert(1))",
        "[x](data:text/html,y)",
        "[x](vbscript:y)",
        "[x]( java\tscript:alert(1))",
        '[x](https://a.example "" onclick=alert(1)")',
        "<javascript:alert(1)>",
        '```x" onclick=alert(1)\ny\n```',
        "[x]: javascript:alert(1)\n\n[x]",
    ],
)
def test_nothing_in_it_acts_or_fetches(text):
    for tag, attributes in tags_of(markdown(text)):
        assert tag in ("p", "a", "pre", "code", "br")
        assert {name for name, _ in attributes} <= {"href", "title", "rel"}
        assert all(value.startswith("https://") for name, value in attributes if name == "href")


def tags_of(html):
    """What a browser would read as tags."""
    found = []
    reader = HTMLParser()
    reader.handle_starttag = lambda tag, attributes: found.append((tag, attributes))
    reader.feed(html)
    return found


def test_however_much_opens_something_few_tags_are_made_and_none_deep():
    for text in ("[" * 20_000, "*a " * 6_000, "> " * 10_000, "- " * 10_000, "`" * 20_000, "|a" * 10_000):
        html = markdown(text)
        assert len(tags_of(html)) <= 20
        assert len(html) <= len(text) + 10


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        '<iframe src="/"></iframe>',
        '<p style="position: fixed">a</p>',
        '<p onclick="alert(1)">a</p>',
        '<a href="javascript:alert(1)">a</a>',
    ],
)
def test_whatever_a_reader_lets_through_is_cleaned(monkeypatch, text):
    """The second wall: should the reader take HTML for HTML one day, nothing of it does anything."""
    monkeypatch.setattr("lib.markdown._READER", MarkdownIt("commonmark", {"html": True}))
    html = markdown.__wrapped__(text)
    assert not any(word in html for word in ("script", "img", "iframe", "style", "onclick")), html
