"""The edges of a definition as `>>` writes them, in their order: chains, and what spreads and joins."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from engine.catalogue import Json
from steps.authoring.layout import WIDTH, quoted, width


@dataclass(frozen=True, slots=True)
class Hop:
    """An edge that `>>` can say: the variable that it comes from, what is written behind that, and where it leads."""

    source: str
    words: str
    target: str

    @property
    def way(self) -> str:
        """The way as it is written."""
        return self.source + self.words


@dataclass(frozen=True, slots=True)
class _Line:
    text: str
    ends: list[str]
    """The variables that the line leads to."""
    edges: int
    """How many of the edges it says."""


def hop_of(edge: Mapping[str, Json], variables: Mapping[str, str], *, says_on_error: bool) -> Hop | None:
    """The edge as `>>` says it; None where only `Workflow.edge` can, or a line of it would be too long."""
    source, target = variables.get(edge["from"]), variables.get(edge["to"])
    words = _words({key: value for key, value in edge.items() if key not in ("from", "to")}, says_on_error)
    if source is None or target is None or words is None:
        return None
    return Hop(source, words, target) if width(f"{source}{words} >> {target}") <= WIDTH else None


def _words(condition: Mapping[str, Json], says_on_error: bool) -> str | None:
    if not condition:
        return ""
    if len(condition) > 1:
        return None
    ((key, value),) = condition.items()
    if key in ("when", "branch") and isinstance(value, str):
        return f".{key}({quoted(value)})"
    if key == "default" and value is True:
        return ".otherwise"
    # `failed` says at the step that its errors are handled: where the step says nothing, that would be something else.
    return ".failed" if key == "on" and value == "error" and says_on_error else None


def lines(hops: Sequence[Hop | str]) -> Iterator[str]:
    """The lines that say these edges, in this order; a text among them is a line of its own."""
    at = 0
    while at < len(hops):
        first = hops[at]
        if isinstance(first, str):
            yield first
            at += 1
            continue
        line = _begun(_run(hops, at))
        at += line.edges
        while more := _grown(line, _run(hops, at)):
            line = more
            at += more.edges
        yield line.text


def _run(hops: Sequence[Hop | str], at: int) -> list[Hop]:
    """The edges from this one on that might be said in one step of a line: those of one source, or of one target."""
    run: list[Hop] = []
    # No line has room for more.
    for hop in hops[at : at + WIDTH]:
        if isinstance(hop, str) or (run and hop.way != run[0].way and hop.target != run[0].target):
            break
        run.append(hop)
    return run


def _begun(run: Sequence[Hop]) -> _Line:
    joined = _joined(run)
    if len(joined) > 1:
        text = f"[{', '.join(hop.way for hop in joined)}] >> {run[0].target}"
        if width(text) <= WIDTH:
            return _Line(text, [run[0].target], len(joined))
    return _spread(run, run[0].way)


def _grown(line: _Line, run: Sequence[Hop]) -> _Line | None:
    """The line as it goes on from where it ends, if the next edges do and there is room."""
    joined = _joined(run)
    if not run or [hop.way for hop in joined] != line.ends:
        return None
    grown = _spread(run, line.text)
    if len(line.ends) > 1:
        grown = _Line(f"{line.text} >> {run[0].target}", [run[0].target], len(joined))
    return grown if width(grown.text) <= WIDTH else None


def _spread(run: Sequence[Hop], start: str) -> _Line:
    """What comes next, or all at once that the same way leads to."""
    spread = []
    for hop in run:
        if hop.way != run[0].way:
            break
        spread.append(hop.target)
    text = f"{start} >> [{', '.join(spread)}]"
    if len(spread) == 1 or width(text) > WIDTH:
        return _Line(f"{start} >> {spread[0]}", spread[:1], 1)
    return _Line(text, spread, len(spread))


def _joined(run: Sequence[Hop]) -> list[Hop]:
    """The next edges that lead to the same step."""
    hops = []
    for hop in run:
        if hop.target != run[0].target:
            break
        hops.append(hop)
    return hops
