"""What a text's words and phrases do: how often they occur, how they are written, whether they act as nouns."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from handoff_text import nouns, tokens
from handoff_text.language import ENGLISH, GERMAN, OTHER, Language, general_stems, stems
from handoff_text.sentences import sentences_of

MAX_WORDS = 3
# In short texts a phrase that occurs once may be what they are about.
SHORT_TEXT = 120
# What parts two phrases: everything but blanks and what words are made of.
PUNCTUATION = re.compile(r"[^\w\s'’‐‑-]+|\s[-–—]+\s")

# Lower-case German words that may open a phrase are inflected adjectives.
ADJECTIVE = re.compile(r".{2,}(?:e|em|en|er|es)$")
UNDECIDED, PLURAL = 0.35, 0.8
SHORT_WORD = 3


@dataclass(slots=True)
class Token:
    """One word where it stands; `before` and `after` are its neighbours, empty at a comma or the like."""

    surface: str
    lower: str
    stem: str
    opens_sentence: bool
    before: str
    after: str = ""


@dataclass(slots=True)
class Family:
    """All occurrences of one word or phrase, whatever its endings.

    `judged`: in how many of them one can tell whether it acts as a noun; `nouns`: the evidence that it does.
    """

    count: int = 0
    judged: int = 0
    nouns: float = 0.0
    surfaces: Counter[str] = field(default_factory=Counter)
    sentences: set[int] = field(default_factory=set)


Key = tuple[str, ...]


@dataclass(slots=True)
class Survey:
    """What was found. `nominal` is the share of a stem's occurrences that act as nouns, 0..1."""

    language: Language
    families: dict[Key, Family]
    sentences: int
    total: int
    general: frozenset[str]
    nominal: dict[str, float]


def survey(text: str, language: Language, counts: Counter[str]) -> Survey:
    """All words and phrases of the text that may be keywords."""
    stop = language.stop | _parting(language, counts)
    stem_of = stems({word: count for word, count in counts.items() if word not in stop}, language)
    sentences = [sentence.text for sentence in sentences_of(text, language)]
    runs = [(at, run) for at, sentence in enumerate(sentences) for run in _runs(sentence, stop, stem_of)]
    capital = _capitalised(runs)
    families: dict[Key, Family] = {}
    for at, run in runs:
        for position, token in enumerate(run):
            _note(families, (token.stem,), [token], at, capital)
            _judge(families[(token.stem,)], run, position, capital, language)
    total = sum(len(run) for _, run in runs)
    nominal = {key[0]: _nominal(family, language) for key, family in families.items()}
    result = Survey(language, families, len(sentences), total, general_stems(language), nominal)
    _add_phrases(result, runs, capital)
    return result


def _parting(language: Language, counts: Counter[str]) -> frozenset[str]:
    """What parts phrases beside stop words: adverbs; in languages without a list, what is short and frequent."""
    if language is ENGLISH:
        return frozenset(filter(nouns.is_adverb, counts))
    if language is GERMAN:
        return frozenset()
    often = sum(counts.values()) * 0.01
    return frozenset(
        word
        for word, count in counts.items()
        if not tokens.FIRST_UNSPACED.match(word)
        and (len(word) <= SHORT_WORD or (count > often and len(word) <= SHORT_WORD + 1))
    )


def _runs(sentence: str, stop: frozenset[str], stem_of: dict[str, str]) -> Iterator[list[Token]]:
    """Content words that stand together without punctuation or a stop word between them."""
    opens = True
    for part in PUNCTUATION.split(sentence):
        run: list[Token] = []
        before = ""
        for surface in tokens.words_of(part):
            lower = tokens.normal(surface)
            if lower in stop or not tokens.is_content(lower):
                if run:
                    run[-1].after = lower
                    yield run
                    run = []
            else:
                run.append(Token(surface, lower, stem_of.get(lower, lower), opens, before))
            before, opens = lower, False
        if run:
            yield run


def _capitalised(runs: Sequence[tuple[int, list[Token]]]) -> dict[str, float]:
    """The share of capitals among a word's occurrences inside sentences; words that only open them: a half."""
    inside, capitals = Counter[str](), Counter[str]()
    seen: set[str] = set()
    for _, run in runs:
        for token in run:
            seen.add(token.lower)
            if not token.opens_sentence:
                inside[token.lower] += 1
                capitals[token.lower] += token.surface[0].isupper()
    return {word: capitals[word] / inside[word] if inside[word] else 0.5 for word in seen}


def _written(token: Token, capital: dict[str, float]) -> str:
    """The word as it is written inside a sentence."""
    lowered = token.opens_sentence and capital[token.lower] <= 0.5 and token.surface[1:].islower()
    return token.lower if lowered else token.surface


def _judge(
    family: Family, run: Sequence[Token], at: int, capital: dict[str, float], language: Language
) -> None:
    token = run[at]
    if language is GERMAN:
        family.judged += 1
        family.nouns += capital[token.lower]
    elif language is ENGLISH and (token.opens_sentence or token.surface[0].islower()):
        evidence = nouns.evidence(run[0].before, token.lower, token.after, at == len(run) - 1)
        if evidence is not None:
            family.judged += 1
            family.nouns += evidence
    else:
        family.judged += 1
        family.nouns += nouns.EVIDENCE


def _nominal(family: Family, language: Language) -> float:
    if family.judged:
        if language is GERMAN:
            return family.nouns / family.judged
        # Little evidence is not taken for much.
        return min(1.0, max(0.0, family.nouns + 1) / (family.judged + 1.5))
    # An English word that is always followed by another: an adjective, unless it has a plural.
    has_plural = any(form.endswith("s") and not form.endswith("ss") for form in family.surfaces)
    return PLURAL if has_plural else UNDECIDED


def _note(
    families: dict[Key, Family], key: Key, run: Sequence[Token], sentence: int, capital: dict[str, float]
) -> None:
    family = families.get(key)
    if family is None:
        family = families[key] = Family()
    family.count += 1
    family.sentences.add(sentence)
    family.surfaces[" ".join(_written(token, capital) for token in run)] += 1


def _add_phrases(survey: Survey, runs: Sequence[tuple[int, list[Token]]], capital: dict[str, float]) -> None:
    is_short = survey.total < SHORT_TEXT and survey.language is not OTHER
    least, longest = (1, 2) if is_short else (2, MAX_WORDS)
    for at, run in runs:
        for start in range(len(run) - 1):
            for end in range(start + 2, min(start + longest, len(run)) + 1):
                part = run[start:end]
                # What one word hasn't, no phrase with it has: this keeps a text of random words cheap.
                if survey.families[(part[-1].stem,)].count < least:
                    break
                if _may_be_phrase(part, survey, capital):
                    _note(survey.families, tuple(token.stem for token in part), part, at, capital)
    for key in [key for key, family in survey.families.items() if len(key) > 1 and family.count < least]:
        del survey.families[key]


def _may_be_phrase(part: Sequence[Token], survey: Survey, capital: dict[str, float]) -> bool:
    is_name = all(token.surface[0].isupper() and not token.opens_sentence for token in part)
    if survey.language is ENGLISH and is_name:
        return True
    if any(token.stem in survey.general for token in part) or len({token.stem for token in part}) < len(part):
        return False
    if any(tokens.FIRST_UNSPACED.match(token.surface) for token in part):
        return False
    if survey.nominal[part[-1].stem] < 0.5:
        return False
    if survey.language is GERMAN:
        return all(capital[token.lower] >= 0.5 or ADJECTIVE.match(token.lower) for token in part[:-1])
    return not any(nouns.is_superlative(token.lower) for token in part[:-1])
