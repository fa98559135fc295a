"""Every number equals the SQL that the test itself runs, or says that it is a bound: tabs, lists, REST, home, inbox."""

import re

import pytest
from django.db import connection

from runs.reading import counting, queries, search, unindexed
from runs.web import listing
from tasks_inbox.reading import sources
from tests import factories as make
from tests.inbox.asking import approval
from tests.web.made_runs import make_runs

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

FEW, MANY, TASKS = 700, 50_000, 5_000
OPEN = "('RUNNING', 'PAUSED', 'FAILING', 'CANCELLING', 'COMPENSATING', 'WAITING_FOR_MANUAL_ACTION')"
ASKS = "s.status = 'WAITING' AND s.waiting ->> 'source' = 'person'"
UNSEEN = """
r.status = 'FAILED'
AND NOT EXISTS (SELECT FROM runs_runkey k WHERE k.workflow_id = r.workflow_id AND k.business_key = r.business_key
                   AND k.run_id <> r.id)
AND (SELECT coalesce(bool_or(d.resolution IS NULL), true) FROM runs_deadletter d WHERE d.run_id = r.id)
"""
STUCK = f"""
r.status IN {OPEN}
AND (EXISTS (SELECT FROM runs_timer t WHERE t.run_id = r.id AND t.status = 'PENDING'
                   AND t.fire_at < now() - interval '1 minute')
     OR EXISTS (SELECT FROM runs_stepexecution s WHERE s.run_id = r.id AND s.status = 'QUEUED' AND NOT s.held
                   AND s.available_at < now() - interval '5 minutes'))
"""
PEOPLE = f"""
r.status IN {OPEN}
AND (EXISTS (SELECT FROM runs_stepexecution s WHERE s.run_id = r.id AND {ASKS})
     OR EXISTS (SELECT FROM runs_run p JOIN runs_stepexecution s ON s.run_id = p.id AND {ASKS}
                 WHERE p.parent_id = r.id AND p.is_part))
"""
LISTS = {
    # The tab or saved search: its query string, what REST takes for it, and which runs those are.
    "all": ("", {}, "true"),
    "mine": ("by=me", {"by": "me"}, "r.created_by = '{me}'"),
    "people": ("status=people", {"status": "WAITING_FOR_PEOPLE"}, PEOPLE),
    "unresolved": ("status=unresolved", {"status": "UNRESOLVED"}, UNSEEN),
    "stuck": ("status=stuck", {"status": "STUCK"}, STUCK),
    "open": ("status=open", None, f"r.status IN {OPEN}"),
    "tests": ("test=1", {"test": "true"}, "r.is_test"),
    "by bob": ("by=bob", {"by": "bob"}, "r.created_by = 'bob'"),
    "failed": ("q=status:failed", {"query": "status:failed"}, "r.status = 'FAILED'"),
    "of a version": ("q=version:1 by:bob", {"query": "version:1 by:bob"}, "r.created_by = 'bob'"),
    "keys": ("q=key:key-3", {"business_key": "key-3"}, "r.business_key = 'key-3'"),
}
SAVED = ("by bob", "failed", "of a version", "keys")
VIEWS = {
    "mine": "t.status = 'OPEN' AND t.assignee = '{me}' AND NOT {snoozed}",
    "teams": "t.status = 'OPEN' AND t.assignee IS NULL AND NOT {snoozed}",
    "snoozed": "t.status = 'OPEN' AND {snoozed}",
    "done": "t.status = 'COMPLETED' AND t.decided_by = '{me}'",
}
SNOOZED = """EXISTS (SELECT FROM tasks_inbox_tasknote n
                     WHERE n.task_id = t.id AND n.username = '{me}' AND n.snoozed_until > now())"""


def by_sql(condition, who, *, reads_all, is_test=False):
    """Which runs there are, newest first."""
    tests = "r.is_test" if is_test else "NOT r.is_test"
    seen = "true" if reads_all else "w.folder_id = (SELECT id FROM accounts_folder WHERE name <> 'Locked')"
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT r.id::text FROM runs_run r JOIN workflows_workflow w ON w.id = r.workflow_id"
            f" WHERE NOT r.is_part AND {tests} AND {seen} AND {condition.format(me=who)} ORDER BY r.id DESC"
        )
        return [run for (run,) in cursor.fetchall()]


def logged_in(client, username, role):
    user = make.a_member(username, role)
    client.force_login(user)
    return client


def walked(client, address):
    """The ids of all pages of a list, and what each page says of how far it looked."""
    ids = []
    while address:
        context = client.get(address).context
        ids += [row["id"] for row in context["runs"]]
        address = context["older"]
    return ids


def over_rest(client, params):
    address, ids = "/api/v1/runs?limit=100", []
    answer = client.get("/api/v1/runs", {"limit": 100, **params})
    while True:
        assert answer.status_code == 200, answer.text
        page = answer.json()
        ids += [run["id"] for run in page["results"]]
        address = page["next"]
        if not address:
            assert page.get("searched", {"complete": True})["complete"] is True
            return ids
        answer = client.get(address)


def tallies(client):
    """The number of each tab and saved search as its reader sees it, and the title of the number."""
    text = client.get("/runs/counts", headers={"HX-Request": "true"}).text
    found = re.findall(
        r">([^<>]+?)(?: <span class=\"tally[^\"]*\"(?: title=\"([^\"]*)\")?>([^<]*)</span>)?</a>", text
    )
    return {words.strip(): (number, title) for words, title, number in found}


TABS = {
    "all": "All", "mine": "Mine", "people": "Waiting on people", "unresolved": "Failed, unresolved",
    "stuck": "Stuck", "open": "At work", "tests": "Tests",
}  # fmt: skip


def save(client, names):
    for name in names:
        assert client.post("/runs/searches", {"name": name, "query": LISTS[name][0]}).status_code == 302


@pytest.fixture
def few(db):
    return make_runs(FEW)


@pytest.mark.parametrize(("who", "role", "reads_all"), [("ann", "admin", True), ("bob", "operator", False)])
def test_tabs_lists_searches_and_rest_agree_with_sql(client, few, monkeypatch, who, role, reads_all):
    monkeypatch.setattr(listing, "ON_A_PAGE", 200)
    logged_in(client, who, role)
    save(client, SAVED)
    shown = tallies(client)
    for name, (query, params, condition) in LISTS.items():
        expected = by_sql(condition, who, reads_all=reads_all, is_test=name == "tests")
        assert expected, name
        assert walked(client, f"/runs/?{query}") == expected, name
        if params is not None:
            assert over_rest(client, params) == expected, name
        assert shown[TABS.get(name, name)] == (str(len(expected)), ""), name


@pytest.mark.parametrize(("who", "role", "reads_all"), [("ann", "admin", True), ("bob", "operator", False)])
def test_the_home_page_shows_what_sql_finds(client, few, who, role, reads_all):
    page = logged_in(client, who, role).get("/").context
    for name, condition in (("last", "true"), ("open_now", f"r.status IN {OPEN}"), ("failed", UNSEEN)):
        expected = by_sql(condition, who, reads_all=reads_all)[:5]
        assert [row["id"] for row in page[name]] == expected, name


def test_what_is_counted_in_part_is_told_as_at_least(client, few, monkeypatch):
    for module in (unindexed, search):
        monkeypatch.setattr(module, "READ_AT_ONCE", 30)
    monkeypatch.setattr(counting, "COUNTED", 40)
    monkeypatch.setattr(queries, "STUCK_READ", 10)
    logged_in(client, "ann", "admin")
    save(client, SAVED)
    shown = tallies(client)
    for name, (_, _, condition) in LISTS.items():
        expected = len(by_sql(condition, "ann", reads_all=True, is_test=name == "tests"))
        number, title = shown[TABS.get(name, name)]
        if number.endswith("+"):
            assert 0 < int(number[:-1]) <= expected, name
            assert title == f"At least {number[:-1]}"
        elif number:
            assert int(number) == expected, name
    assert {name for name, (number, _) in shown.items() if number.endswith("+")} >= {"All", "Mine", "At work"}
    # The lists lead on to all of them, or say how far they looked.
    assert walked(client, "/runs/?status=unresolved") == by_sql(UNSEEN, "ann", reads_all=True)
    assert (
        "Only the first 10 late timers, late steps and repairs were read."
        in client.get("/runs/?status=stuck").text
    )


def tasks_by_sql(view, who):
    snoozed = SNOOZED.format(me=who)
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT count(*) FROM tasks_inbox_manualtask t WHERE {VIEWS[view].format(me=who, snoozed=snoozed)}"
        )
        return cursor.fetchone()[0]


def make_tasks(count):
    """So many tasks that ask everybody; some are claimed, snoozed or decided by ann."""
    for start in range(0, count, 500):
        make.start(approval(), *({"amount": place} for place in range(min(500, count - start))))
        make.work()
    with connection.cursor() as cursor:
        cursor.execute(
            "WITH t AS (SELECT id, tenant_id, row_number() OVER (ORDER BY id) AS place FROM tasks_inbox_manualtask)"
            " INSERT INTO tasks_inbox_tasknote (id, tenant_id, task_id, username, snoozed_until, watching)"
            " SELECT gen_random_uuid(), tenant_id, id, 'ann', now() + interval '1 day', false FROM t"
            " WHERE place % 10 = 0"
        )
        cursor.execute(
            "WITH t AS (SELECT id, row_number() OVER (ORDER BY id) AS place FROM tasks_inbox_manualtask)"
            " UPDATE tasks_inbox_manualtask m SET assignee = 'ann' FROM t WHERE t.id = m.id AND t.place % 7 = 0"
        )
        cursor.execute("ANALYZE")


def inbox_numbers(client):
    page = client.get("/inbox/?view=teams")
    numbers = {view: count.text for view, count in page.context["counts"].items()}
    badge = re.search(r'id="inbox-count"[^>]*title="([^"]*)"[^>]*>([^<]*)<', page.text, re.DOTALL)
    return numbers, badge and (" ".join(badge[1].split()), badge[2])


def test_the_inbox_and_its_badge_agree_with_sql(client, monkeypatch):
    make_tasks(60)
    logged_in(client, "ann", "approver")
    numbers, badge = inbox_numbers(client)
    rest = client.get("/api/v1/tasks/counts").json()
    for view in VIEWS:
        assert numbers[view] == str(tasks_by_sql(view, "ann")) == str(rest[view]), view
    waiting = tasks_by_sql("mine", "ann") + tasks_by_sql("teams", "ann")
    assert badge == (f"{waiting} tasks wait for you", str(waiting))
    assert inbox_numbers(client)[1] == badge
    monkeypatch.setattr(sources, "COUNTED", 20)
    monkeypatch.setattr(sources, "MENU_COUNTED", 10)
    numbers, badge = inbox_numbers(client)
    assert (numbers["teams"], badge) == ("20+", ("At least 10 tasks wait for you", "10+"))
    assert client.get("/api/v1/tasks/counts").json()["teams"] == 20


@pytest.mark.exhaustive
def test_50_000_runs_and_5_000_tasks(client, monkeypatch):
    make_runs(MANY)
    make_tasks(TASKS)
    logged_in(client, "ann", "admin")
    save(client, SAVED)
    shown = tallies(client)
    for name, (query, _, condition) in LISTS.items():
        expected = by_sql(condition, "ann", reads_all=True, is_test=name == "tests")
        number, title = shown[TABS.get(name, name)]
        if number.endswith("+"):
            assert 0 < int(number[:-1]) <= len(expected), name
            assert title.startswith("At least"), name
        else:
            assert int(number) == len(expected), name
        page = client.get(f"/runs/?{query}")
        if page.context["searched"] is None or page.context["searched"].rows is None:
            assert [row["id"] for row in page.context["runs"]] == expected[: listing.ON_A_PAGE], name
        else:
            assert "searched here" in page.text, name
    numbers, badge = inbox_numbers(client)
    for view in VIEWS:
        assert numbers[view] == str(tasks_by_sql(view, "ann")), view
    assert badge == ("At least 1000 tasks wait for you", "1000+")
