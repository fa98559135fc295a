"""Words of a text, and the writing systems that put no blanks between them."""

import re
from collections import Counter
from collections.abc import Iterator

# A word may hold apostrophes and hyphens; scripts without blanks are read in pairs of characters.
UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
WORD = re.compile(rf"[{UNSPACED}]+|[^\W_{UNSPACED}]+(?:['’‐‑-][^\W_{UNSPACED}]+)*")
POSSESSIVE = re.compile("['’]s$")
FIRST_UNSPACED = re.compile(f"[{UNSPACED}]")


def words_of(text: str) -> Iterator[str]:
    """The words as they are written, a possessive 's cut off."""
    for word in WORD.findall(text):
        if FIRST_UNSPACED.match(word):
            yield from (word[at : at + 2] for at in range(max(1, len(word) - 1)))
        else:
            yield POSSESSIVE.sub("", word)


def normal(word: str) -> str:
    """The word as stop-word lists and stemmers know it."""
    return word.lower().replace("’", "'")


def count(text: str) -> Counter[str]:
    """How often each word occurs, in lower case."""
    return Counter(map(normal, words_of(text)))


def is_content(word: str) -> bool:
    """Whether a word may carry a subject at all: no number, no single letter (but ideographs stand alone)."""
    return not word[0].isdigit() and (len(word) > 1 or bool(FIRST_UNSPACED.match(word)))
