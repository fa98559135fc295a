"""How a step can end, as the core sees it."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from engine.catalogue import Json


@dataclass(frozen=True, slots=True)
class Completed:
    """The step did its work. `variables`: those of the run that whoever did it sets beside its output."""

    output: Json
    variables: Mapping[str, Json] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Failed:
    """The step failed for good: no retry is left or none is allowed. `error` is `{code, message, …}`.

    `variables`: of a container in memory those of the run that its children had set by then.
    """

    error: Mapping[str, Json]
    variables: Mapping[str, Json] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Interrupted:
    """A boundary timer ended the step: of all its edges only the one to `target` is taken."""

    target: str
    output: Json


Outcome = Completed | Failed | Interrupted


def failed_output(error: Mapping[str, Json]) -> Json:
    """What the steps behind a failed step with `on_error` continue or branch see as its output."""
    return {"error": dict(error)}


def branch_of(output: Json) -> Json:
    """The outcome that an output names; None where it names none."""
    return output.get("branch") if isinstance(output, dict) else None


def output_of(outcome: Outcome) -> Json:
    """What the steps behind a step that ended so see as its output."""
    return failed_output(outcome.error) if isinstance(outcome, Failed) else outcome.output
