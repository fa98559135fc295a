"""YAML 1.2 as another spelling of JSON: the same values, and nothing that JSON has not.

Refused are anchors and aliases, tags, several documents, keys that are no texts or there twice, and whatever
`strict_json` refuses. Plain texts are read by the core schema: `on` and `yes` are texts, and so is a date.
"""

import re
from io import StringIO
from typing import Any, Never

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    Event,
    MappingEndEvent,
    MappingStartEvent,
    NodeEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)
from ruamel.yaml.nodes import ScalarNode
from ruamel.yaml.representer import SafeRepresenter

from lib.json import JsonValue
from lib.strict_json import MAX_DEPTH, strict_dumps

WIDTH = 110

_INTEGER = re.compile(r"[-+]?[0-9]+")
_OTHER_INTEGER = re.compile(r"0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_NOT_FINITE = re.compile(r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)")
_WORDS: dict[str, JsonValue] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
# Other readers take these for booleans; `on` is the key of many an edge and stays as it is.
_DOUBTFUL = re.compile("y|yes|n|no|off", re.IGNORECASE)
# What can't be seen, or ends a line for some readers: written with a backslash.
_UNSEEN = re.compile("[^\n\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]")
# Each takes its time to read: this many are read in seconds.
MOST_VALUES = 40_000
# More than this is no number that anybody writes, and would take long to read.
_MOST_DIGITS = 400


class BadYaml(ValueError):
    """This is not YAML that Handoff takes; `line` and `column` count from 1."""

    def __init__(self, message: str, line: int, column: int) -> None:
        super().__init__(message)
        self.message = message
        self.line = line
        self.column = column


def yaml_loads(text: str, *, max_bytes: int) -> JsonValue:
    """The value of a YAML document that came from outside. Raises BadYaml, or BadJson with a pointer."""
    if len(text.encode(errors="surrogatepass")) > max_bytes:
        raise BadYaml(f"the YAML is larger than the {max_bytes:,} bytes that are allowed here", 1, 1)
    reader = _Reader()
    try:
        for event in YAML(typ="safe", pure=True).parse(StringIO(text)):
            reader.take(event)
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        reason = " ".join(str(part) for part in (error.context, error.problem) if part)
        raise BadYaml(f"this is not YAML: {reason}", *_place(mark)) from None
    except YAMLError as error:
        reason = str(getattr(error, "reason", "") or error).partition("\n")[0]
        before = text[: getattr(error, "position", 0) or 0]
        line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
        raise BadYaml(f"this is not YAML: {reason}", line, column) from None
    strict_dumps(reader.value, max_bytes=8 * max_bytes)
    return reader.value


def _place(mark: Any) -> tuple[int, int]:
    return (mark.line + 1, mark.column + 1) if mark is not None else (1, 1)


class _Reader:
    """Puts a value together from the events of one document, without recursion."""

    def __init__(self) -> None:
        self.value: JsonValue = None
        self._open: list[Any] = []
        self._keys: list[str | None] = []
        self._documents = 0
        self._values = 0

    def take(self, event: Event) -> None:
        """The next event. Raises BadYaml."""
        if isinstance(event, DocumentStartEvent):
            self._documents += 1
            if self._documents > 1:
                _refuse(event, "there is more than one document")
        elif isinstance(event, NodeEvent):
            self._values += 1
            if self._values > MOST_VALUES:
                _refuse(event, f"there are more than {MOST_VALUES:,} keys and values: send JSON")
            _refuse_extras(event)
            self._node(event)
        elif isinstance(event, MappingEndEvent | SequenceEndEvent):
            self._open.pop()
            self._keys.pop()

    def _node(self, event: NodeEvent) -> None:
        is_key = bool(self._open) and isinstance(self._open[-1], dict) and self._keys[-1] is None
        if is_key:
            if not isinstance(event, ScalarEvent):
                _refuse(event, "a key is a text")
            if event.value in self._open[-1]:
                _refuse(event, f"the key {event.value[:100]} occurs twice")
            self._keys[-1] = event.value
        elif isinstance(event, ScalarEvent):
            self._put(_scalar(event))
        else:
            if len(self._open) >= MAX_DEPTH:
                _refuse(event, f"the YAML is nested deeper than {MAX_DEPTH} levels")
            collection: JsonValue = {} if isinstance(event, MappingStartEvent) else []
            self._put(collection)
            self._open.append(collection)
            self._keys.append(None)

    def _put(self, value: JsonValue) -> None:
        if not self._open:
            self.value = value
        elif isinstance(self._open[-1], dict):
            self._open[-1][self._keys[-1]] = value
            self._keys[-1] = None
        else:
            self._open[-1].append(value)


def _refuse(event: Event, message: str) -> Never:
    raise BadYaml(message, *_place(event.start_mark))


def _refuse_extras(event: NodeEvent) -> None:
    if isinstance(event, AliasEvent) or event.anchor is not None:
        _refuse(
            event,
            "anchors and aliases (& and *) are not allowed: write the value out, or put a text in quotes",
        )
    tag = event.ctag if isinstance(event, ScalarEvent | SequenceStartEvent | MappingStartEvent) else None
    if tag is not None:
        _refuse(event, "tags (!) are not allowed: put a text in quotes")


def _scalar(event: ScalarEvent) -> JsonValue:
    text: str = event.value
    if event.style not in (None, ""):
        return text
    if len(text) <= _MOST_DIGITS:
        value = plain(text)
        if isinstance(value, float) and value - value != 0.0:
            _refuse(event, f"{text[:40]} is not a number that can be kept")
        return value
    return text


def plain(text: str) -> JsonValue:
    """What a text without quotes stands for, by the core schema of YAML 1.2."""
    if text in _WORDS:
        return _WORDS[text]
    if _INTEGER.fullmatch(text):
        return int(text)
    if _OTHER_INTEGER.fullmatch(text):
        return int(text, 0)
    if _FLOAT.fullmatch(text):
        return float(text)
    return float(text.replace(".", "")) if _NOT_FINITE.fullmatch(text) else text


class _Representer(SafeRepresenter):
    """Texts so that they are read back as texts, those with line breaks as blocks; keys in the order given."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.sort_base_mapping_type_on_output = False

    def ignore_aliases(self, data: Any) -> bool:
        """The same value twice is written twice."""
        return True

    def represent_text(self, data: str) -> ScalarNode:
        """A text in the plainest way that is safe."""
        style: str | None = None
        if _UNSEEN.search(data):
            style = '"'
        elif "\n" in data and not re.search(r"[^\S\n]\n|^\s|\r", data):
            style = "|"
        elif not isinstance(plain(data), str) or _DOUBTFUL.fullmatch(data):
            style = "'"
        node: ScalarNode = self.represent_scalar("tag:yaml.org,2002:str", data, style=style)
        return node


_Representer.add_representer(str, _Representer.represent_text)


def yaml_text(value: JsonValue) -> str:
    """A JSON value as YAML that people like to read. `yaml_loads` gives the same value back."""
    yaml = YAML(typ="safe", pure=True)
    yaml.Representer = _Representer
    yaml.default_flow_style = False
    yaml.allow_unicode = True
    yaml.width = WIDTH
    yaml.indent(mapping=2, sequence=4, offset=2)
    out = StringIO()
    yaml.dump(value, out)
    return out.getvalue()
