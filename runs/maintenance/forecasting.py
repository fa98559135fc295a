"""When a run is probably done: by how long runs before it went on from the step at which it is (docs/telemetry.md).

It is told to the minute, and told anew when it is another by a twentieth of how far away it is: what waits for weeks
costs next to nothing.
"""

from collections.abc import Sequence
from math import ceil

from lib.rest_times import RestTimes
from lib.working_clock import Clock
from runs.maintenance.clocks import WHOLE, Clocks
from runs.maintenance.past import Past
from runs.store import forecasts as store
from runs.store.forecasts import ForecastRow, Of, OpenRun

MINUTE = 60
VAGUE = 20
"""By so large a part of how far away it is an end may be another one than is told."""
LATEST_SECONDS = 3_650 * 86_400.0
"""What is told to be later than that from now is told as then."""
ALMOST_SURE = 0.99
"""No deadline that is yet to come is told to be missed more surely than that."""


def forecast_runs(runs: Sequence[str], past: Past, clocks: Clocks) -> list[Of]:
    """Keep anew when these runs are probably done, where it is another time than is told; of those that don't go on
    nothing is told. Gives those of which something else is told than was.
    """
    state = store.runs_to_forecast(runs)
    past.read(state.open, state.now)
    clocks.read({(run.tenant_id, run.version_id) for run in state.open})
    rows = {run.id: row for run in state.open if (row := forecast_of(run, state.now, past, clocks))}
    others = [row for run, row in rows.items() if is_another(row, state.told.get(run), state.now)]
    over = [run for run in state.told if run not in rows]
    return store.keep(others, over) if others or over else []


def is_another(row: ForecastRow, former: ForecastRow | None, now: float) -> bool:
    """Whether a forecast says something else than was told."""
    if former is None or row["risk"] != former["risk"]:
        return True
    pairs = ((row["p50"], former["p50"]), (row["p90"], former["p90"]))
    return any(abs(there - before) * VAGUE > there - now for there, before in pairs)


def forecast_of(run: OpenRun, now: float, past: Past, clocks: Clocks) -> ForecastRow | None:
    """When a run is probably done: of its open steps that one counts which promises the latest end. None where nobody
    knows.
    """
    rows = []
    for node, due, least in run.steps:
        basis, since = _known(run, node, past, clocks), due
        if basis is None:
            basis, since = _known(run, WHOLE, past, clocks), run.began
        if basis is not None:
            rows.append(_row(run, now, since, least, *basis))
    return max(rows, key=lambda row: row["p90"], default=None)


def _known(run: OpenRun, node: str, past: Past, clocks: Clocks) -> tuple[RestTimes, Clock] | None:
    """How long runs went on from a node, and by which clock."""
    working = clocks.working(run.tenant_id, run.version_id, node)
    times = past.of(run.version_id, node, may_work=working is not None)
    if times is None:
        return None
    rests, is_working = times
    return rests, working if is_working and working else clocks.wall


def _row(
    run: OpenRun, now: float, since: float, least: float | None, rests: RestTimes, clock: Clock
) -> ForecastRow:
    start = clock.place(since)
    passed = max(0.0, clock.place(now) - start)
    earliest = max(now, least or now)
    p50, p90 = (
        _to_the_minute(
            min(max(earliest, clock.moment(start + rests.quantile(share, passed))), now + LATEST_SECONDS)
        )
        for share in (0.5, 0.9)
    )
    risk = None
    if run.deadline is not None:
        is_missed = run.deadline <= earliest
        likely = rests.risk(clock.place(run.deadline) - start, passed)
        risk = 1.0 if is_missed else min(ALMOST_SURE, round(likely, 2))
    return {"run_id": run.id, "p50": p50, "p90": p90, "risk": risk}


def _to_the_minute(moment: float) -> float:
    return float(MINUTE * ceil(moment / MINUTE))
