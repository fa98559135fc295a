"""Spans sent by OpenTelemetry's SDK; imported where somebody wants them told, for it takes its time (`tracing.py`)."""

import logging
import os
import threading
from collections.abc import Sequence
from queue import Empty, Full, Queue
from typing import Any

from opentelemetry.context import Context
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, SpanProcessor, TracerProvider
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult
from opentelemetry.sdk.trace.id_generator import RandomIdGenerator
from opentelemetry.trace import (
    Link,
    NonRecordingSpan,
    Span,
    SpanContext,
    Status,
    StatusCode,
    TraceFlags,
    set_span_in_context,
)

from lib import process_metrics
from lib.trace_context import Trace

log = logging.getLogger("handoff.tracing")

MOST_WAITING = 4_096
_BATCH, _GATHER_SECONDS = 512, 1.0
_RESOURCE = "OTEL_RESOURCE_ATTRIBUTES"
# Nobody else's span of the thread is the parent of ours.
_EMPTY = Context()

_dropped = process_metrics.counter(
    "handoff_otel_dropped", "Spans that were not told: too many waited, or their receiver did not take them."
)


class Outbox(SpanProcessor):
    """Spans that are over, until a thread of its own has sent them; nobody waits for it."""

    def __init__(self, exporter: SpanExporter, most: int | None = None) -> None:
        self._exporter = exporter
        self._waiting: Queue[ReadableSpan] = Queue(most or MOST_WAITING)
        self._stops, self._gives_up = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._send, name="spans", daemon=True)
        self._thread.start()

    def on_end(self, span: ReadableSpan) -> None:
        """Keep it to be sent, or count that it is not."""
        if not span.context.trace_flags.sampled:
            return
        try:
            self._waiting.put_nowait(span)
        except Full:
            _dropped.inc()

    def stop(self, seconds: float) -> None:
        """Send what waits, for so long at most; what is left then is dropped, and its receiver not asked again."""
        self._stops.set()
        self._thread.join(seconds)
        self._gives_up.set()
        _dropped.inc(self._waiting.qsize())
        self._exporter.shutdown()

    def _send(self) -> None:
        while not (self._gives_up.is_set() or (self._stops.is_set() and self._waiting.empty())):
            if batch := self._batch():
                self._sent(batch)

    def _batch(self) -> list[ReadableSpan]:
        """Those that wait: the first of them has waited for others for a second, if nothing ends."""
        try:
            batch = [self._waiting.get(timeout=_GATHER_SECONDS)]
        except Empty:
            return []
        self._stops.wait(_GATHER_SECONDS if self._waiting.qsize() < _BATCH else 0)
        while len(batch) < _BATCH:
            try:
                batch.append(self._waiting.get_nowait())
            except Empty:
                break
        return batch

    def _sent(self, batch: Sequence[ReadableSpan]) -> None:
        try:
            is_taken = self._exporter.export(batch) is SpanExportResult.SUCCESS
        except Exception as error:
            log.warning("Spans can't be told: %s", error)
            is_taken = False
        if not is_taken:
            _dropped.inc(len(batch))


class Ids(RandomIdGenerator):
    """The ids of spans: those that somebody was told before, or any."""

    def __init__(self) -> None:
        self._mine = threading.local()

    def give(self, own: Trace | None) -> None:
        """The next span of this thread has these, and if it begins a trace that id, too."""
        self._mine.own = own

    def generate_span_id(self) -> int:
        """The id of the next span."""
        own: Trace | None = getattr(self._mine, "own", None)
        return int(own.span, 16) if own else super().generate_span_id()

    def generate_trace_id(self) -> int:
        """The id of the trace that the next span begins."""
        own: Trace | None = getattr(self._mine, "own", None)
        return int(own.id, 16) if own else super().generate_trace_id()


class Teller:
    """Makes spans, as the environment says of the service and of who receives them."""

    def __init__(self, service: str) -> None:
        self._ids = Ids()
        about: dict[str, str | int] = {"process.pid": os.getpid()}
        if not os.environ.get("OTEL_SERVICE_NAME") and "service.name=" not in os.environ.get(_RESOURCE, ""):
            about["service.name"] = service
        provider = TracerProvider(
            resource=Resource.create(about), shutdown_on_exit=False, id_generator=self._ids
        )
        self._outbox = Outbox(OTLPSpanExporter())
        provider.add_span_processor(self._outbox)
        self._tracer = provider.get_tracer(service)

    def begin(self, name: str, facts: Any, at: int) -> Span:
        """A span that begins a trace."""
        return self._tracer.start_span(name, context=_EMPTY, attributes=facts, start_time=at)

    def tell(
        self,
        name: str,
        facts: Any,
        times: tuple[int, int],
        own: Trace | None,
        within: Any,
        linked: Any,
        error: str | None,
    ) -> None:
        """A span that is over: when it began and ended, and which ids it has, if not any; `within` a span of ours, or
        one that somebody else tells of, and `linked` to such a one.
        """
        parent = NonRecordingSpan(_context_of(within)) if isinstance(within, Trace) else within
        context = _EMPTY if parent is None else set_span_in_context(parent, _EMPTY)
        links = None
        if linked is not None:
            links = [Link(_context_of(linked) if isinstance(linked, Trace) else linked.get_span_context())]
        began, ended = times
        self._ids.give(own)
        try:
            span = self._tracer.start_span(
                name, context=context, attributes=facts, links=links, start_time=began
            )
        finally:
            self._ids.give(None)
        if error is not None:
            span.set_status(Status(StatusCode.ERROR, error))
        span.end(ended)

    def stop(self, seconds: float) -> None:
        """Send what waits, for so long at most."""
        self._outbox.stop(seconds)


def _context_of(trace: Trace) -> SpanContext:
    return SpanContext(
        int(trace.id, 16), int(trace.span, 16), is_remote=True, trace_flags=TraceFlags(trace.flags)
    )
