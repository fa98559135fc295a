"""Starting runs: one or a thousand in one transaction, each business key once (R-034)."""

import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Literal

import orjson

from engine import bodies
from engine.catalogue import Json
from engine.decide import begin
from engine.graph import Graph
from engine.overrides import Overrides, copied, outputs_of
from engine.work import EXPRESSIONS_UNITS, sharing_at
from lib.ports import Port
from lib.trace_context import Trace
from lib.uuid7 import uuid7
from runs.commands.origin import Origin
from runs.commands.signals import NewSignal, rows_of
from runs.commands.start_checks import business_key_of, encoded_input
from runs.commands.start_fields import fields_naming
from runs.commands.start_files import StartFiles, files_in, refuse_files, use_files
from runs.commands.start_people import people_refusals
from runs.files.claims import NamedFile
from runs.kernel import scopes
from runs.kernel.graphs import BrokenVersion, Compiled, compiled
from runs.kernel.plan import Anchor
from runs.kernel.refused import RunRefused, storable
from runs.kernel.transition import Transition
from runs.kernel.unit_of_work import unit_of_work
from runs.kernel.working_time import counted_from
from runs.limits import SIGNAL_BYTES
from runs.store import hot, payloads
from runs.store import signals as signal_rows
from runs.store.calendars import moment
from runs.store.rows import InputRow, KeyRow, RunRow
from runs.store.variables import copy_variables

IfExists = Literal["return", "new_if_ended", "error", "another"]

"""What a business key gives that a run has already: that run, a new one once it has ended, a refusal, or `another`
run beside it, of which the key is shown and for which it stands not.
"""

SHARDS = 16


@dataclass(frozen=True, slots=True)
class NewRun:
    """What a caller asks to start; `id`: one that was set apart for it, so that asking twice starts it once.

    `signal`: one that a new run is sent with its start (R-131). `rerun_of`: the run of which it keeps what `overrides`
    say; `origin`: whence it comes, if another run began it; `payload`: what history keeps of that. `trace`: the one of
    whoever asks; without one it is that of the run that it comes from. `files_of`: a run whose files it may use.
    """

    input: Json
    business_key: str | None = None
    id: str | None = None
    signal: NewSignal | None = None
    rerun_of: str | None = None
    overrides: Overrides = field(default_factory=dict)
    payload: Mapping[str, Json] = field(default_factory=dict)
    origin: Origin | None = None
    trace: Trace | None = None
    files_of: str | None = None

    @property
    def is_child(self) -> bool:
        """Whether it is a part of another run: it is found by that one, and claims no business key."""
        return self.origin is not None and self.origin.parent is not None


@dataclass(frozen=True, slots=True)
class CheckedRun:
    """A run that is to start, checked, with the business key that it claims and its input as jsonb keeps it.

    `judged`: what the judges say of it. `files`: that its input names.
    """

    item: NewRun
    business_key: str | None
    encoded: bytes
    judged: "Judged"
    files: Sequence[NamedFile] = ()


@dataclass(frozen=True, slots=True)
class Started:
    """A run that a start gave: a new one, or the one that its business key stands for already.

    `warnings`: what whoever starts it should know, in sentences.
    """

    id: str
    business_key: str | None
    created: bool
    input_mismatch: bool = False
    """Whether the run was there already, and was started with another input than was asked for now."""
    warnings: tuple[str, ...] = ()
    version: int | None = None
    """The number of the version that was asked for; None in a test run."""


@dataclass(frozen=True, slots=True)
class Terms:
    """What the runs of one start share; test runs claim no business keys, and parts of others are in no list.

    `requested_by`: the key of the user who asked for them as a person, and follows them as their requests. `acts_for`:
    the username of the member for whom they act, where that is not `by`. `filed_by`: the key of the user who starts
    them on behalf of `by`, and for whom they act then.
    """

    tenant: int
    version: int
    by: str
    priority: int = 0
    sla_seconds: int | None = None
    is_test: bool = False
    requested_by: int | None = None
    is_part: bool = False
    acts_for: str | None = None
    started_from: str | None = None
    filed_by: int | None = None

    @property
    def uploader(self) -> str:
        """Whose uploads the runs may use: who files them for another person uploads for that one."""
        return self.acts_for if self.filed_by is not None and self.acts_for else self.by


@dataclass(frozen=True, slots=True)
class Judged:
    """What is to be said of a run before it starts: `warnings`, or why it is `refused`."""

    warnings: tuple[str, ...] = ()
    refused: RunRefused | None = None


START_JUDGES: Final = Port[Callable[[Terms, Sequence[NewRun]], Sequence[Judged]]]()
"""Judge each run before it starts; what has a run already starts none and is not refused."""


def _judged(terms: Terms, items: Sequence[NewRun]) -> list[Judged]:
    """What all judges say of each. Before there is any transaction: an expression may take its time."""
    goes_on = terms.is_part or any(item.origin and item.origin.root for item in items)
    judgements = [] if terms.is_test or goes_on else [judge(terms, items) for judge in START_JUDGES]
    return [
        Judged(
            tuple(text for each in judgements for text in each[place].warnings),
            next((each[place].refused for each in judgements if each[place].refused), None),
        )
        for place in range(len(items))
    ]


def start_runs(terms: Terms, items: Sequence[NewRun], *, if_exists: IfExists = "return") -> list[Started]:
    """Start runs of one published version in one transaction; a business key again gives the run it has (R-034).

    Up to 1,000 items. Raises RunRefused naming the field (`items[3].input`) and then starts none of them.
    """
    return insert_checked(terms, if_exists, checked(terms, items))


def check_item(version: int, item: NewRun) -> None:
    """Return if a version takes this again and again. Raises RunRefused naming the field, also for a file."""
    _checked(_version(version).graph, item, 0, 1)
    refuse_files(_version(version), item.input)


def checked(terms: Terms, items: Sequence[NewRun]) -> list[CheckedRun]:
    """What is to be known of runs before there is any transaction. Raises RunRefused naming the field."""
    version = _version(terms.version)
    with sharing_at("items", EXPRESSIONS_UNITS):
        rows = [_checked(version.graph, item, place, len(items)) for place, item in enumerate(items)]
        judgements = _judged(terms, items)
    fields = [fields_naming(version, item.input) for item in items]
    files = [files_in(some, place, len(items)) for place, some in enumerate(fields)]
    refusals = people_refusals(terms.tenant, fields)
    parts = zip(rows, judgements, refusals, files, strict=True)
    return [
        CheckedRun(*row, replace(judgement, refused=judgement.refused or refusal), references)
        for row, judgement, refusal, references in parts
    ]


def _version(version: int) -> Compiled:
    try:
        return compiled(version)
    except BrokenVersion as error:
        raise RunRefused("broken_version", str(error), field="workflow", conflict=True) from error


def insert_checked(terms: Terms, if_exists: IfExists, requests: Sequence[CheckedRun]) -> list[Started]:
    """Start runs that were checked, all or none, as `start_runs` does. Raises RunRefused."""
    version = _version(terms.version)
    claims = not terms.is_test and if_exists != "another"
    keyed = [one for one in requests if claims and not one.item.is_child]
    fresh = {one.business_key: one.item.id or uuid7() for one in keyed if one.business_key is not None}
    with unit_of_work() as change:
        keys = _claimed_keys(terms.tenant, version, fresh, if_exists)
        started, keys_seen, overrides, inputs = [], set(), {}, {}
        rows: list[RunRow] = []
        file_starts: list[StartFiles] = []
        for one in requests:
            item, key = one.item, one.business_key
            if key is None or not claims or item.is_child:
                run_id, new = item.id or uuid7(), True
            else:
                if key in keys_seen and if_exists == "error":
                    raise _exists(version, key)
                run_id = keys[key]
                new = run_id == fresh[key] and key not in keys_seen
            keys_seen.add(key)
            if new and (refusal := one.judged.refused):
                raise refusal
            if new:
                shard = zlib.crc32(run_id.encode()) % SHARDS
                # Of a child it is compared with what its parent gives it the next time.
                fitting = one.encoded if item.is_child else payloads.fitted(terms.tenant, run_id, one.encoded)
                row: RunRow = {
                    "id": run_id,
                    "shard": shard,
                    "business_key": key,
                    "input": orjson.Fragment(fitting),
                }
                if item.rerun_of:
                    row["rerun_of"] = item.rerun_of
                if item.origin:
                    row |= item.origin.columns()
                if item.payload:
                    row["said"] = item.payload
                if item.trace:
                    row |= {"traceparent": item.trace.parent, "tracestate": item.trace.state}
                rows.append(row)
                file_starts.append((row, one.files, item.files_of))
                if item.overrides:
                    overrides[run_id] = item.overrides
                inputs[run_id] = item.input
            warnings = one.judged.warnings if new else ()
            started.append(Started(run_id, key, new, warnings=warnings, version=version.number))
        signals = [
            (run.id, one.item.signal)
            for run, one in zip(started, requests, strict=True)
            if run.created and one.item.signal
        ]
        if rows:
            use_files(terms.tenant, terms.uploader, file_starts, is_test=terms.is_test)
            change.transition.overrides |= overrides
            change.runs |= {(terms.tenant, row["id"]) for row in rows}
            _begin(change.transition, terms, version, rows, inputs, signals)
        return _compared(terms, started, requests)


def _compared(terms: Terms, started: Sequence[Started], requests: Sequence[CheckedRun]) -> list[Started]:
    """What was started, saying of each run that was there already whether its input is another one (H-12), or who
    asked for it where either was filed on behalf of somebody.
    """
    there: list[InputRow] = [
        {
            "place": place,
            "run_id": one.id,
            "input": orjson.Fragment(requests[place].encoded),
            "sha256": payloads.digest_of(requests[place].encoded),
            "by": terms.by,
            "is_filed": terms.filed_by is not None,
        }
        for place, one in enumerate(started)
        if not one.created
    ]
    others = hot.other_inputs(there) if there else set()
    return [replace(one, input_mismatch=place in others) for place, one in enumerate(started)]


def _claimed_keys(
    tenant: int, version: Compiled, fresh: Mapping[str, str], if_exists: IfExists
) -> Mapping[str, str]:
    """For each business key the run it stands for now: ours where nobody was first."""
    if not fresh:
        return {}
    rows: list[KeyRow] = [
        {"business_key": key, "run_id": fresh[key], "ordinal": place}
        for place, key in enumerate(sorted(fresh))
    ]
    if if_exists == "new_if_ended":
        hot.lock_keys(tenant=tenant, workflow=version.workflow_id, keys=sorted(fresh))
    own_keys = hot.claim_keys(
        tenant=tenant, workflow=version.workflow_id, keys=rows, renew=if_exists == "new_if_ended"
    )
    if not (others := sorted(fresh.keys() - own_keys)):
        return fresh
    if if_exists == "error":
        raise _exists(version, others[0])
    return {**fresh, **hot.read_keys(tenant=tenant, workflow=version.workflow_id, keys=others)}


def _exists(version: Compiled, key: str) -> RunRefused:
    message = f"A run of {version.workflow} with the business key {key!r} exists."
    return RunRefused("run_exists", message, field="business_key", conflict=True)


def _begin(
    transition: Transition,
    terms: Terms,
    version: Compiled,
    rows: Sequence[RunRow],
    inputs: Mapping[str, Json],
    signals: Sequence[tuple[str, NewSignal]],
) -> None:
    facts = {
        "tenant": terms.tenant,
        "workflow": version.workflow_id,
        "version": terms.version,
        "number": version.number,
        "priority": terms.priority,
        "sinks": len(version.graph.sinks),
        **_deadline(terms, version.graph),
        "created_by": terms.by,
        "acts_for": terms.acts_for,
        "started_from": terms.started_from,
        "is_test": terms.is_test,
        "requested_by": terms.requested_by,
        "filed_by": terms.filed_by,
        "filed_by_name": terms.acts_for if terms.filed_by is not None else None,
        "is_part": terms.is_part,
    }
    hot.insert_runs(rows, facts)
    if signals:
        # Nobody waits for them yet: a step that does finds them when it begins to. A run may end as it starts, and
        # nothing may stand behind its end.
        signal_rows.insert_signals(rows_of(terms.tenant, signals), terms.by)
    for run, overrides in transition.overrides.items():
        if nodes := copied(overrides):
            copy_variables(run, nodes)
    scope_of_run = scopes.load_for_starts(
        terms.version, [row["id"] for row in rows], whole=bool(transition.overrides)
    )
    causes = []
    for row in rows:
        anchor = Anchor(row["id"], row["id"], terms.tenant, row["shard"], terms.version, terms.priority)
        overrides = transition.overrides.get(row["id"], {})
        scope = scope_of_run.get(row["id"], {"vars": {}}) | {"input": inputs[row["id"]]}
        if overrides:
            scope["steps"] = outputs_of(overrides)
        if version.graph.is_part:
            scope = bodies.seen(scope, inputs[row["id"]])
        causes.append((anchor, begin(version.graph, scope, overrides)))
    transition.apply_effects(causes)


def _deadline(terms: Terms, graph: Graph) -> dict[str, Json]:
    """How long the runs should take at most: as whoever starts them says, or in working days from now, or seconds."""
    if terms.sla_seconds is not None or graph.sla_length is None:
        seconds = graph.sla_seconds if terms.sla_seconds is None else terms.sla_seconds
        return {"sla_seconds": seconds, "sla_counts": None, "sla_calendar": None}
    now = moment()
    end, words, record = counted_from(terms.tenant, terms.version, now, graph.sla_length)
    return {
        "sla_seconds": (end - now).total_seconds(),
        "sla_counts": words,
        "sla_calendar": record and hot.document(record),
    }


def _checked(graph: Graph, item: NewRun, place: int, count: int) -> tuple[NewRun, str | None, bytes]:
    """The item with its business key, where the definition makes one, and its input encoded. Raises RunRefused."""
    where = f"items[{place}]." if count > 1 else ""
    encoded = encoded_input(graph, item.input, f"{where}input")
    if item.signal is not None:
        storable(item.signal.payload, f"{where}signal.payload", max_bytes=SIGNAL_BYTES)
    return item, business_key_of(graph, item.input, item.business_key, where), encoded
