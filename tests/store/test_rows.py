"""The rows that plans write have the columns that their statements read."""

import re

import pytest

from integrations.broker import store as broker
from integrations.webhooks_out import store
from operations.alerts import store as alerts
from runs.store import (
    approvals,
    calendars,
    forecasts,
    history_checks,
    job_events,
    jobs,
    new_times,
    rows,
    signals,
    step_logs,
    tree_counts,
    undo_entries,
    variables,
)
from tests.statements import texts

RECORDS = re.compile(r"jsonb_to_record(?:set)?\(%\((\w+)\)s::jsonb\)\s+AS \w+\s*\(([^)]*)\)")
ROWS = {
    ("make_alert_rules", "defaults"): alerts.RuleRow,
    ("raise_alerts", "raised"): alerts.RaisedRow,
    ("see_alerts", "seen"): alerts.SeenRow,
    ("former_alerts", "keys"): alerts.KeyRow,
    ("open_alerts", "keys"): alerts.KeyRow,
    ("alerts_of_mails", "mails"): alerts.MailsRow,
    ("alerts_of_versions", "versions"): alerts.CarriedRow,
    ("note_alert_deliveries", "outcomes"): alerts.OutcomeRow,
    ("work_calendars", "keys"): calendars.KeyRow,
    ("note_history_check", "found"): history_checks.DifferenceRow,
    ("insert_approvals", "approvals"): approvals.ApprovalRow,
    ("approvals_of_steps", "steps"): approvals.BeginningRow,
    ("use_approvals", "uses"): approvals.UseRow,
    ("advance", "ended"): rows.EndedRow,
    ("advance", "anchors"): rows.AnchorRow,
    ("advance", "steps"): rows.StepRow,
    ("advance", "arrivals"): rows.ArrivalRow,
    ("fire_joins", "joins"): rows.DecidedRow,
    ("finish_runs", "runs"): rows.FinishedRow,
    ("read_scope", "wanted"): rows.ScopeRow,
    ("close_runs", "runs"): rows.ClosingRow,
    ("joins_never_fired", "runs"): rows.JoinsRow,
    ("note_failures", "runs"): rows.NotedRow,
    ("insert_dead_letters", "letters"): rows.LetterRow,
    ("heartbeat", "held"): rows.BeatRow,
    ("set_leases", "held"): rows.LeaseRow,
    ("hand_back", "steps"): rows.ReturnedRow,
    ("gave", "given"): rows.GivenRow,
    ("keep_late_results", "results"): rows.LateRow,
    ("next_compensations", "nodes"): rows.CompensationRow,
    ("undoable_steps", "nodes"): undo_entries.UndoableRow,
    ("completed_containers", "nodes"): undo_entries.ContentRow,
    ("insert_undo_entries", "entries"): undo_entries.EntryRow,
    ("release_undo_entries", "entries"): undo_entries.EntryKey,
    ("end_undo_entries", "entries"): undo_entries.EntryKey,
    ("tell_to_undo", "entries"): undo_entries.OrderRow,
    ("tell_drivers", "entries"): undo_entries.AnswerRow,
    ("claim_keys", "keys"): rows.KeyRow,
    ("other_inputs", "runs"): rows.InputRow,
    ("insert_runs", "runs"): rows.RunRow,
    ("note_repairs", "repairs"): rows.RepairRow,
    ("mend_run", "joins"): rows.CountedRow,
    ("enter_waits", "steps"): rows.WaitRow,
    ("open_containers", "containers"): rows.ContainerRow,
    ("count_children", "ends"): rows.ChildEndsRow,
    ("open_children", "opening"): rows.OpeningRow,
    ("open_rounds", "opening"): rows.RoundRow,
    ("arm_timers", "timers"): rows.TimerRow,
    ("limit_again", "limits"): rows.LimitRow,
    ("unbegun", "limits"): rows.LimitRow,
    ("insert_signals", "signals"): signals.SignalRow,
    ("signal_addresses", "sent"): signals.SentRow,
    ("signal_waits", "signals"): signals.OfferRow,
    ("carry_signals", "carried"): signals.CarriedRow,
    ("return_signals", "returned"): signals.ReturnedSignalRow,
    ("pass_on_messages", "messages"): signals.PassedOnRow,
    ("take_signals", "steps"): signals.TakerRow,
    ("migrate_run", "queued"): rows.QueuedRow,
    ("set_times", "timers"): new_times.NewTimerRow,
    ("set_times", "waits"): new_times.NewWaitRow,
    ("child_states", "waits"): rows.ChildWaitRow,
    ("former_children", "waits"): rows.FormerWaitRow,
    ("resume_children", "waits"): rows.AgainRow,
    ("count_runs", "counts"): tree_counts.TreeCountRow,
    ("lock_counts", "trees"): tree_counts.TreeRow,
    ("workers_polled", "workers"): jobs.ContactRow,
    ("settle_events", "failed"): broker.FailedRow,
    ("receive_jobs", "wanted"): job_events.WantedRow,
    ("receive_done_jobs", "wanted"): job_events.WantedRow,
    ("note_outgoing", "outcomes"): store.OutcomeRow,
    ("learn_rest_times", "rests"): forecasts.RestRow,
    ("rest_times", "wanted"): forecasts.WantedRow,
    ("keep_forecasts", "forecasts"): forecasts.ForecastRow,
    ("keep_log", "lines"): step_logs.LogRow,
    ("set_variables", "rows"): variables.VariableRow,
    ("set_variables", "events"): variables.AssignedRow,
}
# Two columns of no plan, thrice, and signals that are looked up by what they are.
UNTYPED = {
    ("ready_jobs", "wanted"),
    ("signals_there", "signals"),
    ("containers_over", "containers"),
    ("last_rounds", "containers"),
    ("writers", "names"),
    ("note_blobs", "blobs"),
    ("used_blobs", "blobs"),
}


def recordsets():
    """(statement, parameter) → the columns of the document that it takes."""
    return {
        (name, parameter): [column.split()[0] for column in columns.split(",")]
        for name, text in texts().items()
        for parameter, columns in RECORDS.findall(text)
    }


@pytest.mark.parametrize("key", ROWS, ids="-".join)
def test_a_row_has_the_columns_of_its_statement(key):
    assert sorted(recordsets()[key]) == sorted(ROWS[key].__annotations__)


def test_every_document_has_a_row():
    assert recordsets().keys() == ROWS.keys() | UNTYPED


def test_who_ends_a_step_is_known_to_the_statement():
    text = texts()["advance"]
    known = {*re.findall(r"WHEN '(\w+)' THEN s\.", text), *re.findall(r"\.by (?:=|IS.*?FROM) '(\w+)'", text)}
    assert known == {str(by) for by in rows.EndedBy}
