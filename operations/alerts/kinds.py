"""The kinds of rules: what each looks for, by which thresholds, and what it says to people (docs/alerts.md).

A deadline that is over is told once (R-211); so are a step that is exhausted (R-212) and a queue that is deep (R-213).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import quote

from engine.catalogue import Json
from operations.alerts.installation_words import (
    dead_letters,
    disk,
    mail_failing,
    outbox,
    owner_gone,
    refusal_ignored,
    relay_leader,
    webhook_off,
)
from operations.alerts.task_words import schedule_stopped, task_overdue, task_undecidable
from operations.alerts.words import Words, seconds_in_words

Facts = Mapping[str, Json]


@dataclass(frozen=True, slots=True)
class Threshold:
    """A number that a rule may set: what it is called, in which unit, its default and its bounds."""

    label: str
    unit: str
    default: int
    least: int
    most: int


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of rule. `filter`: whether a rule may be of one `queue` or `workflow`."""

    name: str
    about: str
    severity: str
    words: Callable[[Facts, str | None], Words]
    thresholds: Mapping[str, Threshold] = field(default_factory=dict)
    filter: str = ""
    cooldown_seconds: int = 900


def _queue_depth(facts: Facts, _: str | None) -> Words:
    return Words(
        f"Workflow Queue Backup: {facts['ready']:,} steps wait in {facts['queue']}",
        f"{facts['ready']:,} steps are ready in the queue {facts['queue']}; the oldest has waited "
        f"{seconds_in_words(facts['seconds'])}.",
        "Start more workers of this queue, or see what its steps wait for.",
        f"/operations/?queue={quote(facts['queue'], safe='')}",
    )


def _queue_age(facts: Facts, _: str | None) -> Words:
    return Words(
        f"Steps wait {seconds_in_words(facts['seconds'])} in {facts['queue']}",
        f"The oldest of {facts['ready']:,} ready steps in the queue {facts['queue']} has waited "
        f"{seconds_in_words(facts['seconds'])}.",
        "Check that its workers are running, and what they are doing.",
        f"/operations/?queue={quote(facts['queue'], safe='')}",
    )


def _worker_gone(facts: Facts, _: str | None) -> Words:
    return Words(
        f"No worker serves the queue {facts['queue']}",
        f"{facts['ready']:,} steps are ready in the queue {facts['queue']}, and no worker has served it lately.",
        "Start a worker of this queue.",
        "/workers",
    )


def _failure_rate(facts: Facts, _: str | None) -> Words:
    of = f" of {facts['workflow']}" if facts["workflow"] else ""
    return Words(
        f"{facts['failed']} of {facts['ended']} runs{of} failed",
        f"Of the runs{of} that were started in the last {facts['minutes']} minutes and are over, "
        f"{facts['failed']} of {facts['ended']} failed.",
        "Look at what they have in common: the list of failed runs is a good start.",
        "/runs/?status=unresolved",
    )


def _sla_warning(facts: Facts, run: str | None) -> Words:
    return Words(
        f"{_called(facts)} has used 80 % of its time",
        f"A run of {_called(facts)} is due in {seconds_in_words(-facts['late'])}.",
        "See what it waits for. It is not cancelled when its time is up.",
        f"/runs/{run}",
    )


def _sla_breached(facts: Facts, run: str | None) -> Words:
    return Words(
        f"{_called(facts)} is past its deadline",
        f"A run of {_called(facts)} was due {seconds_in_words(facts['late'])} ago. It goes on.",
        "See what it waits for, and tell whoever waits for it.",
        f"/runs/{run}",
    )


def _step_exhausted(facts: Facts, run: str | None) -> Words:
    many = f"{facts['many']:,} times" if facts["many"] > 1 else "once"
    attempts = f"{facts['attempts']} attempt{'' if facts['attempts'] == 1 else 's'}"
    return Words(
        f"{facts['workflow']}: {facts['node']} failed for good",
        f"The step {facts['node']} of {facts['workflow']} has failed for good {many}, last after "
        f"{attempts} with {facts['code'] or 'an error'}.",
        "Fix the cause, then retry what failed (Operations, Dead letters) or discard it.",
        f"/runs/{run}",
    )


def _compensation_failed(facts: Facts, run: str | None) -> Words:
    return Words(
        f"{_called(facts)} could not be undone",
        f"A compensation of a run of {_called(facts)} failed for good: the run waits for a person.",
        "Open the run, undo by hand what is left, and confirm it there.",
        f"/runs/{run}",
    )


def _timer_late(facts: Facts, _: str | None) -> Words:
    return Words(
        f"Timers are {seconds_in_words(facts['seconds'])} late",
        f"{facts['many']:,} timers should have fired; the oldest is {seconds_in_words(facts['seconds'])} late.",
        "Check that the ticks worker runs, and whether the database is slow.",
        "/operations/timers?due=overdue",
    )


def _run_stuck(facts: Facts, run: str | None) -> Words:
    return Words(
        f"A run of {facts['workflow']} is stuck",
        f"Nothing would move a run of {facts['workflow']} any more ({facts['what']}), and it could not be repaired.",
        "Open the run: a step may be retried or skipped there.",
        f"/runs/{run}",
    )


def _history_differs(facts: Facts, run: str | None) -> Words:
    runs = "A run" if facts["many"] == 1 else f"{facts['many']:,} runs"
    verb = "differs" if facts["many"] == 1 else "differ"
    return Words(
        f"{runs} of {facts['workflow']} {verb} from what history says",
        f"The check of ended runs found rows, events or seals of {facts['workflow']} that were changed outside of "
        f"Handoff, or lost. The first difference: {facts['detail']}",
        "Run manage.py verify_history, and find out who or what changed the database.",
        f"/runs/{run}",
    )


def _called(facts: Facts) -> str:
    return f"{facts['workflow']} {facts['business_key']}" if facts.get("business_key") else facts["workflow"]


_SECONDS = {"seconds": Threshold("Longer than", "seconds", 300, 1, 604_800)}
KINDS: Final[Mapping[str, Kind]] = {
    "queue_depth": Kind(
        "Queue depth",
        "More steps are ready in a queue than this.",
        "warning",
        _queue_depth,
        {"above": Threshold("More than", "steps", 50, 1, 9_999)},
        filter="queue",
    ),
    "queue_age": Kind(
        "Oldest step in a queue",
        "A step has been ready for longer than this.",
        "warning",
        _queue_age,
        _SECONDS,
        filter="queue",
    ),
    "failure_rate": Kind(
        "Failure rate",
        "At least this share of the runs started lately, and over by now, has failed.",
        "warning",
        _failure_rate,
        {
            "percent": Threshold("At least", "per cent", 25, 1, 100),
            "minutes": Threshold("Started in the last", "minutes", 60, 1, 1_440),
            "least": Threshold("Of at least", "runs", 10, 1, 1_000),
        },
        filter="workflow",
    ),
    "sla_warning": Kind(
        "Deadline is near",
        "80 % of a run’s time is over.",
        "info",
        _sla_warning,
        filter="workflow",
        cooldown_seconds=0,
    ),
    "sla_breached": Kind(
        "Deadline is over",
        "A run is open past its deadline. It is not cancelled for that.",
        "critical",
        _sla_breached,
        filter="workflow",
        cooldown_seconds=0,
    ),
    "step_exhausted": Kind(
        "Step failed for good",
        "A step has used up its attempts and its dead letter is open: one alert for each workflow and step.",
        "critical",
        _step_exhausted,
        filter="workflow",
    ),
    "compensation_failed": Kind(
        "Compensation failed",
        "What a run did could not be undone: it waits for a person.",
        "critical",
        _compensation_failed,
        filter="workflow",
        cooldown_seconds=0,
    ),
    "timer_late": Kind(
        "Timers are late",
        "A timer should have fired longer ago than this.",
        "critical",
        _timer_late,
        {"seconds": Threshold("Longer than", "seconds", 60, 1, 604_800)},
    ),
    "worker_gone": Kind(
        "Worker is gone",
        "Steps have been ready for longer than this in a queue that no worker serves.",
        "critical",
        _worker_gone,
        {"seconds": Threshold("Longer than", "seconds", 60, 1, 604_800)},
        filter="queue",
    ),
    "run_stuck": Kind(
        "Run is stuck",
        "Nothing would move a run any more, and it could not be repaired.",
        "critical",
        _run_stuck,
        filter="workflow",
        cooldown_seconds=0,
    ),
    "history_differs": Kind(
        "History differs",
        "An ended run is not what its sealed history says: one alert for each workflow.",
        "critical",
        _history_differs,
        filter="workflow",
        cooldown_seconds=0,
    ),
    "webhook_off": Kind(
        "Webhook was switched off",
        "A webhook out was switched off, other than by hand.",
        "warning",
        webhook_off,
    ),
    "owner_gone": Kind(
        "Owner is gone",
        "A schedule was stopped, or a webhook refuses messages, because whoever it acts for may not do that any more.",
        "critical",
        owner_gone,
        filter="workflow",
        cooldown_seconds=0,
    ),
    "mail_failing": Kind(
        "Mail is failing",
        "At least this many mails failed.",
        "warning",
        mail_failing,
        {"least": Threshold("At least", "mails", 1, 1, 10_000)},
    ),
    "schedule_stopped": Kind(
        "Schedule starts nothing",
        "A schedule that is on has started nothing so often in a row, or is five minutes late.",
        "critical",
        schedule_stopped,
        {"skips": Threshold("At least", "times", 3, 1, 1_000)},
        filter="workflow",
    ),
    "task_undecidable": Kind(
        "Nobody can decide",
        "Open tasks have been without enough people who may decide them for longer than this.",
        "critical",
        task_undecidable,
        {"seconds": Threshold("Longer than", "seconds", 300, 0, 604_800)},
        filter="workflow",
    ),
    "task_overdue": Kind(
        "Tasks are overdue",
        "Open tasks have been overdue for longer than this: one alert for each workflow.",
        "warning",
        task_overdue,
        {"seconds": Threshold("Longer than", "seconds", 3_600, 0, 2_592_000)},
        filter="workflow",
    ),
    "dead_letters": Kind(
        "Many dead letters",
        "More dead letters are open than this.",
        "warning",
        dead_letters,
        {"above": Threshold("More than", "dead letters", 100, 0, 9_999)},
        filter="workflow",
    ),
    "outbox": Kind(
        "Outbox waits",
        "With a broker: a job has waited in the outbox for longer than this.",
        "critical",
        outbox,
        {"seconds": Threshold("Longer than", "seconds", 60, 1, 604_800)},
    ),
    "relay_leader": Kind(
        "No relay leads",
        "With a broker: jobs wait in the outbox, and no relay has led for longer than this.",
        "critical",
        relay_leader,
        {"seconds": Threshold("Longer than", "seconds", 30, 1, 604_800)},
    ),
    "refusal_ignored": Kind(
        "Refusal goes on",
        "A version in use leads on from a choice of people whatever they choose.",
        "critical",
        refusal_ignored,
        filter="workflow",
    ),
    "disk": Kind(
        "Disk is filling up",
        "Less than this is free on the disk that Handoff keeps its files on.",
        "critical",
        disk,
        {"percent": Threshold("Less than", "per cent", 10, 1, 99)},
    ),
}
"""What rules there can be, in the order in which they are shown."""


def default_params(kind: Kind) -> dict[str, Json]:
    """The thresholds of a new rule of this kind."""
    return {name: one.default for name, one in kind.thresholds.items()}
