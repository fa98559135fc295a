"""Two runs read to be compared, and the runs that one may be compared with: as many statements for any two."""

from uuid import UUID

from accounts.principal import Principal
from engine.catalogue import Json
from engine.statuses import RunStatus
from lib.refusals import Missing
from runs.access import readable
from runs.limits import COMPARED_DIGESTS
from runs.models import Run
from runs.reading import queries
from runs.reading.comparing import Digest, compare, not_shown
from runs.reading.presentation import run_rows
from runs.reading.run_view import RunView
from runs.reading.stored import Bounds
from runs.store.comparing import payload_digests

SHOWN = Bounds(1024 * 1024, 256 * 1024, 4 * 1024 * 1024)
OFFERED = 10
"""So many runs are offered that completed, and as many others."""


def compared_runs(
    tenant: int, left: UUID | str, right: UUID | str, *, masks: bool = False
) -> dict[str, Json]:
    """Two runs of a tenant side by side (docs/api.md, "Two runs side by side"), of any workflows. Raises Missing.

    `masks`: for people who look, what has the name of a secret is masked.
    """
    rows = {row["id"]: row for row in run_rows(tenant, [*{str(left), str(right)}], SHOWN, apart=True)}
    if str(left) not in rows or str(right) not in rows:
        raise Missing("There is no such run.")
    one, other = rows[str(left)], rows[str(right)]
    payloads = not_shown(one, other)[:COMPARED_DIGESTS]
    digest_rows = payload_digests(tenant, [*rows], payloads) if payloads else []
    digests = {(row.run, row.node, row.field): Digest(row.kind, row.digest) for row in digest_rows}
    is_same = _is_same_version(tenant, one, other)
    return compare(one, other, same_version=is_same, digests=digests, masks=masks)


def _is_same_version(tenant: int, left: RunView, right: RunView) -> bool:
    if left["workflow"] != right["workflow"] or left["version"] != right["version"]:
        return False
    if left["version"] is not None:
        return True
    # What was tested has no number.
    runs = Run.objects.for_tenant(tenant).filter(pk__in=[left["id"], right["id"]])
    return len(set(runs.values_list("version_id", flat=True))) == 1


def to_compare_with(principal: Principal, run: UUID, workflow: str, *, test: bool) -> list[UUID]:
    """Recent runs of the same workflow that they may read: the latest completed first, then the latest of the rest."""
    tenant = principal.tenant_id
    mine = readable(Run.objects.for_tenant(tenant), principal)
    runs = queries.runs_of(tenant, workflow=workflow, test=test, within=mine)
    runs = runs.exclude(pk=run).order_by("-id")
    ids = runs.values_list("id", flat=True)
    completed = list(ids.filter(status=RunStatus.COMPLETED)[:OFFERED])
    return completed + list(ids.exclude(status=RunStatus.COMPLETED)[:OFFERED])
