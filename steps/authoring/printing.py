"""A definition as Python that makes the same definition: its content hash is the same when it is executed (R-006)."""

import builtins
import inspect
import keyword
from collections.abc import Iterator, Mapping, Sequence

from pydantic import ValidationError

from engine.catalogue import Json
from engine.definition import Compensation, Definition, Retry
from steps.authoring import ways
from steps.authoring.layout import WIDTH, Call, Code, Name, laid_out, width
from steps.authoring.workflow import Workflow

MODULE = "handoff.definition"
VARIABLE = "workflow"


def _arguments(function: object) -> tuple[str, ...]:
    return tuple(inspect.signature(function).parameters)[1:]  # type: ignore[arg-type]


_WORKFLOW, _STEP, _EDGE = _arguments(Workflow.__init__), _arguments(Workflow.step), _arguments(Workflow.edge)
# The title first: it is what people know a step by.
_STEP = ("id", "type", "title", *(name for name in _STEP if name not in ("id", "type", "title")))
_RETRY, _UNDO = list(Retry.model_fields), list(Compensation.model_fields)
_TAKEN = {VARIABLE, "Compensation", "Retry", "UNSET", "Workflow", *keyword.kwlist, *dir(builtins)}
_LENGTHS = ("after_seconds", "duration")


def python_source(definition: Mapping[str, Json]) -> str:
    """Python source whose `workflow` has exactly this definition.

    What has not the shape of a definition, as a draft may be, stands in it as JSON.
    """
    document = dict(definition)
    if not _is_sayable(document):
        return _text([], [_statement(f"{VARIABLE} = ", Call("Workflow.of", [("", document)]))])
    return _Printed(document).text()


def _is_sayable(document: dict[str, Json]) -> bool:
    try:
        Definition.model_validate(document)
    except ValidationError:
        return False
    return set(document) <= {*_WORKFLOW, "nodes"} and all(set(node) <= {*_STEP} for node in document["nodes"])


def _text(imported: Sequence[str], blocks: Sequence[str]) -> str:
    return "\n\n".join([f"from {MODULE} import {', '.join([*imported, 'Workflow'])}", *blocks]) + "\n"


def _statement(start: str, call: Call) -> str:
    return start + laid_out(call, before=width(start))


class _Printed:
    """One definition of the right shape, on its way to Python."""

    def __init__(self, document: dict[str, Json]) -> None:
        self.document = document
        self.nodes: list[dict[str, Json]] = document["nodes"]
        self.variables = list(_free_names([node["id"] for node in self.nodes]))
        # Of several steps of one id, edges may name any: they say the same.
        self.by_id = {node["id"]: node for node in self.nodes}
        self.names = {node["id"]: name for node, name in zip(self.nodes, self.variables, strict=True)}
        self.imported: set[str] = set()

    def text(self) -> str:
        """The whole source."""
        timers = [self._timers(*one) for one in zip(self.variables, self.nodes, strict=True)]
        hops = [self._hop(edge) for edge in self.document.get("edges") or []]
        sources = {hop.source for hop in hops if isinstance(hop, ways.Hop) and hop.words == ".failed"}
        steps = [
            self._step(variable, node, is_caught=variable in sources, has_timers=bool(lines))
            for variable, node, lines in zip(self.variables, self.nodes, timers, strict=True)
        ]
        led = [*ways.lines(hops), *(line for lines in timers for line in lines)]
        blocks = ["\n".join(_spaced(block)) for block in (steps, led) if block]
        blocks.insert(0, self._workflow())
        return _text(sorted(self.imported, key=lambda name: (not name.isupper(), name)), blocks)

    def _workflow(self) -> str:
        fields: dict[str, Code] = {key: self.document[key] for key in _WORKFLOW if key in self.document}
        if self.document.get("edges", ()) is not None:
            fields.pop("edges", None)
        if "edges" not in self.document:
            fields["edges"] = Name("UNSET")
            self.imported.add("UNSET")
        return _statement(f"{VARIABLE} = ", Call("Workflow", _named(fields, ["name"])))

    def _step(self, variable: str, node: dict[str, Json], *, is_caught: bool, has_timers: bool) -> str:
        fields = {key: self._field(key, node[key]) for key in _STEP if key in node}
        if has_timers:
            del fields["boundary_timers"]
        if is_caught and node["on_error"] == "branch":
            del fields["on_error"]
        return _statement(f"{variable} = ", Call(f"{VARIABLE}.step", _named(fields, ["id", "type"])))

    def _field(self, key: str, value: Json) -> Code:
        names = {"retry": _RETRY, "compensate": _UNDO}.get(key)
        if names is None or not isinstance(value, dict):
            return value
        function = key.capitalize() if key == "retry" else "Compensation"
        self.imported.add(function)
        return Call(function, [(name, self._field(name, value[name])) for name in names if name in value])

    def _hop(self, edge: dict[str, Json]) -> ways.Hop | str:
        says_on_error = "on_error" in self.by_id.get(edge["from"], ())
        if hop := ways.hop_of(edge, self.names, says_on_error=says_on_error):
            return hop
        ends = {
            end: Name(self.names[edge[end]]) if edge[end] in self.names else edge[end]
            for end in ("from", "to")
        }
        fields = {key: edge[key] for key in _EDGE if key in edge}
        return _statement("", Call(f"{VARIABLE}.edge", _named({**ends, **fields}, ["from", "to"])))

    def _timers(self, variable: str, node: dict[str, Json]) -> list[str]:
        """The lines that say the timers of a step; none where `after` can't say all of them."""
        lines = []
        for timer in node.get("boundary_timers") or ():
            lengths = [timer[name] for name in _LENGTHS if name in timer]
            if len(lengths) != 1 or lengths[0] is None or timer["to"] not in self.names:
                return []
            fields: dict[str, Code] = {"time": lengths[0]}
            fields |= {name: timer[name] for name in ("calendar", "interrupting") if name in timer}
            way = laid_out(Call(f"{variable}.after", _named(fields, ["time"])))
            lines.append(f"{way} >> {self.names[timer['to']]}")
        return lines if all(width(line) <= WIDTH for line in lines) else []


def _named(fields: Mapping[str, Code], by_place: Sequence[str]) -> list[tuple[str, Code]]:
    return [("" if key in by_place else key, value) for key, value in fields.items()]


def _spaced(statements: Sequence[str]) -> Iterator[str]:
    """The statements, with a blank line around those of several lines."""
    for place, statement in enumerate(statements):
        if place and ("\n" in statement or "\n" in statements[place - 1]):
            yield ""
        yield statement


def _free_names(ids: Sequence[str]) -> Iterator[str]:
    """A variable for each step, after its id: `send-mail` becomes `send_mail`, `import` becomes `import_`."""
    in_use = set(_TAKEN)
    numbers: dict[str, int] = {}
    for step_id in ids:
        # Names in underscores mean something to Python.
        base = step_id.replace("-", "_").strip("_") or "step"
        base = base if base.isidentifier() else f"step_{base}"
        name = f"{base}_" if base in _TAKEN else base
        while name in in_use:
            numbers[base] = numbers.get(base, 1) + 1
            name = f"{base}_{numbers[base]}"
        in_use.add(name)
        yield name
