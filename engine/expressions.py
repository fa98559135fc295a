"""The only door to CEL: compile, say what is read, evaluate within limits, and never take an error for a value.

What the wrapper adds to the library (docs/security.md, "Expression language"): errors come back from it as truthy
values, so every result is checked; int and double mix in + - * /; only what the expression reads is copied in;
sources, contexts and results are bounded; what has list macros is evaluated by a child process, because nothing else
bounds its memory.
"""

import math
import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from functools import cache, lru_cache

import orjson
from cel_expr_python import cel

from engine.catalogue import Json
from engine.cel_ast import Expr, Loop, parse_serialized, walk
from engine.cel_bounds import refusal
from engine.cel_environment import environment_of, telling
from engine.cel_functions import EXACT_INT
from engine.cel_messages import (
    compile_message,
    failure_message,
    kind_of,
    only_mixes_numbers,
    raised_message,
    shorten,
)
from engine.cel_reads import (
    CONTEXT,
    MOMENT,
    ROOT_NAMES,
    Path,
    References,
    copy_by_plan,
    copy_plan,
    moment_of,
    optional_path,
    reads_of,
    references,
    tells_time,
    with_context,
)
from engine.cel_work import Cost, cost_of, match_cost
from engine.errors import ExpressionError, ExpressionInvalid, NotEvaluated, TooMuchWork
from engine.macros import LIMIT, Breach, evaluate_apart
from engine.work import may_be_done_here, shared_work

Scope = Mapping[str, object]

SOURCE_BYTES = 4 * 1024
CONTEXT_BYTES = 256 * 1024
RESULT_BYTES = 64 * 1024
EXPANDED_BYTES = 8 * 1024 * 1024
# From here on JSON writers give doubles an exponent, and jsonb takes that away.
LARGE_DOUBLE = 10**16
_SURROGATE = re.compile("[\ud800-\udfff]")
# Nothing but selecting: `steps.clean.output.text`, `input["a b"]`.
_PATH = re.compile(r"""\s*[A-Za-z_]\w*(?:\.[A-Za-z_]\w*|\[(?:"[^"\\]*"|'[^'\\]*')\])*\s*""")
_ABSENT = object()
_MATCHES = "input.text.matches(input.pattern)"
_APART_UNITS = 500
_NUL = re.compile(rb"(?<!\\)(?:\\\\)*\\u0000")

__all__ = ["ROOT_NAMES", "Expression", "References", "compile_expression"]


class Expression:
    """A compiled expression. Immutable; may be shared between threads."""

    __slots__ = (
        "_copies",
        "_cost",
        "_path",
        "_plan",
        "_program",
        "_reads",
        "_shown",
        "refs",
        "returns_bool",
        "source",
    )

    def __init__(
        self, source: str, program: cel.Expression, tree: Expr, cost: Callable[[Expr], Cost] = cost_of
    ) -> None:
        reads = list(reads_of(tree))
        self.source = source
        self.refs = references(reads, tells_time=tells_time(tree))
        self.returns_bool = program.return_type() in (cel.Type.BOOL, cel.Type.DYN)
        self._program = program
        self._reads = tuple(reads)
        self._copies = max(1, len(reads))
        self._plan = copy_plan(reads)
        self._cost = cost(tree)
        self._path = reads[0][0] if len(reads) == 1 and _PATH.fullmatch(source) else None
        self._shown = self._path or optional_path(tree)

    @property
    def paths(self) -> list[Path]:
        """What it reads, as keys from a root name on; what it only asks for is there too."""
        return list(dict.fromkeys(path for path, _ in self._reads))

    @property
    def asked(self) -> frozenset[Path]:
        """Of which paths it asks whether they are there."""
        return frozenset(path for path, is_test in self._reads if is_test)

    @property
    def path(self) -> Path | None:
        """What it reads, where it is that and nothing else."""
        return self._path

    @property
    def shown_path(self) -> Path | None:
        """The path of the value that it gives: what it reads, or what it reads if that is there, and null otherwise."""
        return self._shown

    def placed_tree(self) -> Expr:
        """The syntax tree with the places of names and literals in the source."""
        return parse_serialized(self._program.serialize(), placed=True)

    def evaluate(self, scope: Scope) -> Json:
        """The value as JSON. Raises ExpressionError when it fails, is too large or is no JSON.

        A plain path hands its value on whatever its size: nothing is computed, so CEL's limits guard nothing.
        """
        scope = self._seen(scope)
        selected = self._selected(scope)
        value, is_error = self._eval(scope) if selected is _ABSENT else (selected, False)
        if is_error:
            raise self._failed(failure_message(str(value), self._reads, scope))
        try:
            return _plain(value) if selected is not _ABSENT else _bounded(_plain(value))
        except (ValueError, orjson.JSONEncodeError) as exc:
            raise self._failed(str(exc)) from exc

    def is_true(self, scope: Scope) -> bool:
        """Whether the condition holds. Anything but true or false raises ExpressionError: errors are never true."""
        scope = self._seen(scope)
        value, is_error = self._eval(scope)
        if is_error:
            raise self._failed(failure_message(str(value), self._reads, scope))
        if value is True or value is False:
            return value is True
        raise self._failed(f"it must give true or false, not {kind_of(value)}")

    def _seen(self, scope: Scope) -> Scope:
        return with_context(scope) if CONTEXT in self.refs.names else scope

    def _selected(self, scope: Scope) -> object:
        """What a plain path names; _ABSENT for any other expression and where nothing is there."""
        if self._path is None:
            return _ABSENT
        value: object = scope
        for key in self._path:
            if not isinstance(value, Mapping) or key not in value:
                return _ABSENT
            value = value[key]
        return value

    def _eval(self, scope: Scope) -> tuple[object, bool]:
        data = self._copied(scope)
        size = self._check_context(data)
        # Otherwise it would hold up all whom this process serves.
        if self._cost.is_unknown or not may_be_done_here(self._cost.of(size)):
            return self._evaluated_apart(data), False
        try:
            with telling(data.pop(MOMENT, None)):
                result = self._program.eval(data=data)
            value = result.plain_value()
        except (RuntimeError, ValueError, TypeError, OverflowError, MemoryError) as exc:
            raise self._failed(raised_message(exc)) from exc
        # An error's value is a text like any other; asking the type is slow, so only texts are asked.
        return value, type(value) is str and result.type() == cel.Type.ERROR

    def _copied(self, scope: Scope) -> dict[str, object]:
        data = {name: copy_by_plan(scope[name], plan) for name, plan in self._plan.items() if name in scope}
        if self.refs.tells_time and (moment := moment_of(scope)) is not None:
            data[MOMENT] = moment
        return data

    def _evaluated_apart(self, data: Mapping[str, object], *, is_condition: bool = False) -> Json:
        work = shared_work()
        if work is not None:
            work.spend(_APART_UNITS)
        try:
            value, milliseconds = evaluate_apart(self.source, data, is_condition=is_condition)
        except Breach as exc:
            failure = ExpressionError(str(exc)) if exc.is_whole else self._failed(str(exc))
            raise (
                TooMuchWork(shorten(self.source), LIMIT, str(failure)) if exc.is_late else failure
            ) from exc
        except OSError as exc:
            raise NotEvaluated(f"`{shorten(self.source)}` could not be evaluated now: {exc}") from exc
        if work is not None:
            work.spend(milliseconds * 1000)
        return value

    def _check_context(self, data: Mapping[str, object]) -> int:
        try:
            text = orjson.dumps(data)
        except TypeError as exc:
            raise self._failed(f"it reads a value that is no JSON: {exc}") from exc
        size = len(text)
        # CEL cuts texts off at NUL, so "admin" would equal "admin\0…".
        if b"\\u0000" in text and _NUL.search(text):
            raise self._failed("it reads a text with a NUL character")
        if size > CONTEXT_BYTES:
            raise self._failed(f"it reads {size:,} bytes; {CONTEXT_BYTES:,} are allowed")
        # Without macros memory grows only by naming the same large value again and again.
        if size * self._copies > EXPANDED_BYTES:
            raise self._failed(f"it reads {size:,} bytes in {self._copies} places, which is too much")
        return size

    def _failed(self, reason: str) -> ExpressionError:
        return ExpressionError(f"`{shorten(self.source)}` failed: {reason}")


class LoopingExpression(Expression):
    """One with list macros: like any other, but a child process evaluates it, with limits on memory and time."""

    __slots__ = ()

    def evaluate(self, scope: Scope) -> Json:
        """As of any expression. Raises NotEvaluated where no child process can be started."""
        return self._evaluated_apart(self._read(scope))

    def is_true(self, scope: Scope) -> bool:
        """As of any expression. Raises NotEvaluated where no child process can be started."""
        return self._evaluated_apart(self._read(scope), is_condition=True) is True

    def _read(self, scope: Scope) -> dict[str, object]:
        data = self._copied(self._seen(scope))
        self._check_context(data)
        return data


def matches(pattern: str, text: str) -> bool:
    """Whether a regular expression of RE2 is found in a text. Raises ExpressionError where it can't be read."""
    data = {"input": {"text": text, "pattern": pattern}}
    expression = (
        _matching_here() if may_be_done_here(match_cost(pattern, text)) else compile_expression(_MATCHES)
    )
    return expression.is_true(data)


@cache
def _matching_here() -> Expression:
    return compile_here(_MATCHES)


@lru_cache(maxsize=4096)
def compile_expression(source: str) -> Expression:
    """Compile CEL. Raises ExpressionInvalid with a sentence that says what is wrong."""
    program, tree = _checked(source)
    loops = any(isinstance(node, Loop) for node in walk(tree))
    return (LoopingExpression if loops else Expression)(source, program, tree)


@lru_cache(maxsize=256)
def compile_here(source: str) -> Expression:
    """As `compile_expression`, for the child process itself: evaluated in this process whatever is in it."""
    return Expression(source, *_checked(source), lambda _: Cost())


def _checked(source: str) -> tuple[cel.Expression, Expr]:
    try:
        size = len(source.encode())
    except UnicodeEncodeError as exc:
        raise ExpressionInvalid("the expression contains characters that are not valid Unicode") from exc
    if size > SOURCE_BYTES:
        raise ExpressionInvalid(f"the expression has {size:,} bytes; {SOURCE_BYTES:,} are allowed")
    if not source.strip():
        raise ExpressionInvalid("the expression is empty")
    program = _compile(source)
    tree = parse_serialized(program.serialize())
    if reason := refusal(tree):
        raise ExpressionInvalid(reason)
    return program, tree


def _compile(source: str) -> cel.Expression:
    environment = environment_of(ROOT_NAMES)
    try:
        return environment.compile(source)
    except (RuntimeError, ValueError, TypeError) as exc:
        if not only_mixes_numbers(str(exc)):
            raise ExpressionInvalid(compile_message(source, str(exc))) from exc
    return environment.compile(source, disable_check=True)


# --- what comes out ----------------------------------------------------------------------------------------------


def _bounded(value: Json) -> Json:
    if value is None or isinstance(value, bool | int | float):
        return value
    size = len(orjson.dumps(value))
    if size > RESULT_BYTES:
        raise ValueError(f"its value has {size:,} bytes; {RESULT_BYTES:,} are allowed")
    return value


def _plain(value: object) -> Json:
    """The value as JSON that can be stored. Raises ValueError."""
    match value:
        case str():
            return _text(value)
        case None | bool():
            return value
        case int():
            return _whole(value)
        case float() if not math.isfinite(value):
            raise ValueError("its value is a number that is not finite")
        case float():
            return value
        case list():
            return [_plain(item) for item in value]
        case datetime():
            return value.astimezone(UTC).isoformat().replace("+00:00", "Z")
        case dict():
            if not all(isinstance(key, str) for key in value):
                raise ValueError("its value is an object with keys that are not texts")
            return {_text(key): _plain(item) for key, item in value.items()}
    hint = "; write string(...) around it" if isinstance(value, timedelta) else ""
    raise ValueError(f"its value is no JSON: {kind_of(value)}{hint}")


def _text(value: str) -> str:
    if "\0" in value:
        raise ValueError("its value is a text with a NUL character")
    if not value.isascii() and _SURROGATE.search(value):
        raise ValueError("its value is a text with half of a surrogate pair")
    return value


def _whole(number: int) -> int | float:
    """The integer; beyond 2^53 whoever reads JSON as doubles would silently get another number."""
    if -EXACT_INT <= number <= EXACT_INT:
        return number
    # jsonb gives large doubles back as integers with all their digits.
    if LARGE_DOUBLE <= abs(number) < 10**308 and Decimal(repr(float(number))) == number:
        return float(number)
    raise ValueError("its value is an integer beyond 2^53; write string(...) around it")
