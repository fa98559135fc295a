"""No function of the apps takes more than its share for a text, a document, a form or a task that is made to slow it
down; a new function is here by itself, with whatever it does in the database.
"""

import logging
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest
from django.db import transaction

from accounts.access import PageRequest
from accounts.models import User
from steps.addresses import MOST_CHARS, is_address
from tasks_inbox.web import context, pages
from tests.families import exhaustive
from tests.growth.measuring import steep_in_mixtures
from tests.growth.walking import Reader, parents, readers, sources
from tests.growth.world import World

pytestmark = pytest.mark.django_db

FEATURES = ("integrations", "operations", "triggers")
GROUPS = (("accounts",), ("config",), ("runs", *FEATURES), ("s4",), ("tasks_inbox",), ("workflows",))
APPS = tuple(app for group in GROUPS for app in group)
OPERATORS = "what an operator has set"
HANDED_ON = "values are handed to named statements as they are"
OWN = "names and ids of our own"
OF_FORMS = "what `lib.forms` makes of it, which is read for itself (tests/growth/test_functions.py)"
LEFT_OUT: Mapping[str, str] = {
    "config.settings": OPERATORS,
    "config.settings_production": OPERATORS,
    "config.early_answers": "statuses and sentences of our own",
    "config.embedded": OPERATORS,
    "config.environment": OPERATORS,
    "config.nursery": OPERATORS,
    "config.grpc_environment": OPERATORS,
    "config.kafka_environment": OPERATORS,
    "config.dispatch_environment": OPERATORS,
    "runs.api.job_calls": "what serializers have taken, whose fields have bounds",
    "runs.api.run_calls": "what serializers have taken, whose fields have bounds",
    "runs.api.signals.send": "as `send_signal`",
    "config.supervisor": OPERATORS,
    "config.styleguide": "a page for whoever writes pages",
    "accounts.token_store": HANDED_ON,
    "accounts.impacts.asked_first": "a title with a name, which has a bound, and addresses of our own",
    "runs.store.hot": HANDED_ON,
    "runs.web.sent": HANDED_ON,
    "runs.store.failing.joins_never_fired": "compiled graphs, which validation has bounded",
    "runs.store.approvals": HANDED_ON,
    "runs.store.findings": HANDED_ON,
    "runs.kernel.approvals": "compiled graphs and what their expressions gave, which have bounds",
    "runs.commands.approved": "compiled graphs, which validation has bounded",
    "runs.commands.withheld": "waits that `beginning` has made, which have bounds",
    "tasks_inbox.web.covered": "what `approves` gives, which is cut there",
    "runs.workers.beginning.not_approved": "what `beginning` says of a step",
    "runs.store.waits": HANDED_ON,
    "triggers.schedules.store": HANDED_ON,
    "triggers.webhooks.store": HANDED_ON,
    "runs.store.outgoing": HANDED_ON,
    "runs.store.moving": HANDED_ON,
    "runs.commands.moving.move": HANDED_ON,
    "runs.commands.targets.requeue": HANDED_ON,
    "tasks_inbox.store.trees": HANDED_ON,
    "tasks_inbox.actions.leaving": OWN,
    "tasks_inbox.actions.outside.record_outside": "as `tasks_inbox.actions.deciding.decide`",
    "runs.web.item_forms.act": "what `ItemsForm` has checked",
    "tasks_inbox.lifecycle.new_times.retime": "waits of human steps, whose params have bounds",
    "runs.store.outbox.add_missing_events": HANDED_ON,
    "operations.alerts.store": HANDED_ON,
    "operations.alerts.posting": "what `sending` hands to it, in another process",
    "operations.alerts.sending.message_of": "rows of our own, each with bounded texts",
    "operations.alerts.rule_forms.typed_rule": "kinds of our own; what is typed is cut by `pages.typed`",
    "operations.bulk.store": HANDED_ON,
    "tasks_inbox.actions.reassigning": "whom `operations.bulk.aims` has checked",
    "runs.commands.reassigning": "whom `bulk_jobs.aims` has checked",
    "operations.bulk.aiming.aimed": "a verb of two, and the address of the list",
    "tasks_inbox.store.statements": HANDED_ON,
    "config.startup.rebuilding": "names of our own tables",
    "runs.maintenance.duties": OWN,
    "runs.integrity.compare": OWN,
    "runs.kernel.plan": OWN,
    "runs.store.traces": "ids of our own, and headers that `lib.trace_context` has judged, which is read for itself",
    "runs.workers.attempt_spans": OWN,
    "runs.workers.process": OWN,
    "runs.integrity.repair": OWN,
    "runs.kernel.scopes": OWN,
    "runs.kernel.rounds": OWN,
    "runs.kernel.opening": OWN,
    "runs.kernel.refused.require_verb": OWN,
    "runs.kernel.refused.require_unpaused_above": OWN,
    "runs.kernel.unit_of_work.conclude": OWN,
    "runs.kernel.reopen.check_failed": OWN,
    "runs.reading.presentation.rows_of_items": HANDED_ON,
    "runs.reading.comparing.compare": "two runs as they are shown; their values are compared by `changes`, below",
    "runs.reading.comparing.not_shown": OWN,
    "runs.reading.comparing_words.differences": "what `compare` has made",
    "runs.reading.comparing_words.said": "what `compare` has made",
    "runs.reading.stored": HANDED_ON,
    "runs.commands.job_leases.lease_token": "a secret of our own",
    "runs.commands.signals.send_signal": "as `send_signals`, whose rows have fields with bounds",
    "runs.workers.tasks": OWN,
    "operations.bulk.service.items_of(result)": "one of five words",
    "runs.outgoing.delivering.serve": OWN,
    "runs.outgoing.messages": "ids and words of history, each of which has bounds; errors are cut",
    "triggers.schedules.times.fires_at": OWN,
    "runs.kernel.working_time.boundary_timers": OWN,
    "runs.kernel.working_time.work_calendar": OWN,
    "triggers.schedules.timing.input_at": "a template, which is read for itself (tests/growth/test_functions.py)",
    "runs.web.look.remember": "what `look_of` has read",
    "runs.web.values.reading_context": "what is looked for has 200 characters at most",
    "runs.web.viewing.view_context": "what `look_of` has read, and a header that is read once",
    "triggers.schedules.forms": "a form, of which each field has 2,000 characters at most",
    "runs.kernel.wait_kinds.ended_meanwhile": OWN,
    "runs.kernel.wait_kinds.register": OWN,
    "runs.templatetags.shown.deadline": OWN,
    "runs.templatetags.payloads": "values as `in_parts` and `in_short` read them, which are walked themselves",
    "runs.templatetags.run_graph.graph_steps(selected)": OWN,
    "runs.templatetags.run_timeline.timeline_lanes(selected)": OWN,
    "runs.templatetags.run_story.story_lines(selected)": OWN,
    "triggers.webhooks.refused.note": "only of a token that was found, with a sentence of our own, cut",
    "runs.web.listing.with_parameters(changes)": OWN,
    "tasks_inbox.actions.recording.add_link": OWN,
    "runs.commands.child_rights.message_of": "a wait of our own, which names a workflow",
    "runs.reading.leaves.waits_of(run)": OWN,
    "tasks_inbox.evidence.exported.verify.runs_of": "a file that `main` reads for whoever has it",
    "tasks_inbox.evidence.exported.verify.of_decisions": "as `runs_of`",
    "tasks_inbox.evidence.exported.verify.of_run": "as `runs_of`",
    "tasks_inbox.evidence.exported.verify.of_history": "read by `faults`, in whatever order its file has them",
    "tasks_inbox.reading.sources.titled(part)": "a search has 200 characters at most",
    "tasks_inbox.mail.account_mails": "as `mails`, with names of 150 characters at most and links of our own",
    "tasks_inbox.mail.notice_mails": "as `account_mails`, of a name of 150 characters at most",
    "tasks_inbox.mail.digests": "as `mails`, with links of our own",
    "tasks_inbox.duties.digests.message_of(sender)": OPERATORS,
    "tasks_inbox.duties.step_mentions.message_of(sender)": OPERATORS,
    "tasks_inbox.mail.step_mentions.written(sender)": OPERATORS,
    "tasks_inbox.mail.step_mentions.written(to)": "an address has 254 characters at most",
    "tasks_inbox.mail.mails.fill": "as `lib.visible.visible`, which is read for itself",
    "tasks_inbox.mail.mails.headed(sender)": OPERATORS,
    "runs.commands.broadcast.broadcast(reason)": "a reason has 2,000 characters at most, and is logged once",
    "tasks_inbox.mail.mails.headed(to)": "an address has 254 characters at most",
    "tasks_inbox.mail.mails.written(sender)": OPERATORS,
    "tasks_inbox.mail.mails.written(to)": "an address has 254 characters at most",
    "tasks_inbox.evidence.printing.pdf_of(foot)": OWN,
    "workflows.document.bodies.folded": "what `keyed` has made of a definition",
    "workflows.document.bodies.homes_of": "what `keyed` has made of a definition",
    "workflows.document.bodies.unfolded": "what `keyed` has read, which is walked for itself",
    "workflows.document.changes.unkeyed": "what `keyed` has made of a definition",
    "workflows.design.drawing.marked": OWN,
    "workflows.design.start_forms.filled": OF_FORMS,
    "workflows.design.start_forms.opened": OF_FORMS,
    "tasks_inbox.web.panes.voters": OWN,
    "tasks_inbox.web.facts.drawn(usernames)": "usernames, looked up by their labels",
}
# Known words are asked for by their keys: a serializer has refused others before.
OF_KNOWN_WORDS = {
    "accounts.passwords.written(kind)",
    "runs.commands.bulk.doing(verb)",
    "runs.reading.operations.timers_of(due)",
    "runs.reading.orders.page_in_order(cursor)",
    "runs.reading.orders.page_in_order(name)",
    "runs.reading.orders.page_in_order(request)",
    "runs.web.listing.matching(filters)",
    "triggers.webhooks.mapping.check(action)",
    "triggers.webhooks.service.create_webhook(action)",
    "tasks_inbox.mail.mails.written(kind)",
    "workflows.access.may_anywhere(scope)",
}
# What is refused gets a whole page as its answer, what is taken often a line.
PAGE_SECONDS = 0.03
HALVES = [slice(None, None, 2), exhaustive(slice(1, None, 2))]
VAIN = (AttributeError, KeyError, NameError, TypeError)


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    """A world of which nothing is logged: that takes time that no text causes. The inbox beside a task's page is made
    once for each text, and the number of its tasks once: two dozen pages show them, and they are read for themselves.
    """
    beside, counted = cache_of(pages.whole_list, inbox_of), cache_of(context._count, lambda *_: None)
    monkeypatch.setattr(pages, "whole_list", beside)
    monkeypatch.setattr(context, "_count", counted)
    logging.disable()
    yield World()
    logging.disable(logging.NOTSET)


def cache_of(function: Callable[..., Any], key_of: Callable[..., object]) -> Callable[..., Any]:
    """The function, which answers as before what has the same key."""
    found: dict[object, Any] = {}

    def answer(*given: Any) -> Any:
        key = key_of(*given)
        if key not in found:
            found[key] = function(*given)
        return found[key]

    return answer


def inbox_of(request: PageRequest, who: object, place: object, at: object = None) -> object:
    """What the list of a request of this world follows from."""
    return request.GET["text"], at, bool(request.headers.get("HX-Request"))


@pytest.fixture
def start(world: World) -> str:
    """The savepoint before anything was read: a block of its own for each text would be half of all statements."""
    return transaction.savepoint()


def undone(reader: Reader, start: str) -> Callable[[str], object]:
    """Whatever the reader changes is undone."""

    def read(text: str) -> object:
        try:
            return reader.read(text)
        finally:
            # What the database refused has to be forgotten before it is undone.
            transaction.set_rollback(False)
            transaction.savepoint_rollback(start)

    return read


def in_vain(reader: Reader, start: str) -> str | None:
    """Why the reader doesn't come as far as the text, where it doesn't even for a harmless one."""
    try:
        undone(reader, start)("a")
    except VAIN as error:
        return None if reader.name in OF_KNOWN_WORDS else repr(error)
    except Exception:
        return None
    return None


@pytest.mark.parametrize("part", HALVES, ids=["", "others"])
@pytest.mark.parametrize("group", GROUPS, ids=" ".join)
def test_a_whole_function_grows_with_its_text(group: tuple[str, ...], part: slice, world: World, start: str):
    walked = readers(group, LEFT_OUT, world)
    found = {one.name: steep_in_mixtures(undone(one, start), 4_000, PAGE_SECONDS, part) for one in walked}
    assert {name: shapes for name, shapes in found.items() if shapes} == {}
    assert len(found) > 10


def test_no_function_is_measured_in_vain(world: World, start: str):
    found = {one.name: in_vain(one, start) for one in readers(APPS, LEFT_OUT, world)}
    assert {name: why for name, why in found.items() if why} == {}
    assert set(found) >= OF_KNOWN_WORDS


def test_what_is_left_out_is_there(world: World):
    modules = {part for name in sources() for part in parents(name)}
    # Settings for production are read by who runs it: importing them ends every other process.
    operators = {name for name, why in LEFT_OUT.items() if why == OPERATORS and name in modules}
    walked = {one.name for one in readers(APPS, operators, world)}
    functions = {name.partition("(")[0] for name in walked}
    assert set(LEFT_OUT) <= modules | functions | walked


def test_an_address_is_short():
    assert User._meta.get_field("email").max_length == MOST_CHARS == 254
    assert not is_address("a@" + "b." * 150 + "org")
