"""Where sentences end, and what is no sentence."""

import pytest

from handoff_text import tokens
from handoff_text.language import ENGLISH, GERMAN, detect
from handoff_text.sentences import sentences_of


def parted(text, language):
    return [sentence.text for sentence in sentences_of(text, language)]


@pytest.mark.parametrize(
    "sentences",
    [
        ["Dr. Smith paid $3.50 for it.", "He left."],
        ["They met, e.g. on Mondays, at 3 p.m. and at 5 a.m. again.", "Fine."],
        ["She lives in the U.S.", "He moved to Washington, D.C. in May."],
        ["J. R. R. Tolkien wrote it.", "Mr. Jones of the U.S. Army read it."],
        ["It grew by 2.5 percent in 2003.", "Then it fell."],
        ['"Stop!" he cried.', "Nobody did."],
        ['He said "War."', "She said (in a low voice) nothing."],
        ["What now?", "Wait … no!", "Yes."],
        ["See Fig. 3 and No. 5.", "Then go on."],
        ["He stood in the sun.", "Heat was the least of it."],
        ["I had that in mind.", "Similar things happen."],
    ],
    ids=lambda sentences: sentences[0],
)
def test_english_sentences(sentences):
    assert parted(" ".join(sentences), ENGLISH) == sentences


@pytest.mark.parametrize(
    "sentences",
    [
        ["Das ist z. B. ein Test.", "Es ist, d. h. es war einer."],
        ["Dr. Anna Petersen kam am 3. Oktober.", "Sie blieb."],
        ["Im 18. Jahrhundert und unter Friedrich II. war das so.", "Dann nicht mehr."],
        ["Er kam im Jahr 2003.", "Danach ging er."],
        ["Es kostet ca. 3.000 Euro bzw. 2,5 Mio. Euro.", "Das ist viel."],
        ["»Den Ersten der Tod«, hieß es.", "»Das Brot.«", "Erst dann."],
        ["Er fragte: „Warum?“", "Niemand wusste es."],
        ["Äpfel, Birnen usw. lagen da.", "Über allem lag Staub."],
    ],
    ids=lambda sentences: sentences[0],
)
def test_german_sentences(sentences):
    assert parted(" ".join(sentences), GERMAN) == sentences


def test_scripts_without_blanks_have_sentences_too():
    text = "これは最初の文です。これは二番目です！"
    assert parted(text, detect(tokens.count(text))) == ["これは最初の文です。", "これは二番目です！"]


def test_headings_items_and_rules_are_told_from_sentences():
    text = "# A heading.\n\nAnother heading\nThis is a sentence.\n\nWhy?\n\n- an item\n2. a second\n\n-----\n\nThe end."
    sentences = [(sentence.text, sentence.is_whole) for sentence in sentences_of(text, ENGLISH)]
    assert sentences == [
        ("A heading.", False),
        ("Another heading", False),
        ("This is a sentence.", True),
        ("Why?", False),
        ("an item", False),
        ("a second", False),
        ("The end.", True),
    ]


def test_wrapped_lines_are_put_together_and_short_ones_are_not():
    text = "This text is wrapped at about sixty characters, and so the\nsentence goes on. Roses\nViolets"
    assert parted(text, ENGLISH) == [
        "This text is wrapped at about sixty characters, and so the sentence goes on.",
        "Roses",
        "Violets",
    ]


def test_the_order_of_paragraphs_changes_no_sentence(english):
    blocks = english.strip().split("\n\n")
    assert sorted(parted("\n\n".join(reversed(blocks)), ENGLISH)) == sorted(parted(english, ENGLISH))


def test_all_headings_of_the_article_are_found(english):
    headings = [sentence.text for sentence in sentences_of(english, ENGLISH) if not sentence.is_whole]
    assert headings == [block for block in english.strip().split("\n\n") if len(block) < 60]


def test_a_sentence_without_end_is_chopped():
    sentences = sentences_of("word " * 5_000, ENGLISH)
    assert max(len(sentence.text) for sentence in sentences) <= 1_000


@pytest.mark.parametrize(("name", "code"), [("english", "en"), ("german", "de")])
def test_the_language_is_told_by_its_stop_words(name, code, request):
    assert detect(tokens.count(request.getfixturevalue(name))).code == code


@pytest.mark.parametrize(
    "text", ["", "xyzzy plugh", "これは日本語です", "Le chat mange la souris sur la table", "12 34"]
)
def test_other_texts_are_neither(text):
    assert detect(tokens.count(text)).code == ""
