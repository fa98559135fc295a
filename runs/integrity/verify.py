"""Whether runs are what their history says, and their history what was sealed."""

import json
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256

from engine.catalogue import Json
from engine.graph import Graph
from lib.stored_json import StoredDecoder
from runs.integrity.compare import ABSENT, Difference, JoinRow, RunRow, StepRow, VariableRow, differences
from runs.integrity.fold import Event, RunByHistory, fold
from runs.kernel import graphs
from runs.store import hot


def read(runs: Iterable[str]) -> Iterator[tuple[str, RunByHistory, RunRow]]:
    """Runs as their history tells of them, and as their rows are."""
    for text in hot.told_runs(runs):
        run, row, events = _read(json.loads(text, cls=StoredDecoder))
        yield run, fold(events), row


def verify(runs: Iterable[str]) -> Iterator[Difference]:
    """Everything that is wrong with these runs; each is read in one snapshot, one batch in one statement.

    They are runs that there are, or that history or a seal names: one without a row is gone.
    """
    left = {str(run) for run in runs}
    for text in hot.told_runs(left.copy()):
        columns = json.loads(text, cls=StoredDecoder)
        left.remove(columns[0])
        yield from _of_run(columns)
    for run in sorted(left):
        yield Difference(run, None, "row", "a run", ABSENT)


def _of_run(columns: Sequence[Json]) -> Iterator[Difference]:
    run, row, events = _read(columns)
    version, sealed, texts, seals = columns[2], columns[5], columns[11], columns[12]
    yield from _of_seals(run, texts, events, seals, sealed)
    yield from differences(run, fold(events), row, _graph(version))


def _read(columns: Sequence[Json]) -> tuple[str, RunRow, list[Event]]:
    run, _, _, status, life, _, number, input_digest, digest, steps, joins, texts, _, variables = columns
    rows = (
        [StepRow(*step) for step in steps],
        [JoinRow(*join) for join in joins],
        [VariableRow(*variable) for variable in variables],
    )
    return run, RunRow(status, life, number, input_digest, digest, *rows), [_event(text) for text in texts]


def _event(text: str) -> Event:
    at, _, type_, node, attempt, _, payload, _ = json.loads(text, cls=StoredDecoder)
    return Event(at, type_, node, attempt, payload)


def _graph(version: int) -> Graph | None:
    one = graphs.shown_or_none(version)
    return None if one is None else one.graph


def _of_seals(
    run: str, texts: Sequence[str], events: Sequence[Event], seals: Sequence[Json], sealed: int
) -> Iterator[Difference]:
    """Each seal made anew: how many events there are up to its last one, and the digest of their chain."""
    if (lives := [seal[0] for seal in seals]) != list(range(1, sealed + 1)):
        yield Difference(run, None, "seals", list(range(1, sealed + 1)), lives)
    links: dict[int, tuple[int, str]] = {}
    link = run.encode()
    for count, (text, event) in enumerate(zip(texts, events, strict=True), 1):
        link = sha256(link + text.encode()).digest()
        links[event.id] = count, link.hex()
    for life, count, last, digest in seals:
        found_count, sealed_digest = links.get(last, (0, None))
        if found_count != count:
            yield Difference(run, None, f"seal of life {life}: events", count, found_count)
        if sealed_digest != digest:
            yield Difference(run, None, f"seal of life {life}: digest", digest, sealed_digest)
