"""text.keywords: the words and phrases that a text is about, with the text passed on."""

import math
from collections import Counter
from collections.abc import Iterator

from pydantic import BaseModel, ConfigDict, Field

from handoff.steps import Json, Params, StepContext, StepType, WholeNumber
from handoff_text import by_llm, phrases, tokens
from handoff_text.language import detect
from handoff_text.phrases import Family, Key, Survey
from handoff_text.source import LLM_HELP, LLM_TITLE, TextInput, TextOutput

GENERAL_WEIGHT = 0.25
# What a phrase says, a single word as frequent says less precisely; but the best word leads.
BELOW_BEST = 0.95
PHRASE_BONUS = {2: 1.9, 3: 2.0}
# How many keywords may share a word: heat, heat warnings, heat adaptation.
MAX_SHARED = 3
# Stems count as one word where all but this share of the longer one is the same: entwässert, Entwässerung.
SAME_WORD = 0.8
SAME_LETTERS = 6
DIGITS = 4
ENDINGS = ("es", "e", "en", "er", "em")
# Below this share of the best score nothing is worth being called a keyword.
LEAST = 0.15
# Longer words are more precise: up to this length a word gains.
PRECISE_LETTERS = 10


class KeywordsParams(Params):
    """How many keywords to find."""

    limit: WholeNumber = Field(
        10, ge=1, le=100, title="Keywords at most", description="How many keywords to find at most."
    )
    llm: bool = Field(False, title=LLM_TITLE, description=LLM_HELP)


class Keyword(BaseModel):
    """`score`: 1 for the best one, the others in relation to it."""

    model_config = ConfigDict(extra="forbid", strict=True)

    keyword: str
    score: float = Field(ge=0, le=1)


class Keywords(TextOutput):
    """The text as it came, and its keywords, best first."""

    keywords: list[Keyword]


def run(context: StepContext) -> Json:
    """`{text, keywords: [{keyword, score}]}`. Raises StepError where a language model is asked and doesn't help."""
    params: KeywordsParams = context.params
    text = context.input.text
    keywords = by_llm.keywords(context, text, params.limit) if params.llm else extract(text, params.limit)
    return {"text": text, "keywords": [{"keyword": keyword, "score": score} for keyword, score in keywords]}


def extract(text: str, limit: int) -> list[tuple[str, float]]:
    """The best keywords with their scores, best first."""
    counts = tokens.count(text)
    survey = phrases.survey(text, detect(counts), counts)
    best = _ranked(survey)
    if not best:
        return []
    return [
        (_surface(survey.families[key]), round(score / best[0][0], DIGITS))
        for score, key in _distinct(best, survey, limit)
        if score >= LEAST * best[0][0]
    ]


def _ranked(survey: Survey) -> list[tuple[float, Key]]:
    """All that score, best first."""
    within = _dominated(survey)
    single: dict[Key, float] = {
        key: _word_score(key[0], survey) for key in survey.families if len(key) == 1 and key not in within
    }
    top = max(single.values(), default=0.0)
    scores = dict(single)
    for key in survey.families:
        if len(key) > 1:
            scores[key] = _phrase_score(key, survey, single, top)
    return sorted(
        ((score, key) for key, score in scores.items() if score > 0), key=lambda item: (-item[0], item[1])
    )


def _dominated(survey: Survey) -> set[Key]:
    """Words that occur mostly within one phrase: the phrase stands for them."""
    return {
        (stem,)
        for key, family in survey.families.items()
        if len(key) > 1 and family.count > 1
        for stem in key
        if family.count * 2 > survey.families[(stem,)].count
    }


def _word_score(stem: str, survey: Survey) -> float:
    """Spread over many sentences, noun-like, not too general, and precise."""
    score = math.log2(1 + len(survey.families[(stem,)].sentences)) * survey.nominal[stem]
    if stem in survey.general:
        score *= GENERAL_WEIGHT
    return score * (0.7 + 0.3 * min(1.0, len(stem) / PRECISE_LETTERS))


def _phrase_score(key: Key, survey: Survey, single: dict[Key, float], top: float) -> float:
    """Spread over many sentences, and made of words that are worth something themselves."""
    family = survey.families[key]
    bonus = PHRASE_BONUS[len(key)] if family.count > 1 else 1.0
    worth = max(single.get((stem,), top) for stem in key) / top if top else 1.0
    spread = math.log2(1 + len(family.sentences))
    score = spread * bonus * (0.4 + 0.6 * worth)
    return score if spread > top else min(score, BELOW_BEST * top)


def _surface(family: Family) -> str:
    """The form that is written most often; among equals, the one nearest to how a lexicon has it."""
    return min(
        family.surfaces.items(),
        key=lambda item: (-item[1], _ending(item[0]), item[0].count(" ") * -len(item[0]), item[0]),
    )[0]


def _ending(surface: str) -> int:
    """German adjectives: nasses Moor rather than nasse Moor or nassen Moor."""
    adjective, blank, _ = surface.partition(" ")
    fitting = [place for place, ending in enumerate(ENDINGS) if blank and adjective.endswith(ending)]
    return min(fitting, default=len(ENDINGS))


def _distinct(ranked: list[tuple[float, Key]], survey: Survey, limit: int) -> Iterator[tuple[float, Key]]:
    """The best ones that say something that those before them don't."""
    keys: list[Key] = []
    shared: Counter[str] = Counter()
    for score, key in ranked:
        if len(keys) == limit:
            return
        if any(shared[stem] >= MAX_SHARED for stem in key):
            continue
        if any(_says_the_same(key, other, survey) for other in keys):
            continue
        keys.append(key)
        shared.update(key)
        yield score, key


def _says_the_same(key: Key, other: Key, survey: Survey) -> bool:
    if len(key) == len(other):
        return all(_is_same_word(one, two) for one, two in zip(sorted(key), sorted(other), strict=True))
    small, large = sorted((key, other), key=len)
    if not _is_within(small, large):
        return False
    # One within the other: both are worth a place only if the smaller one mostly occurs outside the larger one.
    return survey.families[large].count * 2 > survey.families[small].count


def _is_within(small: Key, large: Key) -> bool:
    return any(large[at : at + len(small)] == small for at in range(len(large) - len(small) + 1))


def _is_same_word(one: str, other: str) -> bool:
    if one == other:
        return True
    longer = max(len(one), len(other))
    same = next(
        (at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other))
    )
    return same >= SAME_LETTERS and same >= SAME_WORD * longer


TEXT_KEYWORDS = StepType(
    name="text.keywords",
    kind="inline",
    title="Extract keywords",
    help="Finds the words and phrases that the text is about, and passes the text on.",
    keywords="terms topics phrases tags extract",
    icon="key",
    group="text",
    example={
        "params": {"limit": 3},
        "input": {
            "text": "Street trees cool a city. Old street trees need water, and young street trees need more of it."
        },
    },
    params_model=KeywordsParams,
    input_model=TextInput,
    output_model=Keywords,
    run=run,
    variant=by_llm.variant,
)
