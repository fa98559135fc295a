"""A receiver of OpenTelemetry's traces over HTTP: it keeps the spans that it is sent."""

import contextlib
import gzip
import time

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from tests.answering import answering, http


class Collector:
    """What came to a server, as spans."""

    def __init__(self, server) -> None:
        self._server = server

    @property
    def url(self) -> str:
        """What the standard variable names."""
        return self._server.url().rstrip("/")

    def requests(self) -> list[ExportTraceServiceRequest]:
        """What was posted, read."""
        read = []
        for asked in list(self._server.asked):
            assert (asked.method, asked.target) == ("POST", "/v1/traces")
            body = asked.body
            if asked.headers.get("content-encoding") == "gzip":
                body = gzip.decompress(body)
            read.append(ExportTraceServiceRequest.FromString(body))
        return read

    def spans(self) -> list:
        """All spans that came."""
        return [
            span
            for one in self.requests()
            for resource in one.resource_spans
            for scope in resource.scope_spans
            for span in scope.spans
        ]


def facts(span) -> dict:
    """The attributes of a span."""
    return {one.key: getattr(one.value, one.value.WhichOneof("value")) for one in span.attributes}


@contextlib.contextmanager
def collecting(*answers):
    """A receiver that listens in the meantime, and answers so if not as it should."""
    with answering(*answers or [http(content_type="application/x-protobuf")]) as server:
        yield Collector(server)


def seconds_of(act) -> float:
    """How long this takes."""
    began = time.monotonic()
    act()
    return time.monotonic() - began
