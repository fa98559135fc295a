"""What a decision of a task covers: the steps that follow from each outcome, with what they would be given, as far as
it is known (docs/security.md, "Approved = executed"). It is shown to whoever decides, and bound to the decision.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import NamedTuple
from uuid import UUID

from engine.approvals import BEGINNING, TEMPLATE
from engine.canonical import content_hash
from engine.catalogue import BODY, Json
from engine.graph import Graph
from lib.masking import MASK, is_secret_name
from runs.kernel.approvals import Covered, Decider, covered_by
from runs.kernel.graphs import graph_of
from runs.models import StepExecution
from tasks_inbox.limits import EVIDENCE_VALUE_CHARACTERS, EVIDENCE_VALUES
from tasks_inbox.models import OPEN, ManualTask


@dataclass(frozen=True, slots=True)
class Approves:
    """What the outcomes of a task cover, by outcome; None stands for any. `withheld`: it asks about a step that would
    do something else than was approved before: which one, why, and both documents.
    """

    graph: Graph
    by_outcome: Mapping[str | None, Covered] = field(default_factory=dict)
    withheld: Mapping[str, Json] | None = None
    step: str = ""

    @property
    def digest(self) -> str:
        """What binds a decision to all of it."""
        if self.withheld is not None:
            return str(self.withheld["digest"])
        return content_hash({outcome or "": one.digest for outcome, one in self.by_outcome.items()})

    def record(self, outcome: str) -> dict[str, Json] | None:
        """What the record of a decision says of it; None where the outcome covers nothing."""
        if self.withheld is not None:
            return {"digest": self.digest, "steps": {self.step: self.digest}}
        covered = self.by_outcome.get(outcome, self.by_outcome.get(None))
        if covered is None:
            return None
        return {"digest": covered.digest, "steps": {name: one.digest for name, one in covered.steps.items()}}

    def row(self) -> dict[str, Json]:
        """As it is shown."""
        if self.withheld is not None:
            step = {**self._step(self.step, self.withheld.get("now")), "digest": self.digest}
            steps = [{"outcome": self.withheld["outcome"], "digest": self.digest, "steps": [step]}]
            return {"digest": self.digest, "outcomes": steps, "withheld": self._withheld(self.withheld)}
        return {
            "digest": self.digest,
            "outcomes": [
                {
                    "outcome": outcome,
                    "digest": covered.digest,
                    "steps": [
                        {**self._step(name, one.document), "digest": one.digest}
                        for name, one in covered.steps.items()
                    ],
                }
                for outcome, covered in self.by_outcome.items()
            ],
            "withheld": None,
        }

    def _step(self, name: str, document: Mapping[str, Json] | None) -> dict[str, Json]:
        node = self.graph.nodes[name]
        parts = [] if document is None else list(_parts(document))
        values = islice((one for part in parts for one in self._flat(part)), EVIDENCE_VALUES)
        more = max(0, sum(map(_count, parts)) - EVIDENCE_VALUES)
        return {
            "node": name,
            "title": node.title,
            "type": node.type,
            "values": list(values),
            "more": more,
        }

    def _withheld(self, withheld: Mapping[str, Json]) -> dict[str, Json]:
        before, after = (
            {one["path"]: one for part in _parts(withheld.get(key) or {}) for one in self._flat(part)}
            for key in ("was", "now")
        )
        # What was to come from a step has come since, and is no change; the input may be another one than was to come.
        awaited = [path for path, one in before.items() if one["sources"] and path != "input"]
        differing = [
            {
                "path": path,
                "before": before.get(path, before.get("input") if path.startswith("input.") else None),
            }
            | {"after": after.get(path)}
            for path in dict.fromkeys([*before, *after])
            if before.get(path) != after.get(path)
            and (path != "input" or path in after)
            and not any(path == one or path.startswith((f"{one}.", f"{one}[")) for one in awaited)
        ]
        changes = withheld["changes"]
        last = changes[-1] if changes else {"by": None, "reason": ""}
        return {
            "node": self.step,
            "title": self.graph.nodes[self.step].title,
            "why": withheld["why"],
            **last,
            "changed_by": [one["by"] for one in changes],
            "changes": differing[:EVIDENCE_VALUES],
        }

    def _flat(self, part: "_Part") -> Iterator[dict[str, Json]]:
        """The values of a part of a document, each with its path; `sources`: where one that is open comes from."""
        value = part.value
        if not part.is_data and _is_open(value):
            yield {
                "path": part.path,
                "value": None,
                "sources": [self._source(name) for name in value["from"]],
            }
        elif not part.is_data and isinstance(value, Mapping) and value.keys() == {"is"}:
            yield from self._flat(part._replace(value=value["is"], is_data=True))
        elif isinstance(value, Mapping) and value:
            for key, one in value.items():
                is_secret = part.is_secret or is_secret_name(str(key))
                yield from self._flat(_Part(f"{part.path}.{key}", one, is_secret, part.is_data))
        elif isinstance(value, list) and value:
            for at, one in enumerate(value):
                yield from self._flat(part._replace(path=f"{part.path}[{at}]", value=one))
        else:
            text = MASK if part.is_secret and value else value
            yield {"path": part.path, "value": _short(text), "sources": []}

    def _source(self, name: str) -> str:
        if name == BEGINNING:
            return BEGINNING
        return self.graph.nodes[name].title if name in self.graph.nodes else name


class _Part(NamedTuple):
    """A part of a document: where it stands, whether that is the name of a secret, and whether it is data as it stands.

    Of other parts what is known stands under `is`.
    """

    path: str
    value: Json
    is_secret: bool = False
    is_data: bool = False


def _parts(document: Mapping[str, Json]) -> Iterator[_Part]:
    """What of a document is shown."""
    origin = document.get("input") or {}
    yield _Part("input", origin.get(TEMPLATE, origin))
    for name, value in (document.get("params") or {}).items():
        yield _Part(name, value, is_secret_name(name))
    if document.get("body"):
        yield _Part("each", document["body"].get(BODY) or {}, is_data=True)


def _is_open(value: Json) -> bool:
    """Whether it stands for a value that comes from steps which are not over."""
    return isinstance(value, Mapping) and (value.keys() == {"of", "from"} or value.keys() == {"from"})


def _count(part: _Part) -> int:
    """How many values it has."""
    pending, count = [(part.value, part.is_data)], 0
    while pending:
        value, is_data = pending.pop()
        if not is_data and isinstance(value, Mapping) and value.keys() == {"is"}:
            pending.append((value["is"], True))
        elif isinstance(value, Mapping) and value and (is_data or not _is_open(value)):
            pending += ((one, is_data) for one in value.values())
        elif isinstance(value, list) and value:
            pending += ((one, is_data) for one in value)
        else:
            count += 1
    return count


def _short(value: Json) -> Json:
    return (
        f"{value[:EVIDENCE_VALUE_CHARACTERS]}…"
        if isinstance(value, str) and len(value) > EVIDENCE_VALUE_CHARACTERS
        else value
    )


def of_task(task: ManualTask) -> Approves | None:
    """What a task covers, as `approves_of`."""
    return approves_of([task]).get(task.pk)


def approves_of(tasks: Sequence[ManualTask]) -> dict[UUID, Approves]:
    """What each of these open tasks of one tenant covers; two statements, none where none of them covers anything."""
    covering = [task for task in tasks if task.covers and task.status == OPEN]
    if not covering:
        return {}
    rows = StepExecution.objects.for_tenant(covering[0].tenant_id).filter(
        pk__in=[one.step_id for one in covering]
    )
    steps = {row.pk: row for row in rows.only("run_id", "version_id", "node", "waiting")}
    there = [(task, steps[task.step_id]) for task in covering if task.step_id in steps]
    deciders = {
        task.pk: Decider(str(step.run_id), step.version_id, step.node)
        for task, step in there
        if task.node == step.node
    }
    covered = covered_by(deciders.values())
    approves: dict[UUID, Approves] = {}
    for task, step in there:
        graph = graph_of(step.version_id)
        if task.pk not in deciders:
            withheld = (step.waiting or {}).get("approves")
            if withheld is not None:
                approves[task.pk] = Approves(graph, withheld=withheld, step=step.node)
        elif by_outcome := covered.get(deciders[task.pk]):
            approves[task.pk] = Approves(graph, by_outcome)
    return approves
