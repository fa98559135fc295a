"""Dead letters as programs are told them (R-043, R-085)."""

from engine.catalogue import Json
from runs.models import DeadLetter


def retries(attempts: int) -> int:
    """How often a step was tried again."""
    return max(attempts - 1, 0)


def moved_message(attempts: int) -> str:
    """What a step says that became a dead letter after so many attempts."""
    return f"Moved to DLQ after {retries(attempts)} retries"


def dead_letter_row(letter: DeadLetter) -> dict[str, Json]:
    """One dead letter as the API shows it."""
    return {
        "id": str(letter.id),
        "run_id": str(letter.run_id),
        "step_id": str(letter.step_id),
        "node": letter.node,
        "error": letter.error,
        "error_message": moved_message(letter.attempts),
        "attempts": letter.attempts,
        "retry_count": retries(letter.attempts),
        "created_at": letter.created_at,
        "moved_at": letter.created_at,
        "resolution": letter.resolution,
    }
