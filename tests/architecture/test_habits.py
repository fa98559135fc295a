"""Rules about who may do what; an exception is written down here, with its reason."""

import ast
import re

from tests.architecture.sources import PRODUCT, nodes, offenders, source, texts

# Few places open transactions: here is what each changes together.
MAY_OPEN_TRANSACTIONS = {
    "accounts/folders.py": "a folder, its grants and the audit's entry",
    "accounts/idempotency.py": "what a request does and the answer that is kept for its key",
    "accounts/members.py": "a membership, what ends with it and the audit's entry",
    "accounts/passwords.py": "a password and the end of sessions; a link and its mail",
    "accounts/preferences.py": "what somebody is mailed, and where, and the audit's entry",
    "accounts/api/audit.py": "that an export was made",
    "accounts/management/commands/create_token.py": "a token and the audit's record",
    "accounts/management/commands/first_start.py": "the admin and the audit's record",
    "accounts/management/commands/password_link.py": "the audit's records of a link in each tenant",
    "accounts/management/commands/revoke_token.py": "the end of tokens and the audit's records",
    "accounts/sealed.py": "a key that is wrapped anew and the audit's record",
    "tasks_inbox/evidence/exports.py": "that an export was made",
    "accounts/audit/chain.py": "places of records in their chains; old records and the closing record",
    "accounts/services.py": "a user and a membership, a group and its members, a password and the end of sessions",
    "accounts/tokens.py": "a token, its successor or its end, and the audit's entry",
    "runs/kernel/advance.py": "the endings of a batch and all that follows from them",
    "runs/kernel/hand_back.py": "steps that are given back, under the locks of their runs",
    "runs/kernel/unit_of_work.py": "every other change of runs",
    "runs/maintenance/seals.py": "seals of runs, under their locks",
    "runs/integrity/repair.py": "a repair and its entry in history; each finding by itself",
    "runs/commands/job_reports.py": "leases and what was said of those jobs",
    "runs/commands/replay.py": "a new run and what it keeps of another one",
    "runs/commands/saved.py": "a saved search and the audit's entry",
    "runs/commands/dead_letters.py": "a dead letter that is still open and what is done with its run",
    "operations/bulk/work.py": "an item and its run",
    "runs/calendars/calendars.py": "a calendar, the schedules that keep to it and the audit's entry",
    "triggers/schedules/firing.py": "a due time: its run, its entry and the next one",
    "triggers/schedules/service.py": "a schedule, or a run by hand with its entry, and the audit's entry",
    "triggers/webhooks/actions.py": "the note that a message was taken and what it causes",
    "triggers/webhooks/service.py": "a webhook, its secrets and the audit's entry",
    "tasks_inbox/actions/handover.py": "one thing that is handed over and the audit's entry",
    "tasks_inbox/actions/absences.py": "a rule of somebody who is away and the audit's entry",
    "tasks_inbox/actions/resolving.py": "a compensation that is settled, its task and the audit's entry",
    "tasks_inbox/duties/undecidable.py": "marks of tasks, the incidents of them and alerts",
    "runs/files/uploads.py": "an uploaded file and the audit's entry",
    "tasks_inbox/forms/files.py": "a file of an open task and the audit's entry",
    "tasks_inbox/reading/saved.py": "a saved search and the audit's entry",
    "workflows/trials/cases.py": "a test case, under the lock of its workflow, and the audit's entry",
    "workflows/comments/threads.py": "a comment, its thread, mails to whom it mentions and the audit's entry",
    "workflows/drafts/changing.py": "a draft, which groups of changes are in it and the audit's entry",
    "workflows/management/commands/load_examples.py": "all examples and what comes with them, or none",
    "runs/commands/filing.py": "a run that is filed for another member and the audit's entry",
    "workflows/versions/withdrawing.py": "whether new runs take a version and the audit's entry",
    "workflows/versions/lifecycle.py": "a workflow, its draft or next version and the audit's entry",
    "runs/commands/child_runs.py": "all children that begin together, or a next run; a refusal undoes no more",
    "runs/commands/tree_limits.py": "what is counted without a look at others, which is undone near a limit",
    "runs/commands/jobs.py": "what is leased to polls that came together: all of it or nothing",
    "runs/kernel/messages.py": "that messages are taken and what they cause",
    "operations/telemetry/counting.py": "counts and the cursor behind what was counted",
    "integrations/webhooks_out/service.py": "a webhook, its secrets, what is sent at once and the audit's entry",
    "operations/alerts/answering.py": "an alert, what is told of it and the audit's entry",
    "runs/maintenance/input_index.py": "rows of the index and how far it has come",
    "operations/alerts/channels.py": "a channel, the rules that name it and the audit's entry",
    "operations/alerts/evaluating.py": "all that a look raises, tells of, escalates and resolves",
    "operations/alerts/rules.py": "a rule and the audit's entry",
    "integrations/webhooks_out/switching.py": "a webhook that is switched off and the mails of it",
}

# Every use over all tenants, and why it is one.
OVER_ALL_TENANTS = {
    "accounts/scoping.py": "defines it",
    "accounts/queries.py": "who is asking is found before any tenant is known",
    "accounts/services.py": "makes the admin's membership at the first start",
    "accounts/members.py": "whether other tenants have a user, whom nobody else may rename or take in then",
    "accounts/sealed.py": "a new master key wraps the keys of every tenant",
    "runs/models/base.py": "defines it for the hot tables",
    "runs/management/commands/verify_history.py": "--all looks at the runs of every tenant",
    "workflows/versions/carried.py": "an alert is found for every tenant that has such a version",
    "runs/maintenance/input_index.py": "the duty indexes the runs of all tenants, each as its own",
    "workflows/queries.py": "as above: versions with searchable fields, by their ids",
    "runs/reading/carried_runs.py": "an alert is found for every tenant that has such a version",
    "runs/reading/histories.py": "how many runs differ is told to whoever runs Handoff",
    "triggers/schedules/reading.py": "how many schedules were stopped is told to whoever runs Handoff",
    "runs/reading/mails.py": "an alert is found for every tenant whose mails fail",
    "runs/reading/messages.py": "how far back signals are looked through is bounded among those of all tenants",
    "runs/reading/queries.py": "what had to be repaired is of whoever runs Handoff, not of a tenant",
    "tasks_inbox/duties/undecidable.py": "how many tasks nobody can decide is told to whoever runs Handoff",
    "tasks_inbox/design/narrowed.py": "what asks fewer people is told to whoever runs Handoff",
    "integrations/rochallor/naming.py": "a version is known by the run or job that has it, which is the tenant's",
    "runs/kernel/graphs.py": "workers serve all tenants; the version is named by the run's own row",
    "workflows/unnumbered.py": "as above: what a container does is asked for by its version",
}
DJANGO_SIGNALS = {"post_save", "pre_save", "post_delete", "pre_delete", "m2m_changed", "receiver"}


def test_transactions_are_opened_in_few_places():
    def opened(path):
        return [
            n.lineno for n in nodes(path, "atomic") if isinstance(n, ast.Attribute) and n.attr == "atomic"
        ]

    found = offenders(PRODUCT, opened)
    assert found.keys() - MAY_OPEN_TRANSACTIONS.keys() == set(), "say here what it changes together"
    assert MAY_OPEN_TRANSACTIONS.keys() - found.keys() == set(), "no longer an exception"


def test_every_query_over_all_tenants_is_known():
    users = {path for path in PRODUCT if "unsafe_all_tenants" in source(path)}
    assert users - set(OVER_ALL_TENANTS) == set(), "say why here, or use objects.for_tenant()"
    assert set(OVER_ALL_TENANTS) - users == set(), "no longer an exception"


def test_no_logic_hangs_on_django_signals():
    def imported(path):
        return DJANGO_SIGNALS & {
            name.name
            for node in nodes(path, *DJANGO_SIGNALS)
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("django")
            for name in node.names
        }

    assert offenders(PRODUCT, imported) == {}


def test_rows_of_hot_tables_are_never_saved_one_by_one():
    def saves(path):
        return [
            node.lineno
            for node in nodes(path, "save")
            if isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr == "save"
        ]

    assert offenders([path for path in PRODUCT if path.startswith("runs/")], saves) == {}


def test_nothing_names_the_machine_that_it_was_written_on():
    places = re.compile(r"(?<![\w.])/(?:work|root|home/\w+)/")
    assert [path for path, text in texts().items() if places.search(text)] == []
