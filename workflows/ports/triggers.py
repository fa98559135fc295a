"""What starts runs of a workflow by itself; an app above tells it in its `AppConfig.ready`."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from accounts.principal import Principal
from workflows.models import Workflow


@dataclass(frozen=True, slots=True)
class Trigger:
    """Something that starts runs or is a signal to them: its name, what it does in words, and whether it is on; when it
    last refused to, and why; and the path of its page, for who may open it. `kind`: what it is, in a word.
    """

    name: str
    does: str
    is_on: bool
    refused_at: datetime | None = None
    refused_why: str = ""
    path: str = ""
    kind: str = "Webhook"


Tell = Callable[[Principal, Workflow], Sequence[Trigger]]
_TELLERS: list[Tell] = []


def tell_triggers(tell: Tell) -> Tell:
    """Registers a function that gives the triggers of a workflow which somebody may see."""
    _TELLERS.append(tell)
    return tell


def triggers_of(who: Principal, workflow: Workflow) -> list[Trigger]:
    """The triggers of a workflow which they may see."""
    return [trigger for tell in _TELLERS for trigger in tell(who, workflow)]
