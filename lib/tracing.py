"""Spans for who speaks OpenTelemetry's protocol (OTLP over HTTP): an optional extra, and off where nobody asks for it.

It is on where the standard variables name a receiver. Whoever tells of a span waits for nothing: a queue of a fixed
length holds what a thread sends, and what finds it full is dropped and counted (`otlp.py`).
"""

import logging
import os
import time
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from lib.trace_context import Trace

log = logging.getLogger("handoff.tracing")

EXTRA = "otel"
VARIABLES = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
_STOP_SECONDS = 2.0

Facts = Mapping[str, str | int | float | bool]


@dataclass(frozen=True, slots=True)
class Parent:
    """What spans may be children of."""

    span: Any

    def end(self, at: int) -> None:
        """It was over then, in nanoseconds since 1970."""
        self.span.end(at)


_teller: Any = None


def is_wanted() -> bool:
    """Whether the environment names a receiver, and does not say that nothing is to be told."""
    is_off = os.environ.get("OTEL_SDK_DISABLED", "").strip().lower() == "true"
    is_off |= os.environ.get("OTEL_TRACES_EXPORTER", "otlp").strip() == "none"
    return not is_off and any(os.environ.get(name, "").strip() for name in VARIABLES)


def is_installed() -> bool:
    """Whether the extra is."""
    return find_spec("opentelemetry") is not None and find_spec("opentelemetry.sdk") is not None


def start(service: str) -> None:
    """Tell of spans of this service from now on, where the environment names a receiver and the extra is installed."""
    global _teller
    if _teller is not None or not is_wanted():
        return
    try:
        _teller = import_module("lib.otlp").Teller(service)
    except Exception as error:
        # Whatever it is, runs go on.
        log.warning("Traces are wanted and can't be told (is the extra %r installed?): %s", EXTRA, error)


def stop(seconds: float = _STOP_SECONDS) -> None:
    """Send what waits, for so long at most, and tell of nothing more."""
    global _teller
    teller, _teller = _teller, None
    if teller is not None:
        teller.stop(seconds)


def is_on() -> bool:
    """Whether spans are told of here."""
    return _teller is not None


def begin(name: str, facts: Facts, at: int) -> Parent | None:
    """A span that begins a trace, to which others belong; None where nothing is told of."""
    teller = _teller
    return None if teller is None else Parent(teller.begin(name, facts, at))


def tell(
    name: str,
    facts: Facts,
    began: int,
    ended: int,
    *,
    own: Trace | None = None,
    within: Parent | Trace | None = None,
    linked: Parent | Trace | None = None,
    error: str | None = None,
) -> None:
    """Tell of what is over: a span `within` another one, that may be somebody else's; times are in nanoseconds since
    1970. `own`: the ids that it has, where others were told of them; `linked`: a span that it has to do with.
    """
    if (teller := _teller) is not None:
        parent, other = (each.span if isinstance(each, Parent) else each for each in (within, linked))
        teller.tell(name, facts, (began, ended), own, parent, other, error)


def now() -> int:
    """The time in nanoseconds since 1970."""
    return time.time_ns()
