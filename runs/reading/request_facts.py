"""What was asked: the input of a request as its start form calls it, with what people corrected, files by name."""

from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from uuid import UUID

from accounts import people
from engine.catalogue import Json
from engine.value_types import Type, below, reduced
from lib.forms.fields import FormField
from lib.strict_json import same
from lib.typed_values import kind_of, plain_text
from runs.files.trees import files_of_trees, is_id
from runs.kernel import graphs
from runs.limits import REQUEST_FACTS
from workflows.design.start_forms import Start, filled

Corrected = Mapping[tuple[str, ...], tuple[Json, Json]]
TELLING = 2
"""So many facts of the input tell one request from another."""
_SHOWN = str | int | float
NO_FILE = "A file that is no longer kept"


@dataclass(frozen=True, slots=True)
class Asked:
    """The input of a request; `corrected`: what of it people corrected, the value before and after."""

    run: UUID
    tree: UUID
    version_id: int
    input: Json
    is_cut: bool
    corrected: Corrected = field(default_factory=dict)


@dataclass(slots=True)
class _Fact:
    name: str
    label: str
    value: FormField | str
    person: str | None = None

    @property
    def file(self) -> str | None:
        """The id of the file that it names."""
        field = self.value
        return (field.text or None) if isinstance(field, FormField) and field.kind == "file" else None

    @property
    def text(self) -> str:
        """What stands there, for people."""
        if self.person:
            return people.name_of(self.person)
        return self.value if isinstance(self.value, str) else self.value.in_words


def facts_asked(tenant: int, asked: Sequence[Asked]) -> dict[UUID, list[dict[str, Json]]]:
    """What was asked in each request: `label`, `text`, what it `was` before it was corrected, and the id of a `file`;
    what is empty is left out. In as many statements for one as for many.
    """
    pairs = {one.run: _pair(one) for one in asked if not one.is_cut}
    trees = {one.run: str(one.tree) for one in asked}
    every = [(run, fact) for run, pair in pairs.items() for facts in pair for fact in facts]
    _name_files(tenant, trees, every)
    people.learn(tenant, [fact.person for _, fact in every])
    cut = {"label": "Input", "text": "Too long to be shown here.", "was": None, "file": None}
    return {one.run: [cut] if one.is_cut else _rows(*pairs[one.run]) for one in asked}


def about(facts: Sequence[Mapping[str, Json]]) -> str:
    """The facts that tell a request from others, in one line; those that were corrected first of all."""
    telling = sorted(range(len(facts)), key=lambda place: (facts[place]["was"] is None, place))[:TELLING]
    return " · ".join(f"{facts[place]['label']}: {_with_old(facts[place])}" for place in sorted(telling))


def _with_old(fact: Mapping[str, Json]) -> str:
    return fact["text"] if fact["was"] is None else f"{fact['text'] or 'none'} (was {fact['was'] or 'empty'})"


def _rows(now: list[_Fact], before: list[_Fact]) -> list[dict[str, Json]]:
    old = {one.name: one.text for one in before}
    rows = []
    for one in now:
        was = old.get(one.name, "")
        is_other = was != one.text
        if one.text or is_other:
            row = {"label": one.label, "text": one.text, "was": was if is_other else None, "file": one.file}
            rows.append(row)
    return rows[:REQUEST_FACTS]


def _pair(asked: Asked) -> tuple[list[_Fact], list[_Fact]]:
    """What is asked now, and what was asked."""
    before = _facts(asked.version_id, asked.input)
    data = _with(asked.input, asked.corrected)
    return (before, before) if data is asked.input else (_facts(asked.version_id, data), before)


def _with(data: Json, corrected: Corrected) -> Json:
    """The input with what was corrected, where it still is what it was before that."""
    changed = data
    for path, (before, after) in corrected.items():
        if not same(_at(changed, path), before):
            continue
        changed = deepcopy(changed) if changed is data else changed
        _at(changed, path[:-1])[path[-1]] = after
    return changed


def _at(data: Json, path: Sequence[str]) -> Json:
    for key in path:
        data = data.get(key) if isinstance(data, dict) else None
    return data


def _facts(version_id: int, data: Json) -> list[_Fact]:
    schema = graphs.shown(version_id).graph.input_schema
    start = filled({"input_schema": schema, "nodes": []}, Start("form"), data) if schema else None
    if start is not None and start.form is not None:
        kinds = reduced(schema)
        return [_Fact(one.name, one.label, one, _person(kinds, one)) for one in start.form.each()]
    if isinstance(data, dict):
        return [
            _Fact(key, key, plain_text(value)) for key, value in data.items() if isinstance(value, _SHOWN)
        ]
    return [_Fact("", "Input", plain_text(data) if isinstance(data, _SHOWN) else "")]


def _person(kinds: Type | None, one: FormField) -> str | None:
    """The member that a field names."""
    _, *path = one.name.split(".")
    return one.text if kind_of(below(kinds, tuple(path))) == "person" and one.text else None


def _name_files(tenant: int, trees: Mapping[UUID, str], facts: Sequence[tuple[UUID, _Fact]]) -> None:
    """Give fields that name files the names of these, and take those out that are none."""
    fields = list(_files(facts))
    ids = list(dict.fromkeys(one.text for _, one in fields if is_id(one.text)))
    files = files_of_trees(tenant, sorted({trees[run] for run, _ in fields}), ids) if ids else {}
    for run, one in fields:
        row = files.get((trees[run], one.text))
        one.file_name = row["name"] if row else NO_FILE
        one.text = one.text if row else ""


def _files(facts: Sequence[tuple[UUID, _Fact]]) -> Iterator[tuple[UUID, FormField]]:
    for run, fact in facts:
        if isinstance(fact.value, FormField) and fact.value.kind == "file" and fact.value.text:
            yield run, fact.value
