"""Pure: which outcomes of a step end the run, in words, as `engine.ports` has it."""

from collections.abc import Iterable, Mapping

from engine.catalogue import Json
from engine.ports import outcomes_of, parts_by_outcome, ports_of, written_ways
from steps.catalogue import CATALOGUE


def ends_in_words(node: Mapping[str, Json], edges: Iterable[Json], *, within: bool) -> str:
    """`rejected: the run ends here` of a node of whatever quality; empty where each outcome leads on.

    `within`: the node is done for an item of a container.
    """
    kind, params = node.get("type"), node.get("params") or {}
    if not isinstance(kind, str) or kind not in CATALOGUE or not isinstance(params, dict):
        return ""
    outcomes = outcomes_of(CATALOGUE[kind], params)
    if not outcomes or not parts_by_outcome(CATALOGUE[kind], outcomes):
        return ""
    names = [
        port.name.replace("_", " ") for port in ports_of(written_ways(node, edges), outcomes) if port.ends
    ]
    return f"{', '.join(names)}: the {'item' if within else 'run'} ends here" if names else ""
