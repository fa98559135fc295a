"""The views of the inbox: what each shows to whom, how many there are, in which order, and what a search finds."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from lib.refusals import Conflict, Invalid
from tasks_inbox.actions import assignment, notes
from tasks_inbox.eligibility import identity
from tasks_inbox.models import ManualTask, TaskNote
from tasks_inbox.reading import listing, sources
from tasks_inbox.reading.listing import COUNTED_VIEWS
from tests import factories as make
from tests.inbox.asking import again, approval, asked, decide, hand, member
from tests.store.watching import watching

DAY = 24 * 3600


def seen(who, view):
    return {task.title for task in sources.tasks_of(identity.who_is(who), view=view)}


def titles(who, text="", sort="sla"):
    # Of those whom no folder keeps out: what is searched and ordered is one list.
    asking, order = replace(identity.who_is(who), folders=None), listing.order_of(sort)
    (found,) = listing.found(asking, sources.parts_of(asking), text)
    keys = (k if order.oldest_first else f"-{k}" for k in order.keys)
    return [task.title for task in listing.in_order(asking.tenant_id, found, sort).order_by(*keys)]


def test_each_view_shows_what_its_name_says():
    ann, bob = member("ann", "approver", "Legal"), member("bob")
    soon = asked(approval(title="soon", due_seconds=3600))
    asked(approval(title="far", due_seconds=3 * DAY))
    taken = asked(approval(title="taken", due_seconds=60))
    assignment.claim_task(ann, taken.pk)
    given = asked(approval(title="given"))
    hand(ann, given, "bob")
    decide(ann, asked(approval(title="decided")))
    asked(approval(title="theirs", candidates={"users": ["bob"]}))
    later = asked(approval(title="later", due_seconds=60))
    notes.snooze_task(ann, later.pk, until=datetime.now(UTC) + timedelta(hours=2))
    notes.watch_task(ann, soon.pk, watching=True)
    shown = {view: seen(ann, view) for view in COUNTED_VIEWS}
    assert shown == {
        "mine": {"taken"},
        "teams": {"soon", "far"},
        "due": {"taken", "soon"},
        "snoozed": {"later"},
        "delegated": {"given"},
        "done": {"decided"},
        "watching": {"soon"},
        "undecidable": set(),
    }
    assert listing.counts(identity.who_is(ann)) == ({view: len(rows) for view, rows in shown.items()}, 3)
    assert listing.waiting_for(identity.who_is(ann)) == 3
    assert seen(bob, "mine") == {"given"}
    assert {"later", "theirs"} <= seen(bob, "teams")
    assert seen(ann, "open") == {"soon", "far", "later"}


def test_the_statement_that_counts_is_put_together_once_for_the_same_rights(monkeypatch):
    asked()
    ann = member("ann")
    who = identity.who_is(ann)
    assert (listing.counts(who).waiting, listing.waiting_for(who)) == (1, 1)
    monkeypatch.setattr(listing, "to_count", pytest.fail)
    asked()
    later = identity.who_is(ann)
    assert (listing.counts(later).waiting, listing.waiting_for(later)) == (2, 2)


def test_counts_are_one_statement_and_stop_at_a_bound(monkeypatch):
    monkeypatch.setattr(sources, "COUNTED", 5)
    make.start(approval(), *({"amount": n} for n in range(7)))
    make.work()
    who = identity.who_is(member("ann"))
    with watching() as wire:
        assert listing.counts(who) == ({"teams": 6} | dict.fromkeys(set(COUNTED_VIEWS) - {"teams"}, 0), 6)
    assert wire.trips == 1


def test_a_snoozed_task_comes_back_by_itself_or_when_it_is_woken(clock):
    ann, task = member("ann"), asked()
    notes.snooze_task(ann, task.pk, until=clock.now + timedelta(hours=1))
    assert (seen(ann, "teams"), seen(ann, "snoozed")) == (set(), {task.title})
    notes.snooze_task(ann, task.pk)
    assert seen(ann, "teams") == {task.title}
    notes.snooze_task(ann, task.pk, until=clock.now + timedelta(hours=1))
    clock.advance(2 * 3600)
    assert (seen(ann, "teams"), seen(ann, "snoozed")) == ({task.title}, set())
    assert TaskNote.unsafe_all_tenants.count() == 1


def test_a_snooze_is_for_a_time_to_come_and_an_open_task():
    ann, task = member("ann"), asked()
    for until in (datetime.now(UTC) - timedelta(minutes=1), datetime.now(UTC) + timedelta(days=400)):
        with pytest.raises(Invalid, match="future time"):
            notes.snooze_task(ann, task.pk, until=until)
    decide(ann, task)
    with pytest.raises(Conflict):
        notes.snooze_task(ann, task.pk, until=datetime.now(UTC) + timedelta(hours=1))
    notes.watch_task(ann, task.pk, watching=True)
    assert seen(ann, "watching") == {task.title}
    notes.watch_task(ann, task.pk, watching=False)
    assert seen(ann, "watching") == set()


def test_what_is_due_first_stands_first_then_what_is_urgent_then_what_is_old():
    for title, params in {
        "old": {},
        "urgent": {"priority": 5},
        "tomorrow": {"due_seconds": DAY},
        "overdue": {"due_seconds": 1},
        "new": {},
    }.items():
        asked(approval(title=title, **params))
    ann = member("ann")
    assert titles(ann) == ["overdue", "tomorrow", "urgent", "old", "new"]
    assert titles(ann, sort="newest") == ["new", "overdue", "tomorrow", "urgent", "old"]
    who = identity.who_is(ann)
    tasks = {task.title: task for task in sources.tasks_of(who, view="teams")}
    parts = sources.parts_of(who, view="teams")
    order, chain = ["overdue"], listing.after(who.tenant_id, parts, "sla", tasks["overdue"].pk)
    while chain.title != "overdue":
        order.append(chain.title)
        chain = listing.after(who.tenant_id, parts, "sla", chain.pk)
    assert order == titles(ann)


def test_after_the_last_task_there_is_none():
    ann, task = member("ann"), asked()
    parts = sources.parts_of(identity.who_is(ann), view="teams")
    assert listing.after(task.tenant_id, parts, "sla", task.pk) is None


def test_a_search_finds_what_all_its_words_fit(clock):
    asked(approval(title="Refund a book?", candidates={"groups": ["Legal"]}, due_seconds=3600))
    asked(approval(title="Refund a car?", due_seconds=5 * DAY, priority=1))
    asked(approval(title="Fill it in", type="human.form", form={"type": "object"}))
    ann = member("ann", "approver", "Legal")
    mine = asked(approval(title="Claimed"))
    assignment.claim_task(ann, mine.pk)
    for text, found in {
        "refund": ["Refund a book?", "Refund a car?"],
        "refund car": ["Refund a car?"],
        '"a book"': ["Refund a book?"],
        "group:legal": ["Refund a book?"],
        "due:<2d": ["Refund a book?"],
        "due:>2d": ["Refund a car?"],
        "due:none": ["Fill it in", "Claimed"],
        "is:urgent refund": ["Refund a car?"],
        "priority:>0": ["Refund a car?"],
        "kind:form": ["Fill it in"],
        "assignee:ANN": ["Claimed"],
        "is:claimed": ["Claimed"],
        f"workflow:{make.run(str(mine.run_id)).version.workflow.name.upper()} claimed": ["Claimed"],
        "workflow:nothing": [],
        "is:overdue": [],
        "step:ask kind:approval refund is:unclaimed is:open": ["Refund a book?", "Refund a car?"],
    }.items():
        assert titles(ann, text) == found, text
    clock.advance(2 * 3600)
    assert titles(ann, "is:overdue") == ["Refund a book?"]


def test_tasks_are_found_and_sorted_by_the_values_that_they_tell():
    ann = member("ann")
    facts = {
        "Amount in EUR": "{{ input.amount }}",
        "Country": "{{ input.country }}",
        "Paid": "{{ input.paid }}",
    }
    for title, amount, country in (
        ("ten", 10, "DE"),
        ("two", 2.5, "FR"),
        ("text", "10", "NL"),
        ("none", None, "PL"),
    ):
        asked(approval(title=title, facts=facts), amount=amount, country=country, paid=amount == 10)
    for text, titles_found in {
        "data.country:FR": ["two"],
        "data.country:fr": [],
        "data.Amount_in_EUR:10": ["ten", "text"],
        "data.amount_in_eur>2.5": ["ten"],
        "data.amount_in_eur>=2.5": ["ten", "two"],
        "data.amount_in_eur<3 data.country:FR": ["two"],
        'data.country>"EE"': ["two", "text", "none"],
        "data.paid:true": ["ten"],
        "data.nothing:1": [],
    }.items():
        assert titles(ann, text) == titles_found, text
        found = listing.found(
            identity.who_is(ann), sources.parts_of(identity.who_is(ann), view="teams"), text
        )
        assert {task.title for part in found for task in part} == set(titles_found), text
    assert titles(ann, sort="data.amount_in_eur")[-3:] == ["two", "ten", "none"]
    assert titles(ann, sort="-data.amount_in_eur") == ["ten", "two", "text", "none"]
    decide(
        ann,
        asked(approval(title="filled", type="human.form", form={"type": "object"})),
        "submitted",
        data={"Shoe": 44},
    )
    assert titles(ann, "data.shoe:44") == ["filled"]


@pytest.mark.parametrize("few", [0, 1000])
@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("refund", 2),
        ("FUN", 2),
        ("40", 1),
        ("50% of", 1),
        ('"50% of"', 1),
        ("5__", 0),
        ('"d 40 E"', 1),
        ("étr", 1),
        ("ÉTR", 1),
        ("退款申", 1),
        ("款申", 1),
        ("dnufer", 0),
        ('"refund  40"', 0),
        ("refund paris", 1),
    ],
)
def test_any_part_of_a_title_is_found_whatever_its_script_and_case(few, text, number, monkeypatch):
    monkeypatch.setattr(sources, "FEW", few)
    ann = member("ann")
    for title in ("Refund 40 EUR to Paris?", "Refund 50% of it?", "Vêtements d’étranger", "批准退款申请吗"):
        asked(approval(title=title))
    assert len(titles(ann, text)) == number
    assert sources.tasks_of(identity.who_is(ann), q=text.strip('"')).count() == number or " " in text


def test_many_that_tell_a_value_are_found_as_few_are(monkeypatch):
    monkeypatch.setattr(sources, "FEW", 0)
    ann, task = member("ann"), asked(approval(facts={"Country": "DE"}))
    assert titles(ann, "data.country:DE") == [task.title]
    assert titles(ann, "data.country:FR") == []


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("colour:red", "There is no field “colour”"),
        ("is:late", "write is: and one of"),
        ("due:soon", "due:<2d"),
        ("kind:x", "kind: and one of"),
        ("priority:high", "priority:>0"),
    ],
)
def test_a_word_that_says_nothing_is_told(text, says):
    with pytest.raises(Invalid, match=says):
        titles(member("ann"), text)


def test_tasks_are_ordered_by_how_likely_their_run_misses_its_deadline():
    for title, risk in (("sure", 0.1), ("late", 0.9), ("free", None)):
        foretold(asked(approval(title=title)), risk)
    asked(approval(title="unknown"))
    foretold(asked(approval(title="half")), 0.5)
    assert titles(member("ann"), sort="risk") == ["late", "half", "sure", "free", "unknown"]


def foretold(task, risk):
    """Foretell how likely the run of a task misses its deadline."""
    make.ForecastFactory(run_id=task.run_id, tenant_id=task.tenant_id, risk=risk)


@pytest.mark.parametrize("value", ["1e400", "-1e400", "NaN", "Infinity", "-Infinity"])
@pytest.mark.parametrize("than", [":", ">", "<="])
def test_what_python_takes_for_a_number_and_json_does_not_is_a_text(than, value):
    asked(approval(facts={"Amount": 40}))
    assert titles(member("ann"), f"data.amount{than}{value}") == []


def test_a_search_sees_no_other_tenant():
    make.start(approval(), {"amount": 1}, tenant=make.a_tenant("theirs"))
    make.work()
    assert ManualTask.unsafe_all_tenants.count() == 1
    assert titles(member("ann"), "refund") == []


def test_a_note_changes_nothing_for_others():
    ann, bob, task = member("ann"), member("bob"), asked()
    notes.snooze_task(ann, task.pk, until=datetime.now(UTC) + timedelta(hours=1))
    assert (seen(bob, "teams"), seen(bob, "snoozed"), again(task).assignee) == ({task.title}, set(), None)


def test_a_search_that_is_too_long_is_refused_before_it_is_read():
    assert listing.check("a" * 200)
    with pytest.raises(Invalid, match="at most 200 characters") as refused:
        listing.check("a" * 201)
    assert (refused.value.code, refused.value.field) == ("bad_filter", "filter")
