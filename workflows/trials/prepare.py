"""Getting a draft ready to be tried out: what is asked for as a definition of its own, kept for the run."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from accounts.principal import Principal
from accounts.roles import WORKFLOWS_READ, WORKFLOWS_WRITE
from engine.canonical import canonical_bytes
from engine.catalogue import Json
from engine.dialects import DialectError, to_native
from engine.problems import Problem
from engine.validate import validate
from lib.refusals import Unprocessable
from steps.catalogue import ALL_TYPES
from workflows import queries, unnumbered
from workflows.access import guard_workflow
from workflows.checking.check import check
from workflows.checking.references import require_starts
from workflows.models import Workflow
from workflows.trials.rewrite import Stubbed, Trial, TrialOptions, is_sound, trial_definition


@dataclass(frozen=True, slots=True)
class Prepared:
    """A version that a test run can take, and what doesn't happen in it."""

    version: int
    stubbed: tuple[Stubbed, ...]


def prepare_trial(
    principal: Principal,
    name: str,
    options: TrialOptions,
    *,
    definition: Mapping[str, Json] | None = None,
    all_live: bool = False,
    own_pins: bool = True,
) -> Prepared:
    """Keep what is asked for of the draft, or of a `definition`, as a version for test runs.

    `all_live`: nothing is left out. `own_pins`: the pins that are kept with the draft count instead of those asked for.
    Raises Missing, Conflict for an archived workflow, Invalid, Forbidden for a step that would start a workflow which
    whoever tests may not start, or Unprocessable with the problems of the steps that take part.
    """
    principal.require(WORKFLOWS_READ)
    guard_workflow(principal, WORKFLOWS_READ, name)
    workflow = queries.get_workflow(principal.tenant_id, name)
    queries.refuse_archived(workflow)
    if definition is not None and not _is_the_draft(workflow, definition):
        # Whoever may run what others have designed may not thereby run whatever they like.
        principal.require(WORKFLOWS_WRITE)
        guard_workflow(principal, WORKFLOWS_WRITE, name)
    if own_pins:
        options = replace(options, pins=pins_of(workflow))
    document = workflow.draft_definition if definition is None else dict(definition)
    trial = trial_of(document, name, options, all_live=all_live)
    require_starts(principal, trial.definition, is_test=True)
    version = unnumbered.keep(workflow, trial.definition, principal.user_id)
    return Prepared(version, trial.stubbed)


def _is_the_draft(workflow: Workflow, definition: Mapping[str, Json]) -> bool:
    """Whether this is the workflow's draft, in whatever dialect; no edges are none, said or not."""
    try:
        one, other = (
            canonical_bytes({"edges": [], **to_native(dict(document), None, workflow.name)})
            for document in (definition, workflow.draft_definition)
        )
        return one == other
    except DialectError:
        return False


def pins_of(workflow: Workflow) -> dict[str, Json]:
    """The outputs that are pinned in the draft, by their steps."""
    pins = workflow.draft_layout.get("pins") if isinstance(workflow.draft_layout, dict) else None
    return dict(pins) if isinstance(pins, dict) else {}


def trial_of(document: Json, name: str, options: TrialOptions, *, all_live: bool = False) -> Trial:
    """The test run of a definition in any dialect. Raises Invalid, or Unprocessable with its problems."""
    checked = check(document, name=name)
    if checked.native is None or not is_sound(checked.native):
        raise refusal([one for one in checked.problems if one.severity == "error"])
    if all_live:
        options = replace(options, live=frozenset(node["id"] for node in checked.native["nodes"]))
    trial = trial_definition(checked.native, options)
    errors = [one for one in validate(trial.definition, ALL_TYPES) if one.severity == "error"]
    errors = [*_name_errors(checked.problems), *map(trial.in_the_original, errors)]
    if errors:
        raise refusal(errors)
    return trial


def _name_errors(problems: list[Problem]) -> list[Problem]:
    return [one for one in problems if one.severity == "error" and one.field == "name"][:1]


def refusal(problems: list[Problem]) -> Unprocessable:
    """Why steps that take part in a test can't."""
    return Unprocessable(
        "Steps that take part have problems; correct them and test again.",
        code="invalid_definition",
        details={"problems": [one.as_dict() for one in problems]},
    )
