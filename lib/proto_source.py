"""Reads `.proto` files as they are, so that nothing has to be generated from them before it runs.

What our contracts are written in: proto3 with messages, enums, maps, `optional`, `repeated`, `reserved` and services.
Anything else is a BadProto and never misread; a test compares what is read here with what `protoc` makes of it.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from google.protobuf.descriptor_pb2 import (
    DescriptorProto,
    EnumDescriptorProto,
    FieldDescriptorProto,
    FileDescriptorProto,
    ServiceDescriptorProto,
)

_TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|"[^"\n]*"|[\w.]+|[{}()<>\[\]=;,]|(?P<bad>\S)', re.DOTALL)
_SCALARS = {
    kind.removeprefix("TYPE_").lower(): value
    for kind, value in FieldDescriptorProto.Type.items()
    if kind not in ("TYPE_MESSAGE", "TYPE_ENUM", "TYPE_GROUP")
}
_OPTIONAL, _REPEATED = FieldDescriptorProto.LABEL_OPTIONAL, FieldDescriptorProto.LABEL_REPEATED
_MESSAGE, _ENUM = FieldDescriptorProto.TYPE_MESSAGE, FieldDescriptorProto.TYPE_ENUM


class BadProto(ValueError):
    """This is no `.proto` file that is read here."""


def read_proto(path: Path, name: str, imported: Mapping[str, FileDescriptorProto]) -> FileDescriptorProto:
    """The file at `path`, which others import as `name`; `imported` are the files that it may import.

    Raises BadProto.
    """
    tokens = [
        match.group()
        for match in _TOKEN.finditer(path.read_text())
        if not match.group().startswith(("//", "/*"))
    ]
    file = _Reader(name, tokens).file()
    for other in file.dependency:
        if other not in imported:
            raise BadProto(f"{name} imports {other}, which is not there")
    _resolve(file, [imported[other] for other in file.dependency])
    return file


class _Reader:
    """One pass over the tokens."""

    def __init__(self, name: str, tokens: list[str]) -> None:
        self._file = FileDescriptorProto(name=name, syntax="proto3")
        self._tokens = tokens[::-1]

    def file(self) -> FileDescriptorProto:
        """What the whole file says; types are still as they were written."""
        while self._tokens:
            match self._next():
                case "syntax":
                    self._expect("=", '"proto3"', ";")
                case "package":
                    self._file.package = self._last()
                case "import":
                    self._file.dependency.append(self._last().strip('"'))
                case "option":
                    self._skip()
                case "message":
                    self._message(self._file.message_type.add())
                case "enum":
                    self._enum(self._file.enum_type.add())
                case "service":
                    self._service(self._file.service.add())
                case other:
                    raise self._bad(other)
        return self._file

    def _message(self, message: DescriptorProto) -> None:
        message.name = self._next()
        self._expect("{")
        proto3_optional = []
        while (word := self._next()) != "}":
            if word == "message":
                self._message(message.nested_type.add())
            elif word == "enum":
                self._enum(message.enum_type.add())
            elif word == "reserved":
                self._reserved(message)
            elif word == "map":
                self._map(message)
            else:
                field = self._field(message, word)
                if field.proto3_optional:
                    proto3_optional.append(field)
        # As `protoc` does it: what may be absent is a choice of one.
        for field in proto3_optional:
            field.oneof_index = len(message.oneof_decl)
            message.oneof_decl.add(name=f"_{field.name}")

    def _field(self, message: DescriptorProto, word: str) -> FieldDescriptorProto:
        field = message.field.add(label=_REPEATED if word == "repeated" else _OPTIONAL)
        if word == "optional":
            field.proto3_optional = True
        self._typed(field, self._next() if word in ("repeated", "optional") else word)
        field.name = self._next()
        self._expect("=")
        field.number = self._number()
        self._expect(";")
        return field

    def _typed(self, field: FieldDescriptorProto, type_name: str) -> None:
        if not re.fullmatch(r"[A-Za-z_][\w.]*", type_name) or type_name in ("oneof", "extend", "group"):
            raise self._bad(type_name)
        if type_name in _SCALARS:
            field.type = _SCALARS[type_name]
        else:
            field.type_name = type_name

    def _map(self, message: DescriptorProto) -> None:
        """A map is a repeated message of keys and values."""
        self._expect("<")
        key = self._next()
        self._expect(",")
        value = self._next()
        self._expect(">")
        name = self._next()
        self._expect("=")
        number = self._number()
        self._expect(";")
        entry = message.nested_type.add(name="".join(part.capitalize() for part in name.split("_")) + "Entry")
        entry.options.map_entry = True
        for at, (part, kind) in enumerate((("key", key), ("value", value)), 1):
            self._typed(entry.field.add(name=part, number=at, label=_OPTIONAL), kind)
        message.field.add(name=name, number=number, label=_REPEATED, type_name=entry.name)

    def _reserved(self, message: DescriptorProto) -> None:
        while (word := self._next()) != ";":
            if word.startswith('"'):
                message.reserved_name.append(word.strip('"'))
            elif word.isdecimal():
                message.reserved_range.add(start=int(word), end=int(word) + 1)
            elif word != ",":
                raise self._bad(word)

    def _enum(self, enum: EnumDescriptorProto) -> None:
        enum.name = self._next()
        self._expect("{")
        while (word := self._next()) != "}":
            self._expect("=")
            enum.value.add(name=word, number=self._number())
            self._expect(";")

    def _service(self, service: ServiceDescriptorProto) -> None:
        service.name = self._next()
        self._expect("{")
        while (word := self._next()) != "}":
            if word != "rpc":
                raise self._bad(word)
            method = service.method.add(name=self._next())
            method.input_type, streams = self._parameter()
            if streams:
                method.client_streaming = True
            self._expect("returns")
            method.output_type, streams = self._parameter()
            if streams:
                method.server_streaming = True
            self._expect(";")

    def _parameter(self) -> tuple[str, bool]:
        self._expect("(")
        word = self._next()
        streams = word == "stream"
        kind = self._next() if streams else word
        self._expect(")")
        return kind, streams

    def _next(self) -> str:
        if not self._tokens:
            raise BadProto(f"{self._file.name} ends too early")
        return self._tokens.pop()

    def _last(self) -> str:
        word = self._next()
        self._expect(";")
        return word

    def _number(self) -> int:
        word = self._next()
        if not word.isdecimal():
            raise self._bad(word)
        return int(word)

    def _expect(self, *words: str) -> None:
        for word in words:
            if (token := self._next()) != word:
                raise self._bad(token)

    def _skip(self) -> None:
        while self._next() != ";":
            pass

    def _bad(self, word: str) -> BadProto:
        return BadProto(f"{self._file.name} has {word!r} where that is not read")


def _resolve(file: FileDescriptorProto, imported: list[FileDescriptorProto]) -> None:
    """Say of each type that was written which one it is: looked for from the inside out."""
    kinds = dict(_kinds(file))
    for other in imported:
        kinds |= _kinds(other)

    def full_name_of(type_name: str, scope: str) -> str:
        while True:
            full_name = f"{scope}.{type_name}"
            if full_name in kinds:
                return full_name
            if not scope:
                raise BadProto(f"{file.name}: there is no type {type_name}")
            scope = scope.rpartition(".")[0]

    def walk(message: DescriptorProto, scope: str) -> None:
        own = f"{scope}.{message.name}"
        for field in message.field:
            if field.type_name:
                field.type_name = full_name_of(field.type_name, own)
                field.type = kinds[field.type_name]
        for inner in message.nested_type:
            walk(inner, own)

    package = f".{file.package}"
    for message in file.message_type:
        walk(message, package)
    for service in file.service:
        for method in service.method:
            method.input_type = full_name_of(method.input_type, package)
            method.output_type = full_name_of(method.output_type, package)


def _kinds(file: FileDescriptorProto) -> Iterator[tuple[str, "FieldDescriptorProto.Type.ValueType"]]:
    """The full names of a file's types, and which kind each is."""

    def walk(
        message: DescriptorProto, scope: str
    ) -> Iterator[tuple[str, "FieldDescriptorProto.Type.ValueType"]]:
        own = f"{scope}.{message.name}"
        yield own, _MESSAGE
        yield from ((f"{own}.{enum.name}", _ENUM) for enum in message.enum_type)
        for inner in message.nested_type:
            yield from walk(inner, own)

    scope = f".{file.package}"
    for message in file.message_type:
        yield from walk(message, scope)
    yield from ((f"{scope}.{enum.name}", _ENUM) for enum in file.enum_type)
