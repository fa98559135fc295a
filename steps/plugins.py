"""Step types of installed packages: found by their entry points, checked, and left out where something is wrong.

A plug-in that is broken takes nothing with it but its own step types; `PlugIn.problems` says what is wrong with it.
"""

import os
import threading
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from importlib.metadata import EntryPoint

from lib.watchdog import meanwhile
from steps.base import StepType
from steps.conformance import AT_START, problems_of

GROUP = "handoff.steps"
OURS = "handoff"
"""The distribution whose entry points come first: no other may take the name of a step type that comes with Handoff."""
SLOW_SECONDS = 10.0
"""From when on an import is spoken of: less than the supervisor gives a process to show its first sign."""
HUNG_SECONDS = 60.0
HUNG_EXIT = 70


@dataclass(frozen=True, slots=True)
class PlugIn:
    """What one entry point of an installed package gave: step types that are in the catalogue, and what is wrong."""

    package: str
    entry_point: str
    types: tuple[StepType, ...]
    problems: tuple[str, ...]


def discover(built_in: Iterable[StepType], entries: Iterable[EntryPoint]) -> tuple[PlugIn, ...]:
    """What each entry point gives beside `built_in`; one that two distributions name alike is read once."""
    names = {step_type.name for step_type in built_in}
    once = {entry.value: entry for entry in sorted(entries, key=_rank, reverse=True)}
    plug_ins = []
    for entry in sorted(once.values(), key=_rank):
        plug_in = _plug_in(entry, names)
        names |= {step_type.name for step_type in plug_in.types}
        plug_ins.append(plug_in)
    return tuple(plug_ins)


def _rank(entry: EntryPoint) -> tuple[bool, str, str]:
    return entry.dist is None or entry.dist.name != OURS, entry.name, entry.value


def _plug_in(entry: EntryPoint, taken_names: Iterable[str]) -> PlugIn:
    package = f"{entry.dist.name} {entry.dist.version}" if entry.dist else "a package without a name"
    names = set(taken_names)
    types: list[StepType] = []
    problems: list[str] = []
    try:
        with meanwhile(partial(_watch, f"{entry.value} ({package})"), "plug-in"):
            offers = list(_offers(entry.load()))
    # A module that is imported may do anything, and even ask Python to exit.
    except (Exception, SystemExit) as error:
        return PlugIn(package, entry.value, (), (f"It can't be loaded: {type(error).__name__}: {error}.",))
    for offer in offers:
        refusals = list(_refusals(offer, names))
        problems += refusals
        if isinstance(offer, StepType) and not refusals:
            names.add(offer.name)
            types.append(offer)
    return PlugIn(package, entry.value, tuple(types), tuple(problems))


def _watch(plug_in: str, over: threading.Event) -> None:
    """Name a plug-in whose import takes long; end the process, which can do nothing else, if it takes for ever."""
    if over.wait(SLOW_SECONDS):
        return
    _say(f"The plug-in {plug_in} has been at its import for {SLOW_SECONDS:g} s; everything waits for it.")
    if over.wait(HUNG_SECONDS - SLOW_SECONDS):
        return
    _say(f"The plug-in {plug_in} hangs in its import ({HUNG_SECONDS:g} s): fix or uninstall it.")
    os._exit(HUNG_EXIT)


def _say(line: str) -> None:
    """To standard error, without what could wait for the import itself."""
    os.write(2, f"{line}\n".encode(errors="replace"))


def _offers(value: object) -> Iterable[object]:
    """A step type, or several in the order in which they are to be shown."""
    return value if isinstance(value, list | tuple) else (value,)


def _refusals(offer: object, names: Iterable[str]) -> Iterator[str]:
    if not isinstance(offer, StepType):
        yield f"It offers {offer!r:.100}, which is not a StepType."
        return
    if offer.name in names:
        yield f"The step type `{offer.name}` already exists: choose another name."
    if offer.collects is not None:
        yield f"The step type `{offer.name}` has children: only Handoff's own can, so far."
    yield from (f"The step type `{offer.name}`: {problem}" for problem in problems_of(offer, AT_START))


def sentences(plug_ins: Iterable[PlugIn]) -> list[str]:
    """What is wrong with them, a sentence for each problem, for logs and checks."""
    return [
        f"The plug-in {plug_in.entry_point} ({plug_in.package}): {problem}"
        for plug_in in plug_ins
        for problem in plug_in.problems
    ]


def in_groups(types: Iterable[StepType], groups: Mapping[str, str]) -> list[StepType]:
    """The types by the order of their groups, then as they come; groups that nobody knows are last."""
    rank = {group: place for place, group in enumerate(groups)}
    return sorted(types, key=lambda step_type: rank.get(step_type.group, len(rank)))
