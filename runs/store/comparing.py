"""What tells large payloads of runs apart without reading them, as a typed function (SQL in `sql/comparing.sql`)."""

from collections.abc import Sequence
from typing import NamedTuple

from runs.store.hot import SQL


class DigestRow(NamedTuple):
    """The digest of a payload of a run, or of its step `node`: of its `text`, of all that is `kept` beside the
    database, or of a text that refers to such (`mixed`).
    """

    run: str
    node: str | None
    field: str
    kind: str
    digest: str


def payload_digests(
    tenant: int, runs: Sequence[str], payloads: Sequence[tuple[str | None, str]]
) -> list[DigestRow]:
    """The digests of these (node, `input` or `output`) of the tenant's runs; without a node the run's own."""
    params = {
        "tenant": tenant,
        "runs": list(runs),
        "nodes": [node for node, _ in payloads],
        "fields": [field for _, field in payloads],
    }
    return [DigestRow(*row) for row in SQL.execute("payload_digests", params).fetchall()]
