"""For the tests of a plug-in: whether a step type is one that Handoff takes."""

from steps.conformance import problems_of

__all__ = ["problems_of"]
