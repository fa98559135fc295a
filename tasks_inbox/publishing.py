"""Whether the people of a tenant can do what a definition asks of them: somebody may decide, and enough of them."""

from collections.abc import Mapping
from typing import Any

from engine.problems import Problem, error
from engine.templates import has_holes
from steps.human import who_decides
from tasks_inbox import policies
from tasks_inbox.electors import Member, members_of
from tasks_inbox.quorum import Elector, needs_several, verdict

Json = Any


def judge(tenant: int, native: Mapping[str, Json]) -> list[Problem]:
    """Steps for people that nobody, or not enough, may decide as things are; two statements, or none without any.

    What only a run knows (expressions, who has started it) is not judged.
    """
    asking = [(at, node) for at, node in enumerate(native["nodes"]) if str(node["type"]).startswith("human.")]
    if not asking:
        return []
    members = members_of(tenant)
    return [problem for at, node in asking for problem in _of_step(members, f"nodes[{at}].params", node)]


def _of_step(members: list[Member], field: str, node: Mapping[str, Json]) -> list[Problem]:
    params = node.get("params") or {}
    said = {name: params.get(name) for name in ("candidates", "exclude", "quorum")}
    if has_holes(said) or (params.get("candidates") or {}).get("expr"):
        return []
    if (params.get("candidates") or {}).get("manager_of"):
        return []
    asked, quorum = who_decides(params)
    audience, barred = set(policies.audience_of(asked)), policies.excluded(said["exclude"] or ())
    may = [one for one in members if audience & one.marks and one.elector.key not in barred]
    return list(_faults(field, str(node["id"]), asked, quorum, [one.elector for one in may]))


def _faults(field: str, step: str, asked: Json, quorum: Json, may: list[Elector]) -> list[Problem]:
    if not may:
        message = (
            f"`{step}` asks {_named(asked)}, and nobody of them may decide tasks: add members, or ask others."
        )
        return [error("nobody_may_decide", f"{field}.candidates", message, step)]
    if needs_several(quorum) and not verdict(quorum, ["yes"], [], may).is_possible:
        needed = ", ".join(f"{count} of {name}" for name, count in (quorum.get("groups") or {}).items())
        needed = needed or f"{quorum['need']}"
        message = f"`{step}` needs {needed} to agree, and {len(may)} may decide: add members, or need fewer."
        return [error("quorum_out_of_reach", f"{field}.quorum", message, step)]
    return []


def _named(asked: Json) -> str:
    return ", ".join(name for names in asked.values() for name in names) or "everybody who may decide"
