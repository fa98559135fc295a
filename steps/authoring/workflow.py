"""A workflow as its author writes it in Python: steps, and the ways between them."""

import re
import sys
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from datetime import timedelta
from pathlib import Path
from typing import Any, Literal, overload

from pydantic import BaseModel

from engine.catalogue import Json
from engine.errors import EngineError
from engine.problems import Problem
from engine.validate import validate
from steps import catalogue
from steps.authoring.fields import UNSET, Compensation, NOf, Preset, Retry
from steps.authoring.values import Value, plain

_NODE = re.compile(r"nodes\[(\d+)\]")
prev = Value("prev")
"""What a step is given."""
variables = Value("vars")
"""The variables of the run, which steps set (`set_vars`)."""
run = Value("run")
"""What is known of the run: `id`, `workflow`, `business_key`, `tenant`, `now`."""


class WorkflowInvalid(EngineError):
    """The workflow can't be published; `problems` are all that stand against it."""

    def __init__(self, workflow: "Workflow", problems: Sequence[Problem]) -> None:
        self.problems = tuple(problems)
        lines = [f"  {workflow.told(problem)}" for problem in problems]
        count = f"{len(problems)} problem{'s' if len(problems) > 1 else ''}"
        super().__init__("\n".join([f"The workflow `{workflow.name}` has {count}:", *lines]))


class Source:
    """Where one can go on from; `>>` and `then` lead on to a step, or to several at once."""

    def __init__(self, lead: Callable[["Step"], None]) -> None:
        self._lead = lead

    @overload
    def __rshift__(self, targets: "Step") -> "Step": ...
    @overload
    def __rshift__(self, targets: "Sequence[Step] | Steps") -> "Steps": ...
    def __rshift__(self, targets: "Step | Sequence[Step] | Steps") -> "Step | Steps":
        if isinstance(targets, Step):
            self._lead(targets)
            return targets
        reached = Steps(*targets.steps) if isinstance(targets, Steps) else Steps(*targets)
        for target in reached.steps:
            self._lead(target)
        return reached

    @overload
    def then(self, target: "Step") -> "Step": ...
    @overload
    def then(self, target: "Step", *more: "Step") -> "Steps": ...
    def then(self, target: "Step", *more: "Step") -> "Step | Steps":
        """The same as `>>`; gives the step that it leads to, or all of them."""
        return self >> [target, *more] if more else self >> target


class Way(Source):
    """A step with the condition under which one goes on from it."""


class Steps(Source):
    """Several steps, from each of which it goes on."""

    def __init__(self, *steps: "Step") -> None:
        self.steps = steps
        super().__init__(lambda target: _lead_all(steps, target))


class Step(Source):
    """A step of a workflow; `Workflow.step` makes them."""

    def __init__(self, workflow: "Workflow", node: dict[str, Json]) -> None:
        self.workflow = workflow
        self._node = node
        super().__init__(self._edge({}))

    def __repr__(self) -> str:
        return f"<step {self.id} of {self.workflow.name}>"

    def __rrshift__(self, sources: Sequence[Source]) -> "Step":
        # [one, other] >> step
        _lead_all(sources, self)
        return self

    @property
    def id(self) -> str:
        """What expressions call it."""
        return str(self._node["id"])

    @property
    def output(self) -> Value:
        """What it gives, in steps that come after it."""
        return Value("steps")[self.id]["output"]

    def when(self, condition: str) -> Way:
        """The way that is taken if the condition holds, such as `output.amount > 1000`."""
        return Way(self._edge({"when": condition}))

    def branch(self, outcome: str) -> Way:
        """The way that is taken if it ends with this outcome, its output's `branch`."""
        return Way(self._edge({"branch": outcome}))

    @property
    def otherwise(self) -> Way:
        """The way that is taken if no other condition of the step holds."""
        return Way(self._edge({"default": True}))

    @property
    def failed(self) -> Way:
        """The way that is taken if it has failed for good; where the step has no `on_error`, that is `branch` then."""

        def lead(target: "Step") -> None:
            self._node.setdefault("on_error", "branch")
            self._edge({"on": "error"})(target)

        return Way(lead)

    def after(
        self, time: int | str | timedelta, *, interrupting: bool | None = UNSET, calendar: str | None = UNSET
    ) -> Way:
        """The way that is taken so long after its turn came, unless it has ended before: seconds, a duration such as
        `P3D` or `2 business days` (of a `calendar`), or a timedelta. It ends the step; with `interrupting=False` the
        step goes on, as for a reminder.
        """
        seconds = int(time.total_seconds()) if isinstance(time, timedelta) else time
        length = {"duration": seconds} if isinstance(seconds, str) else {"after_seconds": seconds}
        timer = _said({**length, "calendar": calendar, "interrupting": interrupting})

        def lead(target: "Step") -> None:
            self._same_workflow(target)
            self._node.setdefault("boundary_timers", []).append({**timer, "to": target.id})

        return Way(lead)

    def _edge(self, condition: dict[str, Json]) -> Callable[["Step"], None]:
        def lead(target: "Step") -> None:
            self._same_workflow(target)
            self.workflow.edge(self, target, **condition)

        return lead

    def _same_workflow(self, target: "Step") -> None:
        if target.workflow is not self.workflow:
            raise ValueError(f"{target!r} is of another workflow than {self!r}.")


class Workflow:
    """A workflow in the making (docs/definitions.md says what its fields mean); what is not given is not said.

    Nothing is judged before `problems` or `build`: then all mistakes are told at once.
    """

    def __init__(
        self,
        name: str,
        *,
        title: str | None = UNSET,
        description: str | None = UNSET,
        metadata: Any = UNSET,
        input_schema: Mapping[str, Any] | type[BaseModel] | None = UNSET,
        sla_seconds: int | None = UNSET,
        sla_working_days: int | None = UNSET,
        sla_calendar: str | None = UNSET,
        sla_pauses: bool | Literal["waiting"] | None = UNSET,
        on_failure: Literal["stop", "finish_others"] | None = UNSET,
        compensation: Literal["sequential", "parallel"] | None = UNSET,
        business_key: str | Value | None = UNSET,
        output: Any = UNSET,
        next_workflow: str | None = UNSET,
        request: Mapping[str, Any] | None = UNSET,
        edges: Sequence[Mapping[str, Any]] | None = (),
    ) -> None:
        self._lines: dict[int, str] = {}
        if isinstance(input_schema, type):
            input_schema = input_schema.model_json_schema()
        self._document = _said(
            {
                "name": name,
                "title": title,
                "description": description,
                "metadata": metadata,
                "input_schema": input_schema,
                "sla_seconds": sla_seconds,
                "sla_working_days": sla_working_days,
                "sla_calendar": sla_calendar,
                "sla_pauses": sla_pauses,
                "on_failure": on_failure,
                "compensation": compensation,
                "business_key": business_key,
                "nodes": [],
                "edges": edges,
                "output": output,
                "next_workflow": next_workflow,
                "request": request,
            }
        )

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> "Workflow":
        """The workflow of a definition that is there already, as JSON."""
        workflow = cls.__new__(cls)
        workflow._document, workflow._lines = plain(document, "definition"), {}
        return workflow

    def __repr__(self) -> str:
        return f"<workflow {self.name}>"

    @property
    def name(self) -> str:
        """The name in addresses and programs."""
        return str(self._document.get("name"))

    @property
    def input(self) -> Value:
        """The input of a run."""
        return Value("input")

    @property
    def output(self) -> Json:
        """What a run gives; it may be set once its steps are there. Not set: the output of its last step."""
        return self._document.get("output")

    @output.setter
    def output(self, value: Any) -> None:
        self._document["output"] = plain(value, "output")

    def step(
        self,
        id: str,
        type: str,
        params: Mapping[str, Any] | None = UNSET,
        *,
        title: str | None = UNSET,
        input: Mapping[str, Any] | str | Value | None = UNSET,
        join: Literal["any_taken", "all", "any"] | NOf | None = UNSET,
        boundary_timers: Sequence[Mapping[str, Any]] | None = UNSET,
        set_vars: Mapping[str, Any] | str | Value | None = UNSET,
        allow_no_match: bool | None = UNSET,
        compensate: Compensation | None = UNSET,
        compensate_on_unknown: bool | None = UNSET,
        secrets: Sequence[str] | Mapping[str, str] | None = UNSET,
        retry: Retry | Preset | None = UNSET,
        timeout_seconds: int | None = UNSET,
        schedule_to_start_seconds: int | None = UNSET,
        lease_seconds: int | None = UNSET,
        queue: str | None = UNSET,
        priority: int | None = UNSET,
        on_error: Literal["fail", "continue", "branch", "ask"] | None = UNSET,
    ) -> Step:
        """A new step of this type, which `params` set up."""
        node = _said(
            {
                "id": id,
                "type": type,
                "title": title,
                "params": params,
                "input": input,
                "join": join,
                "boundary_timers": boundary_timers,
                "set_vars": set_vars,
                "allow_no_match": allow_no_match,
                "compensate": compensate,
                "compensate_on_unknown": compensate_on_unknown,
                "secrets": secrets,
                "retry": retry,
                "timeout_seconds": timeout_seconds,
                "schedule_to_start_seconds": schedule_to_start_seconds,
                "lease_seconds": lease_seconds,
                "queue": queue,
                "priority": priority,
                "on_error": on_error,
            }
        )
        nodes = self._listed("nodes")
        frame = sys._getframe(1)
        self._lines[len(nodes)] = f"{Path(frame.f_code.co_filename).name}:{frame.f_lineno}"
        nodes.append(node)
        return Step(self, node)

    def edge(
        self,
        source: Step | str,
        target: Step | str,
        *,
        branch: str | None = UNSET,
        when: str | None = UNSET,
        default: bool | None = UNSET,
        on: Literal["error"] | None = UNSET,
    ) -> None:
        """An edge as JSON has it, between steps or their ids; `>>` is the short way to write one."""
        ends = {"from": _id(source), "to": _id(target)}
        self._listed("edges").append(
            _said({**ends, "branch": branch, "when": when, "default": default, "on": on})
        )

    def definition(self) -> dict[str, Json]:
        """The definition as JSON, as it is now; judged by nobody."""
        return deepcopy(self._document)

    def problems(self) -> list[Problem]:
        """All that is wrong with it, errors first, then warnings: what `POST /workflows/validate` tells, too."""
        return validate(self.definition(), catalogue.CATALOGUE)

    def told(self, problem: Problem) -> str:
        """A problem as its author reads it: in which line the step stands, its id, and what is wrong."""
        at = _NODE.match(problem.field)
        line = self._lines.get(int(at[1])) if at else None
        return "".join(
            [
                f"{line}: " if line else "",
                f"step {problem.node}: " if problem.node else "",
                problem.message,
            ]
        )

    def build(self) -> dict[str, Json]:
        """The definition as JSON. Raises WorkflowInvalid with everything that stands against publishing it."""
        errors = [problem for problem in self.problems() if problem.severity == "error"]
        if errors:
            raise WorkflowInvalid(self, errors)
        return self.definition()

    def _listed(self, key: str) -> list[Json]:
        if self._document.get(key) is None:
            self._document[key] = []
        items = self._document[key]
        if not isinstance(items, list):
            raise TypeError(f"`{key}` of {self!r} is no list.")
        return items


def _said(fields: Mapping[str, Any]) -> dict[str, Json]:
    return {key: plain(value, key) for key, value in fields.items() if value is not UNSET}


def _id(step: Step | str) -> str:
    return step if isinstance(step, str) else step.id


def _lead_all(sources: Sequence[Source], target: Step) -> None:
    for source in sources:
        source >> target
