"""What `manage.py check` says beside Django's own checks."""

from typing import Any

from django.core.checks import CheckMessage, Warning, register

from steps.catalogue import PLUG_INS
from steps.plugins import sentences


@register()
def plug_ins_are_whole(**options: Any) -> list[CheckMessage]:
    """A warning for each thing that is wrong with an installed plug-in; Handoff works without it."""
    hint = "Fix or uninstall it; see docs/plugins.md."
    return [Warning(sentence, hint=hint, id="handoff.W001") for sentence in sentences(PLUG_INS)]
