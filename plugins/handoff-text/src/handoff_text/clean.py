"""text.clean: markup, entities, broken encoding and runs of blanks gone; the paragraphs stay."""

import re
import unicodedata
from collections.abc import Iterator

from ftfy import fix_encoding
from ftfy.badness import is_bad
from ftfy.fixes import fix_latin_ligatures, remove_terminal_escapes
from pydantic import Field

from handoff.steps import Json, Params, StepContext, StepError, StepType, WholeNumber
from handoff_text import markup
from handoff_text.source import TextInput, TextOutput

LINE_BREAKS = re.compile("[\u0085\u2028\u2029\v\f]")
INVISIBLE = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x9f\u00ad\u200b\u2060\ufeff\ufff9-\ufffb]")
BLANKS = re.compile("[ \t\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]+")
AROUND_LINES = re.compile(" ?\n ?")
BLANK_LINES = re.compile("\n{3,}")

JOINER = "\u200d"
REGIONAL = range(0x1F1E6, 0x1F200)
SKIN_TONES = range(0x1F3FB, 0x1F400)
SENTENCE_END = re.compile(r"""[.!?…。！？]["'»”’)\]]*(?=\s)""")
# A repair costs some 50 µs; a text of a million short lines is repaired by several lines at once.
MAX_REPAIRS = 5_000
# The end of a sentence or word is worth up to this share of the text that max_chars would have let through.
SENTENCE_LOSS, WORD_LOSS = 0.3, 0.5


class CleanParams(Params):
    """What to clean, and how much of the text to keep."""

    lowercase: bool = Field(False, title="Lower case", description="Write everything in lower case.")
    strip_html: bool = Field(
        True,
        title="Remove HTML",
        description="Remove tags such as <b>, and write codes such as &amp; as what they mean.",
    )
    fix_encoding: bool = Field(
        True,
        title="Repair letters",
        description="Repair letters that were garbled on the way, such as FÃ¼ÃŸe for Füße.",
    )
    max_chars: WholeNumber | None = Field(
        None,
        ge=1,
        title="Characters at most",
        description="Cut a longer text at the end of a sentence or a word. Empty: all of it is kept.",
    )


def run(context: StepContext) -> Json:
    """`{text}`. Raises StepError BadInput where nothing but markup was there (R-014: no empty text goes on)."""
    params: CleanParams = context.params
    text = clean(context.input.text, params)
    if not text:
        message = "`text` is empty once markup, control characters and blanks are removed."
        raise StepError("BadInput", message, details={"field": "text"})
    return {"text": text}


def clean(text: str, params: CleanParams) -> str:
    """The text, cleaned as the params say."""
    # Other line breaks, blanks and controls may be halves of characters that are to be repaired: they go last.
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if params.strip_html:
        text = markup.strip(text)
    if params.fix_encoding:
        text = _repaired(text)
    text = _tidied(unicodedata.normalize("NFC", text))
    if params.lowercase:
        text = text.lower()
    return text if params.max_chars is None else shorten(text, params.max_chars)


def _repaired(text: str) -> str:
    """Mojibake undone line by line, since some lines may be right; curly quotes stay, they are the author's."""
    text = fix_latin_ligatures(remove_terminal_escapes(text))
    if not is_bad(text):
        return text
    lines = text.split("\n")
    at_once = 1 + len(lines) // MAX_REPAIRS
    groups = ("\n".join(lines[at : at + at_once]) for at in range(0, len(lines), at_once))
    return "\n".join(fix_encoding(group) if is_bad(group) else group for group in groups)


def _tidied(text: str) -> str:
    text = INVISIBLE.sub("", LINE_BREAKS.sub("\n", text))
    text = AROUND_LINES.sub("\n", BLANKS.sub(" ", text))
    return BLANK_LINES.sub("\n\n", text).strip()


def shorten(text: str, limit: int) -> str:
    """At most `limit` characters: whole sentences if that loses little, else whole words, else whole characters."""
    if len(text) <= limit:
        return text
    head = text[: limit + 1]
    for end in _ends(head, limit):
        if excerpt := text[:end].rstrip():
            return excerpt
    return ""


def _ends(head: str, limit: int) -> Iterator[int]:
    sentences = [match.end() for match in SENTENCE_END.finditer(head) if match.end() <= limit]
    if sentences and sentences[-1] >= limit * (1 - SENTENCE_LOSS):
        yield sentences[-1]
    word = max(head.rfind(" "), head.rfind("\n"))
    if word >= limit * (1 - WORD_LOSS):
        yield word
    yield _whole_character(head, limit)


def _whole_character(text: str, end: int) -> int:
    """The last place at or before `end` that doesn't part what is read as one character; 0 if there is none."""
    while 0 < end < len(text) and _continues(text, end):
        end -= 1
    return end


def _continues(text: str, at: int) -> bool:
    here, before = text[at], text[at - 1]
    if before == JOINER or here == JOINER or unicodedata.category(here).startswith("M"):
        return True
    if ord(here) in SKIN_TONES:
        return True
    if ord(here) not in REGIONAL:
        return False
    flags = 0
    while flags < at and ord(text[at - 1 - flags]) in REGIONAL:
        flags += 1
    return flags % 2 == 1


TEXT_CLEAN = StepType(
    name="text.clean",
    kind="inline",
    title="Clean text",
    help="Removes tags, invisible characters and extra blanks, and repairs garbled letters. Paragraphs stay.",
    keywords="strip html normalize whitespace sanitize tidy trim",
    icon="eraser",
    group="text",
    example={
        "params": {"max_chars": 200},
        "input": {
            "text": "<p>Fr&uuml;her   war das ein <b>Moor</b>.</p><script>track()</script><p>Heute nicht.</p>"
        },
    },
    params_model=CleanParams,
    input_model=TextInput,
    output_model=TextOutput,
    run=run,
)
