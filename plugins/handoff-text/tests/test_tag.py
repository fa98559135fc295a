"""text.tag: a category by evidence, none without."""

import random

import pytest

from handoff.steps import StepError
from handoff_text.evidence import _topics
from handoff_text.tag import DEFAULT_CATEGORIES

FOOTBALL = (
    "Der Trainer lobte nach dem Spiel seine Mannschaft. In der zweiten Halbzeit erzielte der Stürmer zwei Tore, "
    "und der Verein führt nun die Tabelle der Bundesliga an."
)
MONEY = (
    "The central bank raised interest rates by a quarter point, saying inflation remained too high. Economists expect "
    "another rise, which would make mortgages more expensive."
)
ENGLISH = [
    "Technology",
    "Health",
    "Politics",
    "Finance",
    "Sport",
    "Environment",
    "Education",
    "Travel",
    "Food",
]
GERMAN = ["Technik", "Gesundheit", "Politik", "Wirtschaft", "Sport", "Umwelt", "Bildung", "Reisen", "Essen"]


@pytest.fixture
def tag(run_step):
    return lambda text, categories: run_step("text.tag", text, categories=categories)


@pytest.mark.parametrize(
    ("name", "categories", "best"),
    [
        ("english", [*ENGLISH, "Urban planning"], "Urban planning"),
        ("english", ["Politics", "Sport", "Climate"], "Climate"),
        ("german", GERMAN, "Umwelt"),
        ("german", ["Sport", "Klimaschutz", "Kultur"], "Klimaschutz"),
    ],
)
def test_the_articles_find_their_category(name, categories, best, tag, request):
    assert tag(request.getfixturevalue(name), categories)["category"] == best


@pytest.mark.parametrize(
    ("text", "english", "german"),
    [
        (FOOTBALL, "Sport", "Sport"),
        (MONEY, "Finance", "Wirtschaft"),
        ("Der Bundestag hat das Gesetz mit den Stimmen der Koalition beschlossen.", "Politics", "Politik"),
        ("Add the garlic to the soup, simmer for ten minutes and season with salt.", "Food", "Essen"),
        (
            "The patients were given the vaccine at a hospital, and doctors saw no symptoms.",
            "Health",
            "Gesundheit",
        ),
        ("The students passed the exam, and their teacher was proud of the school.", "Education", "Bildung"),
        ("Die neue Software läuft auf dem Server und braucht keine Datenbank.", "Technology", "Technik"),
    ],
    ids=lambda value: value[:20],
)
def test_bare_names_in_either_language_find_short_texts(text, english, german, tag):
    assert tag(text, ENGLISH)["category"] == english
    assert tag(text, GERMAN)["category"] == german


@pytest.mark.parametrize(
    "text", ["She closed the door and looked at the sky.", "Blah blub.", "12 34", "これは文です。"]
)
def test_without_evidence_there_is_no_category(text, tag):
    output = tag(text, ENGLISH)
    assert output["category"] is None
    assert set(output["scores"].values()) == {0.0}
    assert list(output["scores"]) == ENGLISH


@pytest.mark.parametrize("name", ["english", "german"])
def test_a_word_here_and_there_is_no_evidence_in_a_long_text(name, tag, request):
    assert tag(request.getfixturevalue(name), ["Sport", "Religion", "Cooking", "Billing"])["category"] is None


@pytest.mark.parametrize(
    ("text", "category"),
    [
        (FOOTBALL, "Sport"),
        (MONEY, "Business"),
        ("Der Bundestag hat das Gesetz mit den Stimmen der Koalition beschlossen.", "Politics"),
        ("Add the garlic to the soup, simmer for ten minutes and season with salt.", "Food"),
        ("The students passed the exam, and their teacher was proud of the school.", "Education"),
        ("She closed the door and looked at the sky.", None),
    ],
    ids=lambda value: str(value)[:20],
)
def test_without_categories_the_default_ones_are_scored(text, category, run_step):
    output = run_step("text.tag", text)
    assert output["category"] == category
    assert list(output["scores"]) == list(DEFAULT_CATEGORIES)


def test_each_default_category_is_a_topic_of_its_own():
    topics = [_topics(name) for name in DEFAULT_CATEGORIES]
    assert all(len(found) == 1 for found in topics)
    assert len({id(topic) for (topic,) in topics}) == len(topics)


def test_the_name_itself_is_evidence_also_in_compounds(tag):
    assert tag("Der Klimawandel ist da.", ["Klima", "Garten"])["category"] == "Klima"
    assert tag("Our gardens and the gardener", ["Cars", "Garden"])["category"] == "Garden"
    assert tag("An article about articles", ["Art", "Cars"])["category"] is None


def test_description_and_examples_are_evidence(tag):
    categories = [
        {"name": "Alpha", "description": "Questions about the soil of a garden"},
        {"name": "Beta", "examples": ["The drawer squeaks", "a wobbly table"]},
    ]
    assert tag("My soil is too wet for carrots.", categories)["category"] == "Alpha"
    assert tag("Both drawers of the table squeak.", categories)["category"] == "Beta"


def test_what_all_categories_claim_tells_them_apart_less(tag):
    categories = [{"name": "A", "examples": ["blue paint"]}, {"name": "B", "examples": ["blue wool"]}]
    scores = tag("Blue wool, and more blue wool.", categories)["scores"]
    assert scores["B"] > scores["A"] > 0


def test_of_equals_the_first_is_taken(tag):
    categories = [{"name": name, "examples": ["wool"]} for name in ("Zed", "Abc")]
    output = tag("Wool, wool, wool. Wool.", categories)
    assert output["scores"]["Zed"] == output["scores"]["Abc"]
    assert output["category"] == "Zed"


def test_the_order_of_categories_and_paragraphs_changes_no_score(tag, english):
    blocks, categories = english.strip().split("\n\n"), list(ENGLISH)
    expected = tag(english, categories)["scores"]
    random.Random(4).shuffle(blocks)
    random.Random(4).shuffle(categories)
    assert tag("\n\n".join(blocks), categories)["scores"] == expected


def test_scores_lie_between_zero_and_one(tag, english):
    scores = tag(english * 3, [*ENGLISH, "heat", "city"])["scores"]
    assert all(0 <= score <= 1 for score in scores.values())


@pytest.mark.parametrize(
    ("categories", "field"),
    [
        (None, "categories"),
        ([], "categories"),
        ("Sport", "categories"),
        (["a", "b", "a"], "categories"),
        (["a", {"name": "a"}], "categories"),
        ([str(number) for number in range(101)], "categories"),
        (["a", ""], "categories.1.name"),
        ([" "], "categories.0.name"),
        (["x" * 101], "categories.0.name"),
        ([5], "categories.0"),
        ([{"nam": "x"}], "categories.0.name"),
        ([{"name": "x", "weight": 2}], "categories.0.weight"),
        ([{"name": "x", "examples": "y"}], "categories.0.examples"),
    ],
    ids=lambda value: str(value)[:30],
)
def test_wrong_categories_are_refused_with_their_place(categories, field, tag):
    with pytest.raises(StepError) as refused:
        tag("A text.", categories)
    assert (refused.value.code, refused.value.details) == ("BadParams", {"field": field})
    assert f"`{field}`" in refused.value.message
