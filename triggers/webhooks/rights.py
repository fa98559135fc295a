"""For whom a webhook acts, and whether they may still do what it does (docs/security.md, "Webhooks")."""

from collections.abc import Iterable, Mapping

from accounts.folders import find_folder
from accounts.queries import member_principal
from accounts.roles import RUNS_SIGNAL, RUNS_START
from engine.catalogue import Json
from lib.refusals import Missing
from triggers.webhooks.store import FoundWebhook

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
    scopes = scopes_of(hook.action, hook.mapping)
    why = why_not_for(hook.tenant_id, hook.acts_for, hook.folder, scopes)
    return f"It acts for {hook.acts_for}, {why}." if why else None


def why_not_for(tenant_id: int, username: str, folder: int, scopes: Iterable[str]) -> str | None:
    """Why a webhook of a workflow of this folder that needs these scopes can't act for somebody (`who ...`); None where
    it can.
    """
    try:
        who = member_principal(tenant_id, username, "webhook")
    except Missing:
        return "who is no longer an active member"
    for scope in scopes:
        if scope not in who.scopes:
            return f"whose role ({who.role}) may not {_WORDS[scope]}"
        if not who.may_in(scope, folder):
            return f"who may not {_WORDS[scope]} in the folder {find_folder(tenant_id, folder).name}"
    return None
