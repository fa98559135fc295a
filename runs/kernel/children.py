"""Containers and their children: begun some at a time, counted as they end, and gathered when all of them are over.

A container is a step that waits (`steps.waiting.for_children`); its children are steps of its node with an `index`,
which do what its body says. Children end as all steps do; whoever counts the last of them has the run alone.
"""

from collections.abc import Iterable, Mapping, Sequence

from django.conf import settings

from engine.catalogue import Json
from engine.containers import Counts, is_empty_loop, items_failed
from engine.decide import describe
from engine.errors import StepError
from lib.blobs import BlobError
from runs.kernel import notices, rounds
from runs.kernel.graphs import graph_of
from runs.kernel.opening import opening_of
from runs.limits import CONTAINER_RESULT_BYTES
from runs.store import children, payloads
from runs.store.attempts import AttemptResult, ClaimedStep, Errored, Succeeded
from runs.store.children import Container, Finished
from runs.store.rows import ContainerRow, OpeningRow

Endings = list[tuple[ClaimedStep, AttemptResult]]


def enter(entered: Sequence[tuple[ClaimedStep, Mapping[str, Json]]]) -> Endings:
    """Let containers begin with their first children; gives those that are over at once.

    A wait without `items` was entered before: its children are counted once more, as a repair asks it.
    """
    empty: Endings = [(step, Succeeded(wait["items"][0])) for step, wait in entered if is_empty_loop(wait)]
    entered = [one for one in entered if not is_empty_loop(one[1])]
    if not entered:
        return empty
    rows: list[ContainerRow] = []
    for step, wait in entered:
        row: ContainerRow = {"step_id": step.id, "anew": "items" in wait, "rounds": rounds.is_loop(wait)}
        if "items" in wait:
            at_once = _at_once(step, wait["at_once"])
            row |= {"items": wait["items"], "at_once": at_once, "tolerated": wait["tolerated"]}
        rows.append(row)
    counts = children.open_containers(rows)
    versions = {step.run_id: step.version_id for step, _ in entered}
    # The runs of what begins to wait are told of by whoever lets it wait.
    notices.after_commit((), open_next(counts, versions))
    lost = [step for step, _ in entered if (step.run_id, step.node) not in counts]
    return [*empty, *((step, _lost()) for step in lost), *endings(over(counts), versions)]


def _at_once(step: ClaimedStep, wanted: int) -> int:
    """How many children may be open: of runs of a workflow no more than the tree may have beside the runs above."""
    body = graph_of(step.version_id).nodes[step.node].body
    if body is None or not body.spec.begins_run or body.part is not None:
        return wanted
    return min(wanted, max(1, settings.HANDOFF_TREE_OPEN_RUNS - settings.HANDOFF_TREE_DEPTH))


def open_next(counts: Mapping[Container, Counts], versions: Mapping[str, int]) -> set[str]:
    """Let as many children begin as may; gives the queues that have work now. `versions`: of each run."""
    opening: list[OpeningRow] = []
    for (run_id, name), count in sorted(counts.items()):
        body = graph_of(versions[run_id]).nodes[name].body
        if count.to_open and body is not None:
            opening.append(opening_of(run_id, name, body, count.to_open))
    return children.open_children(opening) if opening else set()


def over(counts: Mapping[Container, Counts]) -> set[Container]:
    """Those of the containers that are over."""
    return {container for container, count in counts.items() if count.is_over}


def endings(containers: Iterable[Container], versions: Mapping[str, int]) -> Endings:
    """How containers end whose children are over, or fail; those that wait no more are left out. Loops may go on.

    `versions`: of each run.
    """
    loops: list[Container] = []
    maps: list[Container] = []
    for run, name in containers:
        is_loop = rounds.is_loop_node(graph_of(versions[run]).nodes[name])
        (loops if is_loop else maps).append((run, name))
    results = children.containers_over(maps, most=CONTAINER_RESULT_BYTES) if maps else []
    ended = rounds.endings(loops) if loops else []
    return [*((one.step, _ending(one)) for one in results), *ended]


def _ending(finished: Finished) -> AttemptResult:
    try:
        if finished.failed > finished.tolerated:
            raise items_failed(finished.failed, finished.total, finished.first)
        results = finished.results
        if results is None or payloads.is_larger(results, CONTAINER_RESULT_BYTES):
            message = f"What the children gave is larger than {CONTAINER_RESULT_BYTES:,} bytes together."
            raise StepError("BadOutput", message, details={"field": "output"})
        spec = graph_of(finished.step.version_id).nodes[finished.step.node].spec
        return Succeeded(spec.collect(payloads.whole(finished.step.tenant_id, results)))
    except BlobError as error:
        return payloads.lost(error)
    except StepError as error:
        return Errored(describe(error))


def _lost() -> Errored:
    return Errored(describe(StepError("ItemsLost", "Nothing is known any more of what it had to do.")))
