"""What a list of runs is asked for: by the query string of its page, which searches keep."""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import Any, cast
from urllib.parse import urlencode

from django import forms
from django.core.exceptions import NON_FIELD_ERRORS
from django.http import QueryDict

from accounts.people import name_of
from engine.catalogue import Json
from engine.limits import WORKFLOW_NAME_CHARACTERS
from engine.statuses import RUN_CLOSING, RUN_OPEN, RUN_UNDOING, RunStatus
from lib.clock import now_here
from lib.reader import date_text, reader
from lib.refusals import Invalid
from lib.search_grammar import Clause, Fields, NotUnderstood, Term, parse, quoted
from runs.limits import FILTER_CHARACTERS
from runs.reading.orders import NEWEST, ORDERS
from runs.reading.queries import ASKED_STATUSES, FOR_PEOPLE, STUCK, is_me, starter
from runs.reading.run_view import FILTERED, LABELLED, WAITING
from runs.reading.search_words import GRAMMAR, day, input_test, waiting
from runs.reading.unindexed import UNRESOLVED
from workflows.titles import title_of

COLUMNS = {
    "status": "Status",
    "now": "Now",
    "started": "Started",
    "by": "By",
    "took": "Took",
    "deadline": "Deadline",
    "likely": "Likely done",
    "version": "Version",
    **{name: column.label for name, column in LABELLED.items()},
}
"""The columns beside the run itself, in their order, by what they are called."""
NOT_KEPT = ("cursor", "saved")
"""What an address of the list has beside what is asked for: where in it somebody is, and by which kept search."""


# What people call the statuses of runs, and which those are.
GROUPS: dict[str, tuple[str, dict[str, Json]]] = {
    "open": ("At work", {"statuses": sorted(RUN_OPEN | RUN_CLOSING | RUN_UNDOING)}),
    "waiting": ("Waiting", {"status": WAITING}),
    "people": ("Waiting on people", {"status": FOR_PEOPLE}),
    "failed": ("Failed", {"status": "FAILED"}),
    "unresolved": ("Failed, unresolved", {"status": UNRESOLVED}),
    "stuck": ("Stuck", {"status": STUCK}),
    "completed": ("Completed", {"status": "COMPLETED"}),
    "cancelled": ("Cancelled", {"status": "CANCELLED"}),
}

_VERSION = re.compile(r"v?[1-9][0-9]{0,8}")
_SPELLED = (*ASKED_STATUSES, *(status.value for status in RunStatus))
YES, NO = frozenset({"1", "true", "yes", "on"}), frozenset({"", "0", "false", "no", "off"})


Where = tuple[tuple[bool, Term, dict[str, Json]], ...]
"""Conditions of which one is enough: whether each must not hold, as it is written, and what it says of which field."""


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

    q = forms.CharField(required=False, max_length=FILTER_CHARACTERS, label="Text")
    workflow = forms.CharField(required=False, max_length=WORKFLOW_NAME_CHARACTERS)
    status = forms.CharField(required=False, max_length=64)
    since = forms.DateField(required=False, label="From")
    until = forms.DateField(required=False, label="To")
    by = forms.CharField(required=False, max_length=150, label="Started by")
    test = forms.CharField(required=False, max_length=10)
    columns = forms.CharField(required=False, max_length=100)
    order = forms.CharField(required=False, max_length=20)
    saved = forms.IntegerField(required=False, min_value=1, max_value=2**63 - 1)

    def __init__(self, data: QueryDict, grammar: Fields = GRAMMAR) -> None:
        super().__init__(data)
        self._grammar = grammar
        for name, column in FILTERED.items():
            fault = f"There are: {', '.join(column.values)}."
            self.fields[name] = forms.ChoiceField(
                choices=column.options,
                required=False,
                label=column.label,
                error_messages={"invalid_choice": fault},
            )

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
        """What stands in the text as `status:failed` counts as if it stood in that field, unless something does. What
        must not hold, and of which one is enough, is left as clauses.
        """
        words: list[str] = []
        clauses: list[Where] = []
        fields_set = {name for name, value in self.cleaned_data.items() if value}
        text = self.cleaned_data.get("q") or ""
        try:
            for clause in parse(text, self._grammar):
                self._take(clause, words, clauses, fields_set)
        except NotUnderstood as error:
            self.add_error("q", str(error))
        if "q" in self.cleaned_data:
            self.cleaned_data["q"] = " ".join(words)
        self.cleaned_data |= {"words": tuple(words), "where": tuple(clauses)}

    def _take(
        self, clause: Clause, words: list[str], clauses: list[Where], fields_set: Collection[str]
    ) -> None:
        """Raises NotUnderstood."""
        term = clause[0]
        if len(clause) > 1 or term.is_not:
            clauses.append(tuple((one.is_not, one, self._read(one)) for one in clause))
            return
        if not term.name:
            words.append(term.value)
            return
        for name, value in self._read(term).items():
            if name == "inputs":
                self.cleaned_data["inputs"] = [*self.cleaned_data.get("inputs", ()), *value]
            elif name in fields_set:
                continue
            elif self.cleaned_data.get(name):
                # Both must hold.
                clauses.append(((False, term, {name: value}),))
            else:
                self.cleaned_data[name] = value

    def _read(self, word: Term) -> dict[str, Json]:
        """What a condition says of which field. Raises NotUnderstood."""
        try:
            return self._value_of(word)
        except forms.ValidationError as error:
            raise NotUnderstood(f"{word.name}: {error.messages[0]}") from None

    def _value_of(self, word: Term) -> dict[str, Json]:
        if not word.name:
            return {"q": word.value}
        if (test := input_test(word)) is not None:
            return {"inputs": [test]}
        if word.name == "version":
            if not _VERSION.fullmatch(word.value):
                raise NotUnderstood("Write version:3.")
            return {"version": int(word.value.removeprefix("v"))}
        if word.name == "waiting":
            return {"waiting": waiting(word)}
        if word.compared != ":":
            raise NotUnderstood(f"Write {word.name}:{word.value}.")
        if word.name in ("key", "step"):
            return {word.name: word.value}
        if word.name == "status":
            return {"status": _status(word.value)}
        if word.name == "test":
            return {"test": word.value.lower() in YES}
        if word.name in ("since", "until"):
            today = now_here().astimezone(reader().clock).date()
            return {word.name: day(word.value, today) or self.fields[word.name].clean(word.value)}
        return {word.name: self.fields[word.name].clean(word.value)}

    @property
    def kept(self) -> list[tuple[str, str]]:
        """The filters by columns that are sent on with the form, each with its value."""
        return [(name, self.data[name]) for name in FILTERED if self.data.get(name)]

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
        filters = _filters(self.cleaned_data, who)
        clauses = [
            tuple((is_not, _filters(fields, who)) for is_not, _, fields in clause)
            for clause in self.cleaned_data.get("where", ())
        ]
        statuses = [_statuses_of(clause) for clause in clauses]
        if "status" not in filters and "statuses" not in filters and sum(map(bool, statuses)) == 1:
            # An index has them.
            place = next(place for place, names in enumerate(statuses) if names)
            filters["statuses"] = statuses[place]
            del clauses[place]
        return filters | ({"where": tuple(clauses)} if clauses else {})

    def searched(self) -> str:
        """All that is asked for as one text that finds the same."""
        fields = ("workflow", "status", "by", "since", "until", *FILTERED)
        entries = [(name, self.data[name].strip()) for name in fields if self.data.get(name, "").strip()]
        words = [f"{name}:{quoted(value)}" for name, value in entries]
        if self.is_of_tests:
            words.append("test:yes")
        # What stands in a field counts, and its word in the text no more.
        return " ".join([*words, self.data.get("q", "").strip()]).strip()

    def in_words(self) -> list[str]:
        """What hides rows, each in a few words."""
        cleaned = self.cleaned_data
        words: dict[str, Callable[[Any], str]] = {
            "status": lambda value: GROUPS[value][0].lower() if value in GROUPS else value,
            "workflow": lambda value: f"workflow {title_of(value)}",
            "by": lambda value: "started by you" if is_me(value) else f"started by {name_of(value)}",
            "since": lambda value: f"from {date_text(value)}",
            "until": lambda value: f"to {date_text(value)}",
            "key": lambda value: f"key {value}",
            "step": lambda value: f"at the step {value}",
            "version": "version {}".format,
            "waiting": str,
            "inputs": lambda value: ", ".join(map(str, value)),
            "q": lambda value: f"“{value}”",
            "where": lambda value: ", ".join(map(_said, value)),
            "test": lambda value: "test runs",
            "order": lambda value: "open runs" if ORDERS[value].is_of_open else "",
            **{name: column.phrase for name, column in FILTERED.items()},
        }
        texts = (say(cleaned[name]) for name, say in words.items() if cleaned.get(name))
        return [text for text in texts if text]


def _filters(values: Mapping[str, Json], who: str) -> dict[str, Json]:
    """What these fields ask of `queries.runs_of`."""
    cleaned = {name: value for name, value in values.items() if value}
    kept_names = ("q", "words", "workflow", "test", "version", "waiting", "inputs")
    filters: dict[str, Json] = {name: cleaned[name] for name in kept_names if name in cleaned}
    if "status" in cleaned:
        status = cleaned["status"]
        filters |= GROUPS[status][1] if status in GROUPS else {"status": status}
    if "since" in cleaned:
        filters["created_after"] = _midnight(cleaned["since"])
    if "by" in cleaned:
        filters |= starter(cleaned["by"], who)
    if "key" in cleaned:
        filters["business_key"] = cleaned["key"]
    if "step" in cleaned:
        filters["at_step"] = cleaned["step"]
    if columns := {name: cleaned[name] for name in FILTERED if name in cleaned}:
        filters["values"] = columns
    if "until" in cleaned and cleaned["until"] < date.max:
        filters["created_before"] = _midnight(cleaned["until"] + timedelta(days=1))
    return filters


def _statuses_of(clause: Sequence[tuple[bool, Mapping[str, Json]]]) -> list[str]:
    """The statuses of which one is enough, where a clause is of nothing else and an index has them."""
    names: set[str] = set()
    for is_not, filters in clause:
        statuses = [*filters.get("statuses", ()), *([filters["status"]] if "status" in filters else [])]
        if is_not or filters.keys() - {"status", "statuses"} or not set(statuses) <= set(RunStatus):
            return []
        names |= set(statuses)
    return sorted(names)


def _said(clause: Where) -> str:
    """A clause as it is written."""
    return " or ".join(
        f"{'not ' if is_not else ''}{term.name}{':' if term.name else ''}"
        f"{'' if term.compared == ':' else term.compared}{quoted(term.value)}"
        for is_not, term, _ in clause
    )


def filters_of_search(
    text: str, who: str, field: str = "query", grammar: Fields = GRAMMAR
) -> dict[str, Json]:
    """What `who` asks of `queries.runs_of` by a text such as `workflow:claims status:failed`, and `q`, its rest.

    Raises Invalid at the `field`.
    """
    form = FilterForm(QueryDict(urlencode({"q": text})), grammar)
    filters = form.asked(who)
    for errors in form.errors.values():
        raise Invalid(" ".join(map(str, errors)), field=field)
    return filters


def fault_of(query: str) -> str:
    """Why a list can't be asked for by a query string; empty for one that can."""
    form = FilterForm(QueryDict(query))
    return "" if form.is_valid() else " ".join(str(one) for errors in form.errors.values() for one in errors)


def check_query(query: str) -> None:
    """Let pass what a list of runs can be asked for by. Raises Invalid, at the part of the query that is wrong."""
    parameters = QueryDict(query)
    form = FilterForm(parameters)
    for name in parameters:
        if name not in form.fields or name in NOT_KEPT:
            raise Invalid(f"Runs can't be filtered by “{name[:50]}”.", field=f"query.{name[:50]}")
    for name, errors in form.errors.items():
        field = "query" if name == NON_FIELD_ERRORS else f"query.{name}"
        raise Invalid(" ".join(map(str, errors)), field=field)
    for name in filter(None, parameters.get("columns", "").split(".")):
        if name not in COLUMNS:
            text = f"There is no column “{name}”. There are: {', '.join(COLUMNS)}."
            raise Invalid(text, field="query.columns")


def _midnight(day: date) -> datetime:
    """The beginning of a day where whoever asks is."""
    return datetime(day.year, day.month, day.day, tzinfo=reader().clock)
