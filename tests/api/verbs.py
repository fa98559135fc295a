"""What each route that changes something does when it is called again: every POST and PATCH is in one of these lists.

`SETTLED`: it brings something into a state, so that a second call changes nothing. `ANEW`: each call makes, sends or
counts something by itself. `ASKED`: it answers a question and changes nothing. `ELSEWHERE`: it settles something, which
is played in another test.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

Body = dict[str, Any]


@dataclass(frozen=True)
class Settled:
    """How a verb is played: with `body`, after `before` (routes with their bodies), by REST or as a form.

    `leased`: the job is polled first, and its token is in the body;
    `failed`: the run is the one that has failed.
    """

    body: Body | None = None
    before: tuple[tuple[str, Body], ...] = ()
    form: bool = False
    leased: bool = False
    failed: bool = False


def _form(**body: str) -> Settled:
    return Settled(body, form=True)


def _after(*before: str, **body: Any) -> Settled:
    return Settled(body, tuple((one, {}) for one in before))


_OFF, _ON = Settled({"enabled": False}), Settled({"enabled": True})
_WHY = {"reason": "Because."}

SETTLED: Mapping[tuple[str, str], tuple[Settled, ...]] = {
    ("api-alert-acknowledge", "POST"): (Settled(),),
    ("api-alert-resolve", "POST"): (Settled(),),
    ("api-alert-channel", "PATCH"): (_OFF, _ON),
    ("api-alert-rule", "PATCH"): (_OFF, _ON),
    ("api-bulk-job-cancel", "POST"): (Settled(),),
    ("api-calendar", "PATCH"): (Settled({"timezone": "Europe/Vienna"}),),
    ("api-dead-letter-discard", "POST"): (Settled(_WHY),),
    ("api-dead-letter-redrive", "POST"): (Settled(),),
    ("api-dead-letters-redrive", "POST"): (Settled({"filter": {}}),),
    ("api-dispatch-retry", "POST"): (Settled(),),
    ("api-folder", "PATCH"): (Settled({"name": "Another"}),),
    ("api-group", "PATCH"): (Settled({"name": "Another"}),),
    ("api-inbox-view", "PATCH"): (Settled({"name": "Another"}),),
    ("api-me", "PATCH"): (Settled({"time_zone": "Europe/Vienna"}),),
    ("api-me-notifications", "PATCH"): (Settled({"mail": "assigned"}),),
    ("api-job-complete", "POST"): (Settled({"output": None}, leased=True),),
    ("api-job-release", "POST"): (Settled({}, leased=True),),
    ("api-member", "PATCH"): (
        Settled({"active": False, **_WHY}),
        Settled({"active": True}, (("api-member", {"active": False, **_WHY}),)),
        Settled({"role": "viewer"}),
    ),
    ("api-member-hand-over", "POST"): (Settled({"items": []}),),
    ("api-outgoing-webhook", "PATCH"): (
        _OFF,
        Settled({"enabled": True}, (("api-outgoing-webhook", {"enabled": False}),)),
    ),
    ("api-outgoing-webhook-discard", "POST"): (Settled({"confirm": True}),),
    ("api-outgoing-webhook-enable", "POST"): (
        Settled(),
        Settled(None, (("api-outgoing-webhook", {"enabled": False}),)),
    ),
    ("api-outgoing-webhook-replay", "POST"): (Settled(),),
    ("api-outgoing-webhook-replay-since", "POST"): (Settled({"since": datetime.now(UTC).isoformat()}),),
    ("api-request-withdraw", "POST"): (Settled(_WHY),),
    ("api-run-cancel", "POST"): (Settled(),),
    ("api-run-pause", "POST"): (Settled(),),
    ("api-run-resume", "POST"): (Settled(failed=True),),
    ("api-run-unpause", "POST"): (_after("api-run-pause"),),
    ("api-run-search", "PATCH"): (Settled({"name": "Another"}),),
    ("api-schedule", "PATCH"): (_ON, Settled({"enabled": False}, (("api-schedule", {"enabled": True}),))),
    ("api-step-retry", "POST"): (Settled(failed=True),),
    ("api-step-skip", "POST"): (Settled({"output": None}),),
    ("api-task-assign", "POST"): (Settled({"assignee": "operator-of-ours"}),),
    ("api-task-claim", "POST"): (Settled(),),
    ("api-task-delegate", "POST"): (Settled({"to": "operator-of-ours"}),),
    ("api-task-unclaim", "POST"): (_after("api-task-claim"),),
    ("api-task-unwatch", "POST"): (_after("api-task-watch"),),
    ("api-task-watch", "POST"): (Settled(),),
    ("api-token", "PATCH"): (Settled({"queues": ["card"], "folders": ["General"]}),),
    ("api-token-revoke", "POST"): (Settled(),),
    ("api-webhook", "PATCH"): (_OFF, Settled({"enabled": True}, (("api-webhook", {"enabled": False}),))),
    ("api-workflow", "PATCH"): (
        Settled({"archived": True}),
        Settled({"archived": False}, (("api-workflow", {"archived": True}),)),
    ),
    ("api-workflow-comment-reopen", "POST"): (_after("api-workflow-comment-resolve"),),
    ("api-workflow-comment-resolve", "POST"): (Settled(),),
    ("api-workflow-publish", "POST"): (Settled(),),
    ("api-workflow-version-restore", "POST"): (Settled(_WHY, (("api-workflow-version-withdraw", _WHY),)),),
    ("api-workflow-version-withdraw", "POST"): (Settled(_WHY),),
    ("operations-alert-acknowledge", "POST"): (_form(),),
    ("operations-alert-channel-switch", "POST"): (_form(), _form(on="1")),
    ("operations-alert-resolve", "POST"): (_form(),),
    ("operations-dispatch-retry", "POST"): (_form(),),
    ("operations-letter-redrive", "POST"): (_form(),),
    ("request-withdraw", "POST"): (_form(reason="Because."),),
    ("run-cancel", "POST"): (_form(),),
    ("run-resume", "POST"): (Settled({}, form=True, failed=True),),
    ("run-seen-to", "POST"): (Settled({}, form=True, failed=True),),
    ("run-pause", "POST"): (_form(),),
    ("run-unpause", "POST"): (Settled({}, (("api-run-pause", {}),), form=True),),
    ("schedule-switch", "POST"): (
        _form(on="1"),
        Settled({}, (("api-schedule", {"enabled": True}),), form=True),
    ),
    ("settings-member-active", "POST"): (_form(active="no", why="Because.", confirm="yes"),),
    ("settings-away-end", "POST"): (_form(),),
    ("settings-member-log-out", "POST"): (_form(),),
    ("settings-outgoing-webhook-discard", "POST"): (_form(confirm="yes"),),
    ("settings-outgoing-webhook-switch", "POST"): (_form(), _form(on="1")),
    ("settings-token", "POST"): (_form(queues="card", folders="*"),),
    ("settings-token-revoke", "POST"): (_form(),),
    ("settings-webhook-switch", "POST"): (_form(), _form(on="1")),
    ("task-claim", "POST"): (_form(),),
    ("task-watch", "POST"): (_form(watching="yes"), _form(watching="no")),
    ("task-unclaim", "POST"): (Settled({}, (("api-task-claim", {}),), form=True),),
    ("api-task-answer", "POST"): (Settled({"text": "B."}, (("api-task-ask", {"text": "A?"}),)),),
    ("api-task-ask", "POST"): (Settled({"text": "A?"}),),
    ("calendar-delete", "POST"): (_form(),),
    ("inbox-view-delete", "POST"): (_form(),),
    ("operations-alert-channel-delete", "POST"): (_form(),),
    ("schedule-delete", "POST"): (_form(),),
    ("settings-folder-delete", "POST"): (_form(),),
    ("settings-group-delete", "POST"): (_form(reason="Because.", confirm="yes"),),
    ("settings-member-remove", "POST"): (_form(reason="Because.", confirm="yes"),),
    ("settings-notifications", "POST"): (_form(mail="assigned", digest_hour=""),),
    ("settings-outgoing-webhook-delete", "POST"): (_form(),),
    ("settings-outgoing-webhook-replay", "POST"): (_form(),),
    ("settings-webhook-delete", "POST"): (_form(),),
    ("step-retry", "POST"): (Settled({"value": "{}"}, form=True, failed=True),),
    ("step-skip", "POST"): (_form(value="null"),),
    ("task-delegate", "POST"): (_form(to="operator-of-ours"),),
    ("task-take-back", "POST"): (_form(),),
    ("workflow-move", "POST"): (_form(folder=""),),
    ("workflow-archive", "POST"): (
        _form(),
        Settled({"undo": "1"}, (("api-workflow", {"archived": True}),), form=True),
    ),
    ("workflow-version-restore", "POST"): (
        Settled({"reason": "Because."}, (("api-workflow-version-withdraw", _WHY),), form=True),
    ),
    ("workflow-version-withdraw", "POST"): (_form(reason="Because."),),
}


def _each(text: str) -> set[tuple[str, str]]:
    """Names of routes, each with its method, which is POST unless it is written behind a colon."""
    pairs = (word.partition(":") for word in text.split())
    return {(name, method or "POST") for name, _, method in pairs}


ANEW = _each(
    # Makes one more of something, or a new secret.
    "api-alert-channels api-alert-rules api-away-rules api-bulk-jobs api-calendars api-folders api-groups "
    "api-inbox-views api-member-password-link api-members api-outgoing-webhook-rotate api-outgoing-webhooks "
    "api-run-searches api-schedules api-token-rotate api-tokens api-webhook-rotate api-webhooks "
    "api-workflow-test-cases api-workflow-test-cases-record api-workflows calendar-new inbox-view-add "
    "operations-alert-channels operations-alert-rule-new runs-search-keep s4-definitions schedule-new "
    "settings-away-add settings-folder-add settings-group-add settings-member-add settings-member-make-link "
    "settings-outgoing-webhook-rotate settings-outgoing-webhooks settings-token-rotate settings-tokens "
    "settings-webhook-rotate settings-webhooks workflow-duplicate workflow-import api-workflows-import "
    "workflow-new workflow-take-example "
    # Says or sends something once more.
    "api-alert-channel-test api-outgoing-webhook-test api-task-comments api-task-files api-workflow-comments hook "
    "operations-alert-channel-test settings-member-send-link settings-outgoing-webhook-test task-attach "
    "task-comment password-forgotten "
    # Starts or tries something once more; keys and ids of messages keep it from that (docs/api.md).
    "api-run-rerun api-run-signals api-runs api-runs-batch api-schedule-run api-signals api-signals-broadcast "
    "api-workflow-test-cases-run api-workflow-trials run-again run-signal s4-instances s4-signal schedule-run "
    "step-rerun v1-workflow-signals v1-workflows workflow-start "
    # Is kept as evidence where it comes late (docs/engine.md, "Leases").
    "api-job-fail api-jobs-fail s4-job-fail v1-activities-fail "
    # Takes what is next.
    "api-jobs-claim api-jobs-poll api-task-escalate s4-jobs-poll task-escalate v1-activities-poll "
    # Holds from now on for some time.
    "api-alert-mute api-job-heartbeat api-jobs-heartbeat api-task-snooze api-workflow-presence "
    "operations-alert-mute task-snooze v1-activities-heartbeat login "
)
ASKED = _each(
    "api-calendar-preview "
    "api-workflow-deciders api-workflow-evaluate api-workflow-rename-step api-workflow-scope api-workflows-read "
    "api-workflows-validate api-workflows-write schedule-preview task-form workflow-start-form "
)
ELSEWHERE = _each(
    # What is written down is what is there already; or it is not there any more (a 404).
    "runs-search-delete api-workflow-draft:PATCH api-workflow-test-case:PATCH bulk-job-go bulk-job-stop "
    "calendar-change inbox-open inbox-view-change logout operations-alert-channel operations-alert-rule "
    "operations-alert-rule-delete password-link runs-columns runs-search-change schedule-edit settings-folder "
    "settings-group settings-me settings-member settings-member-groups settings-member-hand-over "
    "settings-outgoing-webhook-edit settings-password task-draft workflow-definition workflow-pipeline "
    "workflow-restore workflow-start-draft "
    # A replay is under way, or the page of what is played above by REST.
    "settings-outgoing-webhook-replay-since "
    # What is decided, asked, answered or returned is so: tests/inbox. Items, and the run that a step waits for:
    # tests/api/test_item_verbs_api.py. Many together are each as one.
    "api-step-cancel api-step-pause api-step-resume api-step-unpause api-run-migrate api-runs-bulk "
    "api-task-complete api-task-resolve api-task-resubmit api-task-return api-task-undo api-tasks-bulk "
    "api-workflow-migrate inbox-bulk-do run-items-act run-migrate run-resume-on runs-together step-leave "
    "task-answer task-decide task-resolve task-resubmit task-return task-undo workflow-move-runs "
    # Jobs of several, and other protocols' names for the same: tests/api/test_many_jobs.py, tests/integrations.
    "api-jobs-complete s4-cancel s4-job-complete s4-step-task s4-user-task v1-activities-complete "
)
