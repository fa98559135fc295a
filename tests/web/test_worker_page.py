"""The list of workers: who polls, what each has in hand, and who sees what of that."""

from datetime import UTC, datetime, timedelta

import pytest

from accounts.models import FolderGrant
from runs.commands import job_reports, jobs
from runs.maintenance import stuck
from runs.models import WorkerContact
from tests import factories as make
from tests.timing import clock

__all__ = ["clock"]
pytestmark = pytest.mark.django_db

JOB = make.graph([{"id": "charge", "title": "Charge the card", "type": "job", "queue": "card"}], [])


def poll(worker="w1", queues=("card",), many=1, **told):
    return jobs.poll(tenant=make.a_tenant().pk, worker=worker, queues=queues, max_jobs=many, **told)


@pytest.fixture
def viewer(client):
    client.force_login(make.a_member("vera", "viewer"))
    return client


def test_a_worker_is_listed_with_what_it_told_and_what_it_has_in_hand(viewer):
    run_id = make.start(JOB)[0]
    poll(version="1.4.2", slots=8)
    page = viewer.get("/workers")
    assert page.status_code == 200
    for words in ("w1", "1.4.2", "1 of 8 jobs", f"/runs/{run_id}", "Charge the card"):
        assert words in page.text, words
    assert "Handoff’s own" not in page.text
    assert "silent" not in page.text


def test_without_any_it_says_how_to_start_one(viewer):
    page = viewer.get("/workers")
    assert "No worker has asked for jobs in the last day" in page.text
    assert "docs/workers.md" in page.text


def test_who_said_nothing_for_minutes_is_marked_and_who_beats_is_not(viewer, clock):
    make.start(JOB)
    (job,) = poll("at-work")
    poll("gone")
    clock.advance(180)
    job_reports.heartbeat(tenant=make.a_tenant().pk, job=job.step.id, lease_token=job.lease_token)
    rows = {row["id"]: row["stale"] for row in answered(viewer)}
    assert rows == {"at-work": False, "gone": True}


def test_a_worker_that_left_with_nothing_in_hand_is_gone_and_one_that_left_a_job_behind_is_silent(
    viewer, clock
):
    make.start(JOB)
    poll("with-a-job")
    poll("idle")
    clock.advance(180)
    page = viewer.get("/workers").text
    assert page.count('<span class="bad-text">silent</span>') == 1
    assert page.count('<span class="quiet">gone</span>') == 1


def answered(client):
    answer = client.get("/api/v1/workers")
    assert answer.status_code == 200, answer.json()
    return answer.json()["results"]


def test_the_route_gives_them_page_by_page_and_only_those_of_the_tenant(viewer):
    make.start(JOB, *[{}] * 3)
    for name in ("b", "a", "c"):
        poll(name, ("card", "other"), many=2 if name == "a" else 1, version="2", slots=4)
    jobs.poll(tenant=make.a_tenant("other").pk, worker="theirs", queues=["card"], max_jobs=1)
    rows = answered(viewer)
    assert [(row["id"], row["holds"]) for row in rows] == [("a", 2), ("b", 1), ("c", 0)]
    assert (rows[0]["queues"], rows[0]["version"], rows[0]["slots"]) == (["card"], "2", 4)
    assert set(rows[0]) == {"id", "queues", "last_seen_at", "holds", "version", "slots", "stale"}
    first = viewer.get("/api/v1/workers?limit=2").json()
    rest = viewer.get(first["next"]).json()
    assert [row["id"] for row in first["results"] + rest["results"]] == ["a", "b", "c"]


def test_our_own_processes_are_shown_to_who_operates(client):
    make.WorkerFactory(pid=7)
    make.WorkerFactory(queue="engine", pid=8, seen_at=datetime.now(UTC) - timedelta(hours=1))
    client.force_login(make.a_member("otto", "operator"))
    page = client.get("/workers").text
    assert "Handoff’s own" in page
    assert "process 7" in page
    assert page.count("silent") == 1


def test_jobs_of_runs_that_one_may_not_read_are_only_counted(client):
    run_id = make.start(JOB)[0]
    poll()
    client.force_login(make.a_member("nora", "viewer"))
    FolderGrant.unsafe_all_tenants.all().delete()
    page = client.get("/workers").text
    assert run_id not in page
    assert "1 job of runs that you may not read" in page


def test_last_contact_is_written_once_in_some_seconds_and_old_ones_are_forgotten(clock):
    poll("w9")
    began = clock.now
    clock.advance(60)
    poll("w9")
    assert WorkerContact.unsafe_all_tenants.get().seen_at == began
    clock.advance(90_000)
    poll("w10")
    stuck.check()
    assert list(WorkerContact.unsafe_all_tenants.values_list("worker", flat=True)) == ["w10"]
