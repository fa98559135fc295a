"""What compiles and is refused all the same (docs/security.md, "Expression language")."""

from engine.cel_ast import Call, Expr, Group, Ident, Loop, Select, walk
from engine.limits import EXPRESSION_MACROS, LOOPED_SUMS, MACRO_LEVELS

MACROS = "all, exists, exists_one, map and filter"


def refusal(tree: Expr) -> str | None:
    """Why this expression can't be used, as a sentence; None if it can."""
    loops = 0
    for node in walk(tree):
        match node:
            case Group(label) if label not in ("list", "map"):
                return f"{label} messages cannot be built in expressions"
            case Loop():
                loops += 1
    if loops > EXPRESSION_MACROS:
        return f"{MACROS} are used {loops} times in it; {EXPRESSION_MACROS} are allowed"
    if loops and _depth(tree) > MACRO_LEVELS:
        return f"{MACROS} are nested too deeply ({MACRO_LEVELS} levels are allowed)"
    if loops and (sums := _sums(tree, inside=False)) > LOOPED_SUMS:
        return f"`+` and `join` are used {sums} times inside {MACROS}; {LOOPED_SUMS} are allowed"
    return None


def _depth(expr: Expr) -> int:
    """How many macros go through items inside one another; a chain such as `.filter(…).map(…)` is one."""
    if isinstance(expr, Loop):
        inside = 1 + max(_depth(part) for part in expr.body)
        return max(inside, *(_depth(part) for part in (expr.over, expr.start, expr.result)))
    return max((_depth(part) for part in _parts(expr)), default=0)


def _sums(expr: Expr, *, inside: bool) -> int:
    """How often `+` or `join` is written inside macros: doubling texts at each item is how memory runs out."""
    if isinstance(expr, Loop):
        around = sum(_sums(part, inside=inside) for part in (expr.over, expr.start, expr.result))
        return around + sum(_sums(part, inside=True) - _own_sum(part, expr) for part in expr.body)
    own = inside and isinstance(expr, Call) and expr.function in ("_+_", "join")
    return own + sum(_sums(part, inside=inside) for part in _parts(expr))


def _own_sum(step: Expr, loop: Loop) -> bool:
    """Whether the step adds to what the macro makes: `map`, `filter` and `exists_one` are written out so."""
    match step:
        case Call("_?_:_", (_, step, _)):
            return _own_sum(step, loop)
        case Call("_+_", (Ident(name), _)):
            return name == loop.accumulator
    return False


def _parts(expr: Expr) -> tuple[Expr, ...]:
    match expr:
        case Select(operand):
            return (operand,)
        case Call(_, parts) | Group(_, parts):
            return parts
    return ()
