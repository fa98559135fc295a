"""The variables of a run as everybody is shown them: what counts, and who set it (docs/definitions.md, "Variables")."""

from collections.abc import Iterable
from datetime import datetime

from engine.catalogue import Json


def variables_shown(rows: Iterable[list[Json]] | None) -> dict[str, dict[str, Json]]:
    """By name the value that counts, the step that set it, and the steps that it overtook; from `show_runs`.

    Of one that is left out, since all of them together are too large, the size in bytes stands as `truncated`.
    """
    variables: dict[str, dict[str, Json]] = {}
    for name, value, size, node, index, set_at, beside in rows or ():
        variables[name] = {
            "value": value,
            "set_by": node,
            "index": index,
            "set_at": datetime.fromisoformat(set_at),
            "overlaps": beside,
        }
        if size is not None:
            variables[name]["truncated"] = size
    return variables
