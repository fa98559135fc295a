"""Which language a text is written in (English, German or neither), told by its stop words."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

import snowballstemmer

from handoff_text import stopwords

MIN_SHARE = 0.08
MIN_HITS = 2
# A text of a million random words must not cost a minute: beyond this many words, rare ones stay unstemmed.
MAX_STEMMED = 30_000
LONGEST_WORD = 60


@dataclass(frozen=True, slots=True)
class Language:
    """`code` is en, de or "" where it is neither; then nothing is stemmed, and all stop words apply."""

    code: str
    stop: frozenset[str]
    general: frozenset[str]
    algorithm: str | None


ENGLISH = Language("en", stopwords.ENGLISH, stopwords.ENGLISH_GENERAL, "english")
GERMAN = Language("de", stopwords.GERMAN, stopwords.GERMAN_GENERAL, "german")
OTHER = Language(
    "",
    stopwords.ENGLISH | stopwords.GERMAN,
    stopwords.ENGLISH_GENERAL | stopwords.GERMAN_GENERAL,
    None,
)


def detect(counts: Mapping[str, int]) -> Language:
    """The language, from how often each lower-case word occurs; the order of the words plays no part."""
    total = sum(counts.values())
    hits = {
        language: sum(count for word, count in counts.items() if word in language.stop)
        for language in (ENGLISH, GERMAN)
    }
    best = max(hits, key=lambda language: hits[language])
    if hits[best] < max(MIN_HITS, MIN_SHARE * total) and total > MIN_HITS:
        return OTHER
    return best if hits[best] else OTHER


@cache
def general_stems(language: Language) -> frozenset[str]:
    """The stems of the words that are too general to be anybody's keyword."""
    return frozenset(stems(dict.fromkeys(language.general, 1), language).values())


def stems(counts: Mapping[str, int], language: Language) -> dict[str, str]:
    """Each lower-case word's stem. Past MAX_STEMMED words the rarer ones stand for themselves."""
    stem_of = {word: word for word in counts}
    if language.algorithm is None:
        return stem_of
    stemmable = [word for word in counts if len(word) <= LONGEST_WORD]
    if len(stemmable) > MAX_STEMMED:
        stemmable = sorted(stemmable, key=lambda word: (-counts[word], word))[:MAX_STEMMED]
    # One stemmer for each call: it keeps the word it works on in itself, and steps run in threads.
    stemmer = snowballstemmer.stemmer(language.algorithm)
    stem_of.update(zip(stemmable, stemmer.stemWords(stemmable), strict=True))
    return stem_of
