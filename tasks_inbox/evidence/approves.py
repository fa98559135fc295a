"""What a decision of a task covers: the steps that follow from each outcome, with what they would be given, as far as
it is known (docs/security.md, "Approved = executed"). It is shown to whoever decides, and bound to the decision.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from engine.approvals import NOW
from engine.canonical import content_hash
from engine.catalogue import BODY, Json
from engine.graph import Graph
from lib.masking import masked
from runs.kernel.approvals import Covered, Decider, covered_by
from runs.kernel.graphs import graph_of
from runs.models import StepExecution
from tasks_inbox.models import OPEN, ManualTask

MOST_VALUES = 40
"""So many values of a step are shown."""
MOST_TEXT = 400
"""So many characters of a value are shown."""


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
        values = list(self._values(document)) if document is not None else []
        more = max(0, len(values) - MOST_VALUES)
        return {
            "node": name,
            "title": node.title,
            "type": node.type,
            "values": values[:MOST_VALUES],
            "more": more,
        }

    def _withheld(self, withheld: Mapping[str, Json]) -> dict[str, Json]:
        before = {one["path"]: one for one in self._values(withheld.get("was") or {})}
        after = {one["path"]: one for one in self._values(withheld.get("now") or {})}
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
        title, change = self.graph.nodes[self.step].title, withheld.get("by") or {"by": None, "reason": ""}
        more = {"why": withheld["why"], **change, "changes": differing[:MOST_VALUES]}
        return {"node": self.step, "title": title, **more}

    def _values(self, document: Mapping[str, Json]) -> Iterator[dict[str, Json]]:
        """The values of a document, each with its path; `sources`: where one that is not known yet comes from."""
        yield from self._flat("input", masked(document.get("input")))
        for name, value in (document.get("params") or {}).items():
            yield from self._flat(name, masked({name: value})[name])
        if document.get("body"):
            yield from self._flat("each", masked(document["body"].get(BODY) or {}))

    def _flat(self, path: str, value: Json) -> Iterator[dict[str, Json]]:
        if isinstance(value, Mapping) and (value.keys() == {"of", "from"} or value.keys() == {"from"}):
            names = [self._source(name) for name in value["from"]]
            yield {"path": path, "value": None, "sources": names}
        elif isinstance(value, Mapping) and value.keys() == {"is"}:
            yield from self._flat(path, value["is"])
        elif isinstance(value, Mapping) and value:
            for key, one in value.items():
                yield from self._flat(f"{path}.{key}", one)
        elif isinstance(value, list) and value:
            for at, one in enumerate(value):
                yield from self._flat(f"{path}[{at}]", one)
        else:
            yield {"path": path, "value": _short(value), "sources": []}

    def _source(self, name: str) -> str:
        if name == NOW:
            return NOW
        return self.graph.nodes[name].title if name in self.graph.nodes else name


def _short(value: Json) -> Json:
    return f"{value[:MOST_TEXT]}…" if isinstance(value, str) and len(value) > MOST_TEXT else value


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
