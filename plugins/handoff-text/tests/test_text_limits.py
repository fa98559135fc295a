"""Which texts are taken, and what the largest ones may cost."""

import random
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handoff.steps import StepError

pytestmark = pytest.mark.slow

MIB = 1024 * 1024
TYPES = ["text.clean", "text.summarize", "text.keywords", "text.tag"]
# Far above what they take alone on one core, since tests share it; a quadratic step takes minutes.
SECONDS = 30
# What words, sentences and lists are made of, in several scripts.
ODD = "aAbzäß the. DER?!…:\n-–*1#>'\"»(日本語。я🙂\u0301\u200d\u00a0"


def params_of(name):
    return {"categories": ["Sport", "Klima", "Health"]} if name == "text.tag" else {}


@pytest.mark.parametrize("name", TYPES)
@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ("x" * (MIB + 1), "is 1,048,577 bytes long"),
        ("ü" * (MIB // 2 + 1), "is 1,048,578 bytes long"),
        ({"text": "x" * (MIB + 1)}, "is 1,048,577 bytes long"),
        ("half \ud83d", "not valid Unicode"),
        ("", "`text` is empty"),
        (42, "`text` must be a text, but is a number"),
        ({"text": ["a"]}, "`text` must be a text, but is a list"),
        ({"body": "a"}, "`text` is missing"),
    ],
    ids=lambda value: str(value)[:20].encode("ascii", "replace").decode(),
)
def test_what_is_no_proper_text_is_refused_by_name(name, wrong, says, run_step):
    with pytest.raises(StepError) as refused:
        run_step(name, wrong, **params_of(name))
    assert (refused.value.code, refused.value.retryable) == ("BadInput", False)
    assert says in refused.value.message
    assert "`text`" in refused.value.message


@pytest.mark.parametrize("name", TYPES)
def test_a_bare_text_and_an_object_with_more_are_the_same(name, run_step, german):
    bare = run_step(name, german, **params_of(name))
    assert run_step(name, {"text": german, "summary": 1, "sentences": "x"}, **params_of(name)) == bare


@pytest.mark.parametrize("name", TYPES)
def test_a_text_of_just_one_mebibyte_is_worked_on_in_time(name, run_step, english):
    text = (english * 40)[:MIB]
    while len(text.encode()) > MIB:
        text = text[: -(len(text.encode()) - MIB)]
    began = time.monotonic()
    assert run_step(name, text, **params_of(name))["text"]
    assert time.monotonic() - began < SECONDS


def _random_words():
    chance = random.Random(1)
    return " ".join(
        "".join(chance.choices("abcdefghijk", k=6)) + ("." if n % 15 == 0 else "") for n in range(140_000)
    )


MEAN = {
    "open tags": lambda: "<p>" * 349_000,
    "nested": lambda: "<div>" * 209_000,
    "comments": lambda: "<!--" * 262_000,
    "scripts": lambda: "</script>" + "<script>" * 130_000,
    "quotes": lambda: '<a "' * 262_000,
    "blank lines": lambda: "a \n" * 349_000,
    "mojibake": lambda: "Ã¼\n" * 209_000,
    "random words": _random_words,
    "one word": lambda: "x" * MIB,
    "initials": lambda: "A. " * 349_000,
    "compounds": lambda: "der die das " * 30_000 + " ".join(f"klima{number}" for number in range(60_000)),
}


@pytest.mark.soak
@pytest.mark.parametrize("name", TYPES)
@pytest.mark.parametrize("kind", MEAN)
def test_mean_texts_are_worked_on_in_time(name, kind, run_step):
    began = time.monotonic()
    try:
        run_step(name, MEAN[kind]()[:MIB], **params_of(name))
    except StepError as refused:
        assert refused.code == "BadInput"  # noqa: PT017  (nothing may be left of it)
    assert time.monotonic() - began < SECONDS


@pytest.mark.parametrize("kind", ["nested", "comments", "quotes"])
def test_markup_made_to_be_slow_is_not(kind, run_step):
    began = time.monotonic()
    try:
        run_step("text.clean", MEAN[kind]()[:MIB])
    except StepError as refused:
        assert refused.code == "BadInput"  # noqa: PT017
    assert time.monotonic() - began < SECONDS


@settings(deadline=None, derandomize=True, database=None)
@given(st.text(alphabet=ODD, min_size=1, max_size=150).filter(str.strip))
def test_no_text_breaks_a_step(run_step, text):
    for name in TYPES[1:]:
        assert run_step(name, text, **params_of(name)).keys() >= {"text"}
