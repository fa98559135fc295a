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
