"""What the workflow is used for already: open runs on older versions, and triggers that are off."""

from collections.abc import Sequence

from accounts.roles import RUNS_OPERATE
from workflows import ports, queries
from workflows.limits import OPEN_RUNS_COUNTED
from workflows.models import Workflow
from workflows.readiness.findings import RUN_MOVES, Choice, Finding, Mend
from workflows.readiness.rights import Rights


def older_runs(rights: Rights, version: int, *, is_published: bool) -> Finding | None:
    """Runs that may be moved and are on other versions than the one of this number, which the draft is or will be; two
    statements.
    """
    counts = ports.open_runs(rights.workflow, movable=True)
    if not counts:
        return None
    rows = queries.versions_of(rights.workflow).filter(pk__in=counts).order_by("-number")
    older = [(number, counts[id_]) for id_, number in rows.values_list("pk", "number") if number != version]
    total = sum(count for _, count in older)
    if not total:
        return None
    least = "At least " if sum(counts.values()) >= OPEN_RUNS_COUNTED else ""
    runs = "1 open run stays" if total == 1 else f"{total:,} open runs stay"
    where = ", ".join(f"{count:,} on version {number}" for number, count in older)
    message = f"{least}{runs} on older versions: {where}."
    return Finding(
        code="runs_on_older_versions", message=message, mend=_move(rights, version, is_published=is_published)
    )


def _move(rights: Rights, version: int, *, is_published: bool) -> Mend:
    title = f"Move them to version {version}"
    if (mover := RUN_MOVES.first) is None:
        return rights.mend("field", "Show the runs", RUNS_OPERATE)
    move = mover(rights.workflow, version)
    return rights.mend(
        "request",
        title,
        RUNS_OPERATE,
        method=move.method,
        path=move.path,
        choices=(Choice(title, move.body),),
        after_publish=not is_published,
    )


def off_triggers(triggers: Sequence[ports.Trigger]) -> list[Finding]:
    """Triggers of the workflow that start nothing, each with its page."""
    return [_off(one) for one in triggers if not one.is_on]


def _off(one: ports.Trigger) -> Finding:
    why = f": {one.refused_why.rstrip('.')}" if one.refused_why else ""
    return Finding(
        code="trigger_off",
        message=f"The {one.kind.lower()} “{one.name}” is off{why}. It {'starts' if one.starts else 'signals'} nothing.",
        mend=Mend(
            kind="page", title=f"Open the {one.kind.lower()}", path=one.path or None, allowed=bool(one.path)
        ),
    )


def triggers_of(rights: Rights) -> list[ports.Trigger]:
    """The triggers that the reader may see."""
    workflow: Workflow = rights.workflow
    return ports.triggers_of(rights.reader, workflow)
