"""No function that takes a text from outside takes more than its share for one that is made to slow it down."""

import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest

from config.websockets import is_ours
from engine import markdown as values
from engine.dialects import DIALECTS, to_native
from engine.holes import has_holes, replaced_holes, split_holes
from engine.renaming import rename_step
from engine.templates import compile_template
from engine.validate import validate
from handoff_text.source import TextInput
from lib.egress import EgressResponse
from lib.markdown import markdown
from lib.standard_webhooks import verify
from lib.strict_json import strict_dumps, strict_loads
from lib.strict_yaml import yaml_loads, yaml_text
from runs.kernel.live import Topic
from steps.answers import body_of
from steps.catalogue import CATALOGUE
from steps.email_send import MailParams, written
from tasks_inbox.evidence.printing import pdf_of
from tasks_inbox.evidence.readable import Line, Part
from tasks_inbox.reading.search import conditions
from tests.families import exhaustive
from tests.growth.documents import definition, value
from tests.growth.measuring import steep, steep_in_mixtures
from tests.growth.shapes import texts
from tests.growth.walking import readers
from triggers.webhooks.mapping import meaning
from workflows.document.changes import Group, apply, diff, keyed, unkeyed

MANY = 10**9
# They run, send or name what an operator has set up.
LEFT_OUT = frozenset({"lib.scanning", "lib.mail.send", "lib.crash_points", "steps.email_send.written"})
WALKED = {one.name: one.read for one in readers(("engine", "lib", "steps"), LEFT_OUT)}
SECONDS_EACH = frozenset(
    {
        *("yaml_loads", "validate", "rename_step", "a mail", "lib.markdown.markdown(text)"),
        *("engine.renaming.renamed_in(source)", "engine.expressions.compile_here(source)"),
    }
)
EXAMPLES = sorted((Path(__file__).parents[1] / "engine" / "fixtures").rglob("*.json"))


def quick(names: Iterable[str]) -> list[Any]:
    """All of them; what takes seconds is for `make exhaustive`."""
    return [exhaustive(name) if name in SECONDS_EACH else name for name in names]


def with_texts(value: object, text: str) -> object:
    """The document with this text for each of its own but for names of types, which decide what is looked at."""
    if isinstance(value, dict):
        return {key: item if key == "type" else with_texts(item, text) for key, item in value.items()}
    if isinstance(value, list):
        return [with_texts(item, text) for item in value]
    return text if isinstance(value, str) else value


def mail(body: str) -> MailParams:
    """Params of `email.send` with this text."""
    return MailParams(to=["a@example.org"], subject=body[:500], body=body)


def verified(text: str) -> None:
    """A message of which a sender wrote each header."""
    verify([b"secret"], message_id="a", timestamp="1", signatures=text, body=b"", now=1)


def printed(text: str) -> None:
    """What people have decided, on paper."""
    pdf_of(Part(text, [Line(text, text)], [Part("A", [Line("a", text)], [])]), "a")


def changed(text: str) -> None:
    """A draft, and another one that somebody has made of it."""
    before = keyed(definition(text), {"a": text})
    unkeyed(before)
    apply(before, [Group("a", text, tuple(diff(before, keyed(definition(f"{text}a"), {}))))])


OTHERS: Mapping[str, Callable[[str], object]] = {
    "split_holes": lambda text: split_holes(f"{{{{ {text} }}}} and {{{{ a }}}}"),
    "replaced_holes": lambda text: replaced_holes(text, str),
    "compile_template": lambda text: compile_template({"a": [text, f"{{{{ {text} }}}}"]}, {"a[0]"}),
    "many holes": lambda text: compile_template(f"{{{{ input.a }}}}{text[:1]}" * (len(text) // 10)),
    "has_holes": lambda text: has_holes({"a": [text] * 10}),
    "in_code": lambda text: values.in_code([text, None, text]),
    "before_hole": values.before_hole,
    "verify": verified,
    "strict_loads": lambda text: strict_loads(text.encode(), max_bytes=MANY),
    "strict_loads of a text": lambda text: strict_loads(
        json.dumps({text[:200]: text}).encode(), max_bytes=MANY
    ),
    "strict_loads of half a text": lambda text: strict_loads(b'{"a": "' + text.encode(), max_bytes=MANY),
    "strict_dumps": lambda text: strict_dumps({"a": text}, max_bytes=MANY),
    "yaml_loads": lambda text: yaml_loads(text, max_bytes=MANY),
    "conditions": lambda text: conditions(text, None),
    "validate": lambda text: validate(definition(text), CATALOGUE),
    "rename_step": lambda text: rename_step(definition(text), "a", "c", catalogue=CATALOGUE),
    "a mail": lambda text: written(mail(text), "a@example.org", "k").as_bytes(),
    "a type of an answer": lambda text: body_of(
        EgressResponse(200, {"content-type": f"a/b; {text}"}, b"a", "http://a"), MANY
    ),
    "a message's meaning": lambda text: meaning(
        "start",
        {"business_key": "{{ body.a }}", "input": {"b": "{{ body.b }}", "c": text}},
        {"body": value(text), "headers": {"h": text}, "query": {"q": text}},
        text,
    ),
    "a draft as it is changed": changed,
    "a socket's head": lambda text: is_ours(dict.fromkeys((b"origin", b"host", b"cookie"), text)),
    "a topic": lambda text: Topic.of(f"t1.{text}"),
    "a step's input": lambda text: TextInput.model_validate({"text": text}),
}

SLOW: Mapping[str, Callable[[str], object]] = {
    "markdown in a list": lambda text: markdown.__wrapped__(f"- a\n\n  {text}"),
    "yaml_text": lambda text: yaml_text({"a": text, "b": [text]}),
    "a page of evidence": printed,
}


@pytest.mark.parametrize("name", quick(WALKED))
def test_a_function_grows_with_its_text(name: str):
    assert steep(WALKED[name], 1_000) == {}


@pytest.mark.parametrize("name", quick(OTHERS))
def test_a_reader_grows_with_its_text(name: str):
    assert steep(OTHERS[name], 2_000) == {}


@pytest.mark.parametrize("name", SLOW)
def test_a_slow_reader_grows_with_its_text(name: str):
    assert steep_in_mixtures(SLOW[name], 2_000) == {}


@pytest.mark.parametrize(
    "name", sorted({*OTHERS} - {"verify", "strict_loads", "strict_loads of half a text"})
)
def test_a_reader_reads_what_is_harmless(name: str):
    """What refuses everything would be measured in vain."""
    assert OTHERS[name]("'a'") is not NotImplemented


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_import_grows_with_the_texts_in_it(path: Path):
    document = json.loads(path.read_text())

    def read(text: str) -> None:
        validate(to_native(with_texts(document, text)), CATALOGUE)

    assert steep(read, 250) == {}


def test_the_walk_finds_what_reads_texts():
    assert {"engine.holes.split_holes(text)", "engine.durations.parse_duration(text)"} < set(WALKED)
    assert len(WALKED) > 60
    assert set(DIALECTS) >= {"native", "steps"}


def test_a_page_is_not_many_times_its_markdown():
    """A wide head over empty rows was a table of 300 times its source."""
    found = {shape: len(markdown.__wrapped__(text)) / len(text) for shape, text in texts(1_500)}
    for columns in (5, 10, 30, 100, 400):
        table = "|a" * columns + "|\n" + "|-" * columns + "|\n" + "|\n" * (4 * columns)
        found[f"a table of {columns} columns"] = len(markdown.__wrapped__(table)) / len(table)
    assert {shape: times for shape, times in found.items() if times > 30} == {}


@pytest.mark.parametrize("columns", [2, 20])
def test_a_table_whose_rows_are_a_little_shorter_is_one(columns: int):
    row = "|" + "a|" * (columns - 1)
    html = markdown(f"{'|a' * columns}|\n{'|-' * columns}|\n" + f"{row}\n" * 20)
    assert html.count("<tr>") == 21
