"""What the machine has for Handoff: disk and memory, as findings of the doctor."""

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from config import environment

_GIB = 1024**3
_LITTLE_DISK, _NO_DISK = 5 * _GIB, 1 * _GIB
_LITTLE_MEMORY = 1 * _GIB


@dataclass(frozen=True)
class Finding:
    """One line of the doctor's."""

    level: Literal["ok", "warn", "problem"]
    text: str
    advice: str = ""


def first_that_exists(path: Path) -> Path:
    """The path, or the nearest folder above it that is there."""
    return next(each for each in (path, *path.parents) if each.exists())


def disk() -> Iterator[Finding]:
    """How much room there is for the home."""
    free = shutil.disk_usage(first_that_exists(environment.home())).free
    text = f"{free / _GIB:.1f} GiB of disk are free for the home"
    if free < _NO_DISK:
        yield Finding("problem", text, "free some disk: PostgreSQL stops when it is full")
    elif free < _LITTLE_DISK:
        yield Finding("warn", text, "make room")
    else:
        yield Finding("ok", text)


def memory() -> Iterator[Finding]:
    """How much memory is free, and whether forks get it."""
    facts = _memory_facts()
    free = facts.get("MemAvailable", 0) * 1024
    if facts and free < _LITTLE_MEMORY:
        yield Finding("warn", f"{free / _GIB:.1f} GiB of memory are free", "Handoff wants about 1 GiB")
    elif facts:
        yield Finding("ok", f"{free / _GIB:.1f} GiB of memory are free")
    overcommit = Path("/proc/sys/vm/overcommit_memory")
    if overcommit.exists() and overcommit.read_text().strip() == "2":
        advice = "sysctl vm.overcommit_memory=0 or 1"
        yield Finding("warn", "memory is never overcommitted here: forks of big processes may fail", advice)


def _memory_facts() -> dict[str, int]:
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
    except OSError:
        return {}
    return {name: int(rest.split()[0]) for name, rest in (line.split(":", 1) for line in lines)}
