"""Which benchmarks there are, in their order, each on a Handoff at `url` and with `share` of its usual size."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

from benchmarks import (
    builder,
    claims,
    containers,
    dispatch,
    forecasts,
    inbox,
    payloads,
    rest,
    scenarios,
    seeing,
    waits,
    watching,
)
from lib.messages import named

Figures = dict[str, Any]
REST_SECONDS = 10


def _starts(connections: int, url: str, share: float) -> Figures:
    return rest.starts(url, connections, REST_SECONDS * share)


def _watching(steps: int, url: str, share: float) -> Figures:
    return watching.cost(url, 100, steps, max(1, int(5 * share)))


def _long_runs(url: str, share: float) -> Figures:
    return watching.cost_of_long_runs(url, 100, int(750 * min(1.0, 5 * share)), max(1, int(2 * share)))


def _jobs(workers: int, batch: int, url: str, share: float) -> Figures:
    return rest.jobs(url, workers, batch, REST_SECONDS * share)


def _payloads(size: int, _: str, share: float) -> Figures:
    return payloads.handed_on(int(100 * share), size)


SUITE: Mapping[str, Callable[[str, float], Figures]] = {
    "chain of 3, 2 workers": lambda _, share: scenarios.chain_throughput(3, int(5000 * share)),
    "chain of 10, 2 workers": lambda _, share: scenarios.chain_throughput(10, int(5000 * share)),
    "one run of 3 at a time, POST to COMPLETED": lambda url, share: scenarios.one_at_a_time(
        url, int(300 * share)
    ),
    "calls of 1 s, 1 worker of 32 threads": lambda url, share: scenarios.slow_calls(url, int(200 * share)),
    "statements per batch": lambda *_: scenarios.statements(),
    "signals to waiting runs, in one call": lambda _, share: waits.signals(int(1000 * share)),
    "timers due at once": lambda _, share: waits.due_at_once(int(10_000 * share)),
    "timers due over a minute": lambda _, share: waits.due_over_a_minute(int(5000 * share)),
    "timers pending for a month": lambda _, share: waits.pending(int(100_000 * share)),
    "builder with 300 steps": lambda url, _: builder.drawn_and_dragged(url, 300),
    "builder with 1,000 steps": lambda url, _: builder.drawn_and_dragged(url, 1000),
    "map of 10,000, noop": lambda _, share: containers.items_of_a_map(
        int(10_000 * share), 1_000, {"type": "noop"}
    ),
    "map of 1,000, two steps each": lambda _, share: containers.items_of_a_map(
        int(1_000 * share), 200, {"steps": [{"id": "one", "type": "noop"}, {"id": "two", "type": "noop"}]}
    ),
    "loop of 12,000 rounds, continued as new": lambda _, share: containers.rounds_of_a_loop(
        int(12_000 * share)
    ),
    "graph of 500 steps": lambda _, share: containers.wide_graph(500, int(50 * share)),
    "chain of 200, 2 workers": lambda _, share: scenarios.chain_throughput(200, int(200 * share)),
    "children, three levels": lambda _, share: containers.children(3, int(500 * share)),
    **{
        f"payload of {size // 1024:,} KiB through {payloads.STEPS} steps": partial(_payloads, size)
        for size in (16 * 1024, 256 * 1024, 1024 * 1024)
    },
    "memory of the workers": lambda _, share: containers.memory(600 * share),
    **{f"REST: single starts, {many} at once": partial(_starts, many) for many in (1, 8, 32)},
    "REST: one run, 8 at once": lambda url, share: rest.reads(url, 8, REST_SECONDS * share),
    "REST: list of 20 runs, 8 at once": lambda url, share: rest.lists(url, 8, REST_SECONDS * share),
    "REST: signals one by one, 8 at once": lambda url, share: rest.signals(url, 8, REST_SECONDS * share),
    **{
        f"REST: jobs, {workers} workers, polls of {batch}": partial(_jobs, workers, batch)
        for workers in (1, 4, 16)
        for batch in (1, 10, 50)
    },
    "dispatch: one job at a time": lambda url, share: dispatch.latency(url, int(60 * share)),
    "dispatch: many jobs, 4 workers": lambda url, share: dispatch.throughput(url, int(5_000 * share)),
    "claims beside 1,000,000 finished steps": lambda _, share: claims.beside_finished(int(1_000_000 * share)),
    "inbox of 1,000,000 open tasks, p95 ms": lambda _, share: inbox.million(int(1_000_000 * share)),
    "seeing 1,000,000 runs, p95 ms": lambda _, share: seeing.million(int(1_000_000 * share)),
    "forecasts of 20,000 open runs": lambda _, share: forecasts.waiting(int(20_000 * share)),
    **{
        f"watching: CPU of 100 runs of {steps}, taking turns": partial(_watching, steps)
        for steps in (10, 190)
    },
    "watching: CPU of 100 runs of a minute, taking turns": _long_runs,
    "watching: from commit to page": lambda url, share: watching.freshness(url, max(3, int(30 * share))),
    "chain of 3, 2 workers, beside those": lambda _, share: scenarios.chain_throughput(3, int(5000 * share)),
}


def measure(url: str, share: float, only: str = "") -> Iterator[tuple[str, Figures]]:
    """Each benchmark whose name has `only` in it, with its figures as soon as they are there.

    One that can't be run, as without a browser, has its `error` instead, and costs no other its figures.
    """
    scenarios.chain_throughput(3, 200)
    for name, run in SUITE.items():
        if only in name:
            try:
                yield name, run(url, share)
            except Exception as error:
                yield name, {"error": named(error)}
