"""Secrets in what is shown or kept for people: known by the names that they have, or as texts that must not be seen."""

import json
import os
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import cache, lru_cache
from itertools import pairwise
from typing import Any
from urllib.parse import quote, urlsplit

MASK = "••••"
_SHORTEST = 6
"""A shorter text is no secret that could be looked for: it stands in other words, too."""
MOST_SECRETS = 500
MOST_SECRET_CHARACTERS = 256 * 1024
"""So many secrets, and so much of them, are looked for in a text."""
_LEAST_ANYWHERE = 16
"""So long must a secret be that is looked for in all that a step gives."""
_LONGEST_KNOWN = 64
_WORDS = re.compile(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])")
_SECRET_WORDS = frozenset(
    [
        "password",
        "passwd",
        "passphrase",
        "secret",
        "secrets",
        "token",
        "apikey",
        "authorization",
        "credential",
        "credentials",
        "cookie",
    ]
)
_KEYS = frozenset(["api", "access", "private", "secret", "signing", "encryption", "master"])
_PLACES = ("_FILE", "_PATH", "_DIR", "_URL", "_URI")
"""Variables with such a name say where something is: `OAUTH_TOKEN_URL`. A password in one is known by itself."""
_SCHEMES = ("Bearer ", "Basic ", "Token ")


def is_secret_name(name: str) -> bool:
    """Whether what has this name is a secret: `api_key`, `clientSecret`, `Authorization`; but not `max_tokens`."""
    return _is_known(name) if len(name) <= _LONGEST_KNOWN else _is_secret(name)


@lru_cache(maxsize=4096)
def _is_known(name: str) -> bool:
    # The same few names stand in each value, thousands of times in some.
    return _is_secret(name)


def _is_secret(name: str) -> bool:
    words = [word.lower() for word in _WORDS.findall(name)]
    pairs = pairwise(words)
    return not _SECRET_WORDS.isdisjoint(words) or any(
        first in _KEYS and second == "key" for first, second in pairs
    )


def masked(value: Any) -> Any:
    """A JSON value whose texts that have the name of a secret are masked."""
    if isinstance(value, Mapping):
        return {
            name: _hidden(part) if is_secret_name(str(name)) else masked(part) for name, part in value.items()
        }
    return [masked(part) for part in value] if isinstance(value, list) else value


def _hidden(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _hidden(part) for name, part in value.items()}
    if isinstance(value, list):
        return [_hidden(part) for part in value]
    return MASK if isinstance(value, str) and value else value


def masked_at(names: Iterable[str], value: Any) -> Any:
    """A part of a JSON value, which stands there under these names, as it is in the masked one."""
    return _hidden(value) if any(map(is_secret_name, names)) else masked(value)


Path = tuple[str | int, ...]


def restored(value: Any, was: Any = None) -> tuple[Any, list[Path]]:
    """What somebody has made of `masked(was)`, with what is masked still as it was; and where that can't be known.

    Within a list that was changed nobody knows which part is which: each mask in it is to be replaced by hand.
    """
    unknown: list[Path] = []
    return _restored(value, was, (), unknown, is_secret=False), unknown


def _restored(value: Any, was: Any, path: Path, unknown: list[Path], *, is_secret: bool) -> Any:
    if isinstance(value, Mapping):
        before = was if isinstance(was, Mapping) else {}
        return {
            name: _restored(
                part,
                before.get(name),
                (*path, name),
                unknown,
                is_secret=is_secret or is_secret_name(str(name)),
            )
            for name, part in value.items()
        }
    if isinstance(value, list):
        if isinstance(was, list) and _is_same(value, _hidden(was) if is_secret else masked(was)):
            return was
        return [
            _restored(part, None, (*path, place), unknown, is_secret=is_secret)
            for place, part in enumerate(value)
        ]
    if is_secret and value == MASK:
        if isinstance(was, str) and was:
            return was
        unknown.append(path)
    return value


def _is_same(one: Any, other: Any) -> bool:
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


def secrets_in(value: Any) -> frozenset[str]:
    """The texts in a JSON value that have the name of a secret, as far as they are long enough to be looked for."""
    return frozenset(text for text in _secrets(value, is_secret=False) if len(text) >= _SHORTEST)


def _secrets(value: Any, *, is_secret: bool) -> Iterator[str]:
    if isinstance(value, Mapping):
        for name, part in value.items():
            yield from _secrets(part, is_secret=is_secret or is_secret_name(str(name)))
    elif isinstance(value, list):
        for part in value:
            yield from _secrets(part, is_secret=is_secret)
    elif is_secret and isinstance(value, str):
        yield value
        yield from (value.removeprefix(scheme) for scheme in _SCHEMES if value.startswith(scheme))


@cache
def secrets_of_process() -> frozenset[str]:
    """The values of this process's environment that have the name of a secret, keys and passwords in addresses
    included: plug-ins read their own there.
    """
    variables = {
        name: text for name, text in os.environ.items() if not (name.endswith("_KEY") and "/" in text[:1])
    }
    keys = {text for name, text in variables.items() if name.endswith("_KEY") and len(text) >= _SHORTEST}
    passwords = {urlsplit(text).password or "" for text in variables.values() if "://" in text[:20]}
    return secrets_in(variables) | keys | {text for text in passwords if len(text) >= _SHORTEST}


@cache
def _installation() -> tuple[tuple[str, bytes], ...]:
    """The secrets of the process that are long enough to be nothing else, longest first, also as JSON and addresses
    write them; each with how it stands in JSON.
    """
    places = {text for name, text in os.environ.items() if name.endswith(_PLACES)}
    long = [text for text in secrets_of_process() - places if len(text) >= _LEAST_ANYWHERE]
    forms = {form for text in long for form in (text, _in_json(text), quote(text, safe=""))}
    return tuple((form, _in_json(form).encode()) for form in sorted(forms, key=len, reverse=True))


def _in_json(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)[1:-1]


def echoed(answers: Collection[bytes], sent: Callable[[], bytes]) -> list[str]:
    """The secrets of the installation in the JSON of answers, but for those that are in what was `sent`, as JSON:
    what somebody gave is theirs.
    """
    secrets = [one for one in _installation() if any(one[1] in answer for answer in answers)]
    if not secrets:
        return []
    own = sent()
    return [text for text, raw in secrets if raw not in own]


def without(value: Any, secrets: Collection[str]) -> Any:
    """A JSON value whose texts, and names, have these texts masked."""
    if isinstance(value, str):
        for secret in secrets:
            value = value.replace(secret, MASK)
        return value
    if isinstance(value, Mapping):
        return {without(name, secrets): without(part, secrets) for name, part in value.items()}
    return [without(part, secrets) for part in value] if isinstance(value, list | tuple) else value


class Masker:
    """Masks secrets in texts: made once for many texts. What it costs is bounded, whatever it is given.

    Of more secrets than it may look for it knows none: a text of which nobody can say what is secret is masked whole.
    """

    __slots__ = ("_secrets", "knows_all", "longest")

    def __init__(self, secrets: Collection[str] = (), *, knows_all: bool = True) -> None:
        # The longest first: another one may be a part of it.
        self._secrets = sorted(secrets, key=len, reverse=True)
        self.longest = len(self._secrets[0]) if self._secrets else 0
        self.knows_all = (
            knows_all
            and len(self._secrets) <= MOST_SECRETS
            and sum(map(len, self._secrets)) <= MOST_SECRET_CHARACTERS
        )

    def masked(self, text: str) -> str:
        """The text with each secret masked."""
        if not self.knows_all:
            return MASK
        for secret in self._secrets:
            # As fast as a text is read, which one pattern of all of them is not.
            text = text.replace(secret, MASK)
        return text
