"""A decision as somebody sends it, and what is checked of it before anything is locked."""

from dataclasses import dataclass

from django.conf import settings

from engine.catalogue import Json
from engine.errors import TooMuchWork
from lib import refusals
from lib.api.errors import join
from lib.refusals import Invalid, TooLarge
from lib.strict_json import BadJson, JsonTooLarge, strict_dumps
from steps.schema import problems_of
from tasks_inbox.forms import files
from tasks_inbox.forms.people import people_faults
from tasks_inbox.limits import DECISION_BYTES, DECISION_COMMENT_CHARACTERS, DECISION_PROBLEMS
from tasks_inbox.models import ManualTask


@dataclass(frozen=True, slots=True)
class Decision:
    """What somebody decides: the outcome, what they filled in, their comment.

    `seen` is the hash of what they decided upon (`presentation.hash_of`), `reason` what the audit log is told instead
    of the comment.
    """

    outcome: str
    data: Json = None
    comment: str = ""
    seen: str | None = None
    reason: str | None = None

    @property
    def why(self) -> str:
        """What the audit log is told."""
        return self.reason or self.comment


def encoded(data: Json) -> str | None:
    """What was filled in, as the text of its JSON; None for nothing."""
    return None if data is None else strict_dumps(data, max_bytes=DECISION_BYTES).decode()


def require_seen(seen: str | None) -> None:
    """Let pass who says what they decide upon, where that is required. Raises Invalid at `seen`."""
    if not seen and settings.HANDOFF_REQUIRE_SEEN:
        message = "Read the task first, and send its `shown_hash` as `seen`: it says what you decide upon."
        raise Invalid(message, code="required", field="seen")


def check_decision(task: ManualTask, decision: Decision) -> None:
    """Let pass what may end this task. Raises Invalid naming the first field, all faults in `details.errors`."""
    faults = _faults(task, decision)
    if faults:
        errors = [{"field": field, "code": code, "message": text} for field, code, text in faults]
        field, code, text = faults[0]
        kind = TooLarge if code == TooLarge.code else Invalid
        raise kind(text, code=code, field=field, details={"errors": errors})


def _faults(task: ManualTask, decision: Decision) -> list[tuple[str, str, str]]:
    faults, data, comment = [], decision.data, decision.comment
    choice = next((one for one in task.outcomes if one["name"] == decision.outcome), None)
    if choice is None:
        names = ", ".join(one["name"] for one in task.outcomes)
        faults.append(("outcome", "unknown_outcome", f"There is no such outcome; there are {names}."))
    elif choice["require_comment"] and not comment.strip():
        faults.append(("comment", "required", f"Add a comment: “{choice['label']}” needs one."))
    if len(comment) > DECISION_COMMENT_CHARACTERS:
        faults.append(
            ("comment", "max_length", f"A comment has at most {DECISION_COMMENT_CHARACTERS:,} characters.")
        )
    required_fields = (choice or {}).get("require") or ()
    values = data if isinstance(data, dict) else {}
    # A box that must be filled in must be checked.
    missing = [
        name
        for name in required_fields
        if values.get(name) is False or values.get(name) in (None, "", [], {})
    ]
    for name in missing:
        message = f"“{(choice or {})['label']}” needs this."
        faults.append((join("data", name), "required", message))
    return faults + data_faults(task, data)


def data_faults(task: ManualTask, data: Json) -> list[tuple[str, str, str]]:
    """What is wrong with the data of a task's form: field, code, sentence."""
    if task.form is None:
        return [] if data is None else [("data", "unknown_field", "This task has no form to fill in.")]
    try:
        strict_dumps(data, max_bytes=DECISION_BYTES)
    except JsonTooLarge as error:
        return [("data", TooLarge.code, error.message)]
    except BadJson as error:
        return [("data", "bad_json", error.message)]
    try:
        problems = problems_of(task.form, {} if data is None else data, most=DECISION_PROBLEMS)
    except TooMuchWork as error:
        raise refusals.TooMuchWork("data", error.budget, f"The data can't be checked: {error}.") from None
    faults = [(_field(path), "invalid", text) for path, text in problems]
    return faults + files.faults_of(task, data) + people_faults(task, data)


def _field(path: tuple[str | int, ...]) -> str:
    name = "data"
    for part in path:
        name = f"{name}[{part}]" if isinstance(part, int) else join(name, part)
    return name
