"""Test runs: ordinary runs of a definition that was rewritten for them (docs/decisions/0011)."""

from collections.abc import Mapping
from dataclasses import dataclass

from accounts.principal import Principal
from accounts.roles import RUNS_START
from engine.catalogue import Json
from engine.overrides import RerunWith
from lib.refusals import Invalid
from runs.commands.starts import NewRun, Terms, start_runs
from runs.kernel.refused import storable
from runs.models import StartedFrom
from steps.limits import MAX_INPUT_BYTES
from workflows.trials.prepare import prepare_trial
from workflows.trials.rewrite import Stubbed, TrialOptions


@dataclass(frozen=True, slots=True)
class Tried:
    """A test run that was started, and what doesn't happen in it."""

    run: str
    stubbed: tuple[Stubbed, ...]


@dataclass(frozen=True, slots=True)
class StepInput:
    """What the one step of a test is given, whatever comes before it."""

    value: Json


def start_trial(
    principal: Principal,
    name: str,
    options: TrialOptions,
    *,
    value: Json,
    definition: Mapping[str, Json] | None = None,
    all_live: bool = False,
    own_pins: bool = False,
    step_input: StepInput | None = None,
) -> Tried:
    """Start a test run of a workflow's draft, or of a `definition`, with the input `value`.

    Raises what `prepare_trial` raises, and RunRefused where the input doesn't fit.
    """
    principal.require(RUNS_START)
    if step_input is not None and options.only is None:
        raise Invalid("Only a single step can have its own input: give `only`, too.", field="step_input")
    if step_input is not None:
        storable(step_input.value, "step_input", max_bytes=MAX_INPUT_BYTES)
    prepared = prepare_trial(
        principal, name, options, definition=definition, all_live=all_live, own_pins=own_pins
    )
    terms = Terms(
        tenant=principal.tenant_id,
        version=prepared.version,
        by=principal.username,
        is_test=True,
        acts_for=principal.acts_for,
        started_from=StartedFrom.TEST,
    )
    overrides = {options.only: RerunWith(step_input.value)} if step_input is not None and options.only else {}
    (started,) = start_runs(terms, [NewRun(value, overrides=overrides)])
    return Tried(started.id, prepared.stubbed)
