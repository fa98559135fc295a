"""How strongly a text speaks for a category: which of the words that stand for it occur, and in how many sentences."""

import math
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from handoff_text import tokens
from handoff_text.language import ENGLISH, GERMAN, OTHER, Language, detect, stems
from handoff_text.sentences import sentences_of
from handoff_text.topics import TOPICS, Topic

NAME, SEED, TEXT = 2.0, 1.0, 1.0
# Klima speaks in Klimawandel and sport in sports club, but art does not in article.
COMPOUND_LETTERS, COMPOUND_WORTH = 5, 0.7
# A long list of examples would find something everywhere.
MANY_STEMS = 30
# A text twice as long needs more evidence for the same score, but not twice as much.
WORDS_PER_DOUBT = 20
# In a long text any word turns up once by chance.
WORDS_PER_CHANCE = 2_500

Profile = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Evidence:
    """The stems of a text with the number of sentences that hold them, ready to be looked up."""

    language: Language
    spread: Counter[str]
    forwards: list[str]
    backwards: list[str]
    total: int

    def score(self, profile: Profile) -> float:
        """0..1: how much of the profile the text shows, against its length."""
        chance = self.total / WORDS_PER_CHANCE
        hits = (
            worth * math.log2(1 + max(0.0, self._sentences(stem, profile) - chance))
            for stem, worth in profile.items()
        )
        strength = math.fsum(hits)
        doubt = 1 + math.sqrt(self.total / WORDS_PER_DOUBT)
        return strength / (strength + doubt)

    def _sentences(self, stem: str, profile: Profile) -> float:
        # What speaks for the category itself isn't counted once more as somebody's compound.
        compounds = sum(self.spread[word] for word in self._compounds(stem) if word not in profile)
        return self.spread.get(stem, 0) + COMPOUND_WORTH * compounds

    def _compounds(self, stem: str) -> Iterator[str]:
        if len(stem) < COMPOUND_LETTERS:
            return
        yield from (word for word in _starting(self.forwards, stem) if word != stem)
        if self.language is GERMAN:
            yield from (word[::-1] for word in _starting(self.backwards, stem[::-1]) if word != stem[::-1])


def _starting(ordered: Sequence[str], prefix: str) -> Iterator[str]:
    at = bisect_left(ordered, prefix)
    while at < len(ordered) and ordered[at].startswith(prefix):
        yield ordered[at]
        at += 1


def evidence_of(text: str) -> Evidence:
    """What the text says, by stems."""
    counts = tokens.count(text)
    language = detect(counts)
    stem_of = stems({word: count for word, count in counts.items() if word not in language.stop}, language)
    spread = Counter[str]()
    total = 0
    for sentence in sentences_of(text, language):
        lower = map(tokens.normal, tokens.words_of(sentence.text))
        content = [stem_of[word] for word in lower if word not in language.stop and tokens.is_content(word)]
        total += len(content)
        spread.update(set(content))
    backwards = sorted(word[::-1] for word in spread) if language is GERMAN else []
    return Evidence(language, spread, sorted(spread), backwards, total)


def profile_of(name: str, texts: Sequence[str], language: Language) -> Profile:
    """The stems that stand for a category: its name, the texts about it, and the seeds of its topics."""
    profile: dict[str, float] = {}
    text_stems = [stem for text in texts for stem in _stems_of(text, language)]
    worth = TEXT * math.sqrt(min(1.0, MANY_STEMS / max(len(set(text_stems)), 1)))
    for topic in _topics(name):
        profile |= dict.fromkeys(_seeds(topic, language), SEED)
    for stem in text_stems:
        profile[stem] = max(worth, profile.get(stem, 0.0))
    return profile | dict.fromkeys(_stems_of(name, language), NAME)


def _stems_of(text: str, language: Language) -> list[str]:
    lower = [tokens.normal(word) for word in tokens.words_of(text)]
    telling = {
        word: 1 for word in lower if word not in language.stop | language.general and tokens.is_content(word)
    }
    # A name may be nothing but a general word: then that is what it says.
    return list(stems(telling or {word: 1 for word in lower if tokens.is_content(word)}, language).values())


def _seeds(topic: Topic, language: Language) -> Iterator[str]:
    for code, own in (("en", ENGLISH), ("de", GERMAN)):
        if language.code == code:
            yield from stems(dict.fromkeys(sorted(topic.seeds[code]), 1), own).values()
        elif language is OTHER:
            yield from sorted(topic.seeds[code])


def _topics(name: str) -> list[Topic]:
    """The topics that a name is one of the names of, also as the first part of a compound (Klimapolitik)."""
    words = {tokens.normal(word) for word in tokens.words_of(name)}
    words |= {part for word in words for part in word.split("-")}
    return [topic for topic in TOPICS if any(_names(topic, word) for word in words)]


def _names(topic: Topic, word: str) -> bool:
    if word in topic.names:
        return True
    return any(len(name) >= COMPOUND_LETTERS and word.startswith(name) for name in topic.names)


def shared(profiles: Sequence[Profile]) -> list[Profile]:
    """The profiles with what several categories claim counted for less: it doesn't tell them apart."""
    claims = Counter(stem for profile in profiles for stem in profile)
    return [{stem: worth / claims[stem] for stem, worth in profile.items()} for profile in profiles]
