"""A plug-in of the kind `external` is treated as a job is (docs/plugins.md)."""

import gc
import re
from dataclasses import replace

import pytest
from django.db import connection

from runs.commands import jobs
from runs.models import DispatchOutbox
from steps.catalogue import ALL_TYPES, CATALOGUE, EXECUTABLE
from steps.job import JOB
from tests import factories as make
from tests.serving import ROOT

pytestmark = pytest.mark.django_db

TYPES = ["job", "acme.render"]
every_type = pytest.mark.parametrize("name", TYPES)


@pytest.fixture(autouse=True)
def plug_in(monkeypatch):
    """`acme.render`, as an installed package would give it."""
    for types in (CATALOGUE, ALL_TYPES, EXECUTABLE):
        [behind] = gc.get_referents(types)
        monkeypatch.setitem(behind, "acme.render", replace(JOB, name="acme.render", title="Render"))


@pytest.fixture
def viewer(client):
    client.force_login(make.a_member("vera", "viewer"))
    return client


def begin(name):
    return make.start(make.graph([{"id": "scene", "title": "Scene", "type": name, "queue": "card"}], []))[0]


def poll():
    return jobs.poll(tenant=make.a_tenant().pk, worker="w1", queues=["card"], max_jobs=1)


@every_type
def test_its_step_says_whether_a_worker_polls(viewer, name):
    run_id = begin(name)
    silent = "none has asked for jobs in the last 2 minutes"
    assert silent in viewer.get(f"/runs/{run_id}").text
    assert viewer.get(f"/api/v1/runs/{run_id}").json()["steps"][0]["type"] == name
    jobs.poll(tenant=make.a_tenant().pk, worker="w1", queues=["card"], max_jobs=0)
    assert silent not in viewer.get(f"/runs/{run_id}").text


@every_type
def test_its_worker_is_listed_with_what_it_has_in_hand(viewer, name):
    run_id = begin(name)
    poll()
    [worker] = viewer.get("/api/v1/workers").json()["results"]
    assert (worker["id"], worker["holds"]) == ("w1", 1)
    assert f"/runs/{run_id}" in viewer.get("/workers").text


@every_type
def test_a_broker_is_told_of_it(name):
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL handoff.dispatch = 'outbox'")
    run_id = begin(name)
    assert str(DispatchOutbox.unsafe_all_tenants.get().run_id) == run_id


def test_no_statement_asks_for_the_name_of_a_type():
    names = "|".join(map(re.escape, EXECUTABLE))
    named = re.compile(rf"\btype\s*(=|<>|!=|IN\s*\()[^)]*?'({names})'")
    statements = {str(path.relative_to(ROOT)): path.read_text() for path in ROOT.glob("*/**/sql/**/*.sql")}
    assert len(statements) > 40
    assert [path for path, text in statements.items() if named.search(text)] == []
