"""What compiled expressions know beside the names of their scope: operators on mixed numbers, and our own functions."""

import operator
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import datetime
from functools import lru_cache
from typing import Any

from cel_expr_python import cel

from engine.cel_functions import EXACT_INT, greatest, joined, least, rounded, total

_moment: ContextVar[object] = ContextVar("moment", default=None)


@contextmanager
def telling(moment: object) -> Iterator[None]:
    """What is evaluated within calls this `now()`."""
    token = _moment.set(moment)
    try:
        yield
    finally:
        _moment.reset(token)


@lru_cache(maxsize=16)
def environment_of(names: frozenset[str]) -> cel.Env:
    """An environment in which expressions may name these values."""
    # As an extension the library takes overloads of its own operators; given as `functions` it refuses them.
    own = cel.CelExtension(
        "handoff",
        [
            _mixed_overloads("_+_", "add", operator.add),
            _mixed_overloads("_-_", "subtract", operator.sub),
            _mixed_overloads("_*_", "multiply", operator.mul),
            _mixed_overloads("_/_", "divide", operator.truediv),
            _of_texts("upper", str.upper),
            _of_texts("lower", str.lower),
            _of_texts("trim", str.strip),
            cel.FunctionDecl(
                "join",
                [
                    cel.Overload(
                        id="join_of_list",
                        return_type=cel.Type.STRING,
                        parameters=[cel.Type.DYN, cel.Type.STRING],
                        is_member=True,
                        impl=joined,
                    )
                ],
            ),
            _function("round", rounded, [cel.Type.DYN], [cel.Type.DYN, cel.Type.INT]),
            _function("sum", total, [cel.Type.DYN]),
            _function("min", least, [cel.Type.DYN]),
            _function("max", greatest, [cel.Type.DYN]),
            _function("now", _now, [], gives=cel.Type.TIMESTAMP),
        ],
    )
    return cel.NewEnv(variables=dict.fromkeys(names, cel.Type.DYN), extensions=[own])


def _now() -> datetime:
    moment = _moment.get()
    try:
        return datetime.fromisoformat(str(moment))
    except ValueError as exc:
        raise ValueError("`now()` is not available here") from exc


def _function(
    name: str,
    apply: Callable[..., Any],
    *parameters: list[cel.Type],
    gives: cel.Type = cel.Type.DYN,
) -> cel.FunctionDecl:
    return cel.FunctionDecl(
        name,
        [
            cel.Overload(id=f"{name}_{len(each)}", return_type=gives, parameters=each, impl=apply)
            for each in parameters
        ],
    )


def _of_texts(name: str, apply: Callable[[str], str]) -> cel.FunctionDecl:
    text = cel.Type.STRING
    overload = cel.Overload(
        id=f"{name}_of_text", return_type=text, parameters=[text], is_member=True, impl=apply
    )
    return cel.FunctionDecl(name, [overload])


def _mixed(combine: Callable[[float, float], float]) -> Callable[[float, float], float]:
    def apply(left: float, right: float) -> float:
        if any(isinstance(n, int) and abs(n) > EXACT_INT for n in (left, right)):
            raise ValueError("an integer over 2^53 cannot be mixed with a decimal number")
        try:
            return combine(float(left), float(right))
        except ZeroDivisionError as exc:
            raise ValueError("divide by zero") from exc

    return apply


def _mixed_overloads(name: str, word: str, combine: Callable[[float, float], float]) -> cel.FunctionDecl:
    pairs = {"int_double": (cel.Type.INT, cel.Type.DOUBLE), "double_int": (cel.Type.DOUBLE, cel.Type.INT)}
    return cel.FunctionDecl(
        name,
        [
            cel.Overload(
                id=f"{word}_{suffix}", return_type=cel.Type.DOUBLE, parameters=pair, impl=_mixed(combine)
            )
            for suffix, pair in pairs.items()
        ],
    )
