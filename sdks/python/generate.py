"""What is made when the SDK is built: its models and routes, of Handoff's OpenAPI document (`openapi.json`), and the
client that blocks, of the one for asyncio.

As a program it reads the document anew: `manage.py spectacular --format openapi-json | python generate.py`.
"""

import json
import keyword
import os
import re
import sys
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Schema = Mapping[str, Any]
ROOT = Path(__file__).resolve().parent
HOME = ROOT / "src" / "handoff_sdk"
DOCUMENT = ROOT / "openapi.json"
LINE = 400
"""What fits in a line of this length is one line of the document."""
PREFIX = "/api/v1"
METHODS = ("get", "post", "put", "patch", "delete")
SIMPLE = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}
BYTES = "application/octet-stream"
AIO = HOME / "aio.py"
BLOCKING = {
    "import asyncio": "import time",
    "asyncio.": "time.",
    "The client for asyncio, of which generate.py makes the one that blocks": "The client that blocks",
    "AsyncIterator": "Iterator",
    "AsyncClient": "Client",
    "AsyncSender": "Sender",
    "async def": "def",
    "await ": "",
}
"""What is otherwise in the client that blocks."""
HEAD = '"""{title}\n\nWritten by generate.py from openapi.json when the SDK is built.\n"""\n'


def refresh() -> None:
    """Write the modules where they are missing, or older than what they are made of."""
    made = [HOME / f"{name}.py" for name in MODULES]
    newest = max(path.stat().st_mtime_ns for path in (DOCUMENT, AIO, ROOT / "generate.py"))
    if not all(path.exists() and path.stat().st_mtime_ns > newest for path in made):
        write()


def write() -> None:
    """Write the modules."""
    document = ours(json.loads(DOCUMENT.read_text()))
    for name, source_of in MODULES.items():
        _replace(HOME / f"{name}.py", source_of(document))


def _replace(path: Path, text: str) -> None:
    """Write a file that other processes may be reading, or writing, too."""
    new = path.with_suffix(f".{os.getpid()}")
    new.write_text(text)
    new.replace(path)


def spelled(document: Any) -> str:
    """The document as `openapi.json` has it."""
    return _lines(document, "") + "\n"


def _lines(value: Any, indent: str) -> str:
    text = json.dumps(value, ensure_ascii=False)
    if len(indent + text) <= LINE or not value or not isinstance(value, dict | list):
        return text
    inner = f"{indent} "
    if isinstance(value, dict):
        parts = [f"{json.dumps(key)}: {_lines(item, inner)}" for key, item in value.items()]
    else:
        parts = [_lines(item, inner) for item in value]
    body = ",\n".join(inner + part for part in parts)
    return f"{text[0]}\n{body}\n{indent}{text[-1]}"


def ours(document: Schema) -> Schema:
    """The document without what is the same under other names, for clients that were written for those."""
    paths = {address: item for address, item in document["paths"].items() if address.startswith(PREFIX)}
    schemas, left = document["components"]["schemas"], _named(paths)
    names = set[str]()
    while left := left - names:
        names |= left
        left = set[str]().union(*(_named(schemas[name]) for name in left))
    schemas = {name: schema for name, schema in schemas.items() if name in names}
    return {**document, "paths": paths, "components": {"schemas": schemas}}


def _named(part: Any) -> set[str]:
    """The schemas that a part of the document refers to."""
    return set(re.findall(r'"#/components/schemas/(\w+)"', json.dumps(part)))


def models(document: Schema) -> str:
    """The module of the models: a TypedDict for each object of the document, a Literal for each enum,
    a union where it is one of several.
    """
    schemas = document["components"]["schemas"]
    enums = [f"{name} = {type_of(schema)}" for name, schema in sorted(schemas.items()) if "enum" in schema]
    dicts = [_dict(name, schema) for name, schema in sorted(schemas.items()) if "properties" in schema]
    either = [f"{name} = {type_of(schema)}" for name, schema in sorted(schemas.items()) if "oneOf" in schema]
    names = json.dumps(sorted(schemas))
    return "\n".join(
        [
            HEAD.format(title="What Handoff takes and answers: plain JSON, typed."),
            "from __future__ import annotations\n",
            "from typing import Any, Literal, NotRequired, TypedDict\n",
            *enums,
            "",
            *dicts,
            *either,
            "",
            f"__all__ = {names}",
        ]
    )


def routes(document: Schema) -> str:
    """The module of the routes: a function for each operation of the document."""
    calls = sorted(operations(document), key=lambda one: one.name)
    return "\n".join(
        [
            HEAD.format(title="A call for each route of Handoff, to be sent by a client."),
            "from typing import Any, Literal\n",
            "from handoff_sdk import models",
            "from handoff_sdk.calls import UNSET, Call, Unset, path, set_fields\n",
            *(_function(one) for one in calls),
        ]
    )


def client(_: Schema) -> str:
    """The module of the client that blocks."""
    source = AIO.read_text()
    for awaited, blocking in BLOCKING.items():
        source = source.replace(awaited, blocking)
    return source


MODULES: Mapping[str, Callable[[Schema], str]] = {"models": models, "routes": routes, "client": client}


def type_of(schema: Schema, *, module: str = "") -> str:
    """The Python type of a schema's JSON."""
    if "$ref" in schema:
        name = str(schema["$ref"]).rpartition("/")[2]
        # What a nullable enum refers to beside its values.
        return "None" if name == "NullEnum" else module + name
    if set(schema.get("enum", ())) == {"true", "false"}:
        return "bool"
    if "enum" in schema:
        return f"Literal[{', '.join(repr(value) for value in schema['enum'])}]"
    for several in ("oneOf", "anyOf", "allOf"):
        if several in schema:
            return _union(type_of(one, module=module) for one in schema[several])
    kinds = schema.get("type", [])
    return _union(_simple(schema, kind, module) for kind in ([kinds] if isinstance(kinds, str) else kinds))


def _simple(schema: Schema, kind: str, module: str) -> str:
    if kind == "array":
        return f"list[{type_of(schema.get('items', {}), module=module)}]"
    if kind == "object":
        more = schema.get("additionalProperties")
        return f"dict[str, {type_of(more, module=module) if isinstance(more, dict) else 'Any'}]"
    return "bytes" if schema.get("format") == "binary" else SIMPLE[kind]


def _union(types: Iterator[str]) -> str:
    names = list(dict.fromkeys(types))
    return (
        "Any" if "Any" in names or not names else " | ".join(sorted(names, key=lambda name: name == "None"))
    )


def _dict(name: str, schema: Schema) -> str:
    required = set(schema.get("required", ()))
    fields = {
        key: type_of(value) if key in required else f"NotRequired[{type_of(value)}]"
        for key, value in schema["properties"].items()
    }
    if any(keyword.iskeyword(key) for key in fields):
        pairs = ", ".join(f'"{key}": "{kind}"' for key, kind in fields.items())
        return f'{name} = TypedDict("{name}", {{{pairs}}})\n'
    lines = [f"{key}: {kind}" for key, kind in fields.items()]
    docstring = _docstring(schema.get("description", name))
    return f"class {name}(TypedDict):\n" + textwrap.indent("\n".join([docstring, *lines]), "    ") + "\n"


@dataclass
class Operation:
    """An operation as its function needs it: parameters are pairs of the name and the Python type."""

    name: str
    method: str
    path: str
    description: str
    answer: str
    places: list[str] = field(default_factory=list)
    query: list[tuple[str, str]] = field(default_factory=list)
    headers: list[tuple[str, bool]] = field(default_factory=list)
    required: list[tuple[str, str]] = field(default_factory=list)
    optional: list[tuple[str, str]] = field(default_factory=list)
    is_bytes: bool = False
    is_keyed: bool = False


def operations(document: Schema) -> Iterator[Operation]:
    """All that the document has."""
    for address, methods in document["paths"].items():
        for method in METHODS:
            if method in methods:
                yield _operation(document, address.removeprefix(PREFIX), method, methods[method])


def _operation(document: Schema, address: str, method: str, spec: Schema) -> Operation:
    one = Operation(spec["operationId"], method.upper(), address, spec.get("description", ""), _answer(spec))
    for parameter in spec.get("parameters", ()):
        name = parameter["name"]
        if parameter["in"] == "path":
            one.places.append(name)
        elif parameter["in"] == "query":
            one.query.append((name, type_of(parameter["schema"], module="models.")))
        elif name == "Idempotency-Key":
            one.is_keyed = True
        else:
            one.headers.append((name, parameter.get("required", False)))
    one.places.sort(key=address.index)
    body = spec.get("requestBody", {}).get("content", {})
    if BYTES in body:
        one.is_bytes = True
    elif body:
        schema = body["application/json"]["schema"]
        whole = document["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
        for name, value in whole["properties"].items():
            fields = one.required if name in whole.get("required", ()) else one.optional
            fields.append((name, type_of(value, module="models.")))
    return one


def _answer(spec: Schema) -> str:
    kinds = []
    for status, answer in spec["responses"].items():
        if status.startswith("2"):
            content = answer.get("content", {})
            types = [type_of(one["schema"], module="models.") for one in content.values()] or ["None"]
            # A file in any of several formats, some of which are JSON, is given as it is.
            kinds += ["bytes"] if "bytes" in types else types
            if set(content) - {"application/json"}:
                kinds.append("bytes")
    return _union(iter(kind for kind in kinds if kind != "str" or len(kinds) == 1))


def _function(one: Operation) -> str:
    fields = {name for name, _ in (*one.required, *one.optional, *one.query)}
    places = {name: f"the_{name}" if name in fields else _name(name) for name in one.places}
    arguments = [f"{places[name]}: str | int" for name in one.places]
    keywords = ["content: bytes"] if one.is_bytes else []
    keywords += [f"{_name(name)}: {kind}" for name, kind in one.required]
    keywords += [f"{_name(name)}: str" for name, required in one.headers if required]
    keywords += [f"{_name(name)}: {_or_left_out(kind)} = UNSET" for name, kind in one.optional]
    keywords += [f"{_name(name)}: {_or_none(kind)} = None" for name, kind in one.query]
    keywords += [f"{_name(name)}: str | None = None" for name, required in one.headers if not required]
    keywords += ["idempotency_key: str | None = None"] if one.is_keyed else []
    signature = "".join(f"\n    {each}," for each in [*arguments, *(["*", *keywords] if keywords else [])])
    return (
        f"def {one.name}({signature}\n) -> Call[{one.answer}]:\n"
        f"{textwrap.indent(_docstring(one.description or one.name), '    ')}\n"
        f"    return Call({', '.join(_call(one, places))})\n\n"
    )


def _or_none(kind: str) -> str:
    return kind if kind.endswith("None") or kind == "Any" else f"{kind} | None"


def _or_left_out(kind: str) -> str:
    plain = kind.removesuffix(" | None")
    return f"{plain} | Unset" + (" | None" if plain != kind else "")


def _call(one: Operation, places: Mapping[str, str]) -> Iterator[str]:
    values = "".join(f", {name}={argument}" for name, argument in places.items())
    yield f'"{one.method}"'
    yield f'path("{one.path}"{values})' if values else f'"{one.path}"'
    if one.query:
        yield f"query={_object(one.query)}"
    if one.required or one.optional:
        yield f"body=set_fields({_object([*one.required, *one.optional])})"
    elif one.is_bytes:
        yield "content=content"
    headers = [(name, "") for name, _ in one.headers] + ([("Idempotency-Key", "")] if one.is_keyed else [])
    constant = f'"Content-Type": "{BYTES}", ' if one.is_bytes else ""
    if one.answer == "bytes":
        yield "is_raw=True"
    if headers:
        yield f"headers={_object(headers, constant)}"
    # What a lease token names is done once; what takes no key and is a POST changes nothing, but for a poll.
    if one.path.startswith("/jobs/") and one.path != "/jobs/poll":
        yield "repeatable=True"
    elif one.is_keyed:
        yield "takes_key=True"
    elif one.method == "POST" and one.path != "/jobs/poll":
        yield "repeatable=True"


def _object(names: Sequence[tuple[str, str]], before: str = "") -> str:
    return "{" + before + ", ".join(f'"{name}": {_name(name)}' for name, _ in names) + "}"


def _name(name: str) -> str:
    plain = name.replace("-", "_").lower()
    return f"{plain}_" if keyword.iskeyword(plain) else plain


def _docstring(text: str) -> str:
    words = " ".join(text.replace("\\", "").split()).replace('"""', "'''")
    lines = textwrap.wrap(words, 100)
    quoted = "\n".join(lines)
    return f'"""{quoted}\n"""' if len(lines) > 1 else f'"""{quoted}"""'


def main() -> None:
    """Read the document, and write it and both modules."""
    _replace(DOCUMENT, spelled(json.load(sys.stdin)))
    write()


if __name__ == "__main__":
    main()
