"""For tests: whether a step type is one that Handoff takes, and a workflow played in memory by a clock that skips."""

from steps.conformance import problems_of
from steps.playing import NEVER, After, Call, NotPlayable, Played, play

__all__ = ["NEVER", "After", "Call", "NotPlayable", "Played", "play", "problems_of"]
