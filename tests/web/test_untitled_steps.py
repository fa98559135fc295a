"""A step without a title is called by its type and its id on every page that tells of it (`engine/step_titles.py`)."""

import json
import re
from html import unescape
from itertools import pairwise

import pytest
from django.test import Client

from accounts.models import User
from lib.json import Json
from runs.calendars import calendars
from steps.catalogue import CATALOGUE
from tests import factories as make
from tests.inbox.asking import member
from tests.web.test_reachable import links_of, page_of

pytestmark = pytest.mark.django_db

# What is no sentence: code, values, what was typed, pictures drawn by scripts.
_NO_WORDS = re.compile(
    r"<(head|script|style|code|pre|textarea|svg|datalist|template)\b.*?</\1>|<option\b[^>]*>", re.DOTALL
)
_TAG = re.compile(r"<[^>]*>")
# Ids of the steps: nothing else on a page is called so, but for names of queues and of files.
_BARE = re.compile(r"(?<![-(])\bzz\w+(?!:compensate)\b")
PAGES = 200
"""So many pages are reached at least."""
_TYPES = tuple(
    f"{one.title} {mark}" for one in CATALOGUE.values() for mark in ("", "new ", "changed ", "gone ")
)


def step(id: str, type: str, **extra: Json) -> dict[str, Json]:
    queue = {"queue": id.replace("zz", "of-")} if type == "job" else {}
    return {"id": id, "type": type, **queue, **extra}


def bare(html: str) -> list[str]:
    """The ids on a page that stand without the title of their type, each with what is around it."""
    text = " ".join(unescape(_TAG.sub(" ", _NO_WORDS.sub(" ", html))).split())
    found = [one for one in _BARE.finditer(text) if not text[: one.start()].endswith(_TYPES)]
    return [text[max(0, one.start() - 60) : one.end() + 30] for one in found]


def in_order(*steps: Json) -> dict[str, Json]:
    return make.graph(steps, [f"{one['id']}>{other['id']}" for one, other in pairwise(steps)])


@pytest.fixture
def runs(db) -> list[str]:
    """Runs that wait for all kinds of things, failed, ended and are undone; no step has a title."""
    inner = make.a_version(in_order(step("zzlow", "job")))
    ask = {"title": "Is it right?", "candidates": {"users": ["ann"]}}
    reminder = {"duration": "PT1M", "interrupting": False, "to": "zzremind"}
    body = {"steps": [step("zzinner", "job"), step("zzsure", "human.approval", params=ask)], "edges": []}
    make.CalendarFactory(tenant=make.a_tenant(), name="Office")
    many = make.graph(
        [
            step("zzask", "human.approval", params=ask, boundary_timers=[reminder]),
            "zzremind",
            step("zzsub", "subworkflow", params={"workflow": inner.workflow.name}),
            step("zzeach", "map", params={"items": [1, 2], "body": body}),
            step("zzwait", "wait", params={"duration": "2 business days"}),
            step("zzpark", "job", on_error="ask"),
            step("zzsignal", "signal", params={"name": "paid"}),
            step("zzset", "noop", set_vars={"paid": True}),
        ],
        [],
    )
    undone = step("zzcharge", "job", compensate={"type": "job"})
    failing = make.a_version(in_order(undone, step("zzship", "job"), step("zzend", "noop")))
    waiting, failed, undoing = [
        *make.start(many),
        *make.start(in_order(step("zzpay", "job"))),
        *make.start_version(failing, {}),
    ]
    make.work("engine")
    for queue in ("of-pay", "of-charge"):
        steps = make.claimed(queue)
        make.fail(*steps) if queue == "of-pay" else make.complete(*steps, output={})
    make.work("engine")
    make.fail(*make.claimed("of-ship"))
    make.fail(*make.claimed("of-park"))
    make.work("engine")
    make.RepairFactory(tenant_id=make.a_tenant().pk, run_id=waiting, node="zzask")
    changed = json.loads(json.dumps(make.run(waiting).version.definition).replace("2 business", "3 business"))
    make.newer(waiting, make.graph([*changed["nodes"], "zznew"], []))
    return [waiting, failed, undoing]


def faults_of(client: Client, start: str, depth: int) -> dict[str, list[str]]:
    """The pages that are at most so many links away, each that shows bare ids."""
    pending, seen, found = [start], set(), {}
    for _ in range(depth):
        links: list[str] = []
        for path in pending:
            if path in seen:
                continue
            seen.add(path)
            _, html = page_of(client, path)
            if faults := bare(html):
                found[path] = faults[:3]
            links += links_of(html, path)
        pending = links
    assert len(seen) > PAGES
    return found


def test_no_page_shows_a_bare_id(client: Client, runs: list[str]) -> None:
    client.force_login(make.a_member("ann", "admin"))
    assert faults_of(client, "/", 4) == {}


def test_pages_of_operators_name_steps_by_type_and_id(client: Client, runs: list[str]) -> None:
    admin = member("ann", "admin")
    client.force_login(User.objects.get(username="ann"))
    office = calendars.change_calendar(admin, "Office", hours={"from": "08:00", "to": "16:00"})
    pages = {
        "/operations/timers": "goes to Do nothing (zzremind)",
        "/operations/repairs": "Ask for an approval (zzask)",
        f"/runs/{runs[0]}/migrate": "Would start immediately: Do nothing (zznew).",
        f"/calendars/{office.pk}": "wait at Wait (zzwait)",
        f"/runs/{runs[0]}": "Run a workflow (zzsub) › External job (zzlow)",
    }
    for path, words in pages.items():
        status, html = page_of(client, path)
        assert (status, bare(html)) == (200, []), path
        assert words in html, path


def test_pages_of_operators_open_where_a_version_does_not_compile(client: Client, runs: list[str]) -> None:
    client.force_login(make.a_member("ann", "admin"))
    make.not_compiling(make.run(runs[0]).version_id)
    for path in ("/operations/timers", "/operations/repairs", "/operations/dead-letters"):
        assert client.get(path).status_code == 200, path
