"""When two names of people or groups are the same, and which ones a text mentions."""

import re
import unicodedata

# An address is no mention. What usernames are made of, of which a sentence may follow.
_MENTION = re.compile(r"(?<![\w.@+-])@([\w.@+-]{1,150})")


def key_of(name: str) -> str:
    """What two names share that count as one: case, and how letters are put together, make no difference."""
    return unicodedata.normalize("NFKC", name).strip().lower()


def mentioned_in(text: str) -> list[str]:
    """The keys of the usernames that a text mentions as `@username`, each once, in their order."""
    return list(dict.fromkeys(key_of(name.rstrip(".-+@")) for name in _MENTION.findall(text)))
