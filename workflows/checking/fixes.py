"""Pure: for problems with one safe way out, the changes of the draft that take it, to be done by one press.

Safe is what removes the problem, adds no error, and makes nothing run that would not run otherwise.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from engine.cel_ast import RESERVED
from engine.checks.nodes import params_problems
from engine.checks.places import Places
from engine.errors import ExpressionInvalid
from engine.expressions import compile_expression
from engine.holes import replaced_holes, split_holes
from engine.problems import Problem
from engine.renaming import STEPS, Unclear, is_plain, renamed_in
from engine.typed_texts import FACTS
from lib.json import Json
from steps.catalogue import CATALOGUE
from workflows.checking import outcomes
from workflows.checking.drafted import Draft, Found, near_one
from workflows.checking.fields import Keys
from workflows.checking.outcomes import asks
from workflows.document.changes import NOTHING, Change
from workflows.limits import PATH_KEYS

THREE_DAYS = 259_200

_NAMED = re.compile(r"`([^`]+)`")
_MEANT = re.compile(r"no (?:field|fact) `([^`]+)`(?: to read)? \(did you mean `([^`]+)`\?\)")
UNKNOWN_PARAM = "is not known: remove it or correct its name."


def with_fixes(
    definition: Mapping[str, Json], problems: Iterable[Problem], name: str | None
) -> list[Problem]:
    """The problems of a native definition, those with a safe way out with `fix`; `name` is what it must be called."""
    draft = Draft(definition, name)
    return [_with_fix(draft, problem) for problem in problems]


def _with_fix(draft: Draft, problem: Problem) -> Problem:
    fixer = _FIXERS.get(problem.code)
    if fixer is None or draft.document is None:
        return problem
    fix = fixer(draft, problem)
    if fix is None or any(len(change.path) > PATH_KEYS for change in fix[1]):
        return problem
    title, changes = fix
    return replace(problem, fix={"title": title, "changes": [change.as_dict() for change in changes]})


# --- one function per code ---------------------------------------------------------------------------------------


def _remove(title: str) -> Callable[[Draft, Problem], Found]:
    def fix(draft: Draft, problem: Problem) -> Found:
        path = draft.fields.path(problem.field)
        if path is None or len(path) < 2 or draft.value(path) is NOTHING:
            return None
        return title, [draft.put(path, NOTHING)]

    return fix


def _no_default_edge(draft: Draft, problem: Problem) -> Found:
    if asks((draft.document or {})["nodes"].get(problem.node, {})):
        return None
    edges = (draft.document or {})["edges"]
    exits = [key for key, edge in edges.items() if edge["from"] == problem.node and not edge.get("on")]
    conditional = [key for key in exits if edges[key].get("when") or edges[key].get("branch")]
    if len(conditional) < 2:
        path: Keys = ("nodes", str(problem.node), "allow_no_match")
        return "Allow that no condition holds", [draft.put(path, True)]
    last = conditional[-1]
    changes = [draft.put(("edges", last, "default"), True)]
    changes += [draft.put(("edges", last, key), NOTHING) for key in ("when", "branch") if key in edges[last]]
    return "Make the last connection the default", changes


def _remove_edge(draft: Draft, problem: Problem) -> Found:
    entry = draft.edge(problem.field)
    if entry is None:
        return None
    key, edge = entry
    others = [other for name, other in (draft.document or {})["edges"].items() if name != key]
    if not any(other["to"] == edge["to"] for other in others):
        # What no edge leads to starts at once.
        return None
    return "Remove the connection", [draft.removed_edge(key)]


def _unknown_node(draft: Draft, problem: Problem) -> Found:
    if problem.node is not None:
        path = draft.fields.path(problem.field)
        name = draft.value(path) if path else None
        near = near_one(name, draft.node_keys) if isinstance(name, str) else None
        if path is None or near is None or not _may_lead(draft, problem.node, near):
            return None
        return f"Lead to {near}", [draft.put(path, near)]
    entry = draft.edge(problem.field)
    if entry is None:
        return None
    key, edge = entry
    end = problem.field.rpartition(".")[2]
    near = near_one(edge[end], draft.node_keys)
    new_edge = {**edge, end: near}
    new_key = f"{new_edge['from']}>{new_edge['to']}"
    if near is None or new_key in draft.edge_keys or not _may_lead(draft, new_edge["from"], new_edge["to"]):
        return None
    removal = draft.removed_edge(key)
    return f"Use {near}", [removal, Change(("edges", new_key), after=new_edge, at=removal.was_at)]


def _may_lead(draft: Draft, source: str, target: str) -> bool:
    """Whether an edge between them makes no cycle."""
    flow = draft.flow
    if source == target or not flow.order or draft.is_within(source) or draft.is_within(target):
        return False
    return source not in flow.before or not flow.before[source] & flow.bits.get(target, 0)


def _unknown_type(draft: Draft, problem: Problem) -> Found:
    path = draft.fields.path(problem.field)
    name = draft.value(path) if path else None
    near = near_one(name, CATALOGUE) if isinstance(name, str) else None
    if path is None or near is None:
        return None
    holder = draft.value(path[:-1])
    params = holder.get("params") or {}
    if not isinstance(params, dict) or any(params_problems(CATALOGUE[near], params, "", None)):
        return None
    return f"Use {CATALOGUE[near].title} ({near})", [draft.put(path, near)]


def _unknown_step(draft: Draft, problem: Problem) -> Found:
    match = _NAMED.search(problem.message)
    near = near_one(match[1], draft.node_keys) if match else None
    path = draft.fields.path(problem.field)
    if match is None or near is None or path is None or not _may_read(draft, problem, path, near):
        return None
    holders = frozenset({STEPS})
    change = _rewrite(draft, path, lambda source: renamed_in(source, holders, match[1], near))
    return (f"Read {near} instead", [change]) if change else None


def _may_read(draft: Draft, problem: Problem, path: Keys, step: str) -> bool:
    """Whether the step may have an output at this place."""
    flow = draft.flow
    if not flow.order or step not in flow.bits or draft.is_within(problem.node):
        return False
    places = Places(flow.outline, flow)
    if path[0] == "settings":
        return path[1] == "output"
    if path[0] == "edges":
        source = problem.node or ""
        return bool(places.after(source, "").possible & flow.bits[step])
    node = flow.outline.by_id[str(path[1])]
    place = places.undo(node) if path[2] == "compensate" else places.step(node, "params")
    return bool(place.possible & flow.bits[step])


def _rewrite(draft: Draft, path: Keys, rewrite: Callable[[str], str]) -> Change | None:
    """The change of the text at a path, each expression in it rewritten."""
    text = draft.value(path)
    if not isinstance(text, str):
        return None
    try:
        new_text = (
            rewrite(text) if path[-1] == "when" and path[0] == "edges" else replaced_holes(text, rewrite)
        )
        _check_compiles(new_text, path)
    except (ExpressionInvalid, Unclear):
        return None
    return None if new_text == text else draft.put(path, new_text)


def _check_compiles(text: str, path: Keys) -> None:
    sources = [text] if path[-1] == "when" else [source for is_hole, source in split_holes(text) if is_hole]
    for source in sources:
        compile_expression(source)


def _not_on_every_path(draft: Draft, problem: Problem) -> Found:
    match = _NAMED.search(problem.message)
    path = draft.fields.path(problem.field)
    text = draft.value(path) if path else None
    if match is None or path is None or not isinstance(text, str):
        return None
    step = match[1]
    condition = f"has(steps.{step})" if is_plain(step) and step not in RESERVED else f'"{step}" in steps'
    if path[0] == "edges":
        change = _rewrite(draft, path, lambda source: f"{condition} && ({source})")
        return ("Take the connection only if that step was done", [change]) if change else None
    try:
        parts = split_holes(text)
    except ExpressionInvalid:
        return None
    # A text can do without; what another value stood for nobody knows here.
    if len(parts) < 2:
        return None
    change = _rewrite(draft, path, lambda source: _guard(source, step, condition))
    return ("Leave it empty if that step was not done", [change]) if change else None


def _guard(source: str, step: str, condition: str) -> str:
    refs = compile_expression(source).refs
    if step not in refs.steps or step in refs.tested:
        return source
    return f" {condition} ? string({source.strip()}) : '' "


def _starts_apart(draft: Draft, problem: Problem) -> Found:
    nodes, edges = (draft.document or {})["nodes"], (draft.document or {})["edges"]
    name = str(problem.node)
    if name not in nodes or draft.is_within(name):
        return None
    leading = {edge["from"] for edge in edges.values()}
    before = draft.node_keys[: draft.node_keys.index(name)]
    ends = [
        name
        for name in before
        if name not in leading
        and not draft.is_within(name)
        and not asks(nodes[name])
        and _goes_on(nodes[name])
    ]
    if not ends or not _may_lead(draft, ends[-1], name):
        return None
    edge = {"from": ends[-1], "to": name}
    key, last = f"{ends[-1]}>{name}", draft.edge_keys[-1] if draft.edge_keys else None
    return f"Do it after {ends[-1]}", [Change(("edges", key), after=edge, at=last)]


def _goes_on(step: Mapping[str, Json]) -> bool:
    spec = CATALOGUE.get(str(step.get("type")))
    return spec is not None and not (spec.fails or spec.ends_run or spec.decides)


def _no_such_field(draft: Draft, problem: Problem) -> Found:
    match, path = _MEANT.search(problem.message), draft.fields.path(problem.field)
    if match is None or path is None:
        return None
    name, near = match.groups()

    def rewrite(source: str) -> str:
        return re.sub(rf"(?<=\.){re.escape(name)}(?!\w)", near, source)

    change = _rewrite(draft, path, rewrite) if is_plain(near) else None
    return (f"Read {near} instead", [change]) if change else _other_fact(draft, problem)


def _other_fact(draft: Draft, problem: Problem) -> Found:
    """Read the fact that is meant: of the step itself, or of one before it."""
    match, path = _MEANT.search(problem.message), draft.fields.path(problem.field)
    if match is None or path is None:
        return None
    name, near = match.groups()
    step = _NAMED.search(problem.message)
    holder = (
        (FACTS,) if problem.code == "unknown_fact" or step is None else (*STEPS, step[1], "output", FACTS)
    )
    change = _rewrite(draft, path, lambda source: renamed_in(source, frozenset({holder}), name, near))
    return (f"Read {near} instead", [change]) if change else None


def _optional_fact(draft: Draft, problem: Problem) -> Found:
    match, path = _NAMED.search(problem.message), draft.fields.path(problem.field)
    if match is None or path is None or not is_plain(match[1]):
        return None
    asking = f"has(input.{match[1]})"
    is_plain_fact = draft.value(path) == f"{{{{ input.{match[1]} }}}}"

    def rewrite(source: str) -> str:
        value = source.strip()
        # A fact that is one value keeps its type; a text has no place for null.
        return f" {asking} ? {value} : null " if is_plain_fact else f" {asking} ? string({value}) : '' "

    change = _rewrite(draft, path, rewrite)
    return ("Leave it empty if it is not given", [change]) if change else None


def _corrected(draft: Draft, problem: Problem) -> Found:
    """Read the corrected fact instead of the value that it first showed."""
    names, path = _NAMED.findall(problem.message), draft.fields.path(problem.field)
    if len(names) < 2 or path is None:
        return None
    was, now = names[0], names[-1]

    def rewrite(source: str) -> str:
        return re.sub(rf"(?<![\w.]){re.escape(was)}(?!\w)", lambda _: now, source)

    change = _rewrite(draft, path, rewrite)
    return (f"Read {now} instead", [change]) if change else None


def _no_deadline(draft: Draft, problem: Problem) -> Found:
    return "Set a deadline of 3 days", [
        draft.put(("nodes", str(problem.node), "params", "due_seconds"), THREE_DAYS)
    ]


def _error_edge(draft: Draft, problem: Problem) -> Found:
    if problem.node not in draft.node_keys:
        return None
    return "Take this connection when the step fails", [
        draft.put(("nodes", problem.node, "on_error"), "branch")
    ]


def _bad_params(draft: Draft, problem: Problem) -> Found:
    return _remove("Remove it")(draft, problem) if problem.message.endswith(UNKNOWN_PARAM) else None


def _join_never_fires(draft: Draft, problem: Problem) -> Found:
    if draft.is_within(problem.node):
        return None
    count = len(draft.flow.into.get(str(problem.node), ()))
    path: Keys = ("nodes", str(problem.node), "join")
    join = draft.value(path)
    if join == "all":
        return "Start with whichever connections are taken", [draft.put(path, NOTHING)]
    if isinstance(join, dict) and isinstance(join.get("n_of"), int) and join["n_of"] <= count:
        return None
    if count < 1:
        return "Start it at once", [draft.put(path, NOTHING)]
    return f"Wait for {count}", [draft.put((*path, "n_of"), count)]


def _bad_value(draft: Draft, problem: Problem) -> Found:
    if problem.field != "name" or draft.name is None:
        return None
    return f"Call it {draft.name}", [draft.put(("settings", "name"), draft.name)]


def _bad_expression(draft: Draft, problem: Problem) -> Found:
    path = draft.fields.path(problem.field)
    text = draft.value(path) if path else None
    if path is None or path[0] != "edges" or not isinstance(text, str) or "{{" not in text:
        return None
    try:
        parts = split_holes(text.strip())
        if len(parts) != 1 or not compile_expression(parts[0][1]).returns_bool:
            return None
    except ExpressionInvalid:
        return None
    return "Remove the braces", [draft.put(path, parts[0][1])]


_FIXERS: Mapping[str, Callable[[Draft, Problem], Any]] = {
    "bad_expression": _bad_expression,
    "bad_params": _bad_params,
    "bad_value": _bad_value,
    "correction_not_used": _corrected,
    "duplicate_edge": _remove_edge,
    "edge_never_taken": _remove_edge,
    "edge_without_outcome": outcomes.edge_without_outcome,
    "error_edge_never_taken": _error_edge,
    "join_never_fires": _join_never_fires,
    "no_deadline": _no_deadline,
    "no_default_edge": _no_default_edge,
    "no_such_field": _no_such_field,
    "no_such_output": _no_such_field,
    "optional_fact": _optional_fact,
    "no_error_edge": _remove("Let the run fail instead"),
    "not_yet": _remove("Remove it"),
    "reserved_queue": _remove("Use the usual queue"),
    "starts_apart": _starts_apart,
    "text_not_corrected": _corrected,
    "unknown_fact": _other_fact,
    "unknown_field": _remove("Remove it"),
    "unknown_node": _unknown_node,
    "unknown_outcome": outcomes.unknown_outcome,
    "unknown_step": _unknown_step,
    "unknown_type": _unknown_type,
    "unserved_queue": _remove("Use the usual queue"),
    "value_not_on_every_path": _not_on_every_path,
}
