"""What workers say of jobs that they hold, as it is kept: secrets that they were given are masked."""

from collections.abc import Sequence
from dataclasses import replace

from engine.errors import ExpressionError
from lib.masking import secrets_in
from runs.kernel.graphs import BrokenVersion, graph_of
from runs.store.attempts import ClaimedStep
from steps.attempt_log import AttemptLog, LogLine, line_text


def log_of(step: ClaimedStep, lines: Sequence[LogLine]) -> AttemptLog:
    """The log of a step whose scope is loaded, with what its worker has said."""
    try:
        params = graph_of(step.version_id).step(step.node, step.index).params.render(step.scope)
    except (BrokenVersion, ExpressionError):
        # Its worker was given them as they were then: what has become of that says nothing of secrets any more.
        params = {}
    secrets = secrets_in({"params": params, "input": step.input})
    return AttemptLog.of(replace(line, text=line_text(line.text, secrets)) for line in lines)
