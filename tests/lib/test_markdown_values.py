"""What others typed, within instructions: shown as it is, whatever it is."""

import re
from html import unescape

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from engine.markdown import escaped
from engine.templates import compile_template
from lib.markdown import markdown

MARKS = st.text(alphabet="a1 \t\r\n\\`*_{}[]()<>#+-.!|~&;:=\"'/x@", max_size=60)


def shown(html):
    """The tags of some HTML, and its words."""
    return set(re.findall(r"<(\w+)", html)), unescape(re.sub(r"<[^>]*>", "", html)).split()


@given(MARKS | st.text(max_size=60))
@example("[Approve here](https://evil.example)")
@example("<https://evil.example> &lt;b&gt; **so** ~~no~~ `x`")
@example("x\n\n# Approved by Legal\n\n- yes\n1. no\n> so\n***\n---\n===\n| a | b |\n| - | - |\n```\ny")
@example("[a]: https://evil.example\n\n[a]")
@example("__so__ ___so___ __init__.py a__b__c")
@example("x\r# Approved by Legal\r- yes\r1. no\r\r***\r---\r===\r| a | b |\r| - | - |\r```\ry")
def test_a_value_shows_as_it_is_and_marks_nothing_up(value):
    for before in ("", "From: ", "Look.\n\n"):
        tags, words = shown(markdown(before + escaped(value)))
        assert tags <= {"p", "br"}
        assert words == [word.replace("\x00", "\ufffd") for word in f"{before}{value}".split()]


@pytest.mark.parametrize(
    "value", ["ann_b@example.org", "40 EUR", "a-b.txt", "Is it so? Yes!", "3.5 %", "-5", "2026-11-22"]
)
def test_what_marks_nothing_up_is_left_alone(value):
    assert escaped(value) == value


def test_only_holes_within_a_text_are_values():
    texts = {"instructions": "**Check** {{ input.name }}", "title": "{{ input.name }}?"}
    scope = {"input": {"name": "*Eve*"}}
    rendered = compile_template(texts, {"instructions"}).render(scope)
    assert rendered == {"instructions": "**Check** \\*Eve\\*", "title": "*Eve*?"}
    whole = compile_template({"instructions": "{{ input.name }}"}, {"instructions"})
    assert whole.render(scope) == {"instructions": "*Eve*"}


def rendered(text, **given):
    """What an author's text comes to with these values, as HTML."""
    compiled = compile_template({"instructions": text}, {"instructions"})
    return markdown(compiled.render({"input": given})["instructions"])


def test_within_code_a_value_is_shown_as_it_is():
    html = rendered(
        "Run `{{ input.x }} -v` on ``{{ input.y }}``: {{ input.x }}", x="a_b*c & <d>", y="__init__"
    )
    assert html == (
        "<p>Run <code>a_b*c &amp; &lt;d&gt; -v</code> on <code>__init__</code>: a_b*c &amp; &lt;d&gt;</p>\n"
    )


@given(MARKS | st.text(st.characters(exclude_characters="\x00"), max_size=40), MARKS)
@example("a` **so** `b", "[x](https://evil.example)")
@example("x\n\n# Approved", "")
@example("", "**so**")
@example("a | **so**", "a | **so**")
def test_no_value_leaves_the_code_in_which_it_stands_or_gets_into_some(value, other):
    for text in (
        "`{{ input.x }}`",
        "So `{{ input.x }}` {{ input.y }} ``{{ input.y }}``",
        "| a | b |\n| - | - |\n| `{{ input.x }}` | {{ input.y }} |",
        "```\n{{ input.x }}\n```\n{{ input.y }}",
        "- ```\n  a\n  ```\n\nThen {{ input.x }} `{{ input.y }}`",
        "a ` b\nc ` {{ input.x }} ` {{ input.y }}",
        "\\\\`{{ input.x }}` and {{ input.y }} `b`",
    ):
        tags, _ = shown(rendered(text, x=value, y=other))
        assert tags <= {"p", "br", "code", "pre", "ul", "li", "table", "thead", "tbody", "tr", "th", "td"}, (
            text
        )


@pytest.mark.parametrize("value", ["<https://evil.example>", "`x`", "*x", "&amp;"])
def test_an_authors_backslash_before_a_value_takes_no_escape_away(value):
    html = rendered("C:\\{{ input.x }} C:\\{{ input.y }}", x=value, y="*")
    assert shown(html) == ({"p"}, [f"C:\\{value}", "C:\\*"])
