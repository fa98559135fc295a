"""What `manage.py doctor` says of tasks and features: tasks that nobody can decide, what asks fewer people than it
did, and what the module `findings` of each feature finds.
"""

from collections.abc import Iterator

from config.features import modules
from config.host import Finding
from lib.english import counted
from tasks_inbox.design.narrowed import narrowed
from tasks_inbox.duties import undecidable


def of_tasks() -> Iterator[Finding]:
    """Of all tenants."""
    if count := undecidable.count():
        advice = "operators find an incident for each of them in the inbox: assign or escalate the task"
        yield Finding("problem", f"{counted(count, 'open task')} that nobody who is asked can decide", advice)
    for feature in modules("findings"):
        yield from (Finding(*one) for one in feature.findings())
    for one in narrowed():
        yield Finding(
            "warn",
            f"{one.workflow} lies in the folder {one.folder}: its steps that name nobody ask {one.asked} of the "
            f"{one.able} people who decide tasks (older open tasks: {one.open_tasks})",
            "grant decide to others in Settings, Folders, or name them in the step; publishing it anew ends this hint",
        )
