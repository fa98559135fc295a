"""Names are nouns and verbs in standard terms: locals, and what the SDKs export."""

import ast
import re
from collections.abc import Iterator

from tests.architecture.sources import PRODUCT, ROOT, offenders, source

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


SDKS = ROOT / "sdks"
GENERATED = {"client.py", "models.py", "routes.py"}
STATUSES = {"completed", "failed", "notfound", "released", "throttled", "unreported"}
FIELDS = {"applied", "delivered", "kept"}
"""Names of the API."""
DIALECT = re.compile(
    "begun|ear|ears|gave|gives?|givens?|hear|hearer|hearing|hears|meanwhile|say|says|tell|tells|untold|whence"
)
EXPORTS = {
    "go/*.go": r"^(?:func (?:\(\w+ \*?[A-Z]\w*\) )?|type |var |\t)([A-Z]\w*)\b",
    "java/src/main/java/handoff/*.java": r"^ *(?:public|default|enum)\b[^=;{]*?(\w+)"
    r"(?: = |[(;]| \{| extends| implements)"
    r"|^ {8}([A-Z_]+)\b,?$",
    "typescript/src/*.ts": r"^export (?:type |async )?(?:interface |class |const |function |type )?(\w+)"
    r"|^  (?:readonly |static |get |async )*\*?(\w+)\??[(:<]"
    r"|^    readonly (\w+)\??:",
}
"""How the other languages spell names that a program can use."""


def python_names() -> Iterator[tuple[str, str]]:
    """The public names of the Python SDK's modules: of functions, their parameters, classes and fields."""
    for path in sorted((SDKS / "python" / "src" / "handoff_sdk").glob("*.py")):
        if path.name in GENERATED:
            continue
        yield path.name, path.stem
        for node in ast.walk(ast.parse(path.read_text())):
            match node:
                case ast.ClassDef() | ast.FunctionDef() | ast.AsyncFunctionDef():
                    yield path.name, node.name
                case ast.arg():
                    yield path.name, node.arg
                case ast.AnnAssign(target=ast.Name(id=name)):
                    yield path.name, name
                case ast.Attribute(value=ast.Name(id="self"), attr=name, ctx=ast.Store()):
                    yield path.name, name


def exported_names() -> Iterator[tuple[str, str]]:
    """Those of the other SDKs."""
    for files, pattern in EXPORTS.items():
        for path in sorted(SDKS.glob(files)):
            if not path.name.endswith("_test.go"):
                for groups in re.finditer(pattern, path.read_text(), re.MULTILINE):
                    yield path.name, groups[groups.lastindex or 0]


def words(name: str) -> list[str]:
    """The words of a name, however its language joins them."""
    return re.sub("(?<=[a-z0-9])(?=[A-Z])", "_", name).lower().split("_")


def test_public_names_of_the_sdks_are_standard_terms():
    names = [found for found in [*python_names(), *exported_names()] if not found[1].startswith("_")]
    refused = {
        (place, name)
        for place, name in names
        for parts in [words(name)]
        if name.lower() not in STATUSES | FIELDS
        and (
            any(PARTICIPLE.fullmatch(word) or DIALECT.fullmatch(word) for word in parts)
            or (len(parts) == 1 and re.fullmatch("[a-z]{2,}ed", parts[0]))
        )
    }
    known = {
        "Worker",
        "poll_failed",
        "PollFailed",
        "pollFailed",
        "ErrRelease",
        "ReleaseException",
        "RELEASED",
        "isRetryable",
    }
    assert known <= {name for _, name in names}
    assert refused == set()
