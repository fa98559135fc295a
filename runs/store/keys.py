"""Business keys as typed functions (SQL in `sql/keys.sql`)."""

from collections.abc import Sequence

from runs.store.hot import SQL


def keys_begun(tenant: int, workflows: Sequence[int], begun: str, most: int) -> list[tuple[str, int]]:
    """The first business keys of these workflows that begin so, at most so many, each with its workflow."""
    params = {"tenant": tenant, "workflows": list(workflows), "begun": begun, "most": most}
    return [(key, workflow) for key, workflow in SQL.value("keys_begun", params)]
