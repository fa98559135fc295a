"""Two that look at once whether anybody can decide a task: one of them tells."""

import logging

from accounts.models import Membership
from tasks_inbox.duties import undecidable
from tasks_inbox.models import ManualTask
from tests.inbox.asking import approval, asked, member
from tests.races.staging import holding


def test_who_looks_at_once_with_somebody_else_tells_nothing_again(caplog):
    member("ann")
    task = asked(approval(candidates={"users": ["ann"]}))
    Membership.unsafe_all_tenants.filter(user__username="ann").delete()
    with (
        caplog.at_level(logging.ERROR, "runs.kernel.alerts"),
        holding(undecidable.tick, before="note_undecidable") as late,
    ):
        assert undecidable._look(task.tenant_id, [task.pk]) == 1
    assert late.end() == 0
    assert caplog.text.count("alert nobody_may_decide") == 1
    assert ManualTask.unsafe_all_tenants.filter(kind="incident").count() == 1
