"""Everything in the product that reads texts, found by walking its source: patterns and functions."""

import ast
import inspect
import re
from collections.abc import Callable, Collection, Container, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, get_args

from django.conf import settings

ROOT = Path(__file__).parents[2]
PACKAGES = (
    *("accounts", "config", "engine", "integrations", "lib", "operations", "runs"),
    *("steps", "tasks_inbox", "triggers", "workflows"),
)
ANCHORED = ("match", "fullmatch")
METHODS = (*ANCHORED, "search", "sub", "subn", "split", "findall", "finditer")
_READS = re.compile(rf"\bre\.(?:compile|{'|'.join(METHODS)})\b")

# What is given for what isn't the text, by the beginning of its annotation.
_FILLERS: tuple[tuple[str, object], ...] = (
    ("str", "a"),
    ("bytes", b"a"),
    ("int", 10),
    ("float", 1.0),
    ("bool", False),
    ("frozenset", frozenset()),
    ("Callable", str),
    ("Mapping", {}),
    ("dict", {}),
)


@dataclass(frozen=True)
class Pattern:
    """A regular expression of the product and the ways in which it is used."""

    place: str
    compiled: re.Pattern[Any]
    methods: frozenset[str]

    def run(self, method: str, text: str) -> None:
        """Read the whole text as `method` does."""
        given = text.encode() if isinstance(self.compiled.pattern, bytes) else text
        if method in ANCHORED:
            getattr(self.compiled, method)(given)
        else:
            for _ in self.compiled.finditer(given):
                pass


@dataclass(frozen=True)
class Reader:
    """A function, and the one of its parameters that is made of a text."""

    name: str
    target: Callable[..., object]
    needed: tuple[inspect.Parameter, ...]
    parameter: str
    made: Callable[[str], object]

    def read(self, text: str) -> object:
        """What the function does with the text, to its end."""
        given = {each.name: filler(each.annotation) for each in self.needed if each.name != self.parameter}
        found = self.target(**given, **{self.parameter: self.made(text)})
        return list(found) if inspect.isgenerator(found) else found


@cache
def sources() -> Mapping[str, str]:
    """The source of each module, by its name."""
    paths = (path for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py")))
    return {
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path.read_text()
        for path in paths
        if not {"migrations", "management"} & set(path.parts)
    }


@cache
def _tree(name: str) -> ast.Module:
    """The syntax tree of a module. All of them take seconds, in each process that collects tests."""
    return ast.parse(sources()[name])


def module_named(name: str) -> ModuleType:
    """The module, behind the addresses of the whole site: those of an app need what others define."""
    import_module(settings.ROOT_URLCONF)
    return import_module(name)


def patterns() -> Iterator[Pattern]:
    """Every pattern that is known before a text comes; those compiled from values say so by a NameError."""
    calls = [
        (name, call, call.func.attr)
        for name, text in sources().items()
        if _READS.search(text)
        for call in ast.walk(_tree(name))
        if isinstance(call, ast.Call)
        and isinstance(call.func, ast.Attribute)
        and isinstance(call.func.value, ast.Name)
        and call.func.value.id == "re"
        and call.args
    ]
    names = {name: _assigned(_tree(name)) for name in {name for name, _, _ in calls}}
    uses = _uses({word for assigned in names.values() for word in assigned.values()})
    for name, call, function in calls:
        if function not in ("compile", *METHODS):
            continue
        compiled = _compiled(name, call, function)
        if compiled is not None:
            methods = (
                uses.get(names[name].get(id(call), ""), set(METHODS)) if function == "compile" else {function}
            )
            yield Pattern(f"{name}:{call.lineno}", compiled, frozenset(methods))
    _tree.cache_clear()


def _compiled(module: str, call: ast.Call, function: str) -> re.Pattern[Any] | None:
    flags = (
        [*call.args[1:]]
        if function == "compile"
        else [each.value for each in call.keywords if each.arg == "flags"]
    )
    try:
        found = [_value(module, each) for each in (call.args[0], *flags)]
    except NameError:
        return None
    return found[0] if isinstance(found[0], re.Pattern) else re.compile(*found)


def _value(module: str, expression: ast.expr) -> Any:
    code = compile(ast.Expression(expression), module, "eval")
    return eval(code, vars(module_named(module)))


def _assigned(tree: ast.Module) -> dict[int, str]:
    """The name that each call's value gets at the top of its module, as such or within a table, by the call's id."""
    found = {}
    for statement in tree.body:
        if isinstance(statement, ast.Assign | ast.AnnAssign) and statement.value is not None:
            target = statement.targets[0] if isinstance(statement, ast.Assign) else statement.target
            calls = (each for each in ast.walk(statement.value) if isinstance(each, ast.Call))
            found.update((id(call), ast.unparse(target)) for call in calls)
    return found


def _uses(names: Collection[str]) -> dict[str, set[str]]:
    """The methods that are called of each of these names, wherever; all of them where it is handed on."""
    found: dict[str, set[str]] = {}
    mentioned = re.compile(rf"\b(?:{'|'.join(map(re.escape, names))})\b")
    for name in (name for name, text in sources().items() if mentioned.search(text)):
        for node in ast.walk(_tree(name)):
            if isinstance(node, ast.Attribute) and node.attr in METHODS:
                found.setdefault(_name_of(node.value), set()).add(node.attr)
            elif isinstance(node, ast.Call):
                for given in (*node.args, *(each.value for each in node.keywords)):
                    if isinstance(given, ast.Name) and given.id.isupper():
                        found.setdefault(given.id, set()).update(METHODS)
    return found


def _name_of(holder: ast.expr) -> str:
    """`A` of `A`, `module.A` and `A[key]`."""
    if isinstance(holder, ast.Subscript):
        holder = holder.value
    return holder.attr if isinstance(holder, ast.Attribute) else getattr(holder, "id", "")


def readers(packages: Collection[str], left_out: Container[str]) -> Iterator[Reader]:
    """Each public function of the packages, once for each of its parameters that must be a text.

    `left_out` names modules and functions.
    """
    for name in sources():
        is_left = any(part in left_out for part in parents(name))
        if name.partition(".")[0] in packages and not is_left:
            for function, target in functions(module_named(name)):
                if f"{name}.{function}" not in left_out:
                    yield from _each_text(f"{name}.{function}", target)


def parents(name: str) -> Iterator[str]:
    """The packages that a module is in, and itself: a, a.b, a.b.c."""
    parts = name.split(".")
    return (".".join(parts[:count]) for count in range(1, len(parts) + 1))


def functions(module: ModuleType) -> Iterator[tuple[str, Callable[..., object]]]:
    """The public functions that a module defines, without what wraps them."""
    for name, value in list(vars(module).items()):
        target = inspect.unwrap(value) if callable(value) else None
        if not name.startswith("_") and inspect.isfunction(target) and target.__module__ == module.__name__:
            yield name, target


def _each_text(name: str, target: Callable[..., object]) -> Iterator[Reader]:
    needed = tuple(
        each
        for each in inspect.signature(target).parameters.values()
        if each.kind not in (each.VAR_POSITIONAL, each.VAR_KEYWORD) and each.default is each.empty
    )
    for each in needed:
        if (made := text_of(each)) is not None:
            yield Reader(f"{name}({each.name})", target, needed, each.name, made)


def text_of(parameter: inspect.Parameter) -> Callable[[str], object] | None:
    """How the parameter is made of a text, if it is one itself."""
    annotation = parameter.annotation
    if annotation is bytes:
        return str.encode
    return str if annotation is str or get_args(annotation) == (str, type(None)) else None


def filler(annotation: object) -> object:
    """Something small and harmless of this type."""
    said = annotation.__name__ if isinstance(annotation, type) else str(annotation)
    spelled = said.removeprefix("collections.abc.")
    return next((value for start, value in _FILLERS if spelled.startswith(start)), ())
