"""text.keywords: what the text is about, each thing once, as the text writes it."""

import pytest

from handoff.steps import StepError
from handoff_text import stopwords
from handoff_text.keywords import extract


def names(text, limit=10):
    return [keyword for keyword, _ in extract(text, limit)]


def test_the_english_article_is_about_heat_in_cities(english):
    keywords = names(english)
    assert keywords[0] == "heat"
    assert {"city", "trees", "street trees", "heat adaptation", "cool rooms"} <= set(keywords)


def test_the_german_article_is_about_moors_and_writes_nouns_as_german_does(german):
    keywords = names(german)
    assert keywords[0] == "Moor"
    assert {"Torf", "Kohlenstoff", "Wasserstand"} <= set(keywords)
    assert all(any(word[0].isupper() for word in keyword.split()) for keyword in keywords)


@pytest.mark.parametrize("name", ["english", "german"])
def test_scores_fall_from_one(name, request):
    scores = [score for _, score in extract(request.getfixturevalue(name), 40)]
    assert scores[0] == 1
    assert scores == sorted(scores, reverse=True)
    assert scores[-1] > 0


@pytest.mark.parametrize("name", ["english", "german"])
def test_no_stop_word_is_a_keyword_or_opens_or_ends_one(name, request):
    for keyword in names(request.getfixturevalue(name), 60):
        for word in (keyword.lower().split()[0], keyword.lower().split()[-1]):
            assert word not in stopwords.ENGLISH | stopwords.GERMAN


@pytest.mark.parametrize("name", ["english", "german"])
def test_no_keyword_is_another_form_of_one_before(name, request):
    stems = [keyword.lower().rstrip("sen") for keyword in names(request.getfixturevalue(name), 40)]
    assert len(stems) == len(set(stems))


def test_forms_of_a_phrase_count_as_one_and_the_most_frequent_is_shown():
    text = (
        "A solar panel gives power. Solar panels need sun. The solar panels were cheap. Power comes at noon. "
        "Two solar panels feed a pump."
    )
    keywords = names(text)
    assert keywords[0] == "solar panels"
    assert not {"solar panel", "panel", "panels", "solar"} & set(keywords)


def test_phrases_are_found_in_short_texts_too():
    text = "The query planner is new. It learns from the past, and the query planner corrects its estimates."
    assert "query planner" in names(text, 3)


def test_the_limit_is_kept_and_the_text_passed_on(run_step, german):
    output = run_step("text.keywords", {"text": german, "other": 1}, limit=4)
    assert output["text"] == german
    assert len(output["keywords"]) == 4


def test_shuffled_paragraphs_give_the_same_keywords(english):
    blocks = english.strip().split("\n\n")
    assert extract("\n\n".join(reversed(blocks)), 20) == extract(english, 20)


@pytest.mark.parametrize("text", ["123 456", "the and of", "...", "🙂", "a"])
def test_a_text_without_words_has_no_keywords(text):
    assert extract(text, 10) == []


@pytest.mark.parametrize(
    "text",
    ["これは最初の文です。これは二番目の文です。", "Le chat mange la souris.", "Привет, мир. Мир велик."],
)
def test_other_languages_give_something(text):
    assert extract(text, 3)


@pytest.mark.parametrize("limit", [0, 101, "10", 1.5])
def test_the_limit_has_its_limits(limit, run_step):
    with pytest.raises(StepError, match="`limit`") as refused:
        run_step("text.keywords", "A text.", limit=limit)
    assert refused.value.code == "BadParams"
