"""The form that starts a workflow, made of its `input_schema`: what stands in it at first, what is wrong with it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from types import MappingProxyType
from typing import Literal

from engine.catalogue import Json
from lib.forms.carrying import Query, left_out, typed_by_link
from lib.forms.fields import Fault, Form
from lib.forms.schema_forms import SchemaForms
from lib.forms.shapes import shape_of, whole
from steps.schema import fits, problems_of
from workflows.design.starting import json_text, sample_of, takes_text
from workflows.design.value_forms import field_of as place_of
from workflows.limits import IGNORED_FIELDS, START_FORM_PROBLEMS
from workflows.ports import Earlier, KeptEntries

Source = Literal["", "typed", "draft", "link", "last", "sample", "run"]

ROOT = "input"
FORMS = SchemaForms(fits, ROOT)
FROM = "from"
"""In a link: where the values come from instead (`last`, `sample`, `link`)."""


@dataclass(frozen=True, slots=True)
class Start:
    """A start form as it stands: its fields, or with `kind` json its input as JSON; and where that comes from.

    `ignored`: what a link names that the form can't take; `unplaced`: what has no field, so that it stays JSON.
    """

    kind: Literal["form", "json"]
    form: Form | None = None
    given: str = ""
    source: Source = ""
    at: datetime | None = None
    business_key: str = ""
    ignored: Sequence[str] = ()
    unplaced: Sequence[str] = ()
    errors: Sequence[str] = ()
    key_error: str = ""
    is_checked: bool = False
    makes_key: str = ""
    has_sample: bool = False
    has_link: bool = False
    earlier: Earlier = field(default_factory=Earlier)

    @property
    def offers_last(self) -> bool:
        """Whether what they started it with last is offered: not over what was just typed."""
        return self.earlier.started_at is not None and self.source not in ("typed", "run", "last")

    @property
    def offers_sample(self) -> bool:
        """Whether the sample is offered, likewise."""
        return self.has_sample and self.source not in ("typed", "run", "sample")

    @property
    def faults(self) -> list[Fault]:
        """What is wrong at its fields, the business key's last."""
        faults = self.form.faults() if self.form else []
        return [*faults, *([Fault("start-key", "Business key", self.key_error)] if self.key_error else [])]


def schema_of(definition: Mapping[str, Json]) -> dict[str, Json] | None:
    """The schema that a form can be made of; None where a text or JSON is asked for."""
    schema = definition.get("input_schema")
    if not isinstance(schema, dict) or whole(schema, schema).get("type", "object") != "object":
        return None
    return None if takes_text(definition) or not shape_of(schema, schema, {}, fits).properties else schema


def about(definition: Mapping[str, Json], earlier: Earlier = Earlier()) -> Start:  # noqa: B008 - never changed
    """The form of a definition with its defaults; `earlier`: what whoever looks did before."""
    makes_key = definition.get("business_key")
    return Start(
        "form",
        FORMS.form_of(schema_of(definition)),
        makes_key=makes_key if isinstance(makes_key, str) else "",
        has_sample=sample_of(definition) is not None,
        earlier=earlier,
    )


def opened(
    definition: Mapping[str, Json], earlier: Earlier, query: Query, last_input: Callable[[], Json]
) -> Start:
    """The form as an address asks for it: with the last input or the sample, what was kept, or what a link names."""
    start = about(definition, earlier)
    wish = query[FROM][-1] if query.get(FROM) else ""
    if wish == "last" and earlier.started_at is not None:
        return filled(definition, replace(start, source="last", at=earlier.started_at), last_input())
    if wish == "sample" and start.has_sample:
        return filled(definition, replace(start, source="sample"), sample_of(definition))
    values = {name: texts for name, texts in query.items() if name != FROM}
    schema = schema_of(definition) or {}
    typed, ignored = typed_by_link(FORMS, schema, values) if values else ({}, [])
    start = replace(start, ignored=[name[:50] for name in ignored[:IGNORED_FIELDS]], has_link=bool(typed))
    if earlier.kept is not None and wish != "link":
        return _kept(schema, start, earlier.kept)
    return replace(start, source="link", form=FORMS.form_of(schema, typed, fresh=True)) if typed else start


def filled(definition: Mapping[str, Json], start: Start, data: Json) -> Start:
    """The form with this input in it; as JSON where the form has no field for something in it."""
    form = FORMS.filled(schema_of(definition), data)
    unplaced = left_out(form, data) if isinstance(data, dict) else [ROOT]
    if unplaced:
        return replace(
            start, kind="json", form=None, given=json_text(data), unplaced=unplaced[:IGNORED_FIELDS]
        )
    return replace(start, kind="form", form=form)


def check(
    schema: Mapping[str, Json],
    form: Form,
    data: Json,
    also: Mapping[tuple[str | int, ...], str] = MappingProxyType({}),
) -> list[str]:
    """Put all that is wrong with the input at its fields, and what is `also` wrong with it; gives what has none.

    `data`: the input that was typed, with what is only masked in the form.
    """
    wrong = [*also.items(), *(one for one in problems(schema, data) if one[0] not in also)]
    return form.show({"field": field_of(path), "message": message} for path, message in wrong)


def problems(schema: Mapping[str, Json], data: Json) -> list[tuple[tuple[str | int, ...], str]]:
    """All that is wrong with an input, each as (path, sentence)."""
    return problems_of(schema, data, most=START_FORM_PROBLEMS)


def field_of(path: Sequence[str | int]) -> str:
    """What the field of a place in the input is called."""
    return place_of(ROOT, path)


def entries_to_keep(schema: Mapping[str, Json], entries: Mapping[str, str]) -> dict[str, str]:
    """What was typed as it is kept: moments in UTC, since they may be looked at by another clock."""
    form = FORMS.form_of(schema, entries)
    moments = {one.name: one.text for one in form.each() if one.kind in ("moment", "time")}
    texts = {name: text for name, text in entries.items() if name != f"{ROOT}:zone"}
    return texts | {name: text for name, text in moments.items() if name in texts}


def _kept(schema: Mapping[str, Json], start: Start, draft: KeptEntries) -> Start:
    entries = {name: text for name, text in draft.entries.items() if name != "business_key"}
    start = replace(start, source="draft", at=draft.at, business_key=draft.entries.get("business_key", ""))
    if draft.kind == "json":
        return replace(start, kind="json", form=None, given=entries.get(ROOT, ""))
    return replace(start, form=FORMS.form_of(schema, entries, fresh=True))
