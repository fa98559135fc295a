"""No function that takes a text from outside takes more than its share for one that is made to slow it down."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from engine import markdown as values
from engine.dialects import DIALECTS, to_native
from engine.renaming import rename_step
from engine.templates import compile_template, has_holes, replaced_holes, split_holes
from engine.validate import validate
from lib.egress import EgressResponse
from lib.markdown import markdown
from lib.standard_webhooks import verify
from lib.strict_json import strict_dumps, strict_loads
from lib.strict_yaml import yaml_loads, yaml_text
from steps.answers import body_of
from steps.catalogue import CATALOGUE
from steps.email_send import MailParams, written
from steps.text.source import TextInput
from tasks_inbox.lists.search import conditions
from tests.growth.measuring import steep
from tests.growth.shapes import texts
from tests.growth.walking import readers

MANY = 10**9
# They run, send or name what an operator has set up.
LEFT_OUT = frozenset({"lib.scanning", "lib.mail.send", "lib.crash_points", "steps.email_send.written"})
WALKED = dict(readers(("engine", "lib", "steps"), LEFT_OUT))
EXAMPLES = sorted((Path(__file__).parents[1] / "engine" / "fixtures").rglob("*.json"))


def with_texts(value: object, text: str) -> object:
    """The document with this text for each of its own but for names of types, which decide what is looked at."""
    if isinstance(value, dict):
        return {key: item if key == "type" else with_texts(item, text) for key, item in value.items()}
    if isinstance(value, list):
        return [with_texts(item, text) for item in value]
    return text if isinstance(value, str) else value


def definition(text: str) -> dict[str, object]:
    """A definition with this text wherever an author writes one that is more than a name."""
    hole = f"{{{{ {text} }}}}"
    node = {
        "type": "transform",
        "params": {"set": {"a": text, "b": hole, text[:200]: text}},
        "input": {"c": hole},
    }
    edges = [{"from": "a", "to": "b", "when": text}, {"from": "a", "to": text}]
    nodes = [{"id": "a", **node}, {"id": "b", "type": "wait", "params": {"for": text}}, {"id": text, **node}]
    return {"name": text, "title": text, "nodes": nodes, "edges": edges, "output": {"all": hole}}


def mail(body: str) -> MailParams:
    """Params of `email.send` with this text."""
    return MailParams(to=["a@example.org"], subject=body[:500], body=body)


def verified(text: str) -> None:
    """A message of which a sender wrote each header."""
    verify([b"secret"], message_id="a", timestamp="1", signatures=text, body=b"", now=1)


OTHERS: Mapping[str, Callable[[str], object]] = {
    "split_holes": lambda text: split_holes(f"{{{{ {text} }}}} and {{{{ a }}}}"),
    "replaced_holes": lambda text: replaced_holes(text, str),
    "compile_template": lambda text: compile_template({"a": [text, f"{{{{ {text} }}}}"]}, {"a[0]"}),
    "many holes": lambda text: compile_template(f"{{{{ input.a }}}}{text[:1]}" * (len(text) // 10)),
    "has_holes": lambda text: has_holes({"a": [text] * 10}),
    "in_code": lambda text: values.in_code([text, None, text]),
    "before_hole": values.before_hole,
    "markdown": markdown.__wrapped__,
    "markdown in a list": lambda text: markdown.__wrapped__(f"- a\n\n  {text}"),
    "verify": verified,
    "strict_loads": lambda text: strict_loads(text.encode(), max_bytes=MANY),
    "strict_loads of a text": lambda text: strict_loads(
        json.dumps({text[:200]: text}).encode(), max_bytes=MANY
    ),
    "strict_loads of half a text": lambda text: strict_loads(b'{"a": "' + text.encode(), max_bytes=MANY),
    "strict_dumps": lambda text: strict_dumps({"a": text}, max_bytes=MANY),
    "yaml_loads": lambda text: yaml_loads(text, max_bytes=MANY),
    "yaml_text": lambda text: yaml_text({"a": text, "b": [text]}),
    "conditions": lambda text: conditions(text, None),
    "validate": lambda text: validate(definition(text), CATALOGUE),
    "rename_step": lambda text: rename_step(definition(text), "a", "c", jobs=frozenset()),
    "a mail": lambda text: written(mail(text), "a@example.org", "k").as_bytes(),
    "a type of an answer": lambda text: body_of(
        EgressResponse(200, {"content-type": f"a/b; {text}"}, b"a", "http://a"), MANY
    ),
    "a step's input": lambda text: TextInput.model_validate({"text": text}),
}


@pytest.mark.parametrize("name", WALKED)
def test_a_function_grows_with_its_text(name: str):
    assert steep(WALKED[name], 1_000) == {}


@pytest.mark.parametrize("name", OTHERS)
def test_a_reader_grows_with_its_text(name: str):
    assert steep(OTHERS[name], 2_000) == {}


@pytest.mark.parametrize(
    "name", sorted(set(OTHERS) - {"verify", "strict_loads", "strict_loads of half a text"})
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
    assert {"engine.templates.split_holes(text)", "engine.durations.parse_duration(text)"} < set(WALKED)
    assert len(WALKED) > 60
    assert set(DIALECTS) >= {"native", "steps"}


def test_a_page_is_not_many_times_its_markdown():
    """A wide head over empty rows was a table of 300 times its source."""
    found = {shape: len(markdown.__wrapped__(text)) / len(text) for shape, text in texts(3_500)}
    for columns in (5, 10, 30, 100, 400):
        table = "|a" * columns + "|\n" + "|-" * columns + "|\n" + "|\n" * (4 * columns)
        found[f"a table of {columns} columns"] = len(markdown.__wrapped__(table)) / len(table)
    assert {shape: times for shape, times in found.items() if times > 30} == {}


@pytest.mark.parametrize("columns", [2, 20])
def test_a_table_whose_rows_are_a_little_shorter_is_one(columns: int):
    row = "|" + "a|" * (columns - 1)
    html = markdown(f"{'|a' * columns}|\n{'|-' * columns}|\n" + f"{row}\n" * 20)
    assert html.count("<tr>") == 21
