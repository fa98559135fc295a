"""A workflow played in memory, for tests of authors: with stand-ins for what is outside, and a clock that skips.

What follows from what is the engine's (`engine.simulate`); here is only when a step ends and how. Undoing is not
played: a run that would be compensated ends FAILED.
"""

import asyncio
import inspect
import math
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, cast

from engine import children
from engine.catalogue import Json
from engine.decide import describe
from engine.dialects import to_native
from engine.errors import EngineError, ExpressionError, StepError, failure_of
from engine.graph import Node, compile_graph
from engine.outcomes import Completed, Failed, Interrupted, Outcome
from engine.retry import next_delay
from engine.simulate import FinalState, ring_timer, simulate
from engine.statuses import RunStatus, StepStatus
from engine.timers import BoundaryTimer
from engine.validate import validate
from steps.authoring.workflow import Workflow
from steps.base import execute, storable
from steps.catalogue import CATALOGUE, EXECUTABLE
from steps.limits import MAX_OUTPUT_BYTES
from steps.schema import problem_of

START = datetime(2026, 1, 1, tzinfo=UTC)
RUN_ID = "00000000-0000-7000-8000-000000000000"
REALLY_DONE = ("inline", "engine")


class NotPlayable(EngineError):
    """The workflow, its input or what stands in for its steps won't do: the message says why."""


@dataclass(frozen=True, slots=True)
class After:
    """What comes after so many seconds: of a step its output, of a signal its payload."""

    seconds: float
    value: Json = None


NEVER = After(math.inf)
"""Stands for a step that does not end, or a signal that does not come."""


@dataclass(slots=True)
class Call:
    """One attempt at a step that is stood in for. It has what `handoff_sdk.Context` has, so a worker's own function may
    stand in for itself.
    """

    node: str
    params: Json
    input: Json
    attempt: int
    max_attempts: int
    now: datetime
    variables: dict[str, Json] = field(default_factory=dict)
    progress: Json = None
    run_id: str = RUN_ID
    is_cancelled: bool = False
    is_stopping: bool = False

    @property
    def idempotency_key(self) -> str:
        """The same for every attempt."""
        return f"{self.run_id}/{self.node}"

    @property
    def retries_remaining(self) -> int:
        """How many attempts may follow this one."""
        return self.max_attempts - self.attempt

    def heartbeat(self, progress: Json = None) -> None:
        """Remember the progress: the next attempt has it."""
        self.progress = progress

    def wait(self, seconds: float) -> bool:
        """No time is taken."""
        return False

    async def wait_async(self, seconds: float) -> bool:
        """No time is taken."""
        return False


StandIn = Callable[[Call], Any] | Json | After


@dataclass(frozen=True, slots=True)
class Played:
    """What became of the run: its status (`RUNNING` where it waits for ever), output, error and variables.

    `steps`: of each step its status; `outputs`: what steps gave; `calls`: attempts at steps that were stood in for.
    `seconds`: how long it took by its own clock.
    """

    status: str
    output: Json
    error: Mapping[str, Json] | None
    variables: Mapping[str, Json]
    steps: Mapping[str, str]
    outputs: Mapping[str, Json]
    calls: tuple[Call, ...]
    seconds: float

    @property
    def path(self) -> list[str]:
        """The steps that were completed, in the order of the workflow."""
        return [name for name, status in self.steps.items() if status == StepStatus.COMPLETED]

    def calls_of(self, node: str) -> list[Call]:
        """The attempts at this step."""
        return [call for call in self.calls if call.node == node]


def play(
    workflow: Workflow | Mapping[str, Any],
    input: Json = None,
    *,
    steps: Mapping[str, StandIn] | None = None,
    signals: Mapping[str, Json | After] | None = None,
) -> Played:
    """Play a run of the workflow, or of a definition in any dialect, from its start to its end.

    `steps`: by node what stands in for it: its output, a function that gives it, or either `After` some time. A
    function that raises an error with `code` and `retryable` fails its attempt so, any other error as a worker's does;
    an AssertionError is the test's own. `signals`: by name their payloads, there from the start or `After` it.
    Without a stand-in a step of the engine, of a text or a wait for time is really done, the latter at once.

    Raises NotPlayable where the definition has errors, the input does not fit it, or a step needs a stand-in.
    """
    return _Play(workflow, input, steps or {}, signals or {}).run()


class _Play:
    """One run, and the clock of it: in seconds since its start."""

    def __init__(
        self,
        workflow: Workflow | Mapping[str, Any],
        input: Json,
        stand_ins: Mapping[str, StandIn],
        signals: Mapping[str, Json | After],
    ) -> None:
        document = workflow.definition() if isinstance(workflow, Workflow) else dict(workflow)
        native = to_native(document, None, document.get("name") or "played")
        if errors := [one for one in validate(native, CATALOGUE) if one.severity == "error"]:
            raise NotPlayable("\n".join(f"{one.field}: {one.message}" for one in errors))
        self._graph = compile_graph(native, EXECUTABLE)
        if self._graph.input_schema is not None and (problem := problem_of(self._graph.input_schema, input)):
            raise NotPlayable(f"input{problem[0]}: {problem[1]}")
        self._input, self._stand_ins, self._signals = input, stand_ins, signals
        self._now = 0.0
        self._calls: list[Call] = []
        self._facts: dict[str, Json] = {
            "id": RUN_ID,
            "workflow": native["name"],
            "business_key": None,
            "created_by": "somebody",
            "tenant": "default",
            "now": self._moment(),
        }
        if self._graph.business_key is not None:
            scope = {"input": input, "run": {}, "vars": {}}
            self._facts["business_key"] = str(self._graph.business_key.render(scope))

    def run(self) -> Played:
        """Until it has ended, or waits for ever."""
        state = simulate(self._graph, self._input, {}, lambda _: [], facts=self._facts)
        ends: dict[str, tuple[float, Outcome]] = {}
        timers: dict[str, list[tuple[float, BoundaryTimer]]] = {}
        while state.status == RunStatus.RUNNING and state.open_steps:
            for name in state.open_steps:
                if name not in ends:
                    node = self._graph.nodes[name]
                    timers[name] = [(self._now + self._seconds(one), one) for one in node.boundary]
                    ends[name] = self._end(node, state.scope() | {"prev": state.steps[name].input})
            is_open = set(state.open_steps)
            rings = [(at, name, one) for name in is_open for at, one in timers[name]]
            end, ended = min((ends[name][0], name) for name in is_open)
            ring = min(rings, key=lambda one: one[:2], default=None)
            if min(end, ring[0] if ring else math.inf) == math.inf:
                break
            if ring is not None and ring[0] < end:
                self._ring(state, *ring, timers)
            else:
                self._skip_to(end)
                _end(state, ended, ends[ended][1])
        return self._played(state)

    def _ring(
        self,
        state: FinalState,
        at: float,
        name: str,
        timer: BoundaryTimer,
        timers: dict[str, list[tuple[float, BoundaryTimer]]],
    ) -> None:
        self._skip_to(at)
        timers[name] = [one for one in timers[name] if one[1] is not timer]
        carried: dict[str, Json] = {"fired_at": self._moment(), "timer_of": name}
        if timer.interrupting:
            _end(state, name, Interrupted(timer.target, carried))
        else:
            ring_timer(state, self._graph.nodes[name], timer.target, carried)

    def _end(self, node: Node, scope: Mapping[str, Json]) -> tuple[float, Outcome]:
        """When and how a step ends whose turn has come now."""
        try:
            return self._done(node, scope)
        except ExpressionError as error:
            message = f"A param of {node.id} can't be computed: {error}"
            return self._now, Failed(describe(failure_of(error, message)))
        except StepError as error:
            return self._now, Failed(describe(error))

    def _done(self, node: Node, scope: Mapping[str, Json]) -> tuple[float, Outcome]:
        params = node.params.render(scope) | dict(node.literal or {})
        if node.id in self._stand_ins:
            return self._attempts(node, params, scope["prev"])
        step_type = EXECUTABLE[node.type]
        kind = step_type.with_params(params).kind
        if kind not in (*REALLY_DONE, "wait"):
            raise NotPlayable(f"{node.id} ({node.type}) asks others: give it a stand-in.")
        key = f"{RUN_ID}/{node.id}"
        output = execute(
            step_type, params, scope["prev"], run_id=RUN_ID, node=node.id, attempt=1, idempotency_key=key
        )
        if step_type.collects is not None:
            return self._now, children.outcome_of(node, output, scope, lambda *one: self._end(*one)[1])
        if kind == "wait":
            return self._waited(node, cast(Mapping[str, Any], output))
        storable(output, "output", code="BadOutput", max_bytes=MAX_OUTPUT_BYTES)
        return self._now, Completed(output)

    def _waited(self, node: Node, wait: Mapping[str, Any]) -> tuple[float, Outcome]:
        timer = wait.get("timer") or {}
        if timer.get("working_days") is not None or wait["kind"] not in ("timer", "signal"):
            raise NotPlayable(f"{node.id} ({node.type}) waits for others: give it a stand-in.")
        most = math.inf
        if timer.get("until"):
            most = max((datetime.fromisoformat(timer["until"]) - START).total_seconds(), self._now)
        elif timer:
            most = self._now + timer["seconds"]
        if wait["kind"] == "timer":
            return most, Completed({"fired_at": self._moment(most)})
        value = self._signals.get(wait["name"], NEVER)
        signal = value if isinstance(value, After) else After(0.0, value)
        comes = max(signal.seconds, self._now)
        if comes <= most:
            return comes, Completed(signal.value)
        message = f"The signal {wait['name']!r} did not come in time."
        return most, Failed(describe(StepError("SignalTimeout", message)))

    def _attempts(self, node: Node, params: Json, value: Json) -> tuple[float, Outcome]:
        """As often as the step's retry policy says, with its pauses."""
        at, progress = self._now, None
        for attempt in range(1, node.retry.max_retries + 2):
            moment = START + timedelta(seconds=at)
            call = Call(
                node.id, params, value, attempt, node.retry.max_retries + 1, moment, progress=progress
            )
            self._calls.append(call)
            try:
                took, output = self._ask(node, call)
                storable(output, "output", code="BadOutput", max_bytes=MAX_OUTPUT_BYTES)
                return at + took, Completed(output, call.variables)
            except StepError as error:
                failure, progress = error, call.progress
            at += (node.timeout_seconds or 0.0) if failure.code == "Timeout" else 0.0
            delay = next_delay(
                node.retry,
                attempt=attempt,
                code=failure.code,
                retryable=failure.retryable,
                jitter=0.0,
            )
            if delay is None:
                break
            at += delay
        return at, Failed(describe(failure))

    def _ask(self, node: Node, call: Call) -> tuple[float, Json]:
        """How long a stand-in takes, and what it gives. Raises StepError."""
        stand_in: Any = self._stand_ins[node.id]
        answer = _called(stand_in, call) if callable(stand_in) else stand_in
        after = answer if isinstance(answer, After) else After(0.0, answer)
        if node.timeout_seconds is not None and after.seconds > node.timeout_seconds:
            raise StepError("Timeout", "The attempt took longer than its timeout allows.", retryable=True)
        return after.seconds, after.value

    def _seconds(self, timer: BoundaryTimer) -> float:
        if timer.length is not None:
            raise NotPlayable("A timer that counts working days needs a calendar, which is not played.")
        return timer.seconds

    def _skip_to(self, at: float) -> None:
        self._now = at
        self._facts["now"] = self._moment()

    def _moment(self, at: float | None = None) -> str:
        seconds = self._now if at is None else at
        return (START + timedelta(seconds=seconds)).isoformat()

    def _played(self, state: FinalState) -> Played:
        in_order = [name for name in self._graph.nodes if name in state.steps]
        return Played(
            str(state.status),
            state.output,
            dict(state.error) if state.error else None,
            dict(state.variables),
            {name: str(state.steps[name].status) for name in in_order},
            {name: state.steps[name].output for name in in_order},
            tuple(self._calls),
            self._now,
        )


def _end(state: FinalState, name: str, outcome: Outcome) -> None:
    batches = iter([[name]])
    simulate(state.graph, state.input, {name: outcome}, lambda _: next(batches, []), begun=state)


def _called(function: Callable[[Call], Any], call: Call) -> Any:
    """What the function gives. Raises StepError for what it raises, but for an AssertionError."""
    try:
        answer = function(call)
        if inspect.iscoroutine(answer):
            answer = asyncio.run(cast(Coroutine[Any, Any, Any], answer))
    except (StepError, AssertionError):
        raise
    except Exception as error:
        code = str(getattr(error, "code", type(error).__name__))
        raise StepError(code, str(error), retryable=bool(getattr(error, "retryable", True))) from error
    return answer
