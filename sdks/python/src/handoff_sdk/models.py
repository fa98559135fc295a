"""What Handoff takes and answers: plain JSON, typed.

Written by generate.py from the OpenAPI document: change that, not this.
"""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict

ActionEnum = Literal["signal", "start"]
AlertChannelKind = Literal["mail", "slack", "teams", "pagerduty", "webhook"]
AlertDeliveryStateEnum = Literal["pending", "sent", "failed"]
AlertRuleKind = Literal[
    "queue_depth",
    "queue_age",
    "failure_rate",
    "sla_warning",
    "sla_breached",
    "step_exhausted",
    "compensation_failed",
    "timer_late",
    "worker_gone",
    "run_stuck",
    "history_differs",
    "webhook_off",
    "owner_gone",
    "mail_failing",
    "refusal_ignored",
    "disk",
]
AlertSeverity = Literal["critical", "warning", "info"]
AlertStatusEnum = Literal["open", "acknowledged", "resolved"]
BlankEnum = Literal[""]
BulkAction = Literal["claim", "assign", "snooze", "decide", "undo"]
BulkAnswer = Literal["done", "refused"]
CaseStatus = Literal["COMPLETED", "FAILED"]
CommentKindEnum = Literal["said", "asked", "answered", "returned", "resubmitted"]
ComparedPath = Literal["both", "left", "right", "neither"]
DensityEnum = Literal["comfortable", "compact"]
DifferenceKind = Literal["added", "removed", "changed", "moved"]
DoorEnum = Literal["page", "rest", "grpc", "command", "server"]
DueDateKindEnum = Literal["deadline", "wait", "timer", "task"]
DueTimeStatusEnum = Literal["started", "skipped", "buffered"]
EventEnum = Literal["raised", "escalated", "resolved", "test"]
ForetoldLevelEnum = Literal["enough", "nobody", "in_run"]
FormatEnum = Literal["json", "yaml"]
IfExistsEnum = Literal["return", "new_if_ended", "error"]
ItemResultEnum = Literal["pending", "able", "moved", "done", "refused", "ended", "stopped"]
LeaverEnd = Literal["deactivate", "remove"]
LeftAction = Literal["hand", "give_back", "stop", "revoke", "end", "keep"]
LeftKind = Literal["task", "schedule", "webhook", "token", "absence", "report"]
ListedStatus = Literal[
    "PENDING",
    "WAITING",
    "RUNNING",
    "PAUSED",
    "COMPLETED",
    "CONTINUED",
    "FAILING",
    "CANCELLING",
    "FAILED",
    "CANCELLED",
    "COMPENSATING",
    "COMPENSATED",
    "WAITING_FOR_MANUAL_ACTION",
    "WAITING_FOR_PEOPLE",
    "UNRESOLVED",
    "STUCK",
]
LocaleEnum = Literal["en", "en-GB", "cs", "da", "de", "es", "fr", "it", "nl", "pl", "pt", "sv"]
LogLineBodyLevelEnum = Literal["info", "warning", "error"]
MailChoice = Literal["everything", "assigned", "nothing"]
MayEnum = Literal["read", "start", "edit", "publish", "operate", "decide"]
MeaningEnum = Literal["approve", "reject", "neutral"]
MemberRole = Literal["viewer", "author", "operator", "requester", "approver", "admin"]
NewTimeKindEnum = Literal[
    "wait", "timeout", "boundary", "start", "due", "remind", "escalate", "end", "deadline"
]
OffReasonEnum = Literal["by hand", "gone", "failing", "backlog"]
OnErrorEnum = Literal["fail", "continue", "branch"]
OutgoingDeliveryStateEnum = Literal["pending", "delivered", "failed", "dropped"]
OverlapEnum = Literal["skip", "buffer_one", "allow", "cancel_previous"]
PlaceEnum = Literal[
    "params", "input", "set_vars", "when", "output", "business_key", "compensate", "body", "round"
]
ProblemSeverityEnum = Literal["error", "warning"]
RequestKind = Literal["wait", "good", "bad", "info", "quiet"]
ResolutionEnum = Literal["retry", "done", "abandon"]
RolesEnum = Literal["operator", "requester", "approver", "admin"]
RuleEnum = Literal["veto", "majority"]
RunBulkAction = Literal["cancel", "pause", "unpause", "resume"]
RunBulkAnswer = Literal["able", "done", "refused"]
RunDifference = Literal["workflow", "version", "input", "output", "status", "path", "error", "attempts"]
RunStatus = Literal[
    "PENDING",
    "WAITING",
    "RUNNING",
    "PAUSED",
    "COMPLETED",
    "CONTINUED",
    "FAILING",
    "CANCELLING",
    "FAILED",
    "CANCELLED",
    "COMPENSATING",
    "COMPENSATED",
    "WAITING_FOR_MANUAL_ACTION",
]
ScopesEnum = Literal[
    "alerts:manage",
    "dead_letters:read",
    "jobs:work",
    "members:manage",
    "members:read",
    "runs:operate",
    "runs:read",
    "runs:signal",
    "runs:start",
    "tasks:assign",
    "tasks:decide",
    "tasks:read",
    "tokens:manage",
    "tokens:own",
    "webhooks:manage",
    "workflows:publish",
    "workflows:read",
    "workflows:write",
]
StepDifference = Literal["path", "input", "status", "output", "error", "attempts"]
StepStatus = Literal["PENDING", "QUEUED", "RUNNING", "WAITING", "COMPLETED", "FAILED", "SKIPPED", "CANCELLED"]
TaskKind = Literal["approval", "form", "compensation", "incident"]
TaskStatus = Literal["OPEN", "COMPLETED", "CANCELLED"]
TimerKindEnum = Literal["wait", "timeout", "boundary"]
TokenRole = Literal["viewer", "author", "operator", "requester", "approver", "admin", "worker"]
TokenStatus = Literal["active", "expired", "revoked"]
ValueChangeKind = Literal["changed", "length", "left_only", "right_only"]
VerbEnum = Literal["cancel", "pause", "unpause", "resume", "migrate", "reassign"]
ViewEnum = Literal["mine", "teams", "due", "snoozed", "delegated", "done", "watching", "undecidable", "open"]
WhatEnum = Literal["status", "path", "output", "input", "stubs", "problems", "time", "size"]
WhereEnum = Literal["nodes", "edges", "settings"]
WhyEnum = Literal["pinned", "side_effects", "waits", "outside"]


class AcknowledgeAlertRequest(TypedDict):
    """Somebody is working on it."""

    reason: NotRequired[str]
    note: NotRequired[str]


AddAwayRequest = TypedDict(
    "AddAwayRequest",
    {
        "reason": "NotRequired[str]",
        "username": "NotRequired[str]",
        "substitute": "str",
        "until": "str",
        "workflows": "NotRequired[list[str]]",
        "note": "NotRequired[str]",
        "from": "str",
    },
)


class AddCommentRequest(TypedDict):
    """Something to say."""

    reason: NotRequired[str]
    text: str


class AddInboxViewRequest(TypedDict):
    """A search to save; `view` defaults to `teams` and `sort` to `sla`."""

    reason: NotRequired[str]
    name: str
    view: NotRequired[ViewEnum]
    filter: NotRequired[str]
    sort: NotRequired[str]
    group: NotRequired[str]


class AddRunSearchRequest(TypedDict):
    """A search to save."""

    reason: NotRequired[str]
    name: str
    query: NotRequired[str]
    group: NotRequired[str]


class Alert(TypedDict):
    """An alert."""

    id: int
    rule_id: int
    kind: str
    status: AlertStatusEnum
    severity: AlertSeverity
    key: str
    subject: str
    message: str
    advice: str
    link: str
    workflow: NotRequired[str | None]
    run_id: str | None
    value: float | None
    count: int
    first_seen_at: str
    last_seen_at: str
    told_at: str | None
    muted_until: str | None
    escalated_at: str | None
    acknowledged_at: str | None
    acknowledged_by: str
    note: str
    resolved_at: str | None
    resolved_by: str


class AlertChannel(TypedDict):
    """A channel."""

    id: int
    name: str
    kind: AlertChannelKind
    address: str
    enabled: bool
    made_by: str
    created_at: str
    last_message: AlertDelivery | None


class AlertChannelPage(TypedDict):
    """AlertChannelPage"""

    results: list[AlertChannel]
    next: str | None
    previous: str | None


class AlertDelivery(TypedDict):
    """A message to a channel."""

    id: int
    alert_id: int | None
    event: EventEnum
    state: AlertDeliveryStateEnum
    attempts: int
    error: str
    created_at: str
    sent_at: str | None


class AlertPage(TypedDict):
    """AlertPage"""

    results: list[Alert]
    next: str | None
    previous: str | None


class AlertRule(TypedDict):
    """A rule."""

    id: int
    kind: str
    name: str
    built_in: bool
    params: Any
    severity: AlertSeverity
    cooldown_seconds: int
    enabled: bool
    muted_until: str | None
    channels: list[int]
    escalate_minutes: int | None
    escalate_channels: list[int]
    changed_by: str


class AlertRulePage(TypedDict):
    """AlertRulePage"""

    results: list[AlertRule]
    next: str | None
    previous: str | None


class Approves(TypedDict):
    """What the decision of a task covers."""

    digest: str
    outcomes: list[CoveredOutcome]
    withheld: Withheld | None


class AskedParamsRequest(TypedDict):
    """The params of a step for people, as they stand in a draft."""

    reason: NotRequired[str]
    params: dict[str, Any]


class AskedPlaceRequest(TypedDict):
    """A place of a draft: `edge` for when, nothing for output and business_key, else `node`, in whatever
    body it is.
    """

    definition: dict[str, Any]
    node: NotRequired[str]
    edge: NotRequired[EndsRequest]
    place: PlaceEnum
    pins: NotRequired[dict[str, Any]]


class AskedValueRequest(TypedDict):
    """A value with `{{ }}` to be shown, or a condition (when)."""

    definition: dict[str, Any]
    node: NotRequired[str]
    edge: NotRequired[EndsRequest]
    place: PlaceEnum
    pins: NotRequired[dict[str, Any]]
    text: Any
    keys: NotRequired[list[str | int]]
    input: NotRequired[Any]


class AssignTaskRequest(TypedDict):
    """To whom."""

    reason: NotRequired[str]
    assignee: str


class AuditRecord(TypedDict):
    """A record of the audit log."""

    id: int
    seq: int | None
    at: str
    by: str
    via: str
    token: str | None
    door: DoorEnum
    address: str
    act: str
    target: str
    before: Any
    after: Any
    reason: str
    count: int
    digest: str | None


class AuditRecordPage(TypedDict):
    """AuditRecordPage"""

    results: list[AuditRecord]
    next: str | None
    previous: str | None


Away = TypedDict(
    "Away",
    {
        "id": "int",
        "username": "str",
        "substitute": "str",
        "until": "str",
        "workflows": "list[str]",
        "note": "str",
        "created_by": "str",
        "created_at": "str",
        "from": "str",
    },
)


class AwayPage(TypedDict):
    """AwayPage"""

    results: list[Away]
    next: str | None
    previous: str | None


class Batch(TypedDict):
    """The result of a batch, in the order of its items."""

    runs: list[BatchStarted]


class BatchItemRequest(TypedDict):
    """One run of a batch."""

    business_key: NotRequired[str]
    input: Any


class BatchStarted(TypedDict):
    """One run of a batch."""

    id: str
    business_key: str | None
    created: bool
    input_mismatch: NotRequired[bool]
    warnings: NotRequired[list[str]]


class BeatingJobRequest(TypedDict):
    """One of several jobs that a worker is still working on."""

    reason: NotRequired[str]
    lease_token: str
    progress: NotRequired[Any]
    log: NotRequired[list[LogLineBodyRequest]]
    id: str


class BeginBulkJobRequest(TypedDict):
    """What to do with which runs."""

    reason: NotRequired[str]
    verb: VerbEnum
    query: str
    compensate: NotRequired[bool]
    version: NotRequired[int]
    assignee: NotRequired[str]
    group: NotRequired[str]
    dry_run: NotRequired[bool]


class Broadcast(TypedDict):
    """The result of a signal to many runs."""

    sent: int
    duplicates: int
    refused: list[RefusedSignal]
    next: str | None


class BroadcastSignalRequest(TypedDict):
    """A signal to every open run that matches all given conditions."""

    name: str
    signal_id: str
    payload: NotRequired[Any]
    reason: NotRequired[str]
    workflow: NotRequired[str]
    business_key: NotRequired[str]
    input: NotRequired[dict[str, Any]]
    after: NotRequired[str]


class Bulk(TypedDict):
    """The results, in the order of `ids`."""

    results: list[BulkResult]


BulkJob = TypedDict(
    "BulkJob",
    {
        "from": "int | None",
        "id": "str",
        "verb": "str",
        "query": "str",
        "workflow": "str | None",
        "to": "int | None",
        "assignee": "str",
        "group": "str",
        "dry_run": "bool",
        "reason": "str",
        "created_by": "str",
        "created_at": "str",
        "finished_at": "str | None",
        "stopped_by": "str",
        "total": "int",
        "pending": "int",
        "able": "int",
        "moved": "int",
        "done": "int",
        "refused": "int",
        "ended": "int",
        "stopped": "int",
        "results": "list[Item]",
        "next": "str | None",
        "previous": "str | None",
    },
)

BulkJobRow = TypedDict(
    "BulkJobRow",
    {
        "from": "int | None",
        "id": "str",
        "verb": "str",
        "query": "str",
        "workflow": "str | None",
        "to": "int | None",
        "assignee": "str",
        "group": "str",
        "dry_run": "bool",
        "reason": "str",
        "created_by": "str",
        "created_at": "str",
        "finished_at": "str | None",
        "stopped_by": "str",
        "total": "int",
    },
)


class BulkJobRowPage(TypedDict):
    """BulkJobRowPage"""

    results: list[BulkJobRow]
    next: str | None
    previous: str | None


class BulkResult(TypedDict):
    """The result for one task."""

    id: str
    title: str
    result: BulkAnswer
    code: str | None
    message: str
    held_until: str | None


class BulkRun(TypedDict):
    """The result for one run."""

    id: str
    result: RunBulkAnswer
    code: str | None
    message: str


class BulkRuns(TypedDict):
    """What became of each."""

    results: list[BulkRun]
    more: bool


class BulkRunsRequest(TypedDict):
    """What to do, and with which runs: `ids`, or the newest that a `filter` finds and that allow it."""

    reason: NotRequired[str]
    action: RunBulkAction
    ids: NotRequired[list[str]]
    filter: NotRequired[RunFilterRequest]
    compensate: NotRequired[bool]
    dry_run: NotRequired[bool]


class BulkTasksRequest(TypedDict):
    """What to do, and with which tasks: `ids`, or what a `filter` finds in a `view`."""

    reason: NotRequired[str]
    action: BulkAction
    ids: NotRequired[list[str]]
    view: NotRequired[ViewEnum]
    filter: NotRequired[str]
    assignee: NotRequired[str]
    until: NotRequired[str]
    outcome: NotRequired[str]
    comment: NotRequired[str]
    seen: NotRequired[dict[str, Any]]
    undoable: NotRequired[bool]


class Calendar(TypedDict):
    """A working calendar."""

    name: str
    folder: NotRequired[str | None]
    revision: int
    timezone: str
    region: str
    weekdays: list[int]
    hours: HoursField
    exceptions: list[dict[str, Any]]
    created_at: str


class CalendarPage(TypedDict):
    """CalendarPage"""

    results: list[Calendar]
    next: str | None
    previous: str | None


class CancelRunRequest(TypedDict):
    """Cancelling."""

    reason: NotRequired[str]
    compensate: NotRequired[bool]


class Candidates(TypedDict):
    """Whom a task asks; if nobody is named, everybody who may decide in the folder."""

    users: list[str]
    groups: list[str]
    roles: list[str]


class Case(TypedDict):
    """A test case."""

    id: int
    name: str
    input: Any
    stubs: dict[str, Any]
    expect: dict[str, Any]
    revision: int
    created_by: str
    created_at: str
    updated_at: str


class CaseDifference(TypedDict):
    """What is not as expected."""

    what: WhatEnum
    expected: Any
    got: Any


class CasePage(TypedDict):
    """CasePage"""

    results: list[Case]
    next: str | None
    previous: str | None


class CaseStub(TypedDict):
    """A step that was not done."""

    node: str
    why: WhyEnum
    made_up: bool


class Catalogue(TypedDict):
    """A workflow that may be started."""

    workflow: str
    title: str
    description: str
    folder: str


class CataloguePage(TypedDict):
    """CataloguePage"""

    results: list[Catalogue]
    next: str | None
    previous: str | None


class Change(TypedDict):
    """A fact that differs from the round before."""

    label: str
    before: Any
    after: Any


class ChangeCalendarRequest(TypedDict):
    """What can be changed of a calendar."""

    reason: NotRequired[str]
    timezone: NotRequired[str]
    region: NotRequired[str]
    weekdays: NotRequired[list[int]]
    hours: NotRequired[HoursFieldRequest]
    exceptions: NotRequired[list[ExceptionFieldRequest]]
    folder: NotRequired[str | None]
    name: NotRequired[str]


class ChangeItemRequest(TypedDict):
    """Changing an item of a container, or the run that a step waits for."""

    reason: NotRequired[str]
    index: NotRequired[int]


ChangeOfDraft = TypedDict(
    "ChangeOfDraft",
    {
        "path": "list[str]",
        "to": "NotRequired[Any]",
        "at": "NotRequired[str | None]",
        "was_at": "NotRequired[str | None]",
        "from": "NotRequired[Any]",
    },
)

ChangeOfDraftRequest = TypedDict(
    "ChangeOfDraftRequest",
    {
        "path": "list[str]",
        "to": "NotRequired[Any]",
        "at": "NotRequired[str | None]",
        "was_at": "NotRequired[str | None]",
        "from": "NotRequired[Any]",
    },
)


class ChangedDraft(TypedDict):
    """What became of the groups; `definition` and `layout` only if the draft differs from the sender's."""

    problems: list[Problem]
    revision: int
    applied: list[str]
    conflicts: list[Conflict]
    definition: NotRequired[dict[str, Any]]
    layout: NotRequired[dict[str, Any]]


class Checked(TypedDict):
    """What a dry run found."""

    ok: bool
    problems: list[Misfit]
    begins: list[str]
    times: list[NewTime]
    parts: int


class ClaimJobsRequest(TypedDict):
    """A consumer of a broker that received events of jobs."""

    reason: NotRequired[str]
    worker_id: str
    ids: list[str]
    queues: NotRequired[list[str]]
    version: NotRequired[str]
    slots: NotRequired[int]


class ClaimedJobs(TypedDict):
    """The jobs that were leased, and those that were not."""

    jobs: list[Job]
    refused: list[RefusedJob]


class Comment(TypedDict):
    """A comment."""

    id: str
    kind: CommentKindEnum
    text: str
    by: str
    at: str


class CommentPage(TypedDict):
    """CommentPage"""

    results: list[Comment]
    next: str | None
    previous: str | None


class ComparedRun(TypedDict):
    """One of two runs."""

    id: str
    workflow: str
    version: int | None
    test: bool
    status: RunStatus
    business_key: str | None
    created_at: str
    duration_seconds: float | None


class ComparedStep(TypedDict):
    """A step in both runs; a side is null where its version has no such step."""

    node: str
    title: str
    type: str
    left: StepSide | None
    right: StepSide | None
    path: ComparedPath
    differs: list[StepDifference]
    input_same: bool | None
    output_same: bool | None
    input_changes: list[ValueChange]
    output_changes: list[ValueChange]
    more: bool
    not_told: dict[str, str]


class ComparedValues(TypedDict):
    """A value of both runs; `more`: not all changes are listed."""

    same: bool | None
    changes: list[ValueChange]
    more: bool
    why: str | None


class Comparison(TypedDict):
    """Two runs side by side, the left one first."""

    runs: list[ComparedRun]
    same_version: bool
    first_difference: Difference | None
    ways_part: Difference | None
    input: ComparedValues
    output: ComparedValues
    steps: list[ComparedStep]


class CompleteJobRequest(TypedDict):
    """The job is done."""

    reason: NotRequired[str]
    lease_token: str
    output: Any
    variables: NotRequired[dict[str, Any]]
    log: NotRequired[list[LogLineBodyRequest]]


class CompleteJobsRequest(TypedDict):
    """Jobs that are done, each by itself."""

    reason: NotRequired[str]
    items: list[CompletedJobRequest]


class CompleteTaskRequest(TypedDict):
    """A decision."""

    reason: NotRequired[str]
    outcome: str
    seen: NotRequired[str]
    password: NotRequired[str]
    data: NotRequired[dict[str, Any]]
    comment: NotRequired[str]
    undoable: NotRequired[bool]


class CompletedJobRequest(TypedDict):
    """One of several jobs that are done."""

    reason: NotRequired[str]
    lease_token: str
    output: Any
    variables: NotRequired[dict[str, Any]]
    log: NotRequired[list[LogLineBodyRequest]]
    id: str


class Conflict(TypedDict):
    """A change that was refused with its group."""

    group: str
    path: list[str]
    yours: NotRequired[Any]
    theirs: NotRequired[Any]
    by: str
    at: str


CountedBulkJob = TypedDict(
    "CountedBulkJob",
    {
        "from": "int | None",
        "id": "str",
        "verb": "str",
        "query": "str",
        "workflow": "str | None",
        "to": "int | None",
        "assignee": "str",
        "group": "str",
        "dry_run": "bool",
        "reason": "str",
        "created_by": "str",
        "created_at": "str",
        "finished_at": "str | None",
        "stopped_by": "str",
        "total": "int",
        "pending": "int",
        "able": "int",
        "moved": "int",
        "done": "int",
        "refused": "int",
        "ended": "int",
        "stopped": "int",
    },
)


class Counts(TypedDict):
    """How many tasks there are in each view; 100 means 100 or more."""

    mine: int
    teams: int
    due: int
    snoozed: int
    delegated: int
    done: int
    watching: int
    undecidable: int


class CoveredChange(TypedDict):
    """A value that is not as it was approved."""

    path: str
    before: CoveredValue | None
    after: CoveredValue | None


class CoveredOutcome(TypedDict):
    """What an outcome covers."""

    outcome: str | None
    digest: str
    steps: list[CoveredStep]


class CoveredStep(TypedDict):
    """A step that a decision covers."""

    node: str
    title: str
    type: str
    digest: str
    values: list[CoveredValue]
    more: int


class CoveredValue(TypedDict):
    """A value of a step."""

    path: str
    value: Any
    sources: list[str]


class CreateAlertChannelRequest(TypedDict):
    """A new channel."""

    reason: NotRequired[str]
    name: str
    kind: AlertChannelKind
    address: str


class CreateAlertRuleRequest(TypedDict):
    """A new rule; fields left out are as in the built-in one of its kind."""

    reason: NotRequired[str]
    name: str
    params: NotRequired[dict[str, Any]]
    severity: NotRequired[AlertSeverity]
    cooldown_seconds: NotRequired[int]
    enabled: NotRequired[bool]
    channels: NotRequired[list[int]]
    escalate_minutes: NotRequired[int | None]
    escalate_channels: NotRequired[list[int]]
    mute_seconds: NotRequired[int]
    kind: AlertRuleKind


class CreateCalendarRequest(TypedDict):
    """A new working calendar: Monday to Friday, 09:00 to 17:00, by default, of the tenant."""

    reason: NotRequired[str]
    timezone: NotRequired[str]
    region: NotRequired[str]
    weekdays: NotRequired[list[int]]
    hours: NotRequired[HoursFieldRequest]
    exceptions: NotRequired[list[ExceptionFieldRequest]]
    folder: NotRequired[str | None]
    name: str


class CreateCaseRequest(TypedDict):
    """A new test case."""

    reason: NotRequired[str]
    stubs: NotRequired[dict[str, StubFieldsRequest]]
    expect: NotRequired[ExpectFieldsRequest]
    name: str
    input: Any


class CreateFolderRequest(TypedDict):
    """A new folder."""

    reason: NotRequired[str]
    name: str
    grants: NotRequired[list[GrantRequest]]


class CreateGroupRequest(TypedDict):
    """A new group."""

    reason: NotRequired[str]
    name: str
    members: NotRequired[list[str]]


class CreateMemberRequest(TypedDict):
    """A new member."""

    reason: NotRequired[str]
    username: str
    role: MemberRole
    name: NotRequired[str]
    email: NotRequired[str]
    manager: NotRequired[str]


class CreateOutgoingRequest(TypedDict):
    """A new webhook."""

    reason: NotRequired[str]
    url: str
    description: NotRequired[str]
    events: NotRequired[
        list[
            Literal[
                "run.started",
                "run.paused",
                "run.resumed",
                "run.failing",
                "run.cancelling",
                "run.compensating",
                "run.waiting_for_manual_action",
                "run.completed",
                "run.continued",
                "run.failed",
                "run.cancelled",
                "run.compensated",
                "run.reopened",
                "run.migrated",
                "run.sla_warning",
                "run.sla_breached",
                "step.completed",
                "step.failed",
                "step.skipped",
                "step.cancelled",
                "step.waiting",
                "step.attempt_failed",
                "task.opened",
                "task.decided",
                "task.voted",
                "task.delegated",
                "task.returned",
                "task.resubmitted",
                "task.asked",
                "task.answered",
                "task.reminded",
                "task.escalated",
            ]
        ]
        | None
    ]
    workflow: NotRequired[str | None]


class CreateScheduleRequest(TypedDict):
    """A new schedule: one of `cron`, `every_seconds` and `at` says when."""

    reason: NotRequired[str]
    cron: NotRequired[str | None]
    every_seconds: NotRequired[int | None]
    at: NotRequired[str | None]
    timezone: NotRequired[str]
    overlap: NotRequired[OverlapEnum]
    catchup_seconds: NotRequired[int]
    jitter_seconds: NotRequired[int]
    calendar: NotRequired[str | None]
    enabled: NotRequired[bool]
    note: NotRequired[str]
    input: NotRequired[Any]
    name: str
    workflow: str


class CreateTokenRequest(TypedDict):
    """A new token."""

    reason: NotRequired[str]
    name: str
    role: NotRequired[TokenRole]
    scopes: NotRequired[list[ScopesEnum]]
    days: NotRequired[int]
    service: NotRequired[bool]
    allowed_ips: NotRequired[list[str]]
    queues: NotRequired[list[str]]
    folders: NotRequired[list[str]]


class CreateWebhookRequest(TypedDict):
    """A new webhook."""

    reason: NotRequired[str]
    name: str
    workflow: str
    action: ActionEnum
    mapping: NotRequired[dict[str, Any]]
    allow_unsigned: NotRequired[bool]


class CreateWorkflowRequest(TypedDict):
    """A new workflow."""

    reason: NotRequired[str]
    name: str
    title: NotRequired[str]
    definition: NotRequired[dict[str, Any]]
    folder: NotRequired[str]


class Day(TypedDict):
    """A day of a calendar."""

    date: str
    works: bool
    name: str


class Days(TypedDict):
    """Days of a calendar."""

    results: list[Day]


class DeadLetter(TypedDict):
    """A step that failed its run for good."""

    id: str
    run_id: str
    node: str
    error: Any
    attempts: int
    created_at: str
    resolution: str | None


class DeadLetterPage(TypedDict):
    """DeadLetterPage"""

    results: list[DeadLetter]
    next: str | None
    previous: str | None


class DefinitionSchema(TypedDict):
    """One JSON Schema each; `retry_presets` has the values of the presets."""

    node: dict[str, Any]
    edge: dict[str, Any]
    settings: dict[str, Any]
    retry: dict[str, Any]
    compensation: dict[str, Any]
    boundary_timer: dict[str, Any]
    retry_presets: dict[str, Any]


class DelegateTaskRequest(TypedDict):
    """To whom."""

    reason: NotRequired[str]
    to: str


class DeliveredSignal(TypedDict):
    """A step that a signal was delivered to."""

    run: str
    node: str
    index: int | None


class Deliveries(TypedDict):
    """The last messages of a webhook."""

    taken: list[Effect]
    refused: list[RefusedMessage]


class Diff(TypedDict):
    """What is different."""

    changes: list[ChangeOfDraft]
    summary: dict[str, Any]
    fields: list[FieldDifference]


class Difference(TypedDict):
    """How two runs differ, and in which step; `node` is null for a difference of the runs themselves."""

    node: str | None
    what: RunDifference


class DiscardOutgoingRequest(TypedDict):
    """Events that are given up."""

    reason: NotRequired[str]
    confirm: bool


class Discarded(TypedDict):
    """What was given up."""

    discarded: int


class Dispatch(TypedDict):
    """How workers learn of work, and whether it is time for a broker."""

    mode: str
    advice: str
    reason: str
    since: str | None
    sampled_at: str | None
    workers: int | None
    ready: int | None
    steps_per_second: float | None
    hidden_sessions: int | None
    signals: list[DispatchSignal]
    samples: list[DispatchSample]
    outbox: DispatchOutbox | None


class DispatchOutbox(TypedDict):
    """The state of the outbox; counts go up to 10,000, for what can't be published to 1,000."""

    waiting: int
    oldest_seconds: float | None
    told: int
    failing: int
    aside: int
    led: bool
    complaint: str | None


class DispatchRetried(TypedDict):
    """What is tried again."""

    retried: int
    more: bool


class DispatchSample(TypedDict):
    """The figures of one minute."""

    at: str
    workers: int
    lock_waits: int
    ready: int
    steps_per_second: float | None
    contended_share: float | None


class DispatchSignal(TypedDict):
    """A signal, judged by the last quarter of an hour that has five samples."""

    name: str
    holds: bool | None
    since: str | None
    value: float | None
    limit: float | None
    reason: str


class Draft(TypedDict):
    """A draft."""

    workflow: str
    revision: int
    definition: dict[str, Any]
    layout: dict[str, Any]
    updated_at: str
    updated_by: str


class DraftChange(TypedDict):
    """An entry of the log of a draft."""

    group: str
    revision: int
    label: str
    changes: Any
    by: str
    by_name: str
    at: str


class DraftChangePage(TypedDict):
    """DraftChangePage"""

    results: list[DraftChange]
    next: str | None
    previous: str | None


class DraftedWorkflow(TypedDict):
    """A workflow with the findings in its draft."""

    name: str
    title: str
    description: str
    folder: str
    version: int | None
    draft_revision: int
    draft_updated_at: str
    created_at: str
    archived_at: str | None
    problems: list[Problem]


class DueDate(TypedDict):
    """An open due date that a calendar counted; a change does not move it."""

    run_id: str
    workflow: str
    node: str | None
    kind: DueDateKindEnum
    due_at: str
    revision: int


class DueTime(TypedDict):
    """What happened at a due time, or by hand; one row may stand for several skipped times."""

    due_at: str
    last_due_at: str
    due_count: int
    at: str
    status: DueTimeStatusEnum
    reason: str
    message: str
    run_id: str | None
    cancelled: list[str]
    manual: bool
    by: str


class DueTimePage(TypedDict):
    """DueTimePage"""

    results: list[DueTime]
    next: str | None
    previous: str | None


class Effect(TypedDict):
    """What a message did."""

    at: str
    action: ActionEnum
    run_id: str
    signal: str | None
    brought: str
    truncated: bool


EndsRequest = TypedDict("EndsRequest", {"from": "str", "to": "str"})

Entry = TypedDict(
    "Entry",
    {
        "from": "str",
        "path": "str",
        "type": "str",
        "title": "NotRequired[str]",
        "always": "bool",
        "sample": "NotRequired[Any]",
        "cut": "NotRequired[bool]",
    },
)


class Error(TypedDict):
    """Error"""

    error: dict[str, Any]
    request_id: str


class EscalateTaskRequest(TypedDict):
    """Whom else to ask; needs a `reason`."""

    reason: NotRequired[str]
    to: NotRequired[WhomRequest]


class Event(TypedDict):
    """Something that happened to a run."""

    id: int
    type: str
    node: str | None
    attempt: int | None
    payload: Any
    created_at: str


class EventPage(TypedDict):
    """EventPage"""

    results: list[Event]
    next: str | None
    previous: str | None


class Example(TypedDict):
    """A step of one of the items, and the item's place."""

    id: str | None
    node: str
    undoes: str | None
    index: int | None
    type: str
    title: str
    status: StepStatus
    attempt: int
    max_attempts: int
    retries_remaining: int
    input: Any
    output: Any
    error: Any
    progress: Any
    worker: str | None
    lease_expires_at: str | None
    last_heartbeat_at: str | None
    queued_at: str | None
    started_at: str | None
    completed_at: str | None
    duration_ms: float | None
    waiting_for: str | None
    waiting: Waiting | None
    next_attempt_at: str | None
    kept_from: str | None
    cause: str | None
    child_run: str | None
    items: ItemCounts | None
    verbs: list[str]
    truncated: NotRequired[dict[str, int]]
    unreadable: NotRequired[dict[str, str]]
    run_id: str
    places: list[int]


class ExceptionFieldRequest(TypedDict):
    """An exception on one day."""

    date: str
    works: bool
    name: NotRequired[str]


class ExpectFieldsRequest(TypedDict):
    """What is expected."""

    status: NotRequired[CaseStatus]
    path: NotRequired[list[str] | None]
    output: NotRequired[Any]


class Fact(TypedDict):
    """What the decider needs to see."""

    label: str
    value: Any
    may_change: NotRequired[bool]


class FailJobRequest(TypedDict):
    """The attempt failed."""

    reason: NotRequired[str]
    lease_token: str
    error: JobErrorRequest
    retryable: bool
    log: NotRequired[list[LogLineBodyRequest]]


class FailJobsRequest(TypedDict):
    """Attempts that failed."""

    reason: NotRequired[str]
    items: list[FailedJobRequest]


class FailedJobRequest(TypedDict):
    """One of several attempts that failed."""

    reason: NotRequired[str]
    lease_token: str
    error: JobErrorRequest
    retryable: NotRequired[bool]
    log: NotRequired[list[LogLineBodyRequest]]
    id: str


class Fault(TypedDict):
    """Why there is no value: bad_expression, no_sample, failed or too_much_work; `at`: its place."""

    code: str
    message: str
    at: NotRequired[int]


FieldDifference = TypedDict(
    "FieldDifference",
    {
        "where": "WhereEnum",
        "node": "str | None",
        "field": "str",
        "kind": "DifferenceKind",
        "to": "NotRequired[Any]",
        "from": "NotRequired[Any]",
    },
)


class Fix(TypedDict):
    """A one-click fix: changes to the draft, as `PATCH …/draft` takes them in a group."""

    title: str
    changes: list[dict[str, Any]]


class Folder(TypedDict):
    """A folder of workflows."""

    id: int
    name: str
    default: bool
    grants: list[Grant]
    created_at: str


class FolderPage(TypedDict):
    """FolderPage"""

    results: list[Folder]
    next: str | None
    previous: str | None


class Forecast(TypedDict):
    """When a run will probably be done."""

    p50: str
    p90: str


class Foretold(TypedDict):
    """Who may decide a step as members and groups are now."""

    words: str
    level: ForetoldLevelEnum
    people: int | None


class Function(TypedDict):
    """A function or operator of expressions."""

    name: str
    signature: str
    help: str
    example: str


class Grant(TypedDict):
    """What a folder lets a role, or a group, do with its workflows."""

    role: NotRequired[str]
    group: NotRequired[str]
    may: list[MayEnum]


class GrantRequest(TypedDict):
    """What a folder lets a role, or a group, do with its workflows."""

    role: NotRequired[str]
    group: NotRequired[str]
    may: list[MayEnum]


class Group(TypedDict):
    """A group."""

    id: int
    name: str
    members: list[str]
    granted: NotRequired[list[GroupGrant]]
    created_at: str


class GroupGrant(TypedDict):
    """What a folder lets the members of a group do."""

    folder: str
    may: list[MayEnum]


class GroupOfChangesRequest(TypedDict):
    """What a person did in one action."""

    id: str
    label: NotRequired[str]
    changes: list[ChangeOfDraftRequest]


class GroupPage(TypedDict):
    """GroupPage"""

    results: list[Group]
    next: str | None
    previous: str | None


class HandOverChoiceRequest(TypedDict):
    """What becomes of one thing."""

    kind: LeftKind
    id: str
    action: LeftAction
    to: NotRequired[str]


class HandOverRequest(TypedDict):
    """What becomes of what is with a member."""

    reason: NotRequired[str]
    items: NotRequired[list[HandOverChoiceRequest]]
    to: NotRequired[str]
    end: NotRequired[LeaverEnd]


class Handed(TypedDict):
    """What became of one thing."""

    kind: LeftKind
    id: str
    title: str
    action: LeftAction
    to: str
    done: bool
    code: str | None
    message: str


class HandedOver(TypedDict):
    """The results, and what is with the member still."""

    results: list[Handed]
    items: list[LeftItem]
    complete: bool


class HeartbeatJobsRequest(TypedDict):
    """Jobs that a worker is still working on."""

    reason: NotRequired[str]
    items: list[BeatingJobRequest]


class HeartbeatRequest(TypedDict):
    """The worker is still working on it."""

    reason: NotRequired[str]
    lease_token: str
    progress: NotRequired[Any]
    log: NotRequired[list[LogLineBodyRequest]]


class Held(TypedDict):
    """A decision that can still be undone."""

    by: str
    outcome: str
    until: str


class Here(TypedDict):
    """Somebody who has the draft open."""

    username: str
    name: str
    may_edit: bool
    steps: list[str]


HoursField = TypedDict("HoursField", {"from": "str", "to": "str"})

HoursFieldRequest = TypedDict("HoursFieldRequest", {"from": "str", "to": "str"})


class Impact(TypedDict):
    """What a change would leave undecidable, the oldest first."""

    count: int
    undecidable: list[StuckTask]
    complete: bool


class ImportDefinitionRequest(TypedDict):
    """A definition in any dialect."""

    reason: NotRequired[str]
    document: dict[str, Any] | str
    dialect: NotRequired[str]


class InboxView(TypedDict):
    """A saved view."""

    id: int
    name: str
    view: ViewEnum
    filter: str
    sort: str
    group: str | None
    owner: str
    is_own: bool
    count: int
    created_at: str


class InboxViewPage(TypedDict):
    """InboxViewPage"""

    results: list[InboxView]
    next: str | None
    previous: str | None


class InnerStep(TypedDict):
    """The state of a step within a container over all items."""

    node: str
    container: str
    counts: dict[str, int]
    total: int | None
    cut: bool
    undone: int
    first: Example | None
    failed: Example | None


class Item(TypedDict):
    """The result for one run."""

    run: str
    result: ItemResultEnum
    code: str
    node: str | None
    message: str
    done_at: str | None


class ItemCounts(TypedDict):
    """How many items a step has, and how many of them have begun, ended and failed; `rounds`: it is a
    loop.
    """

    total: int
    begun: int
    ended: int
    failed: int
    rounds: bool


class ItemPage(TypedDict):
    """Items of a container in their order; `after`: where the next page begins, null on the last page."""

    counts: dict[str, int]
    results: list[Step]
    after: int | None


class Job(TypedDict):
    """A job with the lease on it."""

    id: str
    run_id: str
    workflow: str
    node: str
    type: str
    params: Any
    input: Any
    attempt: int
    max_attempts: int
    retries_remaining: int
    progress: Any
    lease_token: str
    lease_expires_at: str
    idempotency_key: str
    approval: JobApproval | None
    traceparent: str | None
    tracestate: str | None


class JobAnswer(TypedDict):
    """The result of a worker's report."""

    applied: bool
    reason: NotRequired[str]
    duplicate: NotRequired[bool]
    lease_expires_at: NotRequired[str]
    cancel_requested: NotRequired[bool]
    cut: NotRequired[list[str]]


class JobApproval(TypedDict):
    """What people have approved of a job."""

    id: str
    digest: str


class JobErrorRequest(TypedDict):
    """What went wrong."""

    code: str
    message: str
    details: NotRequired[dict[str, Any]]
    stack: NotRequired[str]


class JobResult(TypedDict):
    """The result of a report on one of several jobs."""

    applied: bool
    reason: NotRequired[str]
    duplicate: NotRequired[bool]
    lease_expires_at: NotRequired[str]
    cancel_requested: NotRequired[bool]
    cut: NotRequired[list[str]]
    id: str
    message: NotRequired[str]
    field: NotRequired[str]


class JobResults(TypedDict):
    """The results, in the order of the request."""

    results: list[JobResult]


class JobVerbRequest(TypedDict):
    """A report by a worker on a job that it holds."""

    reason: NotRequired[str]
    lease_token: str


class Jobs(TypedDict):
    """The jobs that were leased; empty if there is no work."""

    jobs: list[Job]


class KeptSchedule(TypedDict):
    """A schedule that keeps to a calendar."""

    name: str
    workflow: str
    next_due_at: str | None
    moves_to: str | None


class Left(TypedDict):
    """What is with a member."""

    items: list[LeftItem]
    complete: bool


class LeftItem(TypedDict):
    """Something that is with a member, and what can be done with it; the first of the `actions` is
    proposed.
    """

    kind: LeftKind
    id: str
    title: str
    detail: str
    actions: list[LeftAction]


class LetterFilterRequest(TypedDict):
    """Which open dead letters."""

    workflow: NotRequired[str]
    node: NotRequired[str]
    code: NotRequired[str]


class ListedVersion(TypedDict):
    """A published version in the list."""

    workflow: str
    version: int
    content_hash: str
    note: str
    published_at: str
    published_by: str
    published_by_name: str
    withdrawn: Withdrawal | None
    open_runs: int


class ListedVersionPage(TypedDict):
    """ListedVersionPage"""

    results: list[ListedVersion]
    next: str | None
    previous: str | None


class LogLine(TypedDict):
    """A line that an attempt has logged."""

    id: int
    attempt: int
    seq: int
    at: str
    level: str
    text: str
    left_out: int


class LogLineBodyRequest(TypedDict):
    """A log line by a worker."""

    text: str
    level: NotRequired[LogLineBodyLevelEnum]
    at: NotRequired[str]
    seq: NotRequired[int]


class LogLinePage(TypedDict):
    """LogLinePage"""

    results: list[LogLine]
    next: str | None
    previous: str | None


class Me(TypedDict):
    """The caller."""

    username: str
    name: str
    time_zone: str
    locale: str
    density: DensityEnum


class Member(TypedDict):
    """A member."""

    username: str
    name: str
    email: str | None
    role: MemberRole
    active: bool
    manager: str | None
    groups: list[str]
    created_at: str


class MemberPage(TypedDict):
    """MemberPage"""

    results: list[Member]
    next: str | None
    previous: str | None


class MigrateRunRequest(TypedDict):
    """The version to move to, or a check whether it fits."""

    reason: NotRequired[str]
    version: int
    dry_run: NotRequired[bool]


MigrateRunsRequest = TypedDict(
    "MigrateRunsRequest",
    {"from": "int", "reason": "NotRequired[str]", "to": "int", "dry_run": "NotRequired[bool]"},
)


class Milestone(TypedDict):
    """Something that happened."""

    at: str
    by: str | None
    words: str
    text: str
    kind: str


class Misfit(TypedDict):
    """Why a run can't be moved to a version."""

    code: str
    node: str | None
    message: str
    place: list[Place]


class MuteAlertRequest(TypedDict):
    """Nobody is notified for a while."""

    reason: NotRequired[str]
    seconds: int


class NewMember(TypedDict):
    """A new member."""

    username: str
    name: str
    email: str | None
    role: MemberRole
    active: bool
    manager: str | None
    groups: list[str]
    created_at: str
    password: str | None
    invited: bool


class NewTime(TypedDict):
    """A moment that would be another one: it counts from when it began, and is due at once where it is
    past.
    """

    node: str | None
    kind: NewTimeKindEnum
    target: str | None
    old: str | None
    new: str | None
    place: list[Place]


class NewToken(TypedDict):
    """A token that was just made."""

    id: str
    name: str
    prefix: str
    user: str
    service: bool
    role: TokenRole
    scopes: list[str] | None
    allowed_ips: list[str]
    takes_jobs: bool
    queues: list[str] | None
    folders: list[str] | None
    status: TokenStatus
    ends_soon: bool
    created_at: str
    last_used_at: str | None
    expires_at: str | None
    revoked_at: str | None
    token: str


class Next(TypedDict):
    """The next times at which a schedule is due."""

    results: list[str]
    timezone: str
    calendar: str | None


class Notifications(TypedDict):
    """Which tasks somebody gets mail about, and where."""

    mail: MailChoice
    email: str
    digest_hour: int | None


class Outcome(TypedDict):
    """An outcome to choose."""

    name: str
    label: str
    require_comment: bool
    meaning: NotRequired[MeaningEnum]
    require: NotRequired[list[str]]
    sign: NotRequired[bool]


class Outgoing(TypedDict):
    """An outgoing webhook."""

    id: str
    url: str
    description: str
    events: list[str] | None
    workflow: NotRequired[str | None]
    enabled: bool
    off_reason: OffReasonEnum | BlankEnum
    off_at: str | None
    made_by: str
    failures: int
    failing_since: str | None
    paused_until: str | None
    delivered_at: str | None
    last_error: str
    pending: int
    replaying_since: NotRequired[str | None]
    secrets: list[Secret]
    created_at: str


class OutgoingDelivery(TypedDict):
    """An event that was or is to be sent."""

    id: int
    message_id: str
    type: str
    run_id: str | None
    state: OutgoingDeliveryStateEnum
    attempts: int
    due_at: str | None
    tried_at: str | None
    status: int | None
    error: str
    took_ms: int | None
    created_at: str


class OutgoingDeliveryPage(TypedDict):
    """OutgoingDeliveryPage"""

    results: list[OutgoingDelivery]
    next: str | None
    previous: str | None


class OutgoingPage(TypedDict):
    """OutgoingPage"""

    results: list[Outgoing]
    next: str | None
    previous: str | None


class OutgoingWithSecret(TypedDict):
    """A webhook and its new secret, which is never shown again."""

    id: str
    url: str
    description: str
    events: list[str] | None
    workflow: NotRequired[str | None]
    enabled: bool
    off_reason: OffReasonEnum | BlankEnum
    off_at: str | None
    made_by: str
    failures: int
    failing_since: str | None
    paused_until: str | None
    delivered_at: str | None
    last_error: str
    pending: int
    replaying_since: NotRequired[str | None]
    secrets: list[Secret]
    created_at: str
    secret: str


class PatchedChangeAlertChannelRequest(TypedDict):
    """What can be changed of a channel."""

    reason: NotRequired[str]
    name: NotRequired[str]
    address: NotRequired[str]
    enabled: NotRequired[bool]


class PatchedChangeAlertRuleRequest(TypedDict):
    """What can be changed of a rule."""

    reason: NotRequired[str]
    name: NotRequired[str]
    params: NotRequired[dict[str, Any]]
    severity: NotRequired[AlertSeverity]
    cooldown_seconds: NotRequired[int]
    enabled: NotRequired[bool]
    channels: NotRequired[list[int]]
    escalate_minutes: NotRequired[int | None]
    escalate_channels: NotRequired[list[int]]
    mute_seconds: NotRequired[int]


class PatchedChangeCalendarRequest(TypedDict):
    """What can be changed of a calendar."""

    reason: NotRequired[str]
    timezone: NotRequired[str]
    region: NotRequired[str]
    weekdays: NotRequired[list[int]]
    hours: NotRequired[HoursFieldRequest]
    exceptions: NotRequired[list[ExceptionFieldRequest]]
    folder: NotRequired[str | None]
    name: NotRequired[str]


class PatchedChangeCaseRequest(TypedDict):
    """What can be changed of a test case."""

    reason: NotRequired[str]
    stubs: NotRequired[dict[str, StubFieldsRequest]]
    expect: NotRequired[ExpectFieldsRequest]
    name: NotRequired[str]
    input: NotRequired[Any]
    revision: NotRequired[int]


class PatchedChangeDraftRequest(TypedDict):
    """Groups of changes to the draft; `revision` is the last one that the sender has seen."""

    reason: NotRequired[str]
    revision: NotRequired[int]
    groups: NotRequired[list[GroupOfChangesRequest]]


class PatchedChangeFolderRequest(TypedDict):
    """What changes; fields left out stay."""

    reason: NotRequired[str]
    name: NotRequired[str]
    grants: NotRequired[list[GrantRequest]]


class PatchedChangeGroupRequest(TypedDict):
    """What changes; fields left out stay."""

    reason: NotRequired[str]
    name: NotRequired[str]
    members: NotRequired[list[str]]


class PatchedChangeInboxViewRequest(TypedDict):
    """What changes; fields left out stay."""

    reason: NotRequired[str]
    name: NotRequired[str]
    view: NotRequired[ViewEnum]
    filter: NotRequired[str]
    sort: NotRequired[str]
    group: NotRequired[str]


class PatchedChangeMeRequest(TypedDict):
    """What changes; fields left out stay."""

    reason: NotRequired[str]
    name: NotRequired[str]
    time_zone: NotRequired[str]
    locale: NotRequired[LocaleEnum | BlankEnum]
    density: NotRequired[DensityEnum]


class PatchedChangeMemberRequest(TypedDict):
    """What changes; fields left out stay."""

    reason: NotRequired[str]
    role: NotRequired[MemberRole]
    name: NotRequired[str]
    email: NotRequired[str]
    manager: NotRequired[str]
    active: NotRequired[bool]


class PatchedChangeNotificationsRequest(TypedDict):
    """What changes; fields left out stay."""

    reason: NotRequired[str]
    mail: NotRequired[MailChoice]
    email: NotRequired[str]
    digest_hour: NotRequired[int | None]


class PatchedChangeOutgoingRequest(TypedDict):
    """What can be changed of a webhook."""

    reason: NotRequired[str]
    url: NotRequired[str]
    description: NotRequired[str]
    events: NotRequired[
        list[
            Literal[
                "run.started",
                "run.paused",
                "run.resumed",
                "run.failing",
                "run.cancelling",
                "run.compensating",
                "run.waiting_for_manual_action",
                "run.completed",
                "run.continued",
                "run.failed",
                "run.cancelled",
                "run.compensated",
                "run.reopened",
                "run.migrated",
                "run.sla_warning",
                "run.sla_breached",
                "step.completed",
                "step.failed",
                "step.skipped",
                "step.cancelled",
                "step.waiting",
                "step.attempt_failed",
                "task.opened",
                "task.decided",
                "task.voted",
                "task.delegated",
                "task.returned",
                "task.resubmitted",
                "task.asked",
                "task.answered",
                "task.reminded",
                "task.escalated",
            ]
        ]
        | None
    ]
    enabled: NotRequired[bool]


class PatchedChangeRunSearchRequest(TypedDict):
    """What changes; fields left out stay."""

    reason: NotRequired[str]
    name: NotRequired[str]
    query: NotRequired[str]
    group: NotRequired[str]


class PatchedChangeScheduleRequest(TypedDict):
    """What can be changed of a schedule; a new timing replaces the old one."""

    reason: NotRequired[str]
    cron: NotRequired[str | None]
    every_seconds: NotRequired[int | None]
    at: NotRequired[str | None]
    timezone: NotRequired[str]
    overlap: NotRequired[OverlapEnum]
    catchup_seconds: NotRequired[int]
    jitter_seconds: NotRequired[int]
    calendar: NotRequired[str | None]
    enabled: NotRequired[bool]
    note: NotRequired[str]
    input: NotRequired[Any]
    name: NotRequired[str]
    workflow: NotRequired[str]


class PatchedChangeTokenRequest(TypedDict):
    """What changes, from its next call on; fields left out stay."""

    reason: NotRequired[str]
    queues: NotRequired[list[str]]
    folders: NotRequired[list[str]]


class PatchedChangeWebhookRequest(TypedDict):
    """What can be changed of a webhook."""

    reason: NotRequired[str]
    name: NotRequired[str]
    mapping: NotRequired[dict[str, Any]]
    allow_unsigned: NotRequired[bool]
    enabled: NotRequired[bool]


class PatchedChangeWorkflowRequest(TypedDict):
    """What can be changed of a workflow itself."""

    reason: NotRequired[str]
    title: NotRequired[str]
    description: NotRequired[str]
    archived: NotRequired[bool]
    folder: NotRequired[str]


class Person(TypedDict):
    """A person as pages show them."""

    username: str
    name: str


class Place(TypedDict):
    """A step that leads down to a child run."""

    node: str
    index: int | None


class PollJobsRequest(TypedDict):
    """A worker that asks for jobs."""

    reason: NotRequired[str]
    worker_id: str
    queues: list[str]
    max_jobs: int
    wait_seconds: NotRequired[float]
    weights: NotRequired[dict[str, int]]
    version: NotRequired[str]
    slots: NotRequired[int]


class Presence(TypedDict):
    """Who else is here, and whether there is anything new."""

    revision: int
    comments: int
    people: list[Here]


class Problem(TypedDict):
    """One finding of `validate`."""

    code: str
    severity: ProblemSeverityEnum
    node: str | None
    field: str
    message: str
    fix: Fix | None


class Problems(TypedDict):
    """All findings."""

    problems: list[Problem]


class Proxy(TypedDict):
    """Who has handed their vote to whom."""

    by: str
    to: str


class PublishRequest(TypedDict):
    """Publishing the draft."""

    reason: NotRequired[str]
    note: NotRequired[str]
    despite_failing_cases: NotRequired[bool]
    revision: NotRequired[int]


class Published(TypedDict):
    """The result of publishing, with the warnings."""

    workflow: str
    version: int
    content_hash: str
    note: str
    published_at: str
    published_by: str
    published_by_name: str
    withdrawn: Withdrawal | None
    problems: list[Problem]


class Question(TypedDict):
    """A task that waits for an answer from the requester."""

    task: str
    title: str
    until: str | None


class Queue(TypedDict):
    """A queue, and your steps in it."""

    queue: str
    ready: int
    running: int
    waiting: int
    oldest_seconds: float | None
    in_per_minute: float
    out_per_minute: float
    workers: int
    last_polled_at: str | None
    built_in: bool
    unserved: bool


class Queues(TypedDict):
    """All queues."""

    results: list[Queue]


class Quorum(TypedDict):
    """How many must agree."""

    need: NotRequired[Any]
    groups: NotRequired[dict[str, Any]]
    rule: NotRequired[RuleEnum]


class ReadText(TypedDict):
    """The definition in a text; `definition` is null if it can't be translated."""

    problems: list[Problem]
    definition: dict[str, Any] | None
    dialect: str | None
    format: FormatEnum


class ReadTextRequest(TypedDict):
    """A text to read: nothing is saved."""

    reason: NotRequired[str]
    text: str
    name: NotRequired[str]


class Readers(TypedDict):
    """Who may read a workflow."""

    results: list[Person]


class RecordCaseRequest(TypedDict):
    """A run to make a test case from."""

    reason: NotRequired[str]
    run_id: str
    name: str


class RedriveLettersRequest(TypedDict):
    """Letters to redrive: by id, or by filter."""

    reason: NotRequired[str]
    ids: NotRequired[list[str]]
    filter: NotRequired[LetterFilterRequest]


class Redriven(TypedDict):
    """The result for the letters."""

    redriven: list[str]
    refused: list[RefusedLetter]
    left: int


class Refusal(TypedDict):
    """Why a webhook refused a message."""

    at: str
    reason: str


class RefusedJob(TypedDict):
    """A job that can't be leased."""

    id: str
    reason: str


class RefusedLetter(TypedDict):
    """A letter whose run doesn't go on, and why."""

    id: str
    code: str
    message: str


class RefusedMessage(TypedDict):
    """Why a message was refused."""

    at: str
    status: int
    code: str
    message: str


class RefusedSignal(TypedDict):
    """A run that did not take the signal."""

    run_id: str
    code: str
    message: str


RenameStepRequest = TypedDict(
    "RenameStepRequest", {"from": "str", "definition": "dict[str, Any]", "to": "str"}
)


class Renamed(TypedDict):
    """The definition afterwards; `unread`: fields with expressions that can't be compiled, left as they
    are.
    """

    definition: dict[str, Any]
    changed: list[str]
    unread: list[str]


class ReplayOutgoingRequest(TypedDict):
    """Events that are sent again."""

    reason: NotRequired[str]
    since: str


class Request(TypedDict):
    """A request, in words."""

    id: str
    workflow: str
    title: str
    business_key: str | None
    about: str
    status: str
    kind: RequestKind
    is_open: bool
    holder: str | None
    until: str | None
    since: str | None
    created_at: str
    completed_at: str | None
    may_withdraw: bool
    facts: list[RequestFact]
    questions: list[Question]


class RequestFact(TypedDict):
    """Something that was asked, as the start form calls it."""

    label: str
    text: str


class RequestPage(TypedDict):
    """RequestPage"""

    results: list[Request]
    next: str | None
    previous: str | None


class RerunRunRequest(TypedDict):
    """Running again from a step."""

    reason: NotRequired[str]
    version: NotRequired[int]
    from_node: str
    input: NotRequired[Any]


class ResolveTaskRequest(TypedDict):
    """How to settle a failed compensation."""

    reason: NotRequired[str]
    resolution: ResolutionEnum


class ResubmitTaskRequest(TypedDict):
    """The next round."""

    reason: NotRequired[str]
    facts: NotRequired[dict[str, Any]]
    comment: NotRequired[str]


class Result(TypedDict):
    """The result of a test case."""

    id: int
    name: str
    passed: bool
    status: str | None
    path: list[str]
    output: Any
    error: Any
    differences: list[CaseDifference]
    stubbed: list[CaseStub]


class Results(TypedDict):
    """The results of test cases."""

    results: list[Result]


class ResumeRunRequest(TypedDict):
    """Resuming."""

    reason: NotRequired[str]
    version: NotRequired[int]


class RetryStepRequest(TypedDict):
    """Retrying a step or an item."""

    reason: NotRequired[str]
    index: NotRequired[int]
    input: NotRequired[Any]
    despite_unknown: NotRequired[bool]


class ReturnTaskRequest(TypedDict):
    """What to change."""

    reason: NotRequired[str]
    comment: str
    to: NotRequired[str]
    seen: NotRequired[str]


class RotateOutgoingRequest(TypedDict):
    """A new secret."""

    reason: NotRequired[str]
    overlap_seconds: NotRequired[int]


class RotateSecretRequest(TypedDict):
    """A new secret."""

    reason: NotRequired[str]
    overlap_seconds: NotRequired[int]


class RotateTokenRequest(TypedDict):
    """Replacing a token."""

    reason: NotRequired[str]
    overlap_seconds: NotRequired[int]


class Run(TypedDict):
    """A run with its steps."""

    id: str
    workflow: str
    version: int | None
    business_key: str | None
    status: RunStatus
    life: int
    input: Any
    output: Any
    error: Any
    created_at: str
    started_at: str | None
    completed_at: str | None
    sla_seconds: int | None
    sla_deadline: str | None
    sla_breached: bool | None
    sla_counts: str | None
    sla_paused_at: str | None
    deadline: str | None
    sla: str | None
    forecast: Forecast | None
    deadline_risk: float | None
    waiting_for: str | None
    waits: list[Wait]
    created_by: str
    rerun_of: str | None
    parent_run: str | None
    parent: str | None
    root_run: str
    place: list[Place]
    continues_run: str | None
    continued_as: str | None
    follows_run: str | None
    traceparent: str | None
    test: bool
    next_workflow: str | None
    can_compensate: bool
    variables: dict[str, Variable]
    verbs: list[str]
    truncated: NotRequired[dict[str, int]]
    unreadable: NotRequired[dict[str, str]]
    steps: list[Step]
    inner_steps: NotRequired[list[InnerStep]]


class RunCasesRequest(TypedDict):
    """Running test cases."""

    reason: NotRequired[str]
    definition: NotRequired[dict[str, Any]]
    ids: NotRequired[list[int]]


class RunFilterRequest(TypedDict):
    """Which runs, as in `GET /runs`."""

    workflow: NotRequired[str]
    status: NotRequired[ListedStatus]
    by: NotRequired[str]
    business_key: NotRequired[str]
    created_after: NotRequired[str]
    created_before: NotRequired[str]
    test: NotRequired[bool]


class RunPage(TypedDict):
    """A page of runs."""

    results: list[Run]
    next: str | None
    previous: str | None
    searched: NotRequired[Searched]


class RunSearch(TypedDict):
    """A saved search."""

    id: int
    name: str
    query: str
    group: str | None
    owner: str
    is_own: bool
    created_at: str


class RunSearchPage(TypedDict):
    """RunSearchPage"""

    results: list[RunSearch]
    next: str | None
    previous: str | None


Sample = TypedDict("Sample", {"from": "str", "run_id": "str | None", "at": "str | None", "pins": "list[str]"})


class SaveDraftRequest(TypedDict):
    """The draft, whole."""

    reason: NotRequired[str]
    definition: dict[str, Any]
    layout: NotRequired[dict[str, Any]]


class SaveTaskDraftRequest(TypedDict):
    """What was typed, right or wrong."""

    data: NotRequired[dict[str, Any]]
    comment: NotRequired[str]


class SavedDraft(TypedDict):
    """A draft with its findings."""

    workflow: str
    revision: int
    definition: dict[str, Any]
    layout: dict[str, Any]
    updated_at: str
    updated_by: str
    problems: list[Problem]


class Schedule(TypedDict):
    """A schedule."""

    name: str
    workflow: str
    input: Any
    cron: str | None
    every_seconds: int | None
    at: str | None
    timezone: str
    overlap: OverlapEnum
    catchup_seconds: int
    jitter_seconds: int
    calendar: str | None
    enabled: bool
    note: str
    off_reason: str
    paused_at: str | None
    acts_for: str
    created_by: str
    created_at: str
    next_due_at: str | None
    buffered_due_at: str | None
    last: DueTime | None


class SchedulePage(TypedDict):
    """SchedulePage"""

    results: list[Schedule]
    next: str | None
    previous: str | None


class Scope(TypedDict):
    """What an expression can read and call."""

    entries: list[Entry]
    functions: list[Function]
    sample: Sample | None


class Searched(TypedDict):
    """How far a search went."""

    since: NotRequired[str]
    runs: NotRequired[int]
    complete: bool


class Secret(TypedDict):
    """A secret of a webhook, without the secret."""

    number: int
    created_at: str
    expires_at: str | None


class SendSignalByKeyRequest(TypedDict):
    """A signal to the run with a business key."""

    name: str
    signal_id: str
    payload: NotRequired[Any]
    child: NotRequired[str]
    index: NotRequired[int]
    all: NotRequired[bool]
    reason: NotRequired[str]
    workflow: str
    business_key: str


class SendSignalRequest(TypedDict):
    """A signal to a run."""

    name: str
    signal_id: str
    payload: NotRequired[Any]
    child: NotRequired[str]
    index: NotRequired[int]
    all: NotRequired[bool]
    reason: NotRequired[str]


class Sessions(TypedDict):
    """Where a member is logged in."""

    sessions: int
    last_seen_at: str | None


class SetPasswordLink(TypedDict):
    """What became of it."""

    mailed: bool
    link: str | None


class SetPasswordLinkRequest(TypedDict):
    """Sends a link to set a password."""

    reason: NotRequired[str]
    hand_over: NotRequired[bool]


class Shown(TypedDict):
    """`value` and `type`, or `error` instead; `mismatch`: why the value does not fit there."""

    value: NotRequired[Any]
    type: NotRequired[str]
    cut: NotRequired[bool]
    mismatch: NotRequired[str | None]
    error: NotRequired[Fault]
    reads: list[str]
    problems: list[Problem]
    sample: Sample | None


class SideError(TypedDict):
    """The error of a step, without its details."""

    code: str | None
    message: str | None


class Signal(TypedDict):
    """The result of a signal."""

    delivered: list[DeliveredSignal]
    kept: bool
    run_id: str
    duplicate: bool


class SignalFieldsRequest(TypedDict):
    """A signal."""

    name: str
    signal_id: str
    payload: NotRequired[Any]


class SkipStepRequest(TypedDict):
    """Skipping a step or an item."""

    reason: NotRequired[str]
    index: NotRequired[int]
    output: Any


class SnoozeTaskRequest(TypedDict):
    """Until when."""

    reason: NotRequired[str]
    until: NotRequired[str]


class StartBatchRequest(TypedDict):
    """Runs of one workflow to start in one transaction."""

    reason: NotRequired[str]
    workflow: str
    version: NotRequired[int]
    items: list[BatchItemRequest]


class StartRunRequest(TypedDict):
    """A run to start."""

    reason: NotRequired[str]
    workflow: str
    version: NotRequired[int]
    business_key: NotRequired[str]
    input: Any
    sla_seconds: NotRequired[int]
    priority: NotRequired[int]
    if_exists: NotRequired[IfExistsEnum]
    signal: NotRequired[SignalFieldsRequest]


class StartTrialRequest(TypedDict):
    """A test run to start."""

    reason: NotRequired[str]
    input: NotRequired[Any]
    definition: NotRequired[dict[str, Any]]
    until: NotRequired[str]
    only: NotRequired[str]
    step_input: NotRequired[Any]
    live: NotRequired[Any]
    outcomes: NotRequired[dict[str, str]]
    pins: NotRequired[dict[str, Any]]


class StartedRun(TypedDict):
    """A run that was started or found."""

    id: str
    workflow: str
    version: int | None
    business_key: str | None
    status: RunStatus
    life: int
    input: Any
    output: Any
    error: Any
    created_at: str
    started_at: str | None
    completed_at: str | None
    sla_seconds: int | None
    sla_deadline: str | None
    sla_breached: bool | None
    sla_counts: str | None
    sla_paused_at: str | None
    deadline: str | None
    sla: str | None
    forecast: Forecast | None
    deadline_risk: float | None
    waiting_for: str | None
    waits: list[Wait]
    created_by: str
    rerun_of: str | None
    parent_run: str | None
    parent: str | None
    root_run: str
    place: list[Place]
    continues_run: str | None
    continued_as: str | None
    follows_run: str | None
    traceparent: str | None
    test: bool
    next_workflow: str | None
    can_compensate: bool
    variables: dict[str, Variable]
    verbs: list[str]
    truncated: NotRequired[dict[str, int]]
    unreadable: NotRequired[dict[str, str]]
    steps: list[Step]
    inner_steps: NotRequired[list[InnerStep]]
    input_mismatch: NotRequired[bool]
    warnings: NotRequired[list[str]]
    signal: NotRequired[StartedSignal]


class StartedSignal(TypedDict):
    """The result of a signal that was sent with a start."""

    delivered: list[DeliveredSignal]
    kept: bool
    duplicate: bool


class StayRequest(TypedDict):
    """A tab in which the draft is open."""

    tab: str
    step: NotRequired[str | None]
    left: NotRequired[bool]


class Step(TypedDict):
    """A step of a run; nodes that are not decided yet are PENDING."""

    id: str | None
    node: str
    undoes: str | None
    index: int | None
    type: str
    title: str
    status: StepStatus
    attempt: int
    max_attempts: int
    retries_remaining: int
    input: Any
    output: Any
    error: Any
    progress: Any
    worker: str | None
    lease_expires_at: str | None
    last_heartbeat_at: str | None
    queued_at: str | None
    started_at: str | None
    completed_at: str | None
    duration_ms: float | None
    waiting_for: str | None
    waiting: Waiting | None
    next_attempt_at: str | None
    kept_from: str | None
    cause: str | None
    child_run: str | None
    items: ItemCounts | None
    verbs: list[str]
    truncated: NotRequired[dict[str, int]]
    unreadable: NotRequired[dict[str, str]]


class StepComment(TypedDict):
    """A comment; `thread` is the same for comments that are resolved together."""

    id: int
    thread: int
    step: str
    text: str
    by: str
    by_name: str
    at: str
    resolved_at: str | None
    resolved_by: NotRequired[str | None]
    resolved_by_name: NotRequired[str | None]


class StepCommentPage(TypedDict):
    """StepCommentPage"""

    results: list[StepComment]
    next: str | None
    previous: str | None


class StepFigures(TypedDict):
    """Steps of a type, or of a node and type."""

    step_type: str
    node: str | None
    count: int
    completed: int
    failed: int
    skipped: int
    cancelled: int
    retried: int
    failure_share: float | None
    share_of_failures: float
    average_ms: float | None
    total_ms: int
    share_of_time: float
    lost_ms: int
    queue: StepTime
    machine: StepTime
    human: StepTime
    waiting: StepTime


class StepPage(TypedDict):
    """StepPage"""

    results: list[Step]
    next: str | None
    previous: str | None


class StepSide(TypedDict):
    """A step in one of the runs."""

    status: StepStatus
    attempts: int
    duration_seconds: float | None
    error: SideError | None


StepTelemetry = TypedDict("StepTelemetry", {"from": "str", "to": "str", "results": "list[StepFigures]"})


class StepTime(TypedDict):
    """The durations of steps, in milliseconds; null if there are none."""

    p50: float | None
    p95: float | None
    total_ms: int


class StepType(TypedDict):
    """A step type; `x-widget` in its schemas says what a form shows for a property."""

    name: str
    title: str
    help: str
    icon: str
    group: str
    group_title: str
    kind: str
    example: dict[str, Any]
    params_schema: dict[str, Any]
    input_schema: dict[str, Any] | None
    output_schema: dict[str, Any] | None
    default_queue: str | None
    lease_seconds: int
    timeout_seconds: int | None
    retry: str
    on_error: OnErrorEnum
    has_side_effects: bool
    read_only_params: dict[str, Any]
    waits: bool
    decides: bool
    asks_people: bool
    has_rounds: bool


class StepTypes(TypedDict):
    """The catalogue, in its order."""

    results: list[StepType]


class StubErrorFieldsRequest(TypedDict):
    """What a step fails with."""

    code: str
    message: str


class StubFieldsRequest(TypedDict):
    """What stands in for a step."""

    output: NotRequired[Any]
    error: NotRequired[StubErrorFieldsRequest]


class Stubbed(TypedDict):
    """A step that is not run in a test."""

    node: str
    why: WhyEnum
    made_up: bool


class StuckTask(TypedDict):
    """An open task that nobody could decide."""

    id: str
    title: str


class Task(TypedDict):
    """A task."""

    id: str
    run_id: str
    workflow: str
    node: str
    kind: TaskKind
    title: str
    status: TaskStatus
    priority: int
    candidates: Candidates
    exclude: list[str]
    assignee: str | None
    stands_in_for: str | None
    delegated_by: str | None
    due_at: str | None
    follow_up_at: str | None
    outcomes: list[Outcome]
    outcome: str | None
    decided_by: str | None
    decided_for: str | None
    decided_at: str | None
    created_at: str
    asked_at: str | None
    asked_by: str | None
    asked_of: str | None
    returned_to: str | None
    returned_by: str | None
    quorum: Quorum
    proxies: list[Proxy]
    round: int
    test: bool
    may_decide: bool
    undecidable: Undecidable | None
    instructions: str
    facts: list[Fact]
    changed: list[Change]
    approves: Approves | None
    form: dict[str, Any] | None
    data: Any
    comment: str
    comments: int
    snoozed_until: str | None
    watching: bool
    held: Held | None
    shown_hash: str


class TaskDraft(TypedDict):
    """What you have typed and not sent."""

    data: dict[str, Any]
    comment: str
    saved_at: str
    outdated: bool


class TaskFile(TypedDict):
    """A file of a task."""

    id: str
    name: str
    media_type: str
    size: int
    sha256: str
    by: str
    at: str


class TaskFilePage(TypedDict):
    """TaskFilePage"""

    results: list[TaskFile]
    next: str | None
    previous: str | None


class TaskSummary(TypedDict):
    """A task in a list."""

    id: str
    run_id: str
    workflow: str
    node: str
    kind: TaskKind
    title: str
    status: TaskStatus
    priority: int
    candidates: Candidates
    exclude: list[str]
    assignee: str | None
    stands_in_for: str | None
    delegated_by: str | None
    due_at: str | None
    follow_up_at: str | None
    outcomes: list[Outcome]
    outcome: str | None
    decided_by: str | None
    decided_for: str | None
    decided_at: str | None
    created_at: str
    asked_at: str | None
    asked_by: str | None
    asked_of: str | None
    returned_to: str | None
    returned_by: str | None
    quorum: Quorum
    proxies: list[Proxy]
    round: int
    test: bool
    may_decide: bool
    undecidable: Undecidable | None


class TaskSummaryPage(TypedDict):
    """TaskSummaryPage"""

    results: list[TaskSummary]
    next: str | None
    previous: str | None


class TelemetryMoment(TypedDict):
    """Runs of an hour or of a day, in UTC."""

    at: str
    started: int
    completed: int
    failed: int
    cancelled: int
    interventions: int


TelemetrySummary = TypedDict(
    "TelemetrySummary",
    {
        "from": "str",
        "to": "str",
        "runs": "int",
        "started": "int",
        "completed": "int",
        "failed": "int",
        "cancelled": "int",
        "completion_rate": "float | None",
        "failed_rate": "float | None",
        "average_seconds": "float | None",
        "p50_seconds": "float | None",
        "p95_seconds": "float | None",
        "interventions": "int",
        "interventions_per_day": "float",
        "targets": "TelemetryTargets",
        "by_workflow": "list[WorkflowCounts]",
        "by_version": "list[VersionCounts]",
        "by_day": "list[TelemetryMoment]",
        "step": "str",
        "counted_at": "str | None",
        "behind": "bool",
    },
)


class TelemetryTargets(TypedDict):
    """The targets."""

    completion_rate: float
    failed_rate: float
    interventions_per_day: float


class Timer(TypedDict):
    """A timer that has not fired."""

    id: str
    run_id: str
    workflow: str
    node: str
    title: str
    kind: TimerKindEnum
    target: str | None
    fire_at: str
    overdue_seconds: float


class TimerPage(TypedDict):
    """TimerPage"""

    results: list[Timer]
    next: str | None
    previous: str | None


class Token(TypedDict):
    """A token; its text is not stored."""

    id: str
    name: str
    prefix: str
    user: str
    service: bool
    role: TokenRole
    scopes: list[str] | None
    allowed_ips: list[str]
    takes_jobs: bool
    queues: list[str] | None
    folders: list[str] | None
    status: TokenStatus
    ends_soon: bool
    created_at: str
    last_used_at: str | None
    expires_at: str | None
    revoked_at: str | None


class TokenPage(TypedDict):
    """TokenPage"""

    results: list[Token]
    next: str | None
    previous: str | None


class Trial(TypedDict):
    """A new test run."""

    id: str
    workflow: str
    version: int | None
    business_key: str | None
    status: RunStatus
    life: int
    input: Any
    output: Any
    error: Any
    created_at: str
    started_at: str | None
    completed_at: str | None
    sla_seconds: int | None
    sla_deadline: str | None
    sla_breached: bool | None
    sla_counts: str | None
    sla_paused_at: str | None
    deadline: str | None
    sla: str | None
    forecast: Forecast | None
    deadline_risk: float | None
    waiting_for: str | None
    waits: list[Wait]
    created_by: str
    rerun_of: str | None
    parent_run: str | None
    parent: str | None
    root_run: str
    place: list[Place]
    continues_run: str | None
    continued_as: str | None
    follows_run: str | None
    traceparent: str | None
    test: bool
    next_workflow: str | None
    can_compensate: bool
    variables: dict[str, Variable]
    verbs: list[str]
    truncated: NotRequired[dict[str, int]]
    unreadable: NotRequired[dict[str, str]]
    steps: list[Step]
    inner_steps: NotRequired[list[InnerStep]]
    stubbed: list[Stubbed]


class Undecidable(TypedDict):
    """Why nobody, or not enough people, can decide a task."""

    since: str
    why: list[str]
    do: str


class Uses(TypedDict):
    """Who uses a calendar, up to 100 of each; others, also those that you may not read, are counted."""

    is_default: bool
    workflows: list[Using]
    schedules: list[KeptSchedule]
    due_dates: list[DueDate]
    other_workflows: int
    other_schedules: int
    other_due_dates: int
    more: bool


class Using(TypedDict):
    """A workflow that uses a calendar."""

    workflow: str
    title: str
    versions: list[int]
    newest: bool
    open_runs: int


class ValidateDefinitionRequest(TypedDict):
    """A definition to check."""

    reason: NotRequired[str]
    definition: dict[str, Any]


class ValueChange(TypedDict):
    """A difference between two values, at a path in expression syntax; empty for the whole value."""

    path: str
    kind: ValueChangeKind
    left: Any
    right: Any
    cut: list[str]


class Variable(TypedDict):
    """A variable of a run."""

    value: Any
    set_by: str
    index: int | None
    set_at: str
    overlaps: list[str]
    truncated: NotRequired[int]


class VerbRequest(TypedDict):
    """The body of any change: it may always give a reason."""

    reason: NotRequired[str]


class Version(TypedDict):
    """A published version."""

    workflow: str
    version: int
    content_hash: str
    note: str
    published_at: str
    published_by: str
    published_by_name: str
    withdrawn: Withdrawal | None
    definition: dict[str, Any]
    layout: dict[str, Any]


class VersionCounts(TypedDict):
    """Those of a version."""

    runs: int
    started: int
    completed: int
    failed: int
    cancelled: int
    completion_rate: float | None
    failed_rate: float | None
    average_seconds: float | None
    p50_seconds: float | None
    p95_seconds: float | None
    interventions: int
    version: int


class VersionSummary(TypedDict):
    """A published version without its definition; `withdrawn` is null where new runs may take it."""

    workflow: str
    version: int
    content_hash: str
    note: str
    published_at: str
    published_by: str
    published_by_name: str
    withdrawn: Withdrawal | None


class Wait(TypedDict):
    """Open steps of a run, or of runs below it, that wait for the same, and where the first of them is."""

    run: str
    node: str
    index: int | None
    place: list[Place]
    title: str | None
    waiting_for: str
    count: int


class Waiting(TypedDict):
    """What a WAITING step waits for."""

    kind: str
    name: str | None
    until: str | None


class Webhook(TypedDict):
    """A webhook."""

    id: str
    name: str
    workflow: str
    action: ActionEnum
    mapping: dict[str, Any]
    url: str | None
    allow_unsigned: bool
    enabled: bool
    acts_for: str | None
    last_refusal: Refusal | None
    secrets: list[Secret]
    created_at: str


class WebhookPage(TypedDict):
    """WebhookPage"""

    results: list[Webhook]
    next: str | None
    previous: str | None


class WebhookWithSecret(TypedDict):
    """A webhook and its new secret, which is never shown again."""

    id: str
    name: str
    workflow: str
    action: ActionEnum
    mapping: dict[str, Any]
    url: str | None
    allow_unsigned: bool
    enabled: bool
    acts_for: str | None
    last_refusal: Refusal | None
    secrets: list[Secret]
    created_at: str
    secret: str


class WholeRequest(TypedDict):
    """A request with what happened."""

    id: str
    workflow: str
    title: str
    business_key: str | None
    about: str
    status: str
    kind: RequestKind
    is_open: bool
    holder: str | None
    until: str | None
    since: str | None
    created_at: str
    completed_at: str | None
    may_withdraw: bool
    facts: list[RequestFact]
    questions: list[Question]
    may_ask_again: bool
    milestones: list[Milestone]


class WhomRequest(TypedDict):
    """People to ask."""

    users: NotRequired[list[str]]
    groups: NotRequired[list[str]]
    roles: NotRequired[list[RolesEnum]]


class WithdrawRequest(TypedDict):
    """Withdrawing."""

    reason: str


class WithdrawVersionRequest(TypedDict):
    """Withdrawing or restoring a version."""

    reason: str


class Withdrawal(TypedDict):
    """Why no new runs are started with a version."""

    reason: str
    by: str
    at: str


class Withheld(TypedDict):
    """A step that would do something else than was approved."""

    node: str
    title: str
    why: str
    by: str | None
    reason: str
    changed_by: list[str]
    changes: list[CoveredChange]


class Worker(TypedDict):
    """An external worker that polled in the last day."""

    id: str
    queues: list[str]
    last_seen_at: str
    holds: int
    version: str | None
    slots: int | None
    stale: bool


class WorkerPage(TypedDict):
    """WorkerPage"""

    results: list[Worker]
    next: str | None
    previous: str | None


class Workflow(TypedDict):
    """A workflow; `version` is the one published last."""

    name: str
    title: str
    description: str
    folder: str
    version: int | None
    draft_revision: int
    draft_updated_at: str
    created_at: str
    archived_at: str | None


class WorkflowCounts(TypedDict):
    """Those of a workflow."""

    runs: int
    started: int
    completed: int
    failed: int
    cancelled: int
    completion_rate: float | None
    failed_rate: float | None
    average_seconds: float | None
    p50_seconds: float | None
    p95_seconds: float | None
    interventions: int
    workflow: str
    title: str


class WorkflowPage(TypedDict):
    """WorkflowPage"""

    results: list[Workflow]
    next: str | None
    previous: str | None


class WriteCommentRequest(TypedDict):
    """A comment on a step."""

    reason: NotRequired[str]
    step: str
    text: str


class WriteTextRequest(TypedDict):
    """A definition to write as text: nothing is saved."""

    reason: NotRequired[str]
    definition: dict[str, Any]
    format: FormatEnum


MigratedRun = Run | Checked

__all__ = [
    "AcknowledgeAlertRequest",
    "ActionEnum",
    "AddAwayRequest",
    "AddCommentRequest",
    "AddInboxViewRequest",
    "AddRunSearchRequest",
    "Alert",
    "AlertChannel",
    "AlertChannelKind",
    "AlertChannelPage",
    "AlertDelivery",
    "AlertDeliveryStateEnum",
    "AlertPage",
    "AlertRule",
    "AlertRuleKind",
    "AlertRulePage",
    "AlertSeverity",
    "AlertStatusEnum",
    "Approves",
    "AskedParamsRequest",
    "AskedPlaceRequest",
    "AskedValueRequest",
    "AssignTaskRequest",
    "AuditRecord",
    "AuditRecordPage",
    "Away",
    "AwayPage",
    "Batch",
    "BatchItemRequest",
    "BatchStarted",
    "BeatingJobRequest",
    "BeginBulkJobRequest",
    "BlankEnum",
    "Broadcast",
    "BroadcastSignalRequest",
    "Bulk",
    "BulkAction",
    "BulkAnswer",
    "BulkJob",
    "BulkJobRow",
    "BulkJobRowPage",
    "BulkResult",
    "BulkRun",
    "BulkRuns",
    "BulkRunsRequest",
    "BulkTasksRequest",
    "Calendar",
    "CalendarPage",
    "CancelRunRequest",
    "Candidates",
    "Case",
    "CaseDifference",
    "CasePage",
    "CaseStatus",
    "CaseStub",
    "Catalogue",
    "CataloguePage",
    "Change",
    "ChangeCalendarRequest",
    "ChangeItemRequest",
    "ChangeOfDraft",
    "ChangeOfDraftRequest",
    "ChangedDraft",
    "Checked",
    "ClaimJobsRequest",
    "ClaimedJobs",
    "Comment",
    "CommentKindEnum",
    "CommentPage",
    "ComparedPath",
    "ComparedRun",
    "ComparedStep",
    "ComparedValues",
    "Comparison",
    "CompleteJobRequest",
    "CompleteJobsRequest",
    "CompleteTaskRequest",
    "CompletedJobRequest",
    "Conflict",
    "CountedBulkJob",
    "Counts",
    "CoveredChange",
    "CoveredOutcome",
    "CoveredStep",
    "CoveredValue",
    "CreateAlertChannelRequest",
    "CreateAlertRuleRequest",
    "CreateCalendarRequest",
    "CreateCaseRequest",
    "CreateFolderRequest",
    "CreateGroupRequest",
    "CreateMemberRequest",
    "CreateOutgoingRequest",
    "CreateScheduleRequest",
    "CreateTokenRequest",
    "CreateWebhookRequest",
    "CreateWorkflowRequest",
    "Day",
    "Days",
    "DeadLetter",
    "DeadLetterPage",
    "DefinitionSchema",
    "DelegateTaskRequest",
    "DeliveredSignal",
    "Deliveries",
    "DensityEnum",
    "Diff",
    "Difference",
    "DifferenceKind",
    "DiscardOutgoingRequest",
    "Discarded",
    "Dispatch",
    "DispatchOutbox",
    "DispatchRetried",
    "DispatchSample",
    "DispatchSignal",
    "DoorEnum",
    "Draft",
    "DraftChange",
    "DraftChangePage",
    "DraftedWorkflow",
    "DueDate",
    "DueDateKindEnum",
    "DueTime",
    "DueTimePage",
    "DueTimeStatusEnum",
    "Effect",
    "EndsRequest",
    "Entry",
    "Error",
    "EscalateTaskRequest",
    "Event",
    "EventEnum",
    "EventPage",
    "Example",
    "ExceptionFieldRequest",
    "ExpectFieldsRequest",
    "Fact",
    "FailJobRequest",
    "FailJobsRequest",
    "FailedJobRequest",
    "Fault",
    "FieldDifference",
    "Fix",
    "Folder",
    "FolderPage",
    "Forecast",
    "Foretold",
    "ForetoldLevelEnum",
    "FormatEnum",
    "Function",
    "Grant",
    "GrantRequest",
    "Group",
    "GroupGrant",
    "GroupOfChangesRequest",
    "GroupPage",
    "HandOverChoiceRequest",
    "HandOverRequest",
    "Handed",
    "HandedOver",
    "HeartbeatJobsRequest",
    "HeartbeatRequest",
    "Held",
    "Here",
    "HoursField",
    "HoursFieldRequest",
    "IfExistsEnum",
    "Impact",
    "ImportDefinitionRequest",
    "InboxView",
    "InboxViewPage",
    "InnerStep",
    "Item",
    "ItemCounts",
    "ItemPage",
    "ItemResultEnum",
    "Job",
    "JobAnswer",
    "JobApproval",
    "JobErrorRequest",
    "JobResult",
    "JobResults",
    "JobVerbRequest",
    "Jobs",
    "KeptSchedule",
    "LeaverEnd",
    "Left",
    "LeftAction",
    "LeftItem",
    "LeftKind",
    "LetterFilterRequest",
    "ListedStatus",
    "ListedVersion",
    "ListedVersionPage",
    "LocaleEnum",
    "LogLine",
    "LogLineBodyLevelEnum",
    "LogLineBodyRequest",
    "LogLinePage",
    "MailChoice",
    "MayEnum",
    "Me",
    "MeaningEnum",
    "Member",
    "MemberPage",
    "MemberRole",
    "MigrateRunRequest",
    "MigrateRunsRequest",
    "MigratedRun",
    "Milestone",
    "Misfit",
    "MuteAlertRequest",
    "NewMember",
    "NewTime",
    "NewTimeKindEnum",
    "NewToken",
    "Next",
    "Notifications",
    "OffReasonEnum",
    "OnErrorEnum",
    "Outcome",
    "Outgoing",
    "OutgoingDelivery",
    "OutgoingDeliveryPage",
    "OutgoingDeliveryStateEnum",
    "OutgoingPage",
    "OutgoingWithSecret",
    "OverlapEnum",
    "PatchedChangeAlertChannelRequest",
    "PatchedChangeAlertRuleRequest",
    "PatchedChangeCalendarRequest",
    "PatchedChangeCaseRequest",
    "PatchedChangeDraftRequest",
    "PatchedChangeFolderRequest",
    "PatchedChangeGroupRequest",
    "PatchedChangeInboxViewRequest",
    "PatchedChangeMeRequest",
    "PatchedChangeMemberRequest",
    "PatchedChangeNotificationsRequest",
    "PatchedChangeOutgoingRequest",
    "PatchedChangeRunSearchRequest",
    "PatchedChangeScheduleRequest",
    "PatchedChangeTokenRequest",
    "PatchedChangeWebhookRequest",
    "PatchedChangeWorkflowRequest",
    "Person",
    "Place",
    "PlaceEnum",
    "PollJobsRequest",
    "Presence",
    "Problem",
    "ProblemSeverityEnum",
    "Problems",
    "Proxy",
    "PublishRequest",
    "Published",
    "Question",
    "Queue",
    "Queues",
    "Quorum",
    "ReadText",
    "ReadTextRequest",
    "Readers",
    "RecordCaseRequest",
    "RedriveLettersRequest",
    "Redriven",
    "Refusal",
    "RefusedJob",
    "RefusedLetter",
    "RefusedMessage",
    "RefusedSignal",
    "RenameStepRequest",
    "Renamed",
    "ReplayOutgoingRequest",
    "Request",
    "RequestFact",
    "RequestKind",
    "RequestPage",
    "RerunRunRequest",
    "ResolutionEnum",
    "ResolveTaskRequest",
    "ResubmitTaskRequest",
    "Result",
    "Results",
    "ResumeRunRequest",
    "RetryStepRequest",
    "ReturnTaskRequest",
    "RolesEnum",
    "RotateOutgoingRequest",
    "RotateSecretRequest",
    "RotateTokenRequest",
    "RuleEnum",
    "Run",
    "RunBulkAction",
    "RunBulkAnswer",
    "RunCasesRequest",
    "RunDifference",
    "RunFilterRequest",
    "RunPage",
    "RunSearch",
    "RunSearchPage",
    "RunStatus",
    "Sample",
    "SaveDraftRequest",
    "SaveTaskDraftRequest",
    "SavedDraft",
    "Schedule",
    "SchedulePage",
    "Scope",
    "ScopesEnum",
    "Searched",
    "Secret",
    "SendSignalByKeyRequest",
    "SendSignalRequest",
    "Sessions",
    "SetPasswordLink",
    "SetPasswordLinkRequest",
    "Shown",
    "SideError",
    "Signal",
    "SignalFieldsRequest",
    "SkipStepRequest",
    "SnoozeTaskRequest",
    "StartBatchRequest",
    "StartRunRequest",
    "StartTrialRequest",
    "StartedRun",
    "StartedSignal",
    "StayRequest",
    "Step",
    "StepComment",
    "StepCommentPage",
    "StepDifference",
    "StepFigures",
    "StepPage",
    "StepSide",
    "StepStatus",
    "StepTelemetry",
    "StepTime",
    "StepType",
    "StepTypes",
    "StubErrorFieldsRequest",
    "StubFieldsRequest",
    "Stubbed",
    "StuckTask",
    "Task",
    "TaskDraft",
    "TaskFile",
    "TaskFilePage",
    "TaskKind",
    "TaskStatus",
    "TaskSummary",
    "TaskSummaryPage",
    "TelemetryMoment",
    "TelemetrySummary",
    "TelemetryTargets",
    "Timer",
    "TimerKindEnum",
    "TimerPage",
    "Token",
    "TokenPage",
    "TokenRole",
    "TokenStatus",
    "Trial",
    "Undecidable",
    "Uses",
    "Using",
    "ValidateDefinitionRequest",
    "ValueChange",
    "ValueChangeKind",
    "Variable",
    "VerbEnum",
    "VerbRequest",
    "Version",
    "VersionCounts",
    "VersionSummary",
    "ViewEnum",
    "Wait",
    "Waiting",
    "Webhook",
    "WebhookPage",
    "WebhookWithSecret",
    "WhatEnum",
    "WhereEnum",
    "WholeRequest",
    "WhomRequest",
    "WhyEnum",
    "WithdrawRequest",
    "WithdrawVersionRequest",
    "Withdrawal",
    "Withheld",
    "Worker",
    "WorkerPage",
    "Workflow",
    "WorkflowCounts",
    "WorkflowPage",
    "WriteCommentRequest",
    "WriteTextRequest",
]
