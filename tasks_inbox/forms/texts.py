"""The texts of a task as the current reader reads their values, and anew once facts were corrected."""

from collections.abc import Mapping, Sequence

from engine.catalogue import Json
from engine.typed_texts import FACTS, joined, renewed
from lib.typed_values import Kind, found, kind_of, text_of
from steps.limits import TASK_TITLE_CHARACTERS
from tasks_inbox.limits import FACT_PARTS
from tasks_inbox.models import ManualTask

Texts = Mapping[str, Json]
"""`title` and `instructions` in parts, `outcomes` by name, and the `scope` of what is computed again."""


def title_of(task: ManualTask) -> str:
    """The question; to nobody in particular, as over REST, as the column has it."""
    return _title(task.title_parts) if task.title_parts else task.title


def instructions_of(task: ManualTask) -> str:
    """The instructions, as Markdown."""
    parts = (task.texts or {}).get("instructions")
    return joined(parts, text_of) if parts else task.instructions


def outcomes_of(task: ManualTask) -> list[Json]:
    """The outcomes with their labels."""
    return _labelled(task.outcomes, task.texts or {})


def named_in(facts: Sequence[Mapping[str, Json]], kind_name: Kind) -> list[str]:
    """The usernames, or the ids of files, that typed facts tell, those in tables too: all are asked for at once."""
    return found([(fact["value"], fact.get("type")) for fact in facts], kind_name, FACT_PARTS)


def people_in(task: ManualTask, facts: Sequence[Mapping[str, Json]] = ()) -> list[str]:
    """The usernames that the title of a task tells, and these facts and the other texts of it where they are given."""
    texts = [task.title_parts or []]
    if facts:
        whole = task.texts or {}
        texts += [whole.get("instructions") or [], *(whole.get("outcomes") or {}).values()]
    parts = (part for one in texts for part in one if isinstance(part, dict))
    names = [part["value"] for part in parts if kind_of(part.get("type")) == "person"]
    return [name for name in names if isinstance(name, str)] + named_in(facts, "person")


def written(task: Mapping[str, Json]) -> dict[str, Json]:
    """The title, instructions and outcomes of a task that is opened, or sent again, with these `texts` and `outcomes`.

    Those of which no part has a type or reads a fact are left out.
    """
    texts: Texts = task.get("texts") or {}
    row: dict[str, Json] = {}
    if "title" in texts:
        row["title"] = _title(texts["title"])
    if "instructions" in texts:
        row["instructions"] = joined(texts["instructions"], text_of)
    if texts.get("outcomes"):
        row["outcomes"] = _labelled(task["outcomes"], texts)
    return row


def renewed_texts(texts: Texts, facts: Sequence[Mapping[str, Json]]) -> dict[str, Json]:
    """The texts once the facts are these. Raises ExpressionError."""
    scope = {**texts.get("scope", {}), FACTS: {fact["label"]: fact["value"] for fact in facts}}
    types = {fact["label"]: fact["type"] for fact in facts if fact.get("type")}
    parts: dict[str, Json] = {
        name: renewed(texts[name], scope, types) for name in ("title", "instructions") if name in texts
    }
    labels = {name: renewed(one, scope, types) for name, one in (texts.get("outcomes") or {}).items()}
    return {**parts, "outcomes": labels, "scope": texts.get("scope", {})}


def _title(parts: list[Json]) -> str:
    title = joined(parts, text_of)
    return title if len(title) <= TASK_TITLE_CHARACTERS else f"{title[: TASK_TITLE_CHARACTERS - 1]}…"


def _labelled(outcomes: Sequence[Mapping[str, Json]], texts: Texts) -> list[Json]:
    labels = texts.get("outcomes") or {}
    return [
        {**one, "label": joined(labels[one["name"]], text_of)} if one["name"] in labels else one
        for one in outcomes
    ]
