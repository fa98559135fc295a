"""What a client of a test sends with a decision: the `shown_hash` of the task as it is then, as the form of a page and
a program that reads the task first do. `post` of `generic("POST", ...)` adds nothing.
"""

import re
from collections.abc import Mapping
from typing import Any

from django.contrib.auth import SESSION_KEY
from django.test import Client

from accounts.models import User
from tasks_inbox.evidence import presentation
from tasks_inbox.models import ManualTask

_ONE = re.compile(r"^(/api/v1/tasks|/inbox)/([0-9a-f-]{36})/(?:complete|decide|return)(?:\?|$)")
_MANY = re.compile(r"^/(?:api/v1/tasks/bulk|inbox/bulk/do)(?:\?|$)")


def sending(client: Client, path: str, data: Any) -> Any:
    """What is sent to `path`, with what was read of its tasks unless it says that itself."""
    if not isinstance(data, Mapping):
        return data
    if (one := _ONE.match(path)) and "seen" not in data:
        texts = _read(client, [one[2]])
        return {**data, "seen": texts[one[2]]} if texts else data
    if _MANY.match(path) and "outcome" in data and "seen" not in data:
        ids = data.get("ids") or ()
        texts = _read(client, ids if isinstance(ids, list | tuple) else [ids])
        if path.startswith("/api"):
            return {**data, "seen": texts}
        return {**{f"seen-{id}": text for id, text in texts.items()}, **data}
    return data


def _read(client: Client, ids: Any) -> dict[str, str]:
    tasks = list(ManualTask.unsafe_all_tenants.filter(pk__in=ids))
    hashes = [presentation.hash_of(task, _username(client)) for task in tasks]
    return {str(task.pk): text for task, text in zip(tasks, hashes, strict=True)}


def _username(client: Client) -> str:
    """Whose files do not count as new to them."""
    if hasattr(client, "_credentials"):
        return str(client.get("/api/v1/me").json().get("username", ""))
    user = User.objects.filter(pk=client.session.get(SESSION_KEY)).first()
    return user.username if user else ""


def use_in(kind: type[Client]) -> None:
    """Have `post` of this kind of client send what it read."""
    plain = kind.post

    def post(client: Client, path: str, data: Any = None, *args: Any, **more: Any) -> Any:
        return plain(client, path, sending(client, path, data), *args, **more)

    kind.post = post  # type: ignore[method-assign]
