"""What workers say of jobs that they hold, as it is kept: secrets that they were given are masked."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from engine.errors import ExpressionError, OutOfTime
from engine.templates import Template, compile_template
from lib.masking import Masker, is_secret_name, secrets_in
from runs.kernel import scopes
from runs.kernel.graphs import compiled_or_none
from runs.reading.rendered import deadline
from runs.store import payloads
from runs.store.attempts import ClaimedStep
from steps.attempt_log import AttemptLog, LogLine, line_text

_NOTHING = compile_template({})


def hear(speaking: Iterable[tuple[ClaimedStep, Sequence[LogLine]]]) -> None:
    """Give each of these steps the log of what its worker has said, where it has.

    What secrets they were given is computed anew, within a time that they share. At most one statement for all of them,
    and none where no param may hold one: the scopes of those that needed it are loaded behind it.
    """
    entries = [(step, lines, _secret_params(step)) for step, lines in speaking if lines]
    scopes.load(
        step for step, _, params in entries if not params.is_static or payloads.has_references(step.input)
    )
    check = deadline()
    for step, lines, params in entries:
        masker = _masker(step, params, check)
        step.log = AttemptLog.of(replace(line, text=line_text(line.text, masker)) for line in lines)


def _secret_params(step: ClaimedStep) -> Template:
    """What of its params may be, or hold, a secret."""
    version = compiled_or_none(step.version_id)
    if version is None:
        return _NOTHING
    return version.graph.step(step.node, step.index).params.where(is_secret_name)


def _masker(step: ClaimedStep, params: Template, check: Callable[[], None]) -> Masker:
    if step.unreadable is not None:
        return Masker(knows_all=False)
    try:
        computed = params.render(step.scope, check)
    except OutOfTime:
        return Masker(knows_all=False)
    except ExpressionError:
        # Its worker was given them as they were then: what has become of that says nothing of secrets any more.
        computed = {}
    return Masker(secrets_in({"params": computed, "input": step.input}))
