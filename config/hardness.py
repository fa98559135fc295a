"""What production settings refuse: keys that can be guessed, and hosts that are everybody's."""

from collections.abc import Iterator, Mapping, Sequence
from ipaddress import ip_address
from itertools import pairwise

SHORTEST_KEY = 50
FEWEST_CHARACTERS = 16
_FEWEST_BYTES = 14
_SHORTEST_PASSWORD = 12
# What examples and templates are full of, Django's own among them.
_EXAMPLES = (
    "changeme",
    "change-me",
    "change_me",
    "secret",
    "insecure",
    "example",
    "password",
    "your-",
    "default",
)
# A host needs this many names behind a leading dot: `.org` and `.co.uk` are everybody's.
_NAMES_OF_A_WILDCARD = 2
_SHARED_SUFFIXES = frozenset(["ac", "co", "com", "edu", "gov", "net", "org"])


def problems(
    key: str, old_keys: Sequence[str], hosts: Sequence[str], environ: Mapping[str, str]
) -> Iterator[str]:
    """A line for each setting that is too weak for a public host, with what to do."""
    yield from _of_key("HANDOFF_SECRET_KEY", key)
    for old in old_keys:
        yield from _of_key("HANDOFF_OLD_SECRET_KEYS", old)
    if not hosts:
        yield "HANDOFF_HOSTS must name the hosts that this Handoff answers to, comma separated."
    for host in hosts:
        yield from _of_host(host)
    password = environ.get("HANDOFF_ADMIN_PASSWORD")
    if password and (len(password) < _SHORTEST_PASSWORD or _is_example(password) or len(set(password)) < 6):
        yield f"HANDOFF_ADMIN_PASSWORD must have at least {_SHORTEST_PASSWORD} characters that can't be guessed."


def is_guessable(key: bytes) -> bool:
    """Whether the bytes of a key are one again and again, a short pattern or a count: 32 random ones have some 30
    different bytes and as many differences, and fewer than 14 once in 10^16.
    """
    differences = {(after - before) % 256 for before, after in pairwise(key)}
    return min(len({*key}), len(differences)) < _FEWEST_BYTES


def _of_key(variable: str, key: str) -> Iterator[str]:
    if len(key) < SHORTEST_KEY:
        yield f"{variable} must have at least {SHORTEST_KEY} random characters."
    elif len(set(key)) < FEWEST_CHARACTERS or _repeats(key):
        yield f"{variable} is not random: make one with `openssl rand -base64 48`."
    elif _is_example(key):
        yield f"{variable} looks like an example: make one with `openssl rand -base64 48`."


def _repeats(key: str) -> bool:
    """Whether it is a short text again and again."""
    return (key + key).find(key, 1) < len(key)


def _is_example(text: str) -> bool:
    # A short word may stand in a random text by chance, but hardly at its beginning.
    lowered = text.lower()
    return any(lowered.startswith(word) or (len(word) > 6 and word in lowered) for word in _EXAMPLES)


def _of_host(host: str) -> Iterator[str]:
    name = host.rpartition(":")[0] if host.rpartition(":")[2].isdecimal() and "]" not in host else host
    if "*" in host or not name.strip("."):
        yield f"HANDOFF_HOSTS must name hosts, not {host[:60]!r}."
    elif name.startswith("."):
        names = [each for each in name.split(".") if each]
        if len(names) < _NAMES_OF_A_WILDCARD or (
            len(names) == _NAMES_OF_A_WILDCARD and names[0] in _SHARED_SUFFIXES
        ):
            yield f"HANDOFF_HOSTS must not let in everybody below {name[:60]!r}: name your hosts."
    elif "/" in host or " " in host or "@" in host:
        yield f"HANDOFF_HOSTS must name hosts without scheme and path, not {host[:60]!r}."
    elif not _is_address(name) and "." not in name and name != "localhost":
        yield f"HANDOFF_HOSTS must name hosts in full, not {host[:60]!r}."


def _is_address(name: str) -> bool:
    try:
        ip_address(name.strip("[]"))
    except ValueError:
        return False
    return True
