"""`make bench`: what the engine does on this machine, as a table and as a file in `benchmarks/results/`.

Every figure comes from real processes: the supervisor's Celery workers, its web process, its PostgreSQL with fsync.
"""

import argparse
import datetime
import json
import os
import platform
from importlib import import_module
from pathlib import Path
from typing import Any

import django

from benchmarks import home

RESULTS = Path(__file__).parent / "results"


def main() -> None:
    """Run the benchmarks and print a table; a whole run is also written down."""
    parser = argparse.ArgumentParser(prog="make bench", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="run a tenth of each; nothing is written")
    parser.add_argument("--only", default="", help="run those with this in their name; nothing is written")
    asked = parser.parse_args()
    share = 0.1 if asked.quick else 1.0
    with home.running() as facts:
        django.setup()
        # The benchmarks use models, which exist only from here on.
        found = import_module("benchmarks.suite").measure(facts["url"], share, asked.only)
    result = {
        "at": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "machine": machine(),
        **found,
    }
    _table(found)
    if share == 1.0 and not asked.only:
        RESULTS.mkdir(exist_ok=True)
        path = RESULTS / f"{result['at'][:10]}.json"
        path.write_text(json.dumps(result, indent=2) + "\n")
        print(f"\nWritten to benchmarks/results/{path.name}")


def machine() -> dict[str, Any]:
    """What the figures were measured on."""
    model = [line for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("model name")]
    return {
        "cpu": model[0].partition(": ")[2] if model else platform.processor(),
        "cores": os.cpu_count(),
        "load_before": round(os.getloadavg()[0], 2),
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.release()}",
    }


def _table(found: dict[str, dict[str, Any]]) -> None:
    for name, figures in found.items():
        print(f"\n{name}")
        for key, value in figures.items():
            print(f"  {key:<28} {value:>12,}" if isinstance(value, int | float) else f"  {key:<28} {value}")


if __name__ == "__main__":
    main()
