"""Open runs go on with another version of their workflow, where they fit it (R-010), with the runs of their items.

The open runs of a run's items are checked with it, and moved by messages that are written with its own move: each in a
transaction of its own, which looks once more.
"""

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from engine.catalogue import Json
from engine.migrating import Misfit, of_items
from engine.statuses import RUN_OPEN
from engine.verbs import why_not
from runs.commands import approved
from runs.commands.human_skips import check_move
from runs.commands.kept import refuse_test
from runs.commands.moving import Compared, compare, move, refusal_of
from runs.commands.new_times import NewTime
from runs.kernel import alerts, messages
from runs.kernel.graphs import graph_of
from runs.kernel.refused import RunRefused, fitting, refuse_parts, refuse_withdrawn
from runs.kernel.unit_of_work import Change, changing
from runs.limits import MIGRATED_PARTS
from runs.models import Run
from runs.store import moving, new_times, payloads, waits
from runs.store.child_runs import Message
from runs.store.new_times import OpenPart
from workflows.models import WorkflowVersion
from workflows.unnumbered import version_of_part

BUSY = "being_worked_on"

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Checked:
    """Whether a run fits a version: what stands against it, or which steps would begin at once, which times would be
    others, and how many open runs of its items would be moved with it.
    """

    problems: Sequence[Misfit]
    begins: Sequence[str] = ()
    times: Sequence[NewTime] = ()
    parts: int = 0

    @property
    def ok(self) -> bool:
        """Whether nothing stands against it."""
        return not self.problems


def check_run(tenant: int, run: str, version: int) -> Checked:
    """Whether an open run, with the open runs of its items, fits another version (its id) as it stands now.

    Changes nothing. Raises RunRefused for another tenant's run, and for a version that doesn't compile here.
    """
    with fitting():
        run_row = Run.objects.for_tenant(tenant).filter(pk=run).first()
        if run_row is None:
            raise RunRefused("unknown_run", "There is no such run.")
        if (why := _why_not(run_row, version)) is not None:
            return Checked([Misfit(why.code, None, why.message)])
        if run_row.sla_deadline is not None:
            # As it would be counted by the move; not saved.
            waited = waits.sla_waited(run)
            run_row.sla_deadline += waited
            run_row.sla_paused_seconds += waited.total_seconds()
        compared = compare(run_row, version)
        of_parts = _check_parts(run_row, version) if not compared.problems else Checked([])
        times = [*compared.times.times, *of_parts.times]
        return Checked(
            [*compared.problems, *of_parts.problems], compared.walked.begins, times, of_parts.parts
        )


def migrate_run(tenant: int, run: str, version: int, *, by: str, reason: str = "", job: str = "") -> None:
    """Have an open run go on with another version of its workflow (its id): what was done stays, the rest follows it.

    The open runs of its items go with it, if all of them fit. `job`: the bulk job that does it. Raises RunRefused:
    `does_not_fit` with all that stands against it as `problems`.
    """
    with fitting():
        row = Run.objects.for_tenant(tenant).filter(pk=run).first()
        # Before the run is locked: no transaction has two runs of a tree.
        problems = (
            [] if row is None or not new_times.parts_of(run, 1) else check_run(tenant, run, version).problems
        )
        if problems and problems[0].place:
            raise refusal_of(problems)
    with changing(tenant, [run]) as change:
        moving.lock_steps(run)
        waits.count_sla_waits([run])
        run_row = Run.objects.for_tenant(tenant).get(pk=run)
        if (why := _why_not(run_row, version)) is not None:
            raise why
        approved.change(run, change.locked[run], version)
        compared = compare(run_row, version)
        if compared.problems:
            raise refusal_of(compared.problems)
        check_move(tenant, by, run, version)
        payload: dict[str, Json] = {"by": by, "reason": reason}
        _move_with_parts(change, compared, payload | ({"job": job} if job else {}))


def first_of(refusal: RunRefused) -> tuple[str, str | None]:
    """What stands first against a run in a refusal: its code, and the step that it is about."""
    problems = refusal.details.get("problems")
    if not isinstance(problems, list) or not problems:
        return refusal.code, None
    return problems[0]["code"], problems[0]["node"]


def _why_not(run: Run, version: int) -> RunRefused | None:
    """What of the run itself stands against it, whatever its steps."""
    if why := why_not(run.status, "migrate"):
        return RunRefused(why.code, why.sentence, conflict=True)
    if run.version_id == version:
        return RunRefused("same_version", "The run is already on this version.", conflict=True)
    target = WorkflowVersion.objects.for_tenant(run.tenant_id).filter(pk=version)
    workflow, withdrawal = target.values_list("workflow_id", "withdrawal").first() or (None, None)
    if workflow != run.workflow_id:
        return RunRefused("unknown_version", "The workflow of the run has no such version.", field="version")
    try:
        if withdrawal is not None:
            refuse_withdrawn(run.tenant_id, version)
        refuse_test(run)
        refuse_parts(run.tenant_id, [str(run.pk)])
    except RunRefused as refusal:
        return refusal
    return None


def _check_parts(run: Run, version: int) -> Checked:
    """The same of the open runs of a run's items, however deep, by what the version has them do."""
    parts = new_times.parts_of(str(run.pk), MIGRATED_PARTS + 1)
    if len(parts) > MIGRATED_PARTS:
        message = f"More than {MIGRATED_PARTS:,} items are open: a run is moved with at most so many."
        return Checked([Misfit("too_many_items", None, message)])
    versions = {part.node: version_of_part(version, part.node) for part in parts if _goes_on(part, version)}
    rows = Run.objects.for_tenant(run.tenant_id).in_bulk([part.run for part in parts])
    problems: list[Misfit] = []
    times: list[NewTime] = []
    count = 0
    for part in parts:
        row = next((row for row in rows.values() if str(row.pk) == part.run), None)
        if row is None or versions.get(part.node) in (None, row.version_id) or row.status not in RUN_OPEN:
            continue
        there = versions[part.node]
        compared = compare(row, there)
        within = _check_parts(row, there) if not compared.problems else Checked([])
        unread = _given_otherwise(run.version_id, version, part, row)
        problems += [
            one.within(part.node, part.index) for one in [*unread, *compared.problems, *within.problems]
        ]
        times += [
            replace(one, place=[(part.node, part.index), *one.place])
            for one in [*compared.times.times, *within.times]
        ]
        count += 1 + within.parts
    return Checked(problems, (), times, count)


def _goes_on(part: OpenPart, version: int) -> bool:
    """Whether the version has its container, which does steps of its own for its items."""
    node = graph_of(version).nodes.get(part.node)
    return node is not None and node.body is not None and node.body.part is not None


def _given_otherwise(old: int, new: int, part: OpenPart, row: Run) -> Iterator[Misfit]:
    return of_items(graph_of(old), graph_of(new), part.node, payloads.whole(row.tenant_id, row.input))


def _move_with_parts(change: Change, compared: Compared, payload: dict[str, Json]) -> None:
    """Move a run that the caller has alone, and tell the open runs of its items."""
    run, version = str(compared.stand.run.pk), compared.version
    nodes = {part.node for part in new_times.parts_of(run, MIGRATED_PARTS) if _goes_on(part, version)}
    versions = {node: version_of_part(version, node) for node in sorted(nodes)}
    move(change, compared, payload)
    if versions and new_times.tell_parts(run, versions, payload):
        change.queues.add(messages.QUEUE)


def move_told(batch: Sequence[Message]) -> None:
    """Runs go on with other versions; open runs of their items go with them. What doesn't fit any more stays on its
    version and goes on, which history and an alert say."""
    for message in sorted(batch, key=lambda one: one.run):
        payload = dict(message.payload or {})
        version = int(payload.pop("version"))
        try:
            with fitting():
                _move_part(message.tenant, message.run, version, payload)
        except RunRefused as refusal:
            _stay(message, version, payload, refusal)


def _move_part(tenant: int, run: str, version: int, payload: dict[str, Json]) -> None:
    with changing(tenant, [run]) as change:
        if change.locked[run].status not in RUN_OPEN:
            # It ends, or has ended, by the version on which it was.
            return
        moving.lock_steps(run)
        row = Run.objects.for_tenant(tenant).get(pk=run)
        if row.version_id == version:
            return
        compared = compare(row, version)
        if compared.problems:
            raise refusal_of(compared.problems)
        _move_with_parts(change, compared, payload)


def _stay(message: Message, version: int, payload: dict[str, Json], refusal: RunRefused) -> None:
    details = refusal.details.get("problems")
    problems = details if isinstance(details, list) else []
    if problems and all(one["code"] == BUSY for one in problems):
        new_times.tell_part_again(message.run, payload | {"version": version})
        return
    reasons = problems or [{"code": refusal.code, "node": None, "message": refusal.message}]
    new_times.note_not_migrated(message.run, payload | {"problems": reasons})
    facts = {"why": refusal.message}
    alerts.send([alerts.Alert("not_migrated", message.tenant, message.run, str(reasons[0]["node"]), facts)])
