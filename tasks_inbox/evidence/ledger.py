"""What is written of each decision so that it can be proven later: one record, one link of the tenant's chain.

A record is canonical JSON (sorted keys, no blanks, UTF-8) and holds the digest of the one before; its own digest is the
SHA-256 of its text. Whoever has the texts can check the chain with nothing but a hash function (R-149).
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256

from engine.catalogue import Json
from tasks_inbox.eligibility.quorum import ONE
from tasks_inbox.models import ManualTask, label_of

FORMAT = 1
FIRST = "0" * 64
"""What stands for the digest before the first."""


def canonical(value: Json) -> str:
    """The one text of a JSON value."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def digest_of(text: str) -> str:
    """SHA-256, in hex."""
    return sha256(text.encode()).hexdigest()


def shown(task: ManualTask) -> dict[str, Json]:
    """All that a decider is shown of the question itself."""
    return {
        "title": task.title,
        "instructions": task.instructions,
        "facts": task.facts,
        "outcomes": task.outcomes,
        "form": task.form,
        "quorum": task.quorum or ONE,
        "round": task.round,
    }


def shown_hash(task: ManualTask) -> str:
    """What binds a decision to what was seen, and changes with it (docs/security.md, "Decisions")."""
    return digest_of(canonical(shown(task)))


@dataclass(frozen=True, slots=True)
class Decider:
    """Who decides: the name as it was printed then, by what way they came, whether they gave their password again."""

    username: str
    name: str
    user_id: int | None
    via: str
    signed: bool


@dataclass(frozen=True, slots=True)
class Record:
    """A link: its place in the chain, its text, and when it was written (RFC 3339)."""

    seq: int
    at: str
    text: str

    @property
    def digest(self) -> str:
        """What the next record holds."""
        return digest_of(self.text)


def record_of(
    task: ManualTask,
    run_facts: Mapping[str, Json],
    chain: Mapping[str, Json],
    quorum: Mapping[str, Json],
    *,
    by: Decider,
    outcome: str,
    data: Json,
    comment: str,
    files: Sequence[Json] = (),
    settled_by: str | None = None,
    seen: str | None = None,
    covers: Mapping[str, Json] | None = None,
) -> Record:
    """The record of one decision, behind `chain`; `run_facts` tell of run and version, `quorum` how the votes stand.

    `files` are those that the task had, if any. `settled_by` says in which way it was decided or settled, if not at
    the task; `seen` is the hash of what who decided had been shown (`presentation.hash_of`): None where it is
    not confirmed as seen. `covers`: the digests of the steps that the outcome covers.
    """
    label = label_of(task.outcomes, outcome)
    record = {
        "format": FORMAT,
        "seq": chain["seq"] + 1,
        "previous": chain["digest"],
        "at": chain["at"],
        "tenant": run_facts["tenant"],
        "run": str(task.run_id),
        "task": str(task.pk),
        "node": task.node,
        "round": task.round,
        "workflow": {key: run_facts[key] for key in ("workflow", "version", "version_hash")},
        "requester": run_facts["requester"],
        "question": task.title,
        "shown_sha256": shown_hash(task),
        "form_sha256": None if task.form is None else digest_of(canonical(task.form)),
        "outcome": outcome,
        "meaning": label,
        "data": data,
        "comment": comment,
        "by": asdict(by),
        "on_behalf_of": run_facts["on_behalf_of"],
        "quorum": dict(quorum),
        "seen": seen,
    }
    record |= {"files": list(files)} if files else {}
    record |= {"named": _named(task)} if task.named is not None else {}
    record |= {} if covers is None else {"covers": dict(covers)}
    record |= {} if settled_by is None else {"settled_by": settled_by}
    return Record(record["seq"], record["at"], canonical(record))


def _named(task: ManualTask) -> list[Json]:
    """Everybody of whom all, or a share, had to agree; of some who replaced them, or that they are excluded."""
    exclusion = {"excluded": True}
    return [
        {key: one[key] for key in ("name", "replaced_by") if key in one}
        | (exclusion if one["key"] in task.exclude and one["key"] not in task.voted else {})
        for one in task.named or ()
    ]


def remark_of(
    task: ManualTask,
    chain: Mapping[str, Json],
    *,
    id: str,
    tenant: str,
    by: Mapping[str, Json],
    kind: str,
    text: str,
) -> Record:
    """The record of a comment, a question or an answer, behind `chain`: what was known when somebody decided."""
    record = {
        "format": FORMAT,
        "seq": chain["seq"] + 1,
        "previous": chain["digest"],
        "at": chain["at"],
        "tenant": tenant,
        "run": str(task.run_id),
        "task": str(task.pk),
        "node": task.node,
        "round": task.round,
        "remark": id,
        "kind": kind,
        "text": text,
        "by": dict(by),
    }
    return Record(record["seq"], record["at"], canonical(record))


def is_unseen(record: str) -> bool:
    """Whether a record says that its decision is not confirmed as seen; those of before say nothing of it."""
    fields = json.loads(record)
    return fields.get("seen", "") is None and fields["by"]["via"] != "clock"
