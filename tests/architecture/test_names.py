"""Locals say what they are: nouns, not what was done to them."""

import ast
import re
from collections.abc import Iterator

from tests.architecture.sources import PRODUCT, offenders, source

PARTICIPLE = re.compile(
    "answered|asked|brought|chosen|drawn|foretold|found|given|handed|heard|kept|listed|made|meant|named|needed|put|rung"
    "|said|saw|settled|shown|spoken|stated|thought|told|tried|used|wanted|woken|written"
)


def bound(function: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[str]:
    """The names that a function gives to what it has, those of its parameters left out."""
    for node in ast.walk(function):
        match node:
            case ast.Name(id=name, ctx=ast.Store()):
                yield name
            case (
                ast.ExceptHandler(name=str(name))
                | ast.MatchAs(name=str(name))
                | ast.MatchStar(name=str(name))
            ):
                yield name


def test_locals_are_nouns():
    def participles(path):
        functions = (ast.FunctionDef, ast.AsyncFunctionDef)
        tree = ast.parse(source(path), path)
        return sorted(
            {
                f"{name} in {function.name}"
                for function in ast.walk(tree)
                if isinstance(function, functions)
                for name in bound(function)
                if PARTICIPLE.fullmatch(name)
            }
        )

    assert offenders(PRODUCT, participles) == {}
