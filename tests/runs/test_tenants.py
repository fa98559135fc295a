"""What is done to runs is done within their tenant: for another one they are not there."""

import pytest

from lib.uuid7 import uuid7
from runs.commands import lifecycle, operators, replay
from runs.commands.signals import NewSignal, send_signals
from runs.kernel.refused import RunRefused
from tests import factories as make

pytestmark = pytest.mark.django_db

VERBS = {
    "cancel": lambda tenant, run: lifecycle.cancel_runs(tenant, [run], by="test"),
    "pause": lambda tenant, run: lifecycle.pause_runs(tenant, [run], by="test"),
    "unpause": lambda tenant, run: lifecycle.unpause_runs(tenant, [run], by="test"),
    "resume": lambda tenant, run: lifecycle.resume_runs(tenant, [run], by="test"),
    "signal": lambda tenant, run: send_signals(tenant, [(run, NewSignal("s", "go", None))], by="test"),
    "retry": lambda tenant, run: operators.retry_step(tenant, run, "a", by="test"),
    "skip": lambda tenant, run: operators.skip_step(tenant, run, "a", None, by="test"),
    "rerun": lambda tenant, run: replay.rerun(tenant, run, "a", id=uuid7(), by="test"),
}


@pytest.mark.parametrize("verb", VERBS)
def test_a_run_of_another_tenant_is_not_there_and_stays_as_it_is(verb):
    (run,) = make.start(make.chain("noop"))
    if verb in ("resume", "retry", "skip", "rerun"):
        make.fail(*make.claimed())
    before = make.history(run)

    with pytest.raises(RunRefused, match="no such run"):
        VERBS[verb](make.a_tenant("theirs").pk, run)

    assert make.history(run) == before
