"""Who may decide a task: marks of the people that it names, marks of who is asking, and what excludes. Pure.

The same marks are compared in lists (SQL) and before a decision, so what a list offers is what may be done.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from accounts.names import key_of
from engine.catalogue import Json
from tasks_inbox.models import FOR_OPERATORS, ManualTask

EVERYBODY = "everybody"
NOBODY = "\n"
"""No username: a candidate who can't be found, so that the task is not open to everybody instead."""
CORRECTOR = "corrector"
_WHY = {
    "requester": "You started this run, or it was started for you: somebody else must decide (four eyes).",
    "corrector": "You have corrected what this is about: somebody else must decide (four eyes).",
    "decider": "You have decided another step of this run, or of one above or below it: "
    "somebody else must decide this one (four eyes).",
}


@dataclass(frozen=True, slots=True)
class Absent:
    """Somebody who is away, what they answer to (as `answers`), and in which workflows somebody stands in for them
    (None: all).
    """

    username: str
    marks: tuple[str, ...]
    workflows: frozenset[int] | None
    decides_in: tuple[int, ...] | None = ()


def audience_of(candidates: Mapping[str, Json]) -> list[str]:
    """The marks of those whom `{users, groups, roles}` names; nobody named is everybody who may decide there."""
    marks = [
        f"{kind}:{key_of(name)}"
        for kind, names in (
            ("user", candidates.get("users")),
            ("group", candidates.get("groups")),
            ("role", candidates.get("roles")),
        )
        for name in names or ()
    ]
    return list(dict.fromkeys(marks)) or [EVERYBODY]


def starter_mark(username: str) -> str:
    """What who started a run answers to, whatever their role: the mark of a form that asks them by name."""
    return f"starter:{key_of(username)}"


def names_user(audience: Collection[str], username: str) -> bool:
    """Whether these marks ask somebody by name."""
    return f"user:{key_of(username)}" in audience


def starters_of(task: ManualTask) -> list[str]:
    """The key of who started the task's run, where it is a form that asks them by name."""
    return [mark.removeprefix("starter:") for mark in task.audience if mark.startswith("starter:")]


def excluded(names: Iterable[str]) -> list[str]:
    """The names of those who may not decide, as they are compared."""
    return list(dict.fromkeys(key_of(name) for name in names))


def marks_of(username: str, role: str, group_keys: Iterable[str], *, decides: bool = True) -> list[str]:
    """What somebody answers to; who `decides` no tasks answers to forms that ask who started their run alone."""
    own = [starter_mark(username)]
    if not decides:
        return own
    marks = [EVERYBODY, f"user:{key_of(username)}", f"role:{role}"]
    return [*marks, *(f"group:{key}" for key in group_keys), *own]


def is_excluded(task: ManualTask, username: str) -> bool:
    """Whether the task bars this person, whatever else is said of them."""
    return key_of(username) in task.exclude


def why_excluded(task: ManualTask, username: str) -> str | None:
    """Why this person is barred, in a sentence; None where they are not."""
    if not is_excluded(task, username):
        return None
    return sentence_of((task.why_excluded or {}).get(key_of(username), ""))


def sentence_of(why: str) -> str:
    """Why somebody is barred, in a sentence, by what a task's `why_excluded` says of them."""
    return _WHY.get(why, "You are excluded from deciding this task.")


def wants_four_eyes(task: ManualTask) -> bool:
    """Whether its author bars who started the run or has decided another step: who brings it about decides nothing."""
    return task.bars_deciders or "requester" in (task.why_excluded or {}).values()


def has_voted(task: ManualTask, username: str) -> bool:
    """Whether they have decided in this round of the task."""
    return key_of(username) in task.voted


def answers(
    audience: Collection[str],
    folder: int | None,
    marks: Collection[str],
    decides_in: Collection[int] | None,
) -> bool:
    """Whether somebody is among those whom these marks ask, about a workflow in this folder: the one rule of it.

    Who has one of the marks is; of `EVERYBODY` those for whom the folder is among `decides_in`, which are the folders
    that let them read or decide (None: all). `seeing.answering` says the same in SQL.
    """
    shared_marks = {*marks}.intersection(audience)
    if shared_marks == {EVERYBODY} and decides_in is not None:
        return folder in decides_in
    return bool(shared_marks)


def is_asked(
    task: ManualTask, username: str, marks: Collection[str], decides_in: Collection[int] | None
) -> bool:
    """Whether the task itself asks somebody of this name, as `answers`. Exclusion beats everything (R-149)."""
    if is_excluded(task, username):
        return False
    folder = task.folder if decides_in is not None and EVERYBODY in task.audience else None
    return answers(task.audience, folder, marks, decides_in)


def may_decide(
    task: ManualTask, username: str, marks: Collection[str], decides_in: Collection[int] | None
) -> bool:
    """Whether they are asked, or were handed the task by somebody who was; exclusion beats that, too.

    A compensation stays with those whom it asks: to mend runs is a right that nobody hands on.
    """
    if is_asked(task, username, marks, decides_in):
        return True
    is_handed = task.delegated_by is not None and task.assignee == username and task.kind not in FOR_OPERATORS
    return is_handed and not is_excluded(task, username)


def holder_of(task: ManualTask, username: str) -> str | None:
    """To whom they have handed their vote; None where they have it themselves."""
    key = key_of(username)
    return next((one["to"] for one in task.proxies if one["by_key"] == key), None)


def giver_of(task: ManualTask, username: str) -> str | None:
    """Who has handed their vote to this person; None where nobody has."""
    key = key_of(username)
    return next((one["by"] for one in task.proxies if one["to_key"] == key), None)


def proxy_mark(username: str) -> str:
    """What somebody answers to of whom votes were handed; the database's triggers write it, too."""
    return f"proxy:{key_of(username)}"


def stands_in(task: ManualTask, username: str, absent: Absent) -> bool:
    """Whether they may decide it in the place of somebody who is away: it asks that person or was handed to them, in a
    workflow for which they stand in, and neither of the two is barred or has decided. What that person has handed on
    stays with whom it was handed to.
    """
    if task.delegated_by is not None:
        is_theirs = task.assignee == absent.username and not is_excluded(task, absent.username)
    else:
        has_it = task.assignee in (None, username, absent.username)
        is_theirs = has_it and is_asked(task, absent.username, absent.marks, absent.decides_in)
    return (
        is_theirs
        and _is_stood_in_for(task, username, absent)
        and not has_voted(task, absent.username)
        and holder_of(task, absent.username) is None
    )


def vote_stood_in_for(task: ManualTask, username: str, absent: Absent) -> str | None:
    """Whose vote they may give because it was handed to somebody who is away; None where there is none."""
    giver = free_giver_of(task, absent.username)
    return giver if giver and _is_stood_in_for(task, username, absent) else None


def free_giver_of(task: ManualTask, username: str) -> str | None:
    """As `giver_of`, where nothing bars either of the two and the vote was not given."""
    giver = giver_of(task, username)
    is_free = giver and not has_voted(task, giver) and not is_excluded(task, giver)
    return giver if is_free and not is_excluded(task, username) else None


def _is_stood_in_for(task: ManualTask, username: str, absent: Absent) -> bool:
    return (
        (absent.workflows is None or task.workflow_id in absent.workflows)
        and task.kind not in FOR_OPERATORS
        and not is_excluded(task, username)
    )
