"""text.clean: what goes, what stays, and where a text is cut."""

import html
import unicodedata

import ftfy.bad_codecs  # noqa: F401  (registers sloppy-windows-1252)
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handoff_text.clean import CleanParams, clean, shorten


def cleaned(text, **params):
    return clean(text, CleanParams(**params))


def page_of(text):
    """A messy page of the article: tags, entities, scripts, styles, comments and blanks everywhere."""
    blocks = [
        html.escape(block).replace("ü", "&uuml;").replace("–", "&#8211;")
        for block in text.strip().split("\n\n")
    ]
    spread = [block.replace(" und ", "  <b>und</b>\n   ") for block in blocks]
    body = "\n".join(f"<h2 class='x'>{it}</h2>" if len(it) < 60 else f"<p>{it}</p>" for it in spread)
    return (
        "<!DOCTYPE html><html><head><title>Not the text</title><style>p { color: red }</style></head>\n<body>"
        f"<!-- a <b>comment</b> --><script>if (a < b) {{ alert('no') }}</script>\n<div>{body}<br/></div></body></html>"
    )


def test_an_article_in_a_messy_page_comes_out_as_it_was(german):
    assert cleaned(page_of(german)) == german.strip()


@pytest.mark.parametrize("encoding", ["latin-1", "sloppy-windows-1252"])
@pytest.mark.parametrize("name", ["english", "german"])
def test_an_article_decoded_wrongly_comes_out_as_it_was(name, encoding, request):
    article = request.getfixturevalue(name)
    assert cleaned(article.encode().decode(encoding)) == article.strip()


def test_a_page_decoded_wrongly_comes_out_as_it_was(german):
    assert cleaned(page_of(german).encode().decode("sloppy-windows-1252")) == german.strip()


@pytest.mark.parametrize("name", ["english", "german"])
def test_a_clean_article_stays_as_it_is(name, request):
    article = request.getfixturevalue(name)
    assert cleaned(article) == article.strip()


def test_cleaning_twice_is_cleaning_once(german):
    once = cleaned(page_of(german))
    assert cleaned(once) == once


@pytest.mark.parametrize(
    "text",
    [
        "if a < b and c > d: x <- y",
        "vector<int> List<String> Map<K, V>",
        "a<b and c>d",
        "if (a<b && c>d) return;",
        "see <https://example.org/?a=1&b=2> or <ada@example.org>",
        "use the <script> tag, then the <title>",
        "1 << 3 >> 2 <= 4 => 5 <> 6 <3",
        "<b without an end",
        "an <!-- unfinished comment",
        "AT&T, R&D, &c and &copy without a semicolon",
        "x <y> z </y> <Tag1>",
    ],
)
def test_what_is_no_markup_is_not_lost(text):
    assert cleaned(text) == text


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("<p>one</p><p>two</p>", "one\n\ntwo"),
        ("one<br>two<BR/>three<br />four", "one\ntwo\nthree\nfour"),
        ("<ul><li>one</li>\n<li>two</li></ul>", "one\n\ntwo"),
        ("<table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>", "a b\n\nc"),
        ("<script>if (a<b) x()</script>text<style>p{}</style>", "text"),
        ("<SCRIPT type='x'>no</SCRIPT >text", "text"),
        ("a<!-- gone -->b", "ab"),
        ("<div title=\"a > b\" data-x='y'>text</div>", "text"),
        ("<a href=https://example.org/?a=1&b=2 target=_blank>text</a>", "text"),
        ("<input disabled>text<img src=x.png alt=''>", "text"),
        ("Line one\nline <b>two</b>\n\nparagraph", "Line one\nline two\n\nparagraph"),
        ("<p>Line one\nline two</p>", "Line one line two"),
        ("Fish &amp; Chips &lt;3 &#x41;&#66; &nbsp; &eacute;", "Fish & Chips <3 AB é"),
        ("&amp;lt; stays encoded once", "&lt; stays encoded once"),
        ("&lt;b&gt;no tag&lt;/b&gt;", "<b>no tag</b>"),
        ("<o:p></o:p>word <my-box x=1>in</my-box>", "word in"),
    ],
)
def test_markup_becomes_text(markup, text):
    assert cleaned(markup) == text


@pytest.mark.parametrize(
    ("broken", "text"),
    [
        ("FÃ¼ÃŸe sind schÃ¶n â€“ sagte er: â€žjaâ€œ.", "Füße sind schön – sagte er: „ja“."),
        ("Ã–sterreich\nÖsterreich", "Österreich\nÖsterreich"),
        ("voilÃ\xa0 le cafÃ©", "voilà le café"),
        ("the ﬁrst ﬂoor", "the first floor"),
        ("cafe\u0301", "café"),
        ("\x1b[31mred\x1b[0m", "red"),
    ],
)
def test_broken_encoding_is_repaired(broken, text):
    assert cleaned(broken) == text


def test_quotes_are_the_authors():
    assert cleaned("»Ja«, “yes”, ‘no’ and „nein“") == "»Ja«, “yes”, ‘no’ and „nein“"


def test_blanks_and_controls_go_and_paragraphs_stay():
    messy = "\ufeff  one \t two\u00a0three\u200b\u00ad \r\n\r\n \r\n\x00\r\nfour\rfive\u2028six  "
    assert cleaned(messy) == "one two three\n\nfour\nfive\nsix"


def test_joiners_of_emoji_and_scripts_stay():
    assert cleaned("👨‍👩‍👧 می‌خواهم") == "👨‍👩‍👧 می‌خواهم"


def test_each_part_can_be_left_out():
    assert cleaned("<b>Ä</b> &amp;", strip_html=False) == "<b>Ä</b> &amp;"
    assert cleaned("FÃ¼r", fix_encoding=False) == "FÃ¼r"
    assert cleaned("Über ALLES", lowercase=True) == "über alles"


@pytest.mark.parametrize(
    ("limit", "excerpt"),
    [
        (100, "One sentence. Another one! A third"),
        (28, "One sentence. Another one!"),
        (26, "One sentence. Another one!"),
        (25, "One sentence. Another"),
        (5, "One"),
        (3, "One"),
        (2, "On"),
    ],
)
def test_a_text_is_cut_after_a_sentence_or_a_word(limit, excerpt):
    assert shorten("One sentence. Another one! A third", limit) == excerpt


@pytest.mark.parametrize(
    ("text", "limit", "excerpt"),
    [
        ("ab👨‍👩‍👧‍👦", 5, "ab"),
        ("abe\u0301\u0323x", 4, "ab"),
        ("🇩🇪🇫🇷", 3, "🇩🇪"),
        ("ok👍🏽", 3, "ok"),
        ("日本語の文章", 4, "日本語の"),
    ],
)
def test_a_text_is_never_cut_within_what_reads_as_one_character(text, limit, excerpt):
    assert shorten(text, limit) == excerpt


@settings(deadline=None, derandomize=True, database=None)
@given(st.text(max_size=200), st.integers(1, 250))
def test_no_more_is_left_than_wanted_and_nothing_is_made_up(text, limit):
    short = shorten(text, limit)
    assert len(short) <= limit
    assert text.startswith(short)
    short.encode()


@settings(deadline=None, derandomize=True, database=None)
@given(st.text(alphabet="<>&;!-/ab p='\"\n\u0301Ã¼", max_size=120))
def test_any_text_can_be_cleaned(text):
    once = cleaned(text)
    assert once == once.strip()
    assert not any(unicodedata.category(char) == "Cc" and char != "\n" for char in once)


def test_nothing_but_markup_fails_the_step(run_step):
    with pytest.raises(Exception, match="`text` is empty once markup") as refused:
        run_step("text.clean", "<p> </p><script>x</script>")
    assert refused.value.code == "BadInput"
