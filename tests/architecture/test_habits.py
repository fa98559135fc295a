"""Rules about who may do what; an exception is written down here, with its reason."""

import ast
import re

from tests.architecture.sources import PRODUCT, ROOT, nodes, offenders, source

# Few places open transactions, and each says what it changes together.
MAY_OPEN_TRANSACTIONS = {
    "accounts/folders.py",
    "accounts/idempotency.py",
    "accounts/members.py",
    "accounts/passwords.py",
    "accounts/preferences.py",
    "accounts/services.py",
    "accounts/tokens.py",
    "runs/kernel/advance.py",
    "runs/kernel/hand_back.py",
    "runs/kernel/unit_of_work.py",
    "runs/maintenance/seals.py",
    "runs/integrity/repair.py",
    "runs/commands/job_reports.py",
    "runs/commands/replay.py",
    "runs/commands/saved.py",
    "runs/bulk_jobs/work.py",
    "runs/schedules/calendars.py",
    "runs/schedules/firing.py",
    "runs/schedules/services.py",
    "runs/webhooks/actions.py",
    "runs/webhooks/services.py",
    "tasks_inbox/actions/absences.py",
    "tasks_inbox/actions/resolving.py",
    "tasks_inbox/duties/undecidable.py",
    "tasks_inbox/forms/files.py",
    "tasks_inbox/reading/saved.py",
    "workflows/trials/cases.py",
    "workflows/comments/threads.py",
    "workflows/drafts/changing.py",
    "workflows/management/commands/load_examples.py",
    "workflows/versions/lifecycle.py",
    "runs/commands/child_runs.py",
    "runs/commands/jobs.py",
    "runs/kernel/messages.py",
    "runs/maintenance/telemetry.py",
    "runs/outgoing/services.py",
    "runs/alerts/answering.py",
    "runs/alerts/channels.py",
    "runs/alerts/evaluating.py",
    "runs/alerts/rules.py",
    "runs/outgoing/switching.py",
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
    "runs/reading/mails.py": "an alert is found for every tenant whose mails fail",
    "runs/reading/messages.py": "how far back signals are looked through is bounded among those of all tenants",
    "runs/reading/queries.py": "what had to be repaired is of whoever runs Handoff, not of a tenant",
    "tasks_inbox/duties/undecidable.py": "how many tasks nobody can decide is told to whoever runs Handoff",
    "s4/naming.py": "a version is known by the run or job that has it, which is the tenant's",
    "runs/kernel/working_time.py": "as below: calendars of several tenants are read at once, each by its own tenant",
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
    assert found.keys() - MAY_OPEN_TRANSACTIONS == set()
    assert MAY_OPEN_TRANSACTIONS - found.keys() == set(), "no longer an exception"


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
    tracked = [path for path in ROOT.glob("*") if path.is_file() and not path.name.startswith(".")]
    places = re.compile(r"(?<![\w.])/(work|root|home/\w+)/")
    assert [path.name for path in tracked if places.search(path.read_text(errors="replace"))] == []
