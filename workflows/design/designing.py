"""What the builder asks while somebody designs: what can be read at a place, what it gives, another id for a step."""

import re
import time
from collections.abc import Callable, Mapping
from typing import Any

from accounts.principal import Principal
from accounts.roles import RUNS_READ
from engine.bodies import every_step, steps_within
from engine.definition import NODE_ID
from engine.entries import cut, entries
from engine.errors import OutOfTime
from engine.functions import FUNCTIONS
from engine.preview import CONDITIONS, Shown, preview
from engine.renaming import Renamed, rename_step
from engine.renaming_facts import rename_fact
from engine.surroundings import ABSENT, NoSuchPlace, Spot, Surroundings
from engine.surroundings_within import surroundings
from lib.json import Json
from lib.refusals import Invalid
from lib.strict_json import BadJson, strict_dumps
from steps.catalogue import CATALOGUE
from workflows import queries
from workflows.design.samples import Chosen, chosen
from workflows.limits import DESIGNED_NODES, DESIGNED_TEXT_BYTES
from workflows.ports import last_run

SECONDS = 1.0
SHOWN_BYTES = 16 * 1024


def scope_at(
    principal: Principal,
    name: str,
    *,
    definition: Mapping[str, Json],
    place: str,
    node: str | None = None,
    edge: Mapping[str, str] | None = None,
    keys: list[str | int] | None = None,
    pins: Mapping[str, Json] | None = None,
) -> dict[str, Json]:
    """What an expression at a place of a draft can read, with samples. Raises Missing, Invalid."""
    samples = _samples(principal, name, definition, pins or {})
    try:
        spot = _spot(place, node, edge, keys)
        names = _around(definition, samples, spot).known(spot)
    except NoSuchPlace as refusal:
        raise Invalid(refusal.message, field=refusal.field) from None
    return {
        "entries": [entry.as_dict() for entry in entries(names)],
        "functions": [function.as_dict() for function in FUNCTIONS],
        "sample": samples.source,
    }


def evaluate_at(
    principal: Principal,
    name: str,
    *,
    definition: Mapping[str, Json],
    place: str,
    text: Json,
    node: str | None = None,
    edge: Mapping[str, str] | None = None,
    keys: list[str | int] | None = None,
    pins: Mapping[str, Json] | None = None,
    input: Json = ABSENT,
) -> dict[str, Json]:
    """What a value with holes, or a condition, gives with samples. Raises Missing, Invalid; never for what it says."""
    if place in CONDITIONS and not isinstance(text, str):
        raise Invalid("A condition is a text.", field="text")
    try:
        strict_dumps(text, max_bytes=DESIGNED_TEXT_BYTES)
    except BadJson as error:
        raise Invalid(f"This can't be shown: {error.message}.", field="text") from None
    samples = _samples(principal, name, definition, pins or {}, input)
    spot = _spot(place, node, edge, keys)
    try:
        view = preview(_around(definition, samples, spot), spot, text)
    except NoSuchPlace as refusal:
        raise Invalid(refusal.message, field=refusal.field) from None
    return _answer(view) | {"sample": samples.source}


def renamed(
    principal: Principal, name: str, *, definition: Mapping[str, Json], old: str, new: str
) -> Renamed:
    """The draft with another id for a step. Raises Missing, Invalid."""
    queries.get_workflow(principal.tenant_id, name)
    nodes = [node for node in _nodes(definition) if isinstance(node, dict)]
    ids = [node.get("id") for node in nodes]
    ids += [step["id"] for node in nodes for step in steps_within(node, CATALOGUE)]
    if old not in ids:
        raise Invalid(f"There is no node {old}.", field="from")
    if re.fullmatch(NODE_ID, new) is None:
        message = (
            "An id begins with a letter or _, has letters, digits, _ and - only, and 256 of them at most."
        )
        raise Invalid(message, field="to")
    if new != old and new in ids:
        raise Invalid(f"Another node already has the id {new}.", field="to")
    return rename_step(definition, old, new, catalogue=CATALOGUE)


def renamed_fact(
    principal: Principal, name: str, *, definition: Mapping[str, Json], step: str, old: str, new: str
) -> Renamed:
    """The draft with another label for a fact of a step. Raises Missing, Invalid."""
    queries.get_workflow(principal.tenant_id, name)
    own = next((one for _, one in every_step(_nodes(definition), CATALOGUE) if _has_id(one, step)), None)
    if own is None:
        raise Invalid(f"There is no node {step}.", field="step")
    params = own.get("params")
    facts = params.get("facts") if isinstance(params, dict) else None
    if not isinstance(facts, dict) or old not in facts:
        raise Invalid("The step has no fact of this label.", field="from")
    if not new.strip():
        raise Invalid("A fact needs a label.", field="to")
    if new != old and new in facts:
        raise Invalid("The step already has a fact of this label.", field="to")
    return rename_fact(definition, step, old, new, catalogue=CATALOGUE)


def _has_id(step: Json, id: str) -> bool:
    return isinstance(step, dict) and step.get("id") == id


def _answer(view: Shown) -> dict[str, Json]:
    common: dict[str, Json] = {
        "reads": view.reads,
        "problems": [problem.as_dict() for problem in view.problems],
    }
    if view.fault is not None:
        error: dict[str, Json] = {"code": view.fault.code, "message": view.fault.message}
        if view.fault.at is not None:
            error["at"] = view.fault.at
        return {"error": error, **common}
    value, is_cut = cut(view.value, SHOWN_BYTES)
    answer: dict[str, Json] = {"value": None if value is ABSENT else value, "type": view.type}
    return answer | common | {"mismatch": view.mismatch} | ({"cut": True} if is_cut else {})


def _around(definition: Mapping[str, Json], samples: Chosen, spot: Spot) -> Surroundings:
    """What is around a place: expressions are evaluated for so long, and no longer."""
    node = spot.node or spot.source
    return surroundings(definition, CATALOGUE, samples.sample, node, before_each=_deadline(SECONDS))


def _samples(
    principal: Principal,
    name: str,
    definition: Mapping[str, Json],
    pins: Mapping[str, Json],
    input: Json = ABSENT,
) -> Chosen:
    workflow = queries.get_workflow(principal.tenant_id, name)
    _nodes(definition)
    return chosen(
        definition,
        last_run(workflow) if RUNS_READ in principal.scopes else None,
        workflow=name,
        tenant=principal.tenant_slug,
        pins=pins,
        input=input,
    )


def _nodes(definition: Mapping[str, Json]) -> list[Any]:
    """The nodes of a definition in our own dialect. Raises Invalid for too many, or for something else."""
    nodes = definition.get("nodes", [])
    if not isinstance(nodes, list):
        raise Invalid("This must be a list.", field="definition.nodes")
    if sum(1 for _ in every_step(nodes, CATALOGUE)) > DESIGNED_NODES:
        raise Invalid(f"At most {DESIGNED_NODES:,} nodes are allowed.", field="definition.nodes")
    return nodes


def _spot(place: Any, node: str | None, edge: Mapping[str, str] | None, keys: list[str | int] | None) -> Spot:
    return Spot(place, node=node, source=edge["from"] if edge else None, keys=tuple(keys or ()))


def _deadline(seconds: float) -> Callable[[], None]:
    """A function that raises OutOfTime when so much time has passed."""
    end = time.monotonic() + seconds

    def check() -> None:
        if time.monotonic() > end:
            raise OutOfTime(f"it takes longer than {seconds:g} s to show, which says nothing of a run")

    return check
