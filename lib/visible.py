"""Text from outside with all of its characters visible: what directs, hides or imitates others is shown as ⟨U+202E⟩."""

import re
from functools import lru_cache
from unicodedata import category, name

MIXED = "⟨mixed scripts⟩"
"""What stands behind a word in which letters of several scripts look alike."""

# Controls, format characters, line separators and letters without a shape. Tags and joiners are looked at once more.
_UNSEEN = re.compile(
    "(?!\r\n)[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\u2800\u3164\ud800-\udfff\ufeff\uffa0\ufff0-\ufffb\U00013430-\U0001343f\U0001bca0-\U0001bca3"
    "\U0001d173-\U0001d17a\U000e0000-\U000e007f]"
)
_OF_OTHERS = "\u0370-\u03ff\u1f00-\u1fff\u0400-\u052f\u1c80-\u1c8f\ua640-\ua69f"
_OTHER = re.compile(f"[{_OF_OTHERS}]")
_SUSPECT = re.compile(f"{_UNSEEN.pattern[:-1]}{_OF_OTHERS}]")
_WORD = re.compile(r"(?:[^\W_]|[\u0300-\u036f])+")
_ALPHABETS = frozenset({"LATIN", "CYRILLIC", "GREEK"})
_SYMBOLS = frozenset("ΔΣΩλμπ")
"""Greek letters in units and formulas (kΩ, μm), which look like no other letter."""
_JOINED = re.compile(
    "ARABIC|SYRIAC|MONGOLIAN|NKO|MANDAIC|ADLAM|DEVANAGARI|BENGALI|GURMUKHI|GUJARATI|ORIYA|TAMIL|TELUGU|KANNADA|"
    "MALAYALAM|SINHALA|MYANMAR|KHMER|BALINESE|JAVANESE|CHAKMA|GRANTHA|KAITHI|BRAHMI|TIBETAN"
)
"""Scripts in which joiners choose the shapes of letters."""
_FLAG, _FIRST_TAG, _LAST_TAG = "\U0001f3f4", "\U000e0020", "\U000e007f"


def visible(text: str) -> str:
    """The text with each character visible, but for line breaks, tabs, and joiners where a script or an emoji needs
    them. A word of several scripts is followed by `MIXED`. What is visible already stays as it is.
    """
    return marked(text, f" {MIXED}") if is_suspect(text) else text


def is_suspect(text: str) -> bool:
    """Whether there may be anything to do; plain ASCII is not looked at one by one."""
    return not (text.isascii() and text.isprintable()) and _SUSPECT.search(text) is not None


def shown(text: str) -> str:
    """The text with each character visible, and no word marked."""
    return _UNSEEN.sub(_code_point, text)


def marked(text: str, mark: str) -> str:
    """The text with its characters visible, and with `mark` behind each word of several scripts."""
    text = shown(text)
    if _OTHER.search(text) is None:
        return text
    behind = f" {MIXED}"

    def word(match: re.Match[str]) -> str:
        is_new = _is_mixed(match[0]) and not text.startswith(behind, match.end())
        return match[0] + mark if is_new else match[0]

    return _WORD.sub(word, text)


def _code_point(match: re.Match[str]) -> str:
    char, text, at = match[0], match.string, match.start()
    if char in "\u200c\u200d" and _is_joiner(text, at):
        return char
    if _FIRST_TAG <= char <= _LAST_TAG and _is_of_flag(text, at):
        return char
    return f"⟨U+{ord(char):04X}⟩"


def _is_joiner(text: str, at: int) -> bool:
    """Whether the joiner is between two characters that it joins or separates."""
    before, after = text[at - 1 : at], text[at + 1 : at + 2]
    if not before or not after:
        return False
    if _JOINED.fullmatch(_script(before)) and _JOINED.fullmatch(_script(after)):
        return True
    # An emoji may end in its colour of skin or in a variation selector.
    return text[at] == "\u200d" and (_is_emoji(before) or before == "\ufe0f") and _is_emoji(after)


def _is_emoji(char: str) -> bool:
    return category(char) == "So" or "\U0001f3fb" <= char <= "\U0001f3ff" or char in "↔↕➡⚕"


def _is_of_flag(text: str, at: int) -> bool:
    """Whether a tag is one of the few behind a black flag, as in the flag of Scotland."""
    flag = text.rfind(_FLAG, max(0, at - 7), at)
    return flag >= 0 and all(_FIRST_TAG <= char < _LAST_TAG for char in text[flag + 1 : at])


@lru_cache(maxsize=4096)
def _script(char: str) -> str:
    return name(char, "").partition(" ")[0]


def _is_mixed(word: str) -> bool:
    if word.isascii():
        return False
    return len({_script(char) for char in word if char not in _SYMBOLS} & _ALPHABETS) > 1
