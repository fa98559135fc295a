"""Containers and large graphs: maps, loops that go on as new runs, runs within runs, and the memory that work takes."""

import os
import time
from itertools import pairwise
from pathlib import Path
from statistics import mean
from typing import Any, Final

from benchmarks.scenarios import chain_throughput, publish_definition, published, started, wait_for
from runs.models import Run, StepExecution

MIB: Final = 1024 * 1024


def items_of_a_map(items: int, at_once: int, body: dict[str, Any]) -> dict[str, Any]:
    """One run of a map over so many items; until the first ones have begun, and until it has completed."""
    params = {"items": "{{ input.items }}", "max_concurrency": at_once, "body": body}
    version = published([{"id": "each", "type": "map", "params": params}])
    began = time.monotonic()
    started(version, 1, lambda _: {"items": [*range(items)]})
    while not StepExecution.unsafe_all_tenants.filter(version_id=version.pk, index__isnull=False).exists():
        time.sleep(0.005)
    opened = time.monotonic() - began
    wait_for(version, 1)
    took = time.monotonic() - began
    return {
        "items": items,
        "opened s": round(opened, 2),
        "seconds": round(took, 2),
        "items/s": round(items / took),
    }


def rounds_of_a_loop(rounds: int) -> dict[str, Any]:
    """One loop that counts up round by round, as so many runs of one chain as its history asks for."""
    body = {"type": "transform", "params": {"set": {"n": "{{ item.n + 1 }}"}}}
    params = {"body": body, "input": {"n": 0}, "count": rounds, "max_iterations": rounds}
    version = published([{"id": "again", "type": "loop", "params": params}])
    began = time.monotonic()
    started(version, 1)
    last = _last_of_chain(version.pk)
    took = time.monotonic() - began
    if last.output != {"n": rounds}:
        raise SystemExit(f"the loop gave {last.output}, not {rounds}")
    runs = Run.unsafe_all_tenants.filter(version=version).count()
    return {"rounds": rounds, "runs": runs, "seconds": round(took, 2), "rounds/s": round(rounds / took)}


def _last_of_chain(version: int) -> Run:
    while True:
        ended = Run.unsafe_all_tenants.filter(version_id=version).exclude(status="CONTINUED")
        if (run := ended.filter(completed_at__isnull=False).first()) is not None:
            return run
        time.sleep(0.1)


def wide_graph(nodes: int, runs: int) -> dict[str, Any]:
    """`runs` of a graph of so many steps: one, all the others behind it in rows of six, and one that joins them."""
    width = 6
    rows = [[f"s{row}_{at}" for at in range(width)] for row in range((nodes - 2) // width)]
    names = ["first", *(name for row in rows for name in row), "last"]
    ways = [("first", name) for name in rows[0]] + [(name, "last") for name in rows[-1]]
    ways += [pair for one, two in pairwise(rows) for pair in zip(one, two, strict=True)]
    version = publish_definition(
        [{"id": name, "type": "noop"} for name in names], [{"from": one, "to": two} for one, two in ways]
    )
    began = time.monotonic()
    started(version, runs)
    wait_for(version, runs)
    took = time.monotonic() - began
    steps = len(names) * runs
    return {"runs": runs, "steps": steps, "seconds": round(took, 2), "steps/s": round(steps / took)}


def children(depth: int, runs: int) -> dict[str, Any]:
    """`runs` of a workflow that waits for a run of another, which waits for one, so many levels down."""
    version = published([{"id": "work", "type": "noop"}])
    for _ in range(depth):
        params = {"workflow": version.workflow.name}
        version = published([{"id": "child", "type": "subworkflow", "params": params}])
    began = time.monotonic()
    started(version, runs)
    wait_for(version, runs)
    took = time.monotonic() - began
    all_runs = runs * (depth + 1)
    return {"runs": all_runs, "levels": depth, "seconds": round(took, 2), "runs/s": round(all_runs / took)}


def memory(seconds: float) -> dict[str, Any]:
    """Chains, maps and loops one after another for so long: MiB of all workers, in each quarter of the time."""
    began = time.monotonic()
    samples: list[tuple[float, float]] = []
    while (now := time.monotonic() - began) < seconds:
        chain_throughput(3, 1_000)
        items_of_a_map(2_000, 500, {"type": "noop"})
        items_of_a_map(200, 50, {"steps": [{"id": "one", "type": "noop"}, {"id": "two", "type": "noop"}]})
        rounds_of_a_loop(50)
        samples.append((now / seconds, _workers_mib(os.environ["HANDOFF_HOME"])))
    quarters = [[mib for at, mib in samples if at // 0.25 == quarter] for quarter in range(4)]
    figures = {f"MiB, quarter {place}": round(mean(part)) for place, part in enumerate(quarters, 1) if part}
    growth = mean(quarters[3]) / mean(quarters[1]) - 1
    return {"seconds": round(seconds), **figures, "last over second, %": round(growth * 100, 1)}


def _workers_mib(home: str) -> float:
    """The memory of the processes that do steps: each page that several share counts for its part."""
    total = 0
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            name, environment = (folder / "comm").read_text(), (folder / "environ").read_bytes()
            if not name.startswith("worker") or f"HANDOFF_HOME={home}\0".encode() not in environment:
                continue
            rollup = (folder / "smaps_rollup").read_text()
        except OSError:
            continue
        total += next(int(line.split()[1]) * 1024 for line in rollup.splitlines() if line.startswith("Pss:"))
    if not total:
        raise SystemExit("no worker was found")
    return total / MIB
