"""Ours → rochallor: what an import made is written as it was, also edited; all else is refused with its place."""

from collections.abc import Mapping

from engine.canonical import canonical_bytes
from engine.catalogue import Json
from engine.dialects.base import DialectError, Document
from engine.dialects.rochallor.grammar import BadText, parsed_cel
from engine.dialects.rochallor.hints import KEY, SAYS_NOTHING, applied, hints_of, kept_in, of_steps
from engine.dialects.rochallor.leases import LOST_LEASES
from engine.dialects.rochallor.reading import Edge, Read, around, read
from engine.dialects.rochallor.sketch import AROUND, Sketch, refusal, said_around, said_of, sketched
from engine.dialects.rochallor.spelling import text
from engine.problems import quoted


def written(definition: Document) -> dict[str, Json]:
    """The definition as a rochallor document. Raises DialectError with the place of what rochallor can't say."""
    metadata = definition.get("metadata")
    if metadata is not None and not isinstance(metadata, dict):
        raise refusal("Its metadata is no object.", "metadata")
    for key, value in definition.items():
        if key not in (*AROUND, "metadata", "nodes", "edges") and value is not None:
            raise refusal(f"It has no equivalent of {quoted(key)}.", key)
    hints = hints_of(metadata)
    sketch = sketched(definition, of_steps(hints))
    kept_fields = {node: kept_in(hint) for node, hint in of_steps(hints).items() if node in sketch.names}
    top = kept_in(hints)
    own = {key: value for key, value in (metadata or {}).items() if key != KEY}
    own |= {KEY: hints["own"]} if "own" in hints else {}
    while True:
        document = applied(said_around(definition), top)
        document["steps"] = [
            applied(said_of(node, sketch), kept_fields.get(node["id"], {})) for node in sketch.said
        ]
        document |= {"metadata": own} if own else {}
        try:
            _verify(definition, document, sketch)
        except _Misfit as misfit:
            if misfit.node is None and top:
                top = {}
            elif misfit.node is not None and _tells(kept_fields.get(misfit.node, {})):
                kept_fields[misfit.node] = {
                    key: value for key, value in kept_fields[misfit.node].items() if key in SAYS_NOTHING
                }
            else:
                raise refusal(misfit.message, misfit.place) from None
        else:
            return document


def _tells(fields: Mapping[str, Json]) -> bool:
    return any(key not in SAYS_NOTHING for key in fields)


class _Misfit(Exception):
    """What was said would be read as something else: of a node, or around them (None)."""

    def __init__(self, node: str | None, place: str, message: str) -> None:
        super().__init__(message)
        self.node, self.place, self.message = node, place, message


def _verify(definition: Document, document: dict[str, Json], sketch: Sketch) -> None:
    """Raises _Misfit where the document would be read as another workflow."""
    nodes = [node["id"] for node in sketch.said]
    try:
        again = read(document)
    except DialectError as fault:
        at = fault.field.partition("[")[2].partition("]")[0] if fault.field.startswith("steps[") else ""
        node = nodes[int(at)] if at.isdigit() else None
        place = f"{sketch.places[node]}{fault.field.partition(']')[2]}" if node else fault.field
        raise _Misfit(node, place, fault.message) from None
    expected = around(again.document)
    for key in AROUND:
        if _spelled(definition.get(key)) != _spelled(expected.get(key)):
            raise _Misfit(None, key, f"{quoted(key)} would be read as something else.")
    _compare_nodes(sketch, again)


def _compare_nodes(sketch: Sketch, again: Read) -> None:
    names = {node: again.ids[name] for node, name in sketch.names.items()}
    for beside, counterparts in ((sketch.choices, again.choices), (sketch.copies, again.copies)):
        names |= {extra: counterparts.get(names[owner], "") for owner, extra in beside.items()}
    nodes = {node["id"]: node for node in again.nodes}
    missing = nodes.keys() - names.values()
    for node in sketch.nodes:
        name, place = node["id"], sketch.places[node["id"]]
        other = nodes.get(names[name])
        owner = next(
            (one for one, extra in (*sketch.choices.items(), *sketch.copies.items()) if extra == name), name
        )
        if other is None:
            raise _Misfit(owner, place, f"{quoted(name)} would be missing.")
        for key in dict.fromkeys([*node, *other]):
            if key != "id" and _spelled(_renamed(key, node.get(key), names)) != _spelled(other.get(key)):
                raise _Misfit(owner, f"{place}.{key}", _difference(name, key))
        ours = [_edge(edge, names) for edge in sketch.leaving(name)]
        theirs = [_edge(edge, {}) for edge in again.edges if edge["from"] == names[name]]
        if ours != theirs:
            edges = sketch.leaving(name)
            where = f"edges[{sketch.edges.index(edges[0])}]" if edges else place
            raise _Misfit(owner, where, f"rochallor has no such edges as those from {quoted(name)}.")
    if missing:
        end = next(node for node in sketch.nodes if again.copies.get(names[node["id"]]) in missing)
        message = f"{quoted(end['id'])} would end a path where parallel paths lead to it, and not the run."
        raise _Misfit(end["id"], sketch.places[end["id"]], message)


def _difference(name: str, key: str) -> str:
    return f"{quoted(name)} has {quoted(key)} in a form that rochallor doesn't have."


def _renamed(key: str, value: Json, names: Mapping[str, str]) -> Json:
    if key == "retry" and isinstance(value, dict):
        # Documents that were read before leases had an allowance have none.
        return {"lost_leases": LOST_LEASES, **value}
    if key != "boundary_timers" or not isinstance(value, list):
        return value
    return [
        {
            "duration": timer.get("duration") or f"PT{timer.get('after_seconds')}S",
            "interrupting": timer.get("interrupting") is not False,
            "to": names.get(timer.get("to"), timer.get("to")),
            **{
                key: value
                for key, value in timer.items()
                if value is not None and key not in ("duration", "after_seconds", "interrupting", "to")
            },
        }
        for timer in value
    ]


def _edge(edge: Edge, names: Mapping[str, str]) -> bytes:
    fields = {key: value for key, value in edge.items() if value is not None and key != "from"}
    if "when" in fields:
        # Blanks and brackets that change nothing are no difference.
        fields["when"] = _same_cel(fields["when"])
    return canonical_bytes(fields | {"to": names.get(str(edge.get("to")), edge.get("to"))})


def _same_cel(source: Json) -> Json:
    try:
        return text(parsed_cel(str(source)), marked=True)
    except BadText:
        return source


def _spelled(value: Json) -> bytes:
    return b"" if value is None else canonical_bytes(value)
