"""The form of the page of items by which people act on some of them, and what it did with each."""

import re
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Any

from django import forms

from accounts.principal import Principal
from accounts.roles import RUNS_OPERATE
from engine.catalogue import Json
from engine.verbs import ITEM_ACTIONS
from lib.refusals import Refusal
from lib.strict_json import BadJson, strict_loads
from runs.access import guard_item
from runs.commands import operators
from runs.commands.targets import ItemPlace
from runs.kernel.refused import RunRefused
from runs.limits import FORM_ITEMS
from steps.limits import MAX_OUTPUT_BYTES

SAID = {
    "retry": ("Try again", "tried again"),
    "skip": ("Skip", "skipped"),
    "cancel": ("Cancel", "cancelled"),
    "pause": ("Pause", "paused"),
    "unpause": ("Continue", "going on"),
}
"""What the page calls a verb, and what became of an item by it. To an item `resume` is what `retry` is."""
_RANGE = re.compile(r"(\d{1,9})(?:\s*[-–]\s*(\d{1,9}))?")


class ItemsForm(forms.Form):
    """Which items, by their places, what is done to them, and of those that are skipped what they count as giving."""

    places = forms.CharField(max_length=2000, error_messages={"required": "Say which items, such as 0-4, 7."})
    verb = forms.ChoiceField(
        choices=[(verb, SAID[verb][0]) for verb in ITEM_ACTIONS if verb in SAID],
        error_messages={"required": "Choose what to do."},
    )
    output = forms.CharField(required=False, strip=False)
    reason = forms.CharField(required=False, max_length=1000)

    indexes: list[int]
    given: Json = None

    def clean_places(self) -> str:
        """The places, each once and in their order."""
        text = str(self.cleaned_data["places"])
        indexes: set[int] = set()
        for part in filter(None, (part.strip() for part in text.split(","))):
            match = _RANGE.fullmatch(part)
            if match is None:
                raise forms.ValidationError(f"{part[:40]} is no place of an item: write 0-4, 7.")
            first, last = int(match[1]), int(match[2] or match[1])
            if last - first >= FORM_ITEMS or len(indexes) + last - first >= FORM_ITEMS:
                raise forms.ValidationError(f"These are more than {FORM_ITEMS} items: act on some of them.")
            indexes.update(range(first, last + 1))
        self.indexes = sorted(indexes)
        return text

    def clean(self) -> dict[str, Any]:
        """With the output as a value, where items are skipped."""
        fields = super().clean() or {}
        if fields.get("verb") == "skip":
            try:
                text = str(fields.get("output") or "null")
                self.given = strict_loads(text.encode(), max_bytes=MAX_OUTPUT_BYTES)
            except BadJson as error:
                self.add_error("output", f"{error.located[:1].upper()}{error.located[1:]}.")
        return fields


class Outcome:
    """What a form did: to how many items, and why not to others, as (place, reason)."""

    def __init__(self) -> None:
        self.done = 0
        self.refused: list[tuple[int, str]] = []

    def reasons(self) -> Iterator[str]:
        """Why items were refused, those with the same reason together."""
        by_reason: dict[str, list[int]] = {}
        for place, reason in self.refused:
            by_reason.setdefault(reason, []).append(place)
        for reason, places in by_reason.items():
            yield f"Item{'s' if len(places) > 1 else ''} {in_ranges(places)}: {reason}"


def act(who: Principal, run: str, node: str, form: ItemsForm) -> Outcome:
    """Act on each item by itself: a refusal of one is none of another."""
    outcome = Outcome()
    verb, reason = form.cleaned_data["verb"], form.cleaned_data["reason"]
    terms = {"by": who.username, "reason": reason, "via": who.via}
    for index in form.indexes:
        try:
            guard_item(who, RUNS_OPERATE, run, node, index)
            operators.act(
                who.tenant_id, ItemPlace(run, node, index), verb, output=form.given, who=who, **terms
            )
            outcome.done += 1
        except (RunRefused, Refusal) as refusal:
            outcome.refused.append((index, refusal.message))
    return outcome


def in_ranges(places: Iterable[int]) -> str:
    """Places as `0-4, 7`."""
    ranges = []
    for _, group in groupby(enumerate(sorted(places)), key=lambda pair: pair[1] - pair[0]):
        members = [place for _, place in group]
        ranges.append(str(members[0]) if len(members) == 1 else f"{members[0]}-{members[-1]}")
    return ", ".join(ranges)
