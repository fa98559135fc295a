"""text.summarize: central sentences, in order, whatever the order of the paragraphs."""

import random

import pytest

from handoff.steps import StepError
from handoff_text import tokens
from handoff_text.language import detect
from handoff_text.sentences import sentences_of
from handoff_text.summarize import summarize

pytestmark = pytest.mark.slow

THESIS = "Cities can lower the danger of extreme heat considerably with trees, shade"
CONCLUSION = "Cities that begin with the most exposed people and the cheapest measures"


def whole_sentences(text):
    return [sentence.text for sentence in sentences_of(text, detect(tokens.count(text))) if sentence.is_whole]


@pytest.mark.parametrize("name", ["english", "german"])
@pytest.mark.parametrize("limit", [1, 3, 10, 50])
def test_shuffled_paragraphs_give_the_same_sentences(name, limit, request):
    article = request.getfixturevalue(name)
    expected = set(summarize(article, limit))
    blocks = article.strip().split("\n\n")
    for seed in range(5):
        # Other shuffles for each limit: twenty in all.
        random.Random(f"{limit} {seed}").shuffle(blocks)
        assert set(summarize("\n\n".join(blocks), limit)) == expected


@pytest.mark.parametrize("seed", range(5))
def test_shuffled_paragraphs_of_equal_weight_give_the_same_sentences(seed):
    chance = random.Random(seed)
    words = [f"word{number}" for number in range(40)]
    blocks = [f"The {' '.join(chance.choices(words, k=9))} of it." for _ in range(60)]
    expected = set(summarize("\n\n".join(blocks), 7))
    chance.shuffle(blocks)
    assert set(summarize("\n\n".join(blocks), 7)) == expected


@pytest.mark.parametrize("name", ["english", "german"])
def test_sentences_come_in_the_order_of_the_text(name, request):
    article = request.getfixturevalue(name)
    places = [article.index(sentence) for sentence in summarize(article, 12)]
    assert places == sorted(places)


def test_the_summary_of_the_english_article_has_its_thesis_and_its_conclusion(english):
    short = summarize(english, 3)
    assert short[0].startswith(THESIS)
    assert short[-1].startswith(CONCLUSION)


def test_the_summary_of_the_german_article_says_what_it_is_about(german):
    short = " ".join(summarize(german, 5))
    for word in ("Moor", "entwässert", "Klima", "Torf", "Kohlendioxid"):
        assert word in short


@pytest.mark.parametrize("name", ["english", "german"])
def test_the_summary_is_not_the_lead(name, request):
    article = request.getfixturevalue(name)
    sentences = whole_sentences(article)
    places = [sentences.index(sentence) / len(sentences) for sentence in summarize(article, 10)]
    assert min(places) < 0.35
    assert max(places) > 0.65
    assert not set(summarize(article, 3)) & set(sentences[:3])


@pytest.mark.parametrize("name", ["english", "german"])
def test_headings_are_not_chosen_and_sentences_stand_alone(name, request):
    article = request.getfixturevalue(name)
    whole = set(whole_sentences(article))
    for sentence in summarize(article, 10):
        assert sentence in whole
        assert sentence.split()[0] not in {
            "It",
            "They",
            "He",
            "She",
            "This",
            "But",
            "Sie",
            "Er",
            "Es",
            "Aber",
            "Dabei",
        }


def test_no_two_sentences_say_the_same(english):
    doubled = english + "\n\n" + english
    assert summarize(doubled, 5) == list(dict.fromkeys(summarize(doubled, 5)))


def test_a_short_text_is_given_as_it_is(run_step):
    output = run_step("text.summarize", "One thing. And another! A third?", sentences=5)
    assert output == {"text": "One thing. And another! A third?", "sentences": 3}


def test_a_text_without_sentences_still_gives_something():
    assert summarize("milk\nbread\nbutter\nmilk and bread\nbutter and milk", 2)
    assert summarize("milk", 3) == ["milk"]


@pytest.mark.parametrize(
    "text", ["...", "?!", "1 2 3", "=====", "これは最初の文です。これは二番目の文です。", "🙂 🙂. 🙃"]
)
def test_strange_texts_do_not_break_it(text, run_step):
    output = run_step("text.summarize", text)
    assert output["sentences"] == len(summarize(text, 3))


@pytest.mark.parametrize("sentences", [0, 51, "3", 2.5, True, None])
def test_the_number_of_sentences_has_its_limits(sentences, run_step):
    with pytest.raises(StepError, match="`sentences`") as refused:
        run_step("text.summarize", "A text.", sentences=sentences)
    assert refused.value.code == "BadParams"


@pytest.mark.parametrize("name", ["text.summarize", "text.keywords", "text.tag"])
def test_an_llm_that_is_not_configured_is_said_so(name, run_step):
    params = {"categories": ["x"]} if name == "text.tag" else {}
    with pytest.raises(StepError, match="no language model is configured") as refused:
        run_step(name, "A text.", llm=True, **params)
    assert (refused.value.code, refused.value.retryable) == ("LlmNotConfigured", False)
