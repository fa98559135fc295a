"""What people fill in to start a run, and for its steps."""

import json
from collections.abc import Sequence
from typing import Any, cast

from django import forms
from django.http import QueryDict

from engine.canonical import canonical_bytes
from engine.catalogue import Json
from lib.masking import masked, restored
from lib.refusals import Conflict, Refusal
from lib.strict_json import BadJson, strict_dumps, strict_loads
from runs.kernel.refused import RunRefused
from runs.limits import BUSINESS_KEY_CHARACTERS, SIGNAL_BYTES
from steps.limits import MAX_INPUT_BYTES, RUN_INPUT_BYTES, SIGNAL_NAME_CHARACTERS
from workflows.models import WorkflowVersion

KINDS = (("text", "Text"), ("json", "JSON"))


def _in_words(error: BadJson) -> forms.ValidationError:
    """What is wrong with JSON that somebody typed, and where, as a sentence."""
    text = error.located
    return forms.ValidationError(f"{text[:1].upper()}{text[1:]}.")


def still_masked(path: Sequence[str | int]) -> str:
    """What is said where a mask stands of which nobody knows what is behind it."""
    name = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path).lstrip(".")
    return f"{name} is masked, and its value is not known here: enter it."


class StartForm(forms.Form):
    """The input of a run, as a text or as JSON; `was`: the input of a run that stood in it, masked. Where it is not
    sent to start a run, but to be filled in further, what is masked stays so.
    """

    input_kind = forms.ChoiceField(choices=KINDS)
    input = forms.CharField(required=False, strip=False)
    business_key = forms.CharField(required=False, max_length=BUSINESS_KEY_CHARACTERS)
    once = forms.CharField(required=False)

    _value: Json = None

    def __init__(
        self, data: QueryDict | None = None, *, was: Json = None, is_sent: bool = True, **more: Any
    ) -> None:
        self.was, self.is_sent = was, is_sent
        super().__init__(data, **more)

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
                strict_dumps(self._value, max_bytes=RUN_INPUT_BYTES)
            else:
                self._value = strict_loads(text.encode(), max_bytes=RUN_INPUT_BYTES)
        except BadJson as error:
            raise _in_words(error) from None
        if not self.is_sent:
            return text
        self._value, unknown = restored(self._value, self.was)
        if unknown:
            raise forms.ValidationError(still_masked(unknown[0]))
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
        max_length=BUSINESS_KEY_CHARACTERS,
        error_messages={"max_length": f"A business key has at most {BUSINESS_KEY_CHARACTERS} characters."},
    )

    @property
    def said(self) -> str:
        """What is wrong with it."""
        return " ".join(map(str, self.errors.get("business_key", ())))


class SignalForm(forms.Form):
    """A signal that somebody sends by hand."""

    name = forms.CharField(max_length=SIGNAL_NAME_CHARACTERS)
    payload = forms.CharField(required=False, strip=False)

    value: Json = None

    def clean_payload(self) -> str:
        text = str(self.cleaned_data["payload"])
        if text.strip():
            try:
                self.value = strict_loads(text.encode(), max_bytes=SIGNAL_BYTES)
            except BadJson as error:
                raise _in_words(error) from None
        return text


class StepForm(forms.Form):
    """What a step is given instead of its own input, or counts as having given; `was`: what it had.

    `asks_despite`: where nobody knows what an attempt did, it is to be confirmed that somebody has found out.
    What has the name of a secret is masked in the form, and what is left masked stays as it was.
    """

    value = forms.CharField(required=False, strip=False)
    reason = forms.CharField(required=False, max_length=1000)
    once = forms.CharField(required=False)
    despite_unknown = forms.BooleanField(required=False)

    given: Json = None
    asks_despite: bool = False

    def __init__(self, data: QueryDict | None, *, was: Json) -> None:
        self.was = was
        self.has_masks = masked(was) != was
        super().__init__(data, initial={"value": json.dumps(masked(was), ensure_ascii=False, indent=2)})

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
        self.given, unknown = restored(self.given, self.was)
        if unknown:
            raise forms.ValidationError(still_masked(unknown[0]))
        return text

    def refuse(self, refusal: RunRefused | Refusal) -> None:
        """Show what was refused, at the field that is to blame."""
        field = (refusal.field or "").partition(".")[0]
        at = {
            "input": "value",
            "output": "value",
            "reason": "reason",
            "despite_unknown": "despite_unknown",
        }.get(field)
        self.asks_despite = field == "despite_unknown"
        self.add_error(at, refusal.message)


class VersionForm(forms.Form):
    """Another version of the run's workflow."""

    version = forms.TypedChoiceField(coerce=int, error_messages={"required": "Choose a version."})
    reason = forms.CharField(required=False, max_length=1000)

    def __init__(self, data: QueryDict | None, *, versions: Sequence[WorkflowVersion]) -> None:
        super().__init__(data)
        choice = cast(forms.TypedChoiceField, self.fields["version"])
        choice.choices = [(one.number, f"v{one.number}") for one in versions]


def form_with(value: Json, business_key: str | None) -> StartForm:
    """A form in which this input stands already, masked."""
    value = masked(value)
    is_text = isinstance(value, dict) and value.keys() == {"text"} and isinstance(value["text"], str)
    return StartForm(
        initial={
            "input_kind": "text" if is_text else "json",
            "input": value["text"] if is_text else json.dumps(value, ensure_ascii=False, indent=2),
            "business_key": business_key or "",
        }
    )
