"""What the SDKs' workers count for Prometheus is called the same in each language (R-191)."""

import re

import pytest
from prometheus_client import CollectorRegistry

from handoff_sdk.metrics import SECONDS, SIZES, Metrics
from tests.conformance.playing import SDKS

FILES = {
    "go": "go/metrics.go",
    "typescript": "typescript/src/metrics.ts",
    "java": "java/src/main/java/handoff/Metrics.java",
}


@pytest.mark.parametrize("sdk", FILES)
def test_names_labels_and_buckets_are_those_of_the_sdk_for_python(sdk):
    registry = CollectorRegistry()
    metrics = Metrics(registry)
    metrics.poll_succeeded(1, 1.0)
    metrics.job_started("n")
    metrics.job_ended("n", "completed", 1.0)
    metrics.report_sent("complete", 1)
    metrics.report_retried("complete")
    families = [*registry.collect()]
    source = (SDKS / FILES[sdk]).read_text()
    names = {f"{one.name}_total" if one.type == "counter" else one.name for one in families}
    assert set(re.findall(r'"(handoff_\w+)"', source)) == names
    assert {one.documentation for one in families} <= set(re.findall(r'"([^"]+)"', source))
    for label in {label for one in families for sample in one.samples for label in sample.labels} - {"le"}:
        assert re.search(rf"\b{label}\b", source), label
    for bounds in (SIZES, SECONDS):
        written = ", ".join(f"{bound:_}" if bound >= 1_000 else f"{bound}" for bound in bounds)
        assert written in source
