"""No regular expression of the product takes more than its share for a text that is made to slow it down."""

import re
from collections import defaultdict
from collections.abc import Mapping

import pytest

from tests.growth.measuring import steep, steep_in
from tests.growth.walking import ANCHORED, PACKAGES, ROOT, Pattern, patterns

# What stands for itself in a pattern, and with what a text goes on behind it.
LITERALS = re.compile(r"[^\\()\[\]{}?*+|.^$\s]+")
MOST_HEADS = 3
ENDLESS = ("\n", " ", "a", "A", "1", ".", "-", ",", "_", '"', "\\", "a.", " a", "a\n", " \n")
GROUP_POSSESSED = re.compile(r"(?<!\\)\)[*+?]\+")


@pytest.fixture(scope="module")
def found() -> Mapping[str, list[Pattern]]:
    """The patterns of each package: to find them takes seconds, which no process spends that only collects tests."""
    by_package = defaultdict(list)
    for pattern in patterns():
        by_package[pattern.place.partition(".")[0]].append(pattern)
    return by_package


def steep_ways(pattern: Pattern) -> dict[str, dict[str, float]]:
    """The ways to use it that take too much, each with the shapes of texts that do it."""
    ways = {method if method in ANCHORED else "finditer" for method in pattern.methods}
    shapes = {way: steep(lambda text, way=way: pattern.run(way, text), 4_000) for way in ways}
    return {way: those for way, those in shapes.items() if those}


def steep_behind_its_own(pattern: Pattern, size: int = 500) -> dict[str, dict[str, float]]:
    """As `steep_ways`, with texts that begin as the pattern does, and go on with one sign for ever."""
    source = pattern.compiled.pattern
    heads = LITERALS.findall(source if isinstance(source, str) else source.decode("latin-1"))[:MOST_HEADS]
    ways = {method if method in ANCHORED else "finditer" for method in pattern.methods}
    shapes = {
        f"{head!r} {sign!r}": lambda size, head=head, sign=sign: head + sign * (size // len(sign))
        for head in dict.fromkeys(heads)
        for sign in ENDLESS
    }
    found = {way: steep_in(lambda text, way=way: pattern.run(way, text), shapes, size) for way in ways}
    return {way: those for way, those in found.items() if those}


@pytest.mark.parametrize("package", PACKAGES)
def test_a_pattern_grows_behind_what_it_begins_with(package: str, found: Mapping[str, list[Pattern]]):
    steep_ones = {
        pattern.place: ways for pattern in found[package] if (ways := steep_behind_its_own(pattern))
    }
    assert steep_ones == {}


def test_the_pattern_that_took_the_cube_of_its_text_is_found():
    fenced = re.compile(r"\s*```(?:json)?\s*\n(.*?)\n?\s*```\s*", re.DOTALL)
    assert steep_behind_its_own(Pattern("", fenced, frozenset({"fullmatch"})), 120)


@pytest.mark.parametrize("package", PACKAGES)
def test_a_pattern_grows_with_its_text(package: str, found: Mapping[str, list[Pattern]]):
    steep_ones = {pattern.place: ways for pattern in found[package] if (ways := steep_ways(pattern))}
    assert steep_ones == {}


def test_none_repeats_a_group_that_gives_nothing_back():
    """Python 3.11.2, which is Debian 12's, takes `(?:…)*+` for something else where an alternative fails half way
    (gh-101955); `(?>(?:…)*)` says the same.
    """
    sources = [
        path for place in (*PACKAGES, "plugins", "integrations") for path in (ROOT / place).rglob("*.py")
    ]
    assert len(sources) > 300
    assert [path.name for path in sources if GROUP_POSSESSED.search(path.read_text())] == []


def test_the_walk_finds_patterns_of_every_package(found: Mapping[str, list[Pattern]]):
    assert sum(map(len, found.values())) > 80
    assert found.keys() >= {"engine", "lib", "steps", "tasks_inbox", "workflows"}
