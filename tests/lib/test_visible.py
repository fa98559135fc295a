"""What can't be seen is shown, what scripts and emoji need stays, and words of mixed scripts are marked."""

import sys
import time
from unicodedata import category, normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lib.visible import MIXED, shown, visible
from lib.visible_pages import visible_html

UNSEEN = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
WITH_A_SHAPE = frozenset(
    "\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd"
)
"""Signs of Arabic, Syriac and Kaithi that are format characters and are seen."""
STAYS = (
    *("", "plain", "two\nlines\r\nand\ta tab", "Größe 李 ไ 5 µm 4 kΩ", "Привет, мир", "Ωμέγα", "A4-формат"),
    *(
        "می\u200cخواهم",
        "क्\u200dष",
        "👩🏽\u200d🚒 ❤\ufe0f\u200d🔥 👁\ufe0f",
        "🏴\U000e0067\U000e0062\U000e007f",
        "⟨U+202E⟩",
    ),
)
UNCLOSED = ('<a "', "<a '", "<!--", "<script ", "<textarea>", '<input value="\u200b', "<svg>", "</", "<")
CHARS = st.text(
    st.one_of(
        st.characters(),
        st.characters(categories=["Cf", "Cc", "Zl", "Zp"]),
        st.sampled_from("aZ аяЖ αΩ ⟨mixed⟩\u200d\u200c👩🏽\ufe0fमी\u0301\r\n<>"),
    )
)


@pytest.mark.parametrize("text", STAYS)
def test_what_people_read_stays(text):
    assert visible(text) == text


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("pay\u202eRUE 01", "pay⟨U+202E⟩RUE 01"),
        ("a\u200bb\u00adc\ufeffd\u2066e", "a⟨U+200B⟩b⟨U+00AD⟩c⟨U+FEFF⟩d⟨U+2066⟩e"),
        ("\x00\x1b[31m\x7f\x85\rx", "⟨U+0000⟩⟨U+001B⟩[31m⟨U+007F⟩⟨U+0085⟩⟨U+000D⟩x"),
        ("a\u200db\u200cc", "a⟨U+200D⟩b⟨U+200C⟩c"),
        ("👩\u200d\u200d💻 \u200d", "👩⟨U+200D⟩⟨U+200D⟩💻 ⟨U+200D⟩"),
        ("x\U000e0061\u3164", "x⟨U+E0061⟩⟨U+3164⟩"),
        ("line\u2028\u2029", "line⟨U+2028⟩⟨U+2029⟩"),
        ("\N{CYRILLIC SMALL LETTER ER}aypal 1", f"\N{CYRILLIC SMALL LETTER ER}aypal {MIXED} 1"),
        ("AΒC", f"AΒC {MIXED}"),
        ("e\u0301\N{CYRILLIC SMALL LETTER A}", f"e\u0301\N{CYRILLIC SMALL LETTER A} {MIXED}"),
    ],
)
def test_what_is_not_seen_is_shown(text, seen):
    assert visible(text) == seen
    assert visible(seen) == seen


def test_every_control_and_format_character_of_unicode_is_shown():
    hidden = [chr(one) for one in range(sys.maxunicode + 1) if category(chr(one)) in UNSEEN]
    left = {char for char in hidden if shown(char) == char}
    assert left == WITH_A_SHAPE | {"\t", "\n"}


@given(CHARS)
def test_nothing_is_hidden_and_nothing_is_lost(text):
    seen = visible(text)
    left = {char for char in seen if category(char) in UNSEEN} - WITH_A_SHAPE
    assert {char for char in left if char not in "\n\t\r\u200c\u200d" and not char >= "\U000e0020"} == set()
    assert seen.count("\r") == seen.count("\r\n")
    assert visible(seen) == seen
    for char in set(text) - {char for char in text if shown(char) != char}:
        assert char in seen


@given(st.text(st.characters(max_codepoint=0x2FF, categories=["L", "N", "P", "S", "Zs"])))
def test_texts_of_the_west_stay(text):
    assert visible(text) == text


@pytest.mark.parametrize("make", [visible, visible_html])
@pytest.mark.parametrize("piece", ["\u202e", "\u200d", "aа", "а ", "🏴\U000e0061", *UNCLOSED])
def test_the_time_is_linear_in_the_length(make, piece):
    def seconds(count):
        text, best = piece * count + "\u202e", 9.0
        for _ in range(3):
            start = time.process_time()
            make(text)
            best = min(best, time.process_time() - start)
        return best

    assert seconds(40_000) < 40 * max(seconds(4_000), 0.0005)


@pytest.mark.parametrize(
    ("html", "seen"),
    [
        ("<p>a\u202eb</p>", "<p>a⟨U+202E⟩b</p>"),
        ('<a href="/x\u200b" title="x\u200b">x</a>', '<a href="/x\u200b" title="x⟨U+200B⟩">x</a>'),
        ('<p data-id="\u200b" data-says="\u200b">', '<p data-id="\u200b" data-says="⟨U+200B⟩">'),
        ("<script>'\u200b'</script>", "<script>'\u200b'</script>"),
        ("<option>аb</option>", f"<option>аb {MIXED}</option>"),
        ('<svg><text title=">">аb</text></svg>', f'<svg><text title=">">аb {MIXED}</text></svg>'),
        ('<input type="hidden" value="\u200b">', '<input type="hidden" value="\u200b">'),
    ],
)
def test_of_a_page_the_texts_are_shown_and_what_is_sent_back_stays(html, seen):
    assert visible_html(html) == seen


def test_a_word_on_a_page_has_a_mark_that_says_why():
    page = visible_html("<p>аb</p>")
    assert page.startswith('<p>аb<abbr class="mixed-scripts" title="Mixed scripts')


@pytest.mark.parametrize(
    "field",
    ['<input type="text" value="a\u200b1">', "<textarea>\na\u200b1</textarea>", '<input value="a\u200b1">'],
)
def test_a_field_keeps_its_value_and_a_note_shows_what_is_in_it(field):
    page = visible_html(f"<p>{field}</p>")
    assert page.startswith(f'<p>{field}<small class="unseen">')
    assert "a⟨U+200B⟩1</small></p>" in page


@given(CHARS)
def test_no_text_breaks_out_of_the_page(text):
    escaped = normalize("NFC", text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    seen = visible_html(f"<p>{escaped}</p>")
    assert seen.startswith("<p>")
    assert seen.endswith("</p>")
    assert seen.count("<") - 2 * seen.count("<abbr") == 2
