"""What people fill in to find runs and to start one."""

import json
import re
from collections.abc import Sequence
from datetime import date, datetime, timedelta
from typing import cast

from django import forms
from django.http import QueryDict

from accounts.people import name_of
from engine.canonical import canonical_bytes
from engine.catalogue import Json
from engine.statuses import RUN_CLOSING, RUN_OPEN, RUN_UNDOING, RunStatus
from lib.reader import date_text, reader
from lib.refusals import Conflict
from lib.strict_json import BadJson, strict_dumps, strict_loads
from runs.commands.signals import MAX_SIGNAL_BYTES
from runs.commands.starts import MAX_BUSINESS_KEY
from runs.kernel.refused import RunRefused
from runs.reading.orders import NEWEST, ORDERS
from runs.reading.queries import ASKED_STATUSES, FOR_PEOPLE, UNRESOLVED, WAITING
from steps.base import MAX_INPUT_BYTES, MAX_RUN_INPUT_BYTES
from steps.signal import MAX_SIGNAL_NAME
from workflows.models import WorkflowVersion
from workflows.titles import title_of

KINDS = (("text", "Text"), ("json", "JSON"))


# What people call the statuses of runs, and which those are.
GROUPS: dict[str, tuple[str, dict[str, Json]]] = {
    "open": ("At work", {"statuses": sorted(RUN_OPEN | RUN_CLOSING | RUN_UNDOING)}),
    "waiting": ("Waiting", {"status": WAITING}),
    "people": ("Waiting on people", {"status": FOR_PEOPLE}),
    "failed": ("Failed", {"status": "FAILED"}),
    "unresolved": ("Failed, unresolved", {"status": UNRESOLVED}),
    "completed": ("Completed", {"status": "COMPLETED"}),
    "cancelled": ("Cancelled", {"status": "CANCELLED"}),
}

_SPELLED = (*ASKED_STATUSES, *(status.value for status in RunStatus))
ME = "me"
"""Whoever asks, where a name is asked for."""
YES, NO = frozenset({"1", "true", "yes", "on"}), frozenset({"", "0", "false", "no", "off"})


_WORD = re.compile(r"(?<!\S)(workflow|status|by|since|until):(\S+)")
"""A word of a search that narrows it: the name of a field and what it is to be."""


def _status(text: str) -> str:
    """A status as people name it or as the API spells it, in capitals or not. Raises ValidationError."""
    value = text.strip()
    if not value or value.lower() in GROUPS:
        return value.lower()
    if value.upper() in _SPELLED:
        return value.upper()
    names = ", ".join([*GROUPS, *(name for name in _SPELLED if name.lower() not in GROUPS)])
    raise forms.ValidationError(f"There is no status “{value}”. There are: {names}.")


class FilterForm(forms.Form):
    """Which runs the list shows; what can't be read in the address is told at its field, and then none is shown."""

    q = forms.CharField(required=False, max_length=200, label="Text")
    workflow = forms.CharField(required=False, max_length=128)
    status = forms.CharField(required=False, max_length=64)
    since = forms.DateField(required=False, label="From")
    until = forms.DateField(required=False, label="To")
    by = forms.CharField(required=False, max_length=150, label="Started by")
    test = forms.CharField(required=False, max_length=10)
    columns = forms.CharField(required=False, max_length=100)
    order = forms.CharField(required=False, max_length=20)
    saved = forms.IntegerField(required=False, min_value=1, max_value=2**63 - 1)

    def clean_status(self) -> str:
        """A status as people name it or as the API spells it, in capitals or not."""
        return _status(str(self.cleaned_data["status"]))

    def clean_test(self) -> bool:
        value = str(self.cleaned_data["test"]).strip().lower()
        if value not in YES | NO:
            raise forms.ValidationError("Give 1 for test runs, or leave it out.")
        return value in YES

    def clean_order(self) -> str:
        """An order that there is; the newest first where none is asked for."""
        value = str(self.cleaned_data["order"]).strip().lower() or NEWEST
        if value not in ORDERS:
            raise forms.ValidationError(f"Runs are listed by {', '.join(ORDERS)}.")
        return value

    def clean(self) -> dict[str, Json]:
        query = cast(QueryDict, self.data)
        for name, values in query.lists():
            if name != "cursor" and name not in self.fields:
                self.add_error(None, f"Runs can't be filtered by “{name[:50]}”.")
            elif len(values) > 1:
                self.add_error(name if name in self.fields else None, "This is there more than once.")
        self._take_words()
        return self.cleaned_data

    def _take_words(self) -> None:
        """What stands in the text as `status:failed` counts as if it stood in that field, unless something does."""
        text = self.cleaned_data.get("q") or ""
        for name, value in _WORD.findall(text):
            try:
                given = _status(value) if name == "status" else self.fields[name].clean(value)
            except forms.ValidationError as error:
                self.add_error("q", f"{name}: {error.messages[0]}")
                continue
            if not self.cleaned_data.get(name):
                self.cleaned_data[name] = given
        if "q" in self.cleaned_data:
            self.cleaned_data["q"] = " ".join(_WORD.sub(" ", text).split()) if _WORD.search(text) else text

    @property
    def is_of_tests(self) -> bool:
        """Whether test runs are asked for."""
        return bool(self.is_valid() and self.cleaned_data["test"])

    @property
    def chosen_order(self) -> str:
        """The order that is asked for; a search for a text has its own."""
        name = (self.cleaned_data.get("order") if self.is_bound and self.is_valid() else "") or NEWEST
        return NEWEST if self.cleaned_data.get("q") else name

    @property
    def orders(self) -> list[tuple[str, str, bool]]:
        """The orders to choose from, with their words, and whether it is the present one."""
        return [(name, order.words, name == self.chosen_order) for name, order in ORDERS.items()]

    @property
    def count_folded(self) -> int:
        """How many of those fields are filled in that a narrow page folds away."""
        cleaned = self.cleaned_data if self.is_bound else {}
        folded = [name for name in ("workflow", "status", "since", "until") if cleaned.get(name)]
        return len(folded) + (self.chosen_order != NEWEST)

    @property
    def has_folded_faults(self) -> bool:
        """Whether one of those has a fault."""
        return any(name in self.errors for name in ("workflow", "status", "since", "until", "order"))

    @property
    def statuses(self) -> list[tuple[str, str, bool]]:
        """The statuses to choose from, with their words, and whether it is the one that was chosen."""
        choice = (self.cleaned_data.get("status") if self.is_bound else "") or ""
        words_of = {key: words for key, (words, _) in GROUPS.items()}
        if choice not in words_of and choice:
            words_of[choice] = choice.capitalize().replace("_", " ")
        return [(key, words, key == choice) for key, words in words_of.items()]

    def asked(self, who: str) -> dict[str, Json]:
        """What `who` asks of `queries.runs_of`, and `q`."""
        self.is_valid()
        cleaned = {name: value for name, value in self.cleaned_data.items() if value}
        filters: dict[str, Json] = {
            name: cleaned[name] for name in ("q", "workflow", "test") if name in cleaned
        }
        if "status" in cleaned:
            status = cleaned["status"]
            filters |= GROUPS[status][1] if status in GROUPS else {"status": status}
        if "since" in cleaned:
            filters["created_after"] = _midnight(cleaned["since"])
        if "by" in cleaned:
            filters["created_by"] = who if cleaned["by"].lower() == ME else cleaned["by"]
        if "until" in cleaned and cleaned["until"] < date.max:
            filters["created_before"] = _midnight(cleaned["until"] + timedelta(days=1))
        return filters

    def in_words(self) -> list[str]:
        """What hides rows, each in a few words."""
        cleaned = self.cleaned_data
        words = {
            "status": lambda value: GROUPS[value][0].lower() if value in GROUPS else value,
            "workflow": lambda value: f"workflow {title_of(value)}",
            "by": lambda value: "started by you" if value.lower() == ME else f"started by {name_of(value)}",
            "since": lambda value: f"from {date_text(value)}",
            "until": lambda value: f"to {date_text(value)}",
            "q": lambda value: f"“{value}”",
            "test": lambda value: "test runs",
            "order": lambda value: "open runs" if ORDERS[value].is_of_open else "",
        }
        said = (say(cleaned[name]) for name, say in words.items() if cleaned.get(name))
        return [text for text in said if text]


def _midnight(day: date) -> datetime:
    """The beginning of a day where whoever asks is."""
    return datetime(day.year, day.month, day.day, tzinfo=reader().clock)


def _in_words(error: BadJson) -> forms.ValidationError:
    """What is wrong with JSON that somebody typed, and where, as a sentence."""
    where = f" at {error.pointer}" if error.pointer else ""
    return forms.ValidationError(f"{error.message[:1].upper()}{error.message[1:]}{where}.")


class StartForm(forms.Form):
    """The input of a run, as a text or as JSON."""

    input_kind = forms.ChoiceField(choices=KINDS)
    input = forms.CharField(required=False, strip=False)
    business_key = forms.CharField(required=False, max_length=MAX_BUSINESS_KEY)
    once = forms.CharField(required=False)

    _value: Json = None

    def given(self, is_bare: bool) -> Json:
        """The input, once the form is valid; a text as `{"text": …}`, unless the workflow takes a bare one."""
        is_text = self.cleaned_data["input_kind"] == "text"
        return self._value["text"] if is_text and is_bare else self._value

    def clean_input(self) -> str:
        text = str(self.cleaned_data["input"]).replace("\r\n", "\n")
        if self.cleaned_data.get("input_kind") == "text" and not text.strip():
            raise forms.ValidationError("Paste a text, or choose a file.")
        try:
            if self.cleaned_data.get("input_kind") == "text":
                self._value = {"text": text}
                strict_dumps(self._value, max_bytes=MAX_RUN_INPUT_BYTES)
            else:
                self._value = strict_loads(text.encode(), max_bytes=MAX_RUN_INPUT_BYTES)
        except BadJson as error:
            raise _in_words(error) from None
        return text

    def refuse(self, refusal: RunRefused | Conflict) -> None:
        """Show what was refused at the field that is to blame."""
        field = (refusal.field or "").replace("[", ".").partition(".")[0]
        path = (refusal.field or "").removeprefix("input").removeprefix(".")
        message = f"{path}: {refusal.message}" if field == "input" and path else refusal.message
        self.add_error(field if field in ("input", "business_key") else None, message)


class KeyForm(forms.Form):
    """What is given with the fields of an input: the business key."""

    business_key = forms.CharField(
        required=False,
        max_length=MAX_BUSINESS_KEY,
        error_messages={"max_length": f"A business key has at most {MAX_BUSINESS_KEY} characters."},
    )

    @property
    def said(self) -> str:
        """What is wrong with it."""
        return " ".join(map(str, self.errors.get("business_key", ())))


class SignalForm(forms.Form):
    """A signal that somebody sends by hand."""

    name = forms.CharField(max_length=MAX_SIGNAL_NAME)
    payload = forms.CharField(required=False, strip=False)

    value: Json = None

    def clean_payload(self) -> str:
        text = str(self.cleaned_data["payload"])
        if text.strip():
            try:
                self.value = strict_loads(text.encode(), max_bytes=MAX_SIGNAL_BYTES)
            except BadJson as error:
                raise _in_words(error) from None
        return text


class StepForm(forms.Form):
    """What a step is given instead of its own input, or counts as having given; `was`: what it had."""

    value = forms.CharField(required=False, strip=False)
    reason = forms.CharField(required=False, max_length=1000)
    once = forms.CharField(required=False)

    given: Json = None

    def __init__(self, data: QueryDict | None, *, was: Json) -> None:
        self.was = was
        super().__init__(data, initial={"value": json.dumps(was, ensure_ascii=False, indent=2)})

    @property
    def is_edited(self) -> bool:
        """Whether another value was typed than the one that was there."""
        return canonical_bytes(self.given) != canonical_bytes(self.was)

    def clean_value(self) -> str:
        text = str(self.cleaned_data["value"])
        try:
            self.given = strict_loads(text.encode(), max_bytes=MAX_INPUT_BYTES)
        except BadJson as error:
            raise _in_words(error) from None
        return text

    def refuse(self, refusal: RunRefused) -> None:
        """Show what was refused, at the value if that is to blame."""
        self.add_error("value" if refusal.field in ("input", "output") else None, refusal.message)


class VersionForm(forms.Form):
    """Another version of the run's workflow."""

    version = forms.TypedChoiceField(coerce=int, error_messages={"required": "Choose a version."})
    reason = forms.CharField(required=False, max_length=1000)

    def __init__(self, data: QueryDict | None, *, versions: Sequence[WorkflowVersion]) -> None:
        super().__init__(data)
        choice = cast(forms.TypedChoiceField, self.fields["version"])
        choice.choices = [(one.number, f"v{one.number}") for one in versions]


def form_with(value: Json, business_key: str | None) -> StartForm:
    """A form in which this input stands already."""
    is_text = isinstance(value, dict) and value.keys() == {"text"} and isinstance(value["text"], str)
    return StartForm(
        initial={
            "input_kind": "text" if is_text else "json",
            "input": value["text"] if is_text else json.dumps(value, ensure_ascii=False, indent=2),
            "business_key": business_key or "",
        }
    )
