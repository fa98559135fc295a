"""The accepted ways of writing a definition, and their translation into ours (C-7, R-001, R-026)."""

from collections.abc import Mapping

from engine.catalogue import Json
from engine.dialects.base import Dialect, DialectError
from engine.dialects.configuration import CONFIGURATION
from engine.dialects.depends_on import DEPENDS_ON
from engine.dialects.export import exported
from engine.dialects.native import NATIVE
from engine.dialects.rochallor import ROCHALLOR
from engine.dialects.s0 import S0
from engine.dialects.steps import STEPS

# In the order in which they are tried: depends_on may use the names of `s0`, native shares `nodes` with `s0`, and `s4`
# (rochallor) `steps` with a plain list of steps.
_IN_ORDER = (ROCHALLOR, DEPENDS_ON, S0, CONFIGURATION, STEPS, NATIVE)
DIALECTS: Mapping[str, Dialect] = {dialect.name: dialect for dialect in _IN_ORDER}

__all__ = ["DIALECTS", "DialectError", "detect", "from_native", "to_native"]


def detect(document: object) -> str:
    """The name of the document's dialect. Raises DialectError if it is none that we know."""
    if not isinstance(document, dict):
        raise DialectError("A definition is a JSON object.")
    name = next((dialect.name for dialect in DIALECTS.values() if dialect.matches(document)), None)
    if name is None:
        raise DialectError(
            "This is not a definition in a known dialect: it has no nodes, steps, dag or configuration."
        )
    return name


def to_native(document: object, dialect: str | None = None, name: str | None = None) -> dict[str, Json]:
    """The document in the native dialect, which `validate` then judges; `name` is used where it has none.

    Raises DialectError when it can't be translated.
    """
    if not isinstance(document, dict):
        raise DialectError("A definition is a JSON object.")
    translator = DIALECTS.get(dialect if dialect is not None else detect(document))
    if translator is None:
        names = ", ".join(sorted(DIALECTS))
        raise DialectError(f"There is no dialect `{dialect}`; known ones are {names}.", "dialect")
    native = translator.to_native(document)
    if name is not None and native.get("name") is None:
        native = {"name": name, **{key: value for key, value in native.items() if key != "name"}}
    return native


def from_native(definition: Mapping[str, Json], dialect: str = "native") -> dict[str, Json]:
    """A stored definition as it is exported: the native dialect, exactly as it was saved (R-026), or another one.

    Raises DialectError where that dialect can't say it.
    """
    return exported(definition, DIALECTS[dialect])
