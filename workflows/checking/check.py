"""The engine's judgement of a definition, with the catalogue of this installation."""

from dataclasses import dataclass

from engine.dialects import DIALECTS, DialectError, to_native
from engine.problems import Problem, error
from engine.validate import validate
from lib.json import Json
from lib.refusals import Invalid
from steps.catalogue import CATALOGUE
from workflows.checking import text_pipelines
from workflows.checking.fixes import with_fixes
from workflows.ports import judged


@dataclass(frozen=True, slots=True)
class Checked:
    """A definition in our own dialect, and all that was found; `native` only where it could be translated."""

    native: dict[str, Json] | None
    problems: list[Problem]

    @property
    def is_publishable(self) -> bool:
        """Whether there are warnings at most."""
        return self.native is not None and all(problem.severity != "error" for problem in self.problems)

    def as_dicts(self) -> list[dict[str, Json]]:
        """The problems as the API gives them."""
        return [problem.as_dict() for problem in self.problems]


def check(
    document: Json, *, name: str | None = None, dialect: str | None = None, tenant: int | None = None
) -> Checked:
    """Translates and validates a definition of any dialect; with `name`, it has that name or none.

    With `tenant`, it is also judged by what there is in that tenant, where the engine finds no error in it.

    Raises Invalid for an unknown dialect.
    """
    if dialect is not None and dialect not in DIALECTS:
        raise Invalid(f"There is no such dialect; known ones are {', '.join(DIALECTS)}.", field="dialect")
    try:
        native = to_native(document, dialect, name)
    except DialectError as refusal:
        return Checked(None, [error("bad_value", one.field, one.message) for one in refusal.findings])
    problems = [*text_pipelines.problems_of(document, dialect, native), *validate(native, CATALOGUE)]
    if tenant is not None and not any(problem.severity == "error" for problem in problems):
        problems = [*problems, *judged(tenant, native)]
    if name is not None and native.get("name") != name:
        message = f"`name` must be {name}, the name of the workflow: correct it."
        problems = [error("bad_value", "name", message), *problems]
    # The changes of a fix are those of the draft as it is written: there are none for another dialect.
    is_as_written = all(native.get(key) == value for key, value in document.items())
    return Checked(native, with_fixes(native, problems, name) if is_as_written else problems)
