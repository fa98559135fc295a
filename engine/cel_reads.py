"""What an expression reads: the names, steps and paths in its tree, and how to copy just those out of a scope."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from engine.cel_ast import Call, Const, Expr, Group, Ident, Loop, Select, walk

CONTEXT = "context"
"""The input of the run with its variables over it, as one object; it is made where an expression reads it."""
PARTS_OF_CONTEXT = frozenset({"input", "vars"})

MOMENT = "moment"
"""What `now()` is, as a text, where a scope has it; elsewhere it is `run.now`. No expression can name it."""
ENDED = "ended"
"""What `now()` is for the steps after one whose end is decided with the scope of its beginning; no name either."""

Path = tuple[str, ...]
Read = tuple[Path, bool]
Plan = dict[str, "Plan | None"]

ROOT_NAMES = frozenset(
    (
        *(
            "input",
            "prev",
            "steps",
            "run",
            "vars",
            "context",
            "item",
            "index",
            "output",
            "error",
            "iteration",
        ),
        *("body", "headers", "query", "schedule", "facts"),
    )
)
"""All that any expression may name; which of them one may is said by who knows its place (`body`: a webhook's,
`schedule`: that of what a schedule starts, `facts`: those of the step that asks people)."""


@dataclass(frozen=True, slots=True)
class References:
    """What an expression or template reads.

    `steps`: ids written out (`steps.a`, `steps["a-b"]`); `every_step`: whether `steps` is also used as a whole or
    with a computed key; `names`: root names; `tested`: steps whose presence the expression itself asks with `has()`.
    `variables`: those of the run that are written out and not only asked for. `tells_time`: whether it calls `now()`.
    """

    steps: frozenset[str] = frozenset()
    every_step: bool = False
    names: frozenset[str] = frozenset()
    tested: frozenset[str] = frozenset()
    variables: frozenset[str] = frozenset()
    tells_time: bool = False

    @classmethod
    def union(cls, many: Iterable["References"]) -> "References":
        """The references of all of them together."""
        many = tuple(many)
        return cls(
            steps=frozenset().union(*(r.steps for r in many)),
            every_step=any(r.every_step for r in many),
            names=frozenset().union(*(r.names for r in many)),
            tested=frozenset().union(*(r.tested for r in many)),
            variables=frozenset().union(*(r.variables for r in many)),
            tells_time=any(r.tells_time for r in many),
        )


NOTHING = References()


def union(parts: Iterable[References]) -> References:
    """Everything that any of `parts` reads."""
    references = list(parts)
    return References(
        steps=frozenset().union(*(part.steps for part in references)),
        every_step=any(part.every_step for part in references),
        names=frozenset().union(*(part.names for part in references)),
        tells_time=any(part.tells_time for part in references),
    )


def reads_of(expr: Expr, own: frozenset[str] = frozenset()) -> Iterator[Read]:
    """The longest static paths that the expression reads, each with whether only its presence is asked.

    `own`: the names that list macros around it gave to their items, which hide those of the scope.
    """
    path = static_path(expr, own)
    if path is not None:
        yield path, False
        return
    match expr:
        case Select(operand, field, True) if (inner := static_path(operand, own)) is not None:
            yield (*inner, field), True
        case Call("@in", (Const(str() as key), holder)) if (inner := static_path(holder, own)) is not None:
            yield (*inner, key), True
        case Call("now", ()):
            yield ("run", "now"), False
        case Select(operand):
            yield from reads_of(operand, own)
        case Call(_, parts) | Group(_, parts):
            for part in parts:
                yield from reads_of(part, own)
        case Loop(names, over, start, body, result):
            for part in (over, start):
                yield from reads_of(part, own)
            for part in (*body, result):
                yield from reads_of(part, own.union(names))


def static_path(expr: Expr, own: frozenset[str]) -> Path | None:
    match expr:
        case Ident(name) if name in ROOT_NAMES and name not in own:
            return (name,)
        case Select(operand, field, False) | Call("_[_]", (operand, Const(str() as field))):
            inner = static_path(operand, own)
            return None if inner is None else (*inner, field)
    return None


def optional_path(expr: Expr) -> Path | None:
    """The path of `has(path) ? path : null`; None of any other expression."""
    match expr:
        case Call("_?_:_", (Select(operand, field, True), value, Const(None))):
            inner = static_path(operand, frozenset())
            path = static_path(value, frozenset())
            return path if inner is not None and path == (*inner, field) else None
    return None


def tells_time(tree: Expr) -> bool:
    """Whether the expression calls `now()`."""
    return any(node == Call("now", ()) for node in walk(tree))


def moment_of(scope: Mapping[str, object]) -> object:
    """What `now()` is in a scope; None where nobody can say."""
    run = scope.get("run")
    return scope.get(MOMENT) or (run.get("now") if isinstance(run, Mapping) else None)


def references(reads: Iterable[Read], *, tells_time: bool = False) -> References:
    steps = [(path, test) for path, test in reads if path[0] == "steps"]
    return References(
        steps=frozenset(path[1] for path, _ in steps if len(path) > 1),
        every_step=any(len(path) == 1 for path, _ in steps),
        names=_with_parts(frozenset(path[0] for path, _ in reads)),
        tested=frozenset(path[1] for path, test in steps if test and len(path) == 2),
        variables=frozenset(
            path[1] for path, test in reads if path[0] == "vars" and path[1:] and (len(path) > 2 or not test)
        ),
        tells_time=tells_time,
    )


def _with_parts(names: frozenset[str]) -> frozenset[str]:
    """What must be there to read these names."""
    return names | PARTS_OF_CONTEXT if CONTEXT in names else names


def with_context(scope: Mapping[str, object]) -> Mapping[str, object]:
    """The scope with `context`; a run's input that is no object has nothing to give to it."""
    whole: dict[str, object] = {}
    for name in ("input", "vars"):
        part = scope.get(name)
        whole |= part if isinstance(part, Mapping) else {}
    return {**scope, CONTEXT: whole}


def copy_plan(reads: Iterable[Read]) -> Plan:
    """The reads as a tree of keys; None: the whole value; an empty tree: only that it is there."""
    plan: Plan = {}
    for path, test in reads:
        here: Plan = plan
        for key in path[:-1]:
            below = here.setdefault(key, {})
            if below is None:
                break
            here = below
        else:
            if test:
                here.setdefault(path[-1], {})
            else:
                here[path[-1]] = None
    return plan


def copy_by_plan(value: object, plan: Plan | None) -> object:
    if plan is None:
        return value
    if isinstance(value, dict):
        return {key: copy_by_plan(value[key], below) for key, below in plan.items() if key in value}
    return value if plan or isinstance(value, int | float) else True
