"""A chain of text steps as a form, and the form as a definition: the pure part of the pipeline form (R-011).

The form shows less than a definition can hold. What it doesn't show, it doesn't touch: a step keeps its id and
whatever else stands in its node, the workflow whatever stands beside nodes and edges.
"""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from engine.catalogue import Json
from engine.dialects import DialectError, to_native
from engine.problems import Problem
from engine.step_titles import step_title
from lib.forms.build import Typed
from lib.forms.fields import FormField
from lib.forms.schema_forms import SchemaForms
from steps.base import StepType
from steps.catalogue import CATALOGUE, TEXT_GROUPS
from steps.schema import fits
from workflows.document.changes import Document, NotKeyable, keyed

Posted = Mapping[str, Sequence[str]]

_FORM_FIELDS = frozenset({"id", "type", "title", "params"})
# A node with any of these has more than one way out or in.
_BRANCHING_FIELDS = frozenset({"join", "boundary_timers", "compensate", "allow_no_match"})
_PLACE = re.compile(r"nodes\[(\d+)\](?:\.params\.([^.\[]+))?")
_LETTERS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue"})


class NotAPipeline(Exception):
    """The definition can't be shown as a chain of text steps; the message says why."""


@dataclass(slots=True)
class Step:
    """One card of the form. `before` is its node in the draft that the form was made from."""

    key: str
    type: str
    params: Mapping[str, Json] = field(default_factory=dict)
    title: str = ""
    before: Mapping[str, Json] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    _fields: list[FormField] | None = None

    @property
    def face(self) -> StepType:
        """What the catalogue says of its type."""
        return CATALOGUE[self.type]

    @property
    def fields(self) -> list[FormField]:
        """Its params as fields; made once, so that problems can be put at them."""
        if self._fields is None:
            self._fields = fields_of(self.face.params_schema, self.params, self.key)
        return self._fields

    @property
    def kept(self) -> list[str]:
        """What its node has that the form doesn't show."""
        return sorted(set(self.before) - _FORM_FIELDS)

    def node(self) -> dict[str, Json]:
        """It as a node; without an id if it is new."""
        node = {**self.before, "type": self.type, "title": self.title, "params": dict(self.params)}
        return {
            name: value for name, value in node.items() if name in ("id", "type") or value not in ("", {})
        }


@dataclass(slots=True)
class Pipeline:
    """What the form holds. `problems` are those that belong to no step; `length`: why it has too few or too many."""

    title: str = ""
    description: str = ""
    steps: list[Step] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    length: str | None = None

    @property
    def faults(self) -> list[tuple[str, str]]:
        """What the steps' problems are, each with the id of the place on the page where it stands."""
        entries: list[tuple[str, str]] = [("steps-title", self.length)] if self.length else []
        for place, step in enumerate(self.steps, 1):
            label = f"Step {place}, {step.face.title}"
            entries += [(f"step-{step.key}", f"{label}: {problem}") for problem in step.problems]
            entries += [(one.id, f"{label}, {one.label}: {one.error}") for one in step.fields if one.error]
        return entries

    def show(self, problems: Sequence[Problem]) -> None:
        """Put each problem at the field or step it belongs to."""
        for problem in problems:
            place = _PLACE.match(problem.field)
            if not place or int(place[1]) >= len(self.steps):
                if problem.field != "nodes" or self.steps:
                    self.problems.append(problem.message)
                continue
            step = self.steps[int(place[1])]
            at = next((one for one in step.fields if one.key == place[2]), None)
            message = _message_here(problem.message, place[0])
            if at is None or at.error:
                step.problems.append(message)
            else:
                at.error = message


def choices() -> list[StepType]:
    """The step types that a pipeline is made of."""
    return [step_type for step_type in CATALOGUE.values() if step_type.group in TEXT_GROUPS]


def from_definition(document: Mapping[str, Json]) -> Pipeline:
    """The form of a definition. Raises NotAPipeline."""
    draft = _keyed(document)
    nodes = {key: {"id": key, **node} for key, node in draft["nodes"].items()}
    steps = [_step(f"s{place}", nodes[key]) for place, key in enumerate(_chain(draft), 1)]
    settings = draft["settings"]
    return Pipeline(_text(settings.get("title")), _text(settings.get("description")), steps)


def is_pipeline(document: Mapping[str, Json]) -> bool:
    """Whether the form can show a definition."""
    try:
        from_definition(document)
    except NotAPipeline:
        return False
    return True


def from_posted(form_fields: Posted, base: Mapping[str, Json]) -> Pipeline:
    """The form as it was sent; `base` is the draft that it was made from."""
    try:
        nodes = _keyed(base)["nodes"]
    except NotAPipeline:
        nodes = {}
    typed = {name: values[-1] for name, values in form_fields.items() if values}
    keys = [
        key for key in dict.fromkeys(form_fields.get("step", ())) if re.fullmatch(r"[a-z][a-z0-9]{0,15}", key)
    ]
    steps = [_posted_step(key, typed, nodes) for key in keys if _one(typed, f"{key}.type") in CATALOGUE]
    return Pipeline(_one(typed, "title"), _one(typed, "description"), steps)


def to_definition(pipeline: Pipeline, base: Mapping[str, Json], name: str) -> dict[str, Json]:
    """The draft that the form describes, made from `base`."""
    try:
        rest = {key: value for key, value in to_native(base).items() if key not in ("nodes", "edges")}
    except DialectError:
        rest = {}
    for key, value in (("title", pipeline.title), ("description", pipeline.description)):
        rest.pop(key, None)
        if value:
            rest[key] = value
    return to_native({**rest, "name": name, "steps": [step.node() for step in pipeline.steps]}, "steps")


def rearranged(pipeline: Pipeline, command: str) -> Pipeline:
    """The form after one of its buttons: `up:s2`, `down:s2`, `remove:s2`, `add:text.clean`, or anything else."""
    verb, _, argument = command.partition(":")
    steps = list(pipeline.steps)
    at = next((place for place, step in enumerate(steps) if step.key == argument), None)
    if verb == "add" and argument in CATALOGUE:
        steps.append(Step(_free_key(steps), argument))
    elif at is not None and verb == "remove":
        del steps[at]
    elif at is not None and verb in ("up", "down"):
        other = max(at - 1, 0) if verb == "up" else min(at + 1, len(steps) - 1)
        steps[at], steps[other] = steps[other], steps[at]
    return replace(pipeline, steps=steps)


def name_of(title: str) -> str:
    """A name that suits the title: `Täglicher Überblick` becomes `taeglicher-ueberblick`."""
    plain = unicodedata.normalize("NFKD", title.translate(_LETTERS)).encode("ascii", "ignore").decode()
    return re.sub(r"[^a-z0-9]+", "-", plain.lower()).strip("-")[:80].strip("-")


def _keyed(document: Mapping[str, Json]) -> Document:
    """A definition of any dialect as the builder sees it. Raises NotAPipeline."""
    try:
        return keyed(to_native(document), {})
    except DialectError as error:
        raise NotAPipeline(f"The draft can't be read as steps: {error.message}") from None
    except NotKeyable as error:
        raise NotAPipeline(f"The draft can't be read as steps: {error.field}: {error.message}") from None


def _chain(draft: Document) -> list[str]:
    """The ids of the nodes in the order of their edges. Raises NotAPipeline where there is not one order."""
    successors: dict[str, str] = {}
    for edge in draft["edges"].values():
        if set(edge) != {"from", "to"} or edge["from"] in successors:
            raise NotAPipeline(
                "It has branches: steps that are done only under a condition, or side by side."
            )
        successors[edge["from"]] = edge["to"]
    order = [node for node in draft["nodes"] if node not in successors.values()][:1]
    while order and (successor := successors.get(order[-1])) in draft["nodes"] and successor not in order:
        order.append(successor)
    if len(order) != len(draft["nodes"]):
        raise NotAPipeline("Its steps are not one chain.")
    return order


def _step(key: str, node: Mapping[str, Json]) -> Step:
    kind, params = node.get("type"), node.get("params") or {}
    label = step_title(node, CATALOGUE)
    if not isinstance(kind, str) or kind not in CATALOGUE or CATALOGUE[kind].group not in TEXT_GROUPS:
        raise NotAPipeline(f"The step {label} is not a text step.")
    if not isinstance(params, dict) or _BRANCHING_FIELDS & {name for name, value in node.items() if value}:
        raise NotAPipeline(f"The step {label} has settings that a chain of text steps doesn't have.")
    return Step(key, kind, params, _text(node.get("title")), node)


def _posted_step(key: str, typed: Typed, nodes: Mapping[str, Mapping[str, Json]]) -> Step:
    kind = _one(typed, f"{key}.type")
    id_ = _one(typed, f"{key}.id")
    node = nodes.get(id_, {})
    before = {"id": id_, **node} if node.get("type") == kind else {}
    title = _one(typed, f"{key}.title")
    if _one(typed, f"{key}.shown") != kind:
        # The type was changed without a script: the fields that were sent are those of the old one.
        return Step(key, kind, {}, title, before)
    params = before.get("params")
    schema = CATALOGUE[kind].params_schema
    return Step(
        key, kind, read_params(schema, typed, key, params if isinstance(params, dict) else {}), title, before
    )


def fields_of(schema: Mapping[str, Json], params: Mapping[str, Json], key: str) -> list[FormField]:
    """The params of the step of this key as fields."""
    return _params_forms(key).filled(schema, params).fields


def read_params(
    schema: Mapping[str, Json], typed: Typed, key: str, before: Mapping[str, Json]
) -> dict[str, Json]:
    """The params that were typed for the step of this key.

    What equals its default is left out, unless it stood there `before`: saving a draft that nobody touched changes
    nothing. Params of `before` that the schema does not know stay.
    """
    unknown = {name: value for name, value in before.items() if name not in schema.get("properties", {})}
    return unknown | _params_forms(key).form_of(schema, typed, before=before).data


def _params_forms(key: str) -> SchemaForms:
    return SchemaForms(fits, f"{key}.params", is_open=True)


def _free_key(steps: Sequence[Step]) -> str:
    keys = {step.key for step in steps}
    return next(key for number in range(1, len(steps) + 2) if (key := f"s{number}") not in keys)


def _message_here(message: str, path: str) -> str:
    """The message without the path, which says nothing to who sees the field."""
    text = message.replace(f"`{path}`", "this").replace(f"`{path}", "`")
    text = re.sub(r"`\[(\d+)\][^`]*`", lambda match: f"row {int(match[1]) + 1}", text)
    text = re.sub(r"^(this|row \d+): (?=is |are |must |has |have )", r"\1 ", text)
    return text[:1].upper() + text[1:]


def _one(typed: Typed, name: str) -> str:
    return typed.get(name, "").replace("\r\n", "\n").replace("\x00", "").strip()


def _text(value: Json) -> str:
    return value if isinstance(value, str) else ""
