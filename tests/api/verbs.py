"""What each route that changes something does when it is called again: every POST and PATCH is in one of these lists.

`SETTLED`: it brings something into a state, so that a second call changes nothing. `ANEW`: each call makes, sends or
counts something by itself. `ASKED`: it answers a question and changes nothing. `ELSEWHERE`: it settles something, which
is played in another test. Features have theirs in `routes.py` of their tests.
"""

from collections.abc import Mapping

from tests import of_features
from tests.api.playing import WHY, Settled, after, each, form

SETTLED: Mapping[tuple[str, str], tuple[Settled, ...]] = {
    **of_features.table("routes", "SETTLED"),
    ("api-calendar", "PATCH"): (Settled({"timezone": "Europe/Vienna"}),),
    ("api-dead-letter-discard", "POST"): (Settled(WHY),),
    ("api-dead-letter-redrive", "POST"): (Settled(),),
    ("api-dead-letters-discard", "POST"): (Settled({"filter": {}, **WHY}),),
    ("api-dead-letters-redrive", "POST"): (Settled({"filter": {}}),),
    ("api-folder", "PATCH"): (Settled({"name": "Another"}),),
    ("api-group", "PATCH"): (Settled({"name": "Another"}),),
    ("api-inbox-view", "PATCH"): (Settled({"name": "Another"}),),
    ("api-me", "PATCH"): (Settled({"time_zone": "Europe/Vienna"}),),
    ("api-me-notifications", "PATCH"): (Settled({"mail": "assigned"}),),
    ("api-job-complete", "POST"): (Settled({"output": None}, leased=True),),
    ("api-job-release", "POST"): (Settled({}, leased=True),),
    ("api-member", "PATCH"): (
        Settled({"active": False, **WHY}),
        Settled({"active": True}, (("api-member", {"active": False, **WHY}),)),
        Settled({"role": "viewer"}),
    ),
    ("api-member-hand-over", "POST"): (Settled({"items": []}),),
    ("api-request-withdraw", "POST"): (Settled(WHY),),
    ("api-run-cancel", "POST"): (Settled(),),
    ("api-run-pause", "POST"): (Settled(),),
    ("api-run-resume", "POST"): (Settled(failed=True),),
    ("api-run-unpause", "POST"): (after("api-run-pause"),),
    ("api-run-search", "PATCH"): (Settled({"name": "Another"}),),
    ("api-step-retry", "POST"): (Settled(failed=True),),
    ("api-step-skip", "POST"): (Settled({"output": None}),),
    ("api-task-assign", "POST"): (Settled({"assignee": "operator-of-ours"}),),
    ("api-task-claim", "POST"): (Settled(),),
    ("api-task-delegate", "POST"): (Settled({"to": "operator-of-ours"}),),
    ("api-task-unclaim", "POST"): (after("api-task-claim"),),
    ("api-task-unwatch", "POST"): (after("api-task-watch"),),
    ("api-task-watch", "POST"): (Settled(),),
    ("api-token", "PATCH"): (Settled({"queues": ["card"], "folders": ["General"]}),),
    ("api-token-revoke", "POST"): (Settled(),),
    ("api-workflow", "PATCH"): (
        Settled({"archived": True}),
        Settled({"archived": False}, (("api-workflow", {"archived": True}),)),
    ),
    ("api-workflow-comment-reopen", "POST"): (after("api-workflow-comment-resolve"),),
    ("api-workflow-comment-resolve", "POST"): (Settled(),),
    ("api-workflow-publish", "POST"): (Settled(),),
    ("api-workflow-version-restore", "POST"): (Settled(WHY, (("api-workflow-version-withdraw", WHY),)),),
    ("api-workflow-version-withdraw", "POST"): (Settled(WHY),),
    ("operations-letter-redrive", "POST"): (form(),),
    ("request-withdraw", "POST"): (form(reason="Because."),),
    ("run-cancel", "POST"): (form(),),
    ("run-resume", "POST"): (Settled({}, form=True, failed=True),),
    ("run-seen-to", "POST"): (Settled({}, form=True, failed=True),),
    ("run-pause", "POST"): (form(),),
    ("run-unpause", "POST"): (Settled({}, (("api-run-pause", {}),), form=True),),
    ("settings-member-active", "POST"): (form(active="no", why="Because.", confirm="yes"),),
    ("settings-away-end", "POST"): (form(),),
    ("settings-member-log-out", "POST"): (form(),),
    ("settings-token", "POST"): (form(queues="card", folders="*"),),
    ("settings-token-revoke", "POST"): (form(),),
    ("task-claim", "POST"): (form(),),
    ("task-watch", "POST"): (form(watching="yes"), form(watching="no")),
    ("task-unclaim", "POST"): (Settled({}, (("api-task-claim", {}),), form=True),),
    ("api-task-answer", "POST"): (Settled({"text": "B."}, (("api-task-ask", {"text": "A?"}),)),),
    ("api-task-ask", "POST"): (Settled({"text": "A?"}),),
    ("calendar-delete", "POST"): (form(),),
    ("inbox-view-delete", "POST"): (form(),),
    ("settings-folder-delete", "POST"): (form(),),
    ("settings-group-delete", "POST"): (form(reason="Because.", confirm="yes"),),
    ("settings-member-remove", "POST"): (form(reason="Because.", confirm="yes"),),
    ("settings-notifications", "POST"): (form(mail="assigned", digest_hour=""),),
    ("step-retry", "POST"): (Settled({"value": "{}"}, form=True, failed=True),),
    ("step-skip", "POST"): (form(value="null"),),
    ("task-delegate", "POST"): (form(to="operator-of-ours"),),
    ("task-take-back", "POST"): (form(),),
    ("workflow-move", "POST"): (form(folder=""),),
    ("workflow-archive", "POST"): (
        form(),
        Settled({"undo": "1"}, (("api-workflow", {"archived": True}),), form=True),
    ),
    ("workflow-version-restore", "POST"): (
        Settled({"reason": "Because."}, (("api-workflow-version-withdraw", WHY),), form=True),
    ),
    ("workflow-version-withdraw", "POST"): (form(reason="Because."),),
}


ANEW = each(
    of_features.words("routes", "ANEW") +
    # Makes one more of something, or a new secret.
    "api-away-rules api-calendars api-folders api-groups "
    "api-inbox-views api-member-password-link api-members "
    "api-run-searches api-token-rotate api-tokens "
    "api-workflow-test-cases api-workflow-test-cases-record api-workflows calendar-new inbox-view-add "
    "runs-search-keep "
    "settings-away-add settings-folder-add settings-group-add settings-member-add settings-member-make-link "
    "settings-token-rotate settings-tokens "
    "workflow-duplicate workflow-import api-workflows-import "
    "workflow-new workflow-take-example "
    # Says or sends something once more.
    "api-files api-task-comments api-task-files api-workflow-comments "
    "settings-member-send-link task-attach "
    "task-comment password-forgotten "
    # Starts or tries something once more; keys and ids of messages keep it from that (docs/api.md).
    "api-run-rerun api-run-signals api-runs api-runs-batch api-signals api-signals-broadcast "
    "api-workflow-test-cases-run api-workflow-trials run-again run-signal "
    "step-rerun workflow-start "
    # Is kept as evidence where it comes late (docs/engine.md, "Leases").
    "api-job-fail api-jobs-fail "
    # Takes what is next.
    "api-jobs-claim api-jobs-poll api-task-escalate task-escalate "
    # Holds from now on for some time.
    "api-job-heartbeat api-jobs-heartbeat api-task-snooze api-workflow-presence "
    "task-snooze login "
)
ASKED = each(
    of_features.words("routes", "ASKED") + "api-calendar-preview "
    "api-decision-table-export api-decision-table-import api-decision-table-test "
    "api-workflow-deciders api-workflow-evaluate api-workflow-rename-step api-workflow-rename-fact "
    "api-workflow-scope api-workflows-read "
    "api-workflows-validate api-workflows-write task-form workflow-start-form workflow-test-form "
)
ELSEWHERE = each(
    of_features.words("routes", "ELSEWHERE") +
    # What is written down is what is there already; or it is not there any more (a 404).
    "runs-search-delete api-workflow-draft:PATCH api-workflow-test-case:PATCH "
    "calendar-change inbox-open inbox-view-change logout "
    "password-link runs-columns runs-search-change settings-folder "
    "settings-group settings-me settings-member settings-member-groups settings-member-hand-over "
    "settings-password task-draft workflow-definition workflow-pipeline "
    "workflow-restore workflow-start-draft "
    # What is decided, asked, answered or returned is so: tests/inbox. Items, and the run that a step waits for:
    # tests/api/test_item_verbs_api.py. Many together are each as one.
    "api-step-cancel api-step-pause api-step-resume api-step-unpause api-run-migrate api-runs-bulk "
    "api-task-complete api-task-resolve api-task-resubmit api-task-return api-task-undo api-tasks-bulk "
    "inbox-bulk-do run-items-act run-migrate run-resume-on step-leave "
    "task-answer task-decide task-resolve task-resubmit task-return task-undo "
    # Jobs of several, and other protocols' names for the same: tests/api/test_many_jobs.py, tests/integrations.
    "api-jobs-complete "
    # Once in four hours: tests/web/test_request_reminders.py.
    "api-request-remind request-remind "
)
