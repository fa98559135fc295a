"""What a field's component does to the control that a page puts into it."""

from django import template
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

register = template.Library()


@register.simple_tag
def tied(slot: SafeString, control: str, help_text: str, error: str) -> SafeString:
    """The slot with its control, known by its id, tied to the help and the error that stand below it."""
    below = [f"{control}-{part}" for part, text in (("help", help_text), ("fault", error)) if text]
    if not below:
        return slot
    attributes = f' id="{escape(control)}" aria-describedby="{escape(" ".join(below))}"'
    attributes += ' aria-invalid="true"' if error else ""
    # Quotes in values and texts are escaped: this finds the attribute and nothing else.
    return mark_safe(slot.replace(f' id="{escape(control)}"', attributes, 1))  # noqa: S308
