"""`make bench`: what the engine does on this machine, as a table and as a file in `benchmarks/results/`.

Every figure comes from real processes: the supervisor's workers (Celery's, or with HANDOFF_DISPATCH=polling those that
PostgreSQL wakes), its web process, its PostgreSQL with fsync.
"""

import argparse
import datetime
import json
import os
import platform
import sys
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path
from typing import Any

import django

from benchmarks import home
from config import dispatch_environment

RESULTS = Path(__file__).parent / "results"


def main() -> int:
    """Run the benchmarks and print each as it is measured; a whole run is also written down. Gives the exit status."""
    parser = argparse.ArgumentParser(prog="make bench", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="run a tenth of each; nothing is written")
    parser.add_argument("--only", default="", help="run those with this in their name; nothing is written")
    options = parser.parse_args()
    share = 0.1 if options.quick else 1.0
    with home.running() as facts:
        django.setup()
        # The benchmarks use models, which exist only from here on.
        suite = import_module("benchmarks.suite")
        if not any(options.only in name for name in suite.SUITE):
            print(f"No benchmark has {options.only!r} in its name; there are:", *suite.SUITE, sep="\n  ")
            return 2
        is_whole = share == 1.0 and not options.only
        return report(suite.measure(facts["url"], share, options.only), RESULTS if is_whole else None)


def report(measured: Iterable[tuple[str, dict[str, Any]]], folder: Path | None) -> int:
    """Print each benchmark's figures, and write all of them into a file of `folder`; 1 if one of them failed."""
    at = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    result: dict[str, Any] = {"at": at, "machine": machine()}
    failed = []
    for name, figures in measured:
        result[name] = figures
        _print(name, figures)
        failed += [name] if "error" in figures else []
    if folder is not None:
        folder.mkdir(exist_ok=True)
        path = folder / f"{at[:10]}.json"
        path.write_text(json.dumps(result, indent=2) + "\n")
        print(f"\nWritten to {path.parent.name}/{path.name}")
    if failed:
        print("\nNot measured:", *failed, sep="\n  ")
    return 1 if failed else 0


def machine() -> dict[str, Any]:
    """What the figures were measured on."""
    model = [line for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("model name")]
    return {
        "cpu": model[0].partition(": ")[2] if model else platform.processor(),
        "cores": os.cpu_count(),
        "load_before": round(os.getloadavg()[0], 2),
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.release()}",
        "dispatch": dispatch_environment.mode(),
    }


def _print(name: str, figures: dict[str, Any]) -> None:
    print(f"\n{name}")
    for key, value in figures.items():
        print(
            f"  {key:<28} {value:>12,}" if isinstance(value, int | float) else f"  {key:<28} {value}",
            flush=True,
        )


if __name__ == "__main__":
    sys.exit(main())
