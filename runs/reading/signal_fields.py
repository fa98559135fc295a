"""Which signals a run and the runs below it may wait for, and the fields of each as their definitions read it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from accounts.principal import Principal
from engine.bodies import every_step
from engine.fields_read import payload_read
from engine.holes import has_holes
from lib.json import Json
from runs.access import readable_runs
from runs.limits import SIGNAL_FORM_RUNS
from runs.models import Run
from steps.catalogue import CATALOGUE
from workflows.models import WorkflowVersion


@dataclass(frozen=True, slots=True)
class Signals:
    """The names of the signals that steps wait for, and for one of them the schema of what is read of its content.

    `schema` is None where nothing is read of it but the whole.
    """

    names: list[str]
    schema: dict[str, Json] | None


def signals_of(who: Principal, run_id: UUID, name: str) -> Signals:
    """The signals of a run of the tenant, and of those runs below it that the caller may read."""
    names: dict[str, None] = {}
    schema = None
    for definition in _definitions(who, run_id):
        for step, signal in _waiting(definition):
            names[signal] = None
            if signal == name and schema is None:
                schema = payload_read(definition, step, CATALOGUE)
    return Signals(list(names), schema)


def _definitions(who: Principal, run_id: UUID) -> Iterator[Mapping[str, Json]]:
    """Those of the run itself, then of its tree."""
    own = Run.objects.for_tenant(who.tenant_id).values_list("version_id", "tree_id", "root_id").get(pk=run_id)
    below = readable_runs(who).filter(tree_id=own[1] or own[2]).order_by("-id")
    versions = dict.fromkeys([own[0], *below.values_list("version_id", flat=True)[:SIGNAL_FORM_RUNS]])
    rows = WorkflowVersion.objects.for_tenant(who.tenant_id).in_bulk([*versions])
    return (rows[one].definition for one in versions if one in rows)


def _waiting(definition: Mapping[str, Json]) -> Iterator[tuple[str, str]]:
    """The steps of a definition that wait for signals whose names are written out, as (id, signal)."""
    for _, step in every_step(definition["nodes"], CATALOGUE):
        spec, params = CATALOGUE.get(step["type"]), _params(step)
        name = params.get("name")
        if spec is not None and spec.takes_signals and isinstance(name, str) and not has_holes(name):
            yield step["id"], name


def _params(step: Mapping[str, Any]) -> Mapping[str, Json]:
    params = step.get("params")
    return params if isinstance(params, Mapping) else {}
