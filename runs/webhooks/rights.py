"""For whom a webhook acts, and whether they may still do what it does (docs/security.md, "Webhooks")."""

from collections.abc import Mapping

from accounts.folders import find_folder
from accounts.queries import member_principal
from accounts.roles import RUNS_SIGNAL, RUNS_START
from engine.catalogue import Json
from lib.refusals import Missing
from runs.store.webhooks import FoundWebhook

_WORDS = {RUNS_START: "start runs", RUNS_SIGNAL: "send signals to runs"}


def scopes_of(action: str, mapping: Mapping[str, Json]) -> list[str]:
    """What somebody must be allowed to do themselves to have a webhook do it for them."""
    starts = action == "start" or bool(mapping.get("start_if_missing"))
    return ([RUNS_START] if starts else []) + ([RUNS_SIGNAL] if action == "signal" else [])


def why_not(hook: FoundWebhook) -> str | None:
    """Why whoever it acts for may not do now what it does, in a sentence for operators; None where they may, or where
    nobody is known.
    """
    if hook.acts_for is None:
        return None
    try:
        who = member_principal(hook.tenant_id, hook.acts_for, "webhook")
    except Missing:
        return f"It acts for {hook.acts_for}, who is no longer an active member."
    for scope in scopes_of(hook.action, hook.mapping):
        if scope not in who.scopes:
            return f"It acts for {hook.acts_for}, whose role ({who.role}) may not {_WORDS[scope]}."
        if not who.may_in(scope, hook.folder):
            folder = find_folder(hook.tenant_id, hook.folder).name
            return f"It acts for {hook.acts_for}, who may not {_WORDS[scope]} in the folder {folder}."
    return None
