"""A text's sentences. Each block is parted on its own, so the order of the blocks changes nothing."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from handoff_text.language import GERMAN, Language
from handoff_text.stopwords import words

ENDINGS = ".!?…。！？؟।"
CLOSERS = "\"'»«”“’‘›)]"
_CLOSERS = re.escape(CLOSERS)
UNSPACED_ENDINGS = "。！？"
# A full stop, which counts before a blank (`_boundaries`), or one that needs none.
STOP = re.compile(rf"[.!?…؟।]++[{_CLOSERS}]*+|[{UNSPACED_ENDINGS}]++[{_CLOSERS}」』]*+")
OPENERS = "\"'„“”‚‘«»‹›([—–-¿¡"
FIRST_WORD = re.compile(rf"[\s{re.escape(OPENERS)}]*(\w[\w'’-]*)")
# Read from its end.
LAST_WORD = re.compile(r"[\w.&’'-]*+")
BLANK_LINES = re.compile(r"\n\s*\n")
BULLET = re.compile(r"(?:[-*•·–—‣▪●]|\(?\d{1,3}[.)]|\(?[A-Za-z]\))\s+(?=\S)")
MARKS = re.compile(r"^(?:#{1,6}\s+|>\s?)+")
RULE = re.compile(r"[\s\W_]*")

# After these no sentence ends, whatever follows.
TITLES = words(
    """
    abs anm aufl bes bspw bzgl bzw ca cf chr dgl dipl dr ebd eig eigtl engl frl ggf ggü gov hon hrn hrsg inkl insb lfd
    lt messrs mr mrs ms mt phil prof rev sen sog spp str tel univ vgl vs zit zzgl z.b d.h u.a i.d.r i.e e.g a.d u.u
    o.ä u.ä s.o s.u v.a z.t i.a m.e b.z.w v.chr n.chr
    """
)
# After these none ends before a number.
NUMBERED = words(
    """
    abb art ch eq fig figs kap max min mind no nr nrn op p pp s sec st std tab vol vols
    jan feb mar mär apr jun jul aug sep sept oct okt nov dec dez
    """
)
# After these one ends only if the next word is one that opens sentences.
MAYBE = words(
    """
    a.m p.m approx ave blvd bros co col corp dept ed eds est et etc evtl ff gen ing inc jr ltd mio mrd ph.d plc rep sq
    sr st usf usw u.s u.k u.n e.u d.c u.s.a u.s.w b.a m.a bldg
    """
)
LARGEST_ORDINAL = 31
HEADING_WORDS = 14
QUESTION_WORDS = 7
# Lines of about the same width that end anywhere are wrapped; shorter ones end where their author ended them.
WRAPPED_FROM, WRAPPED_TO = 45, 140
LONGEST = 1_000
PIECE = 300


@dataclass(frozen=True, slots=True)
class Sentence:
    """`is_whole`: it is a sentence, not a heading, an item of a list or a line of a table."""

    text: str
    is_whole: bool


def sentences_of(text: str, language: Language) -> list[Sentence]:
    """All sentences and fragments, in order."""
    return [
        sentence for line in _lines(text) for sentence in _parted(line, language) if sentence.text.strip()
    ]


def _lines(text: str) -> Iterator[str]:
    for block in BLANK_LINES.split(text):
        yield from _unwrapped([line.strip() for line in block.split("\n") if line.strip()])


def _unwrapped(lines: list[str]) -> Iterator[str]:
    """The lines of a block, those put together again that were parted only by their width."""
    width = max(map(len, lines), default=0)
    parts: list[str] = []
    for line in lines:
        if parts and not _goes_on(parts[-1], line, width):
            yield " ".join(parts)
            parts = []
        parts.append(line)
    if parts:
        yield " ".join(parts)


def _goes_on(previous: str, line: str, width: int) -> bool:
    if BULLET.match(line) or MARKS.match(line) or previous.rstrip(CLOSERS)[-1:] in ENDINGS:
        return False
    return line[0].islower() or (WRAPPED_FROM <= width <= WRAPPED_TO and len(previous) >= 0.7 * width)


def _parted(line: str, language: Language) -> Iterator[Sentence]:
    if RULE.fullmatch(line):
        return
    bare = MARKS.sub("", line)
    if bullet := BULLET.match(bare):
        bare = bare[bullet.end() :]
    pieces = list(_split(bare, language))
    if len(pieces) == 1 and _is_heading(line, bare):
        yield Sentence(bare, False)
        return
    for piece in pieces:
        is_whole = piece.rstrip(CLOSERS + "」』")[-1:] in ENDINGS
        if len(piece) <= LONGEST:
            yield Sentence(piece, is_whole)
        else:
            yield from (Sentence(part, is_whole) for part in _chopped(piece))


def _is_heading(line: str, bare: str) -> bool:
    if line.startswith("#"):
        return True
    count = bare.count(" ") + 1
    if bare.endswith("?"):
        return count <= QUESTION_WORDS
    return bare[-1] not in ENDINGS + CLOSERS and count <= HEADING_WORDS


def _split(line: str, language: Language) -> Iterator[str]:
    start = 0
    for stop in _boundaries(line):
        end = stop.end()
        if _is_end(line, start, stop, language):
            yield line[start:end].strip()
            start = end
    if rest := line[start:].strip():
        yield rest


def _boundaries(line: str) -> Iterator[re.Match[str]]:
    """Where a sentence may end. What a look-ahead after runs of stops would be is asked here: each run is read once."""
    for stop in STOP.finditer(line):
        after = line[stop.end() : stop.end() + 1]
        if stop[0][0] in UNSPACED_ENDINGS or after.isspace():
            yield stop


def _is_end(line: str, start: int, stop: re.Match[str], language: Language) -> bool:
    # Enough of what follows to see the next word; a slice of all of it would make long lines quadratic.
    follows = FIRST_WORD.match(line, stop.end(), stop.end() + 80)
    if stop[0][0] in UNSPACED_ENDINGS:
        return True
    if follows is None:
        return True
    next_word = follows[1]
    if next_word[0].islower():
        return False
    if stop[0][0] != "." or len(stop[0]) > 1:
        return True
    backwards = LAST_WORD.match(line[max(start, stop.start() - 40) : stop.start()][::-1])
    return _ends_after(backwards[0][::-1] if backwards else "", next_word, language)


def _ends_after(last: str, following: str, language: Language) -> bool:
    """Whether `last.` before a capital letter ends a sentence."""
    bare = last.lower().lstrip("('’")
    if bare in TITLES:
        return False
    if bare in NUMBERED and following[0].isdigit():
        return False
    opens = following.lower() in language.stop
    if bare in MAYBE or (len(bare) == 1 and bare.isalpha()) or re.fullmatch(r"(?:\w\.)+\w", bare):
        return opens and len(following) > 1
    if language is GERMAN and bare.isdigit() and int(bare[:4]) <= LARGEST_ORDINAL:
        return opens
    return True


def _chopped(piece: str) -> Iterator[str]:
    """A sentence of monstrous length, at blanks where it has any."""
    start = 0
    while start < len(piece):
        end = len(piece)
        if end - start > LONGEST:
            blank = piece.rfind(" ", start + PIECE // 2, start + PIECE)
            end = blank if blank > 0 else start + PIECE
        yield piece[start:end].strip()
        start = end
