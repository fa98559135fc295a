"""Which benchmarks there are, in their order, each on a Handoff at `url` and with `share` of its usual size."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from benchmarks import builder, inbox, scenarios, waits
from lib.messages import named

Figures = dict[str, Any]

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
    "map of 10,000, noop": lambda _, share: scenarios.items_of_a_map(
        int(10_000 * share), 1_000, {"type": "noop"}
    ),
    "map of 1,000, two steps each": lambda _, share: scenarios.items_of_a_map(
        int(1_000 * share), 200, {"steps": [{"id": "one", "type": "noop"}, {"id": "two", "type": "noop"}]}
    ),
    "loop of 1,000 rounds": lambda _, share: scenarios.rounds_of_a_loop(int(1_000 * share)),
    "inbox of 1,000,000 open tasks, p95 ms": lambda _, share: inbox.million(int(1_000_000 * share)),
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
