"""The view of a run that says what happened to it."""

import pytest

from accounts.models import FolderGrant
from tests import factories as make
from tests.store.watching import trips_of_page

pytestmark = pytest.mark.django_db

JOB = make.graph([{"id": "charge", "title": "Charge the card", "type": "job", "queue": "card"}], [])


@pytest.fixture
def viewer(client):
    client.force_login(make.a_member("vera", "viewer"))
    return client


def test_it_tells_what_happened_in_order_and_follows_until_the_run_has_ended(viewer):
    (run_id,) = make.start(JOB)
    (step,) = make.claimed("card")
    page = viewer.get(f"/runs/{run_id}?view=story").text
    assert "hx-get" in page
    make.fail(step, code="CardRefused")
    make.resume(run_id)
    make.complete(*make.claimed("card"), output={"ok": True})
    page = viewer.get(f"/runs/{run_id}?view=story").text
    sentences = [
        "started the run",
        "“Charge the card” failed",
        "It went wrong",
        "resumed the run",
        "completed.",
        "The run completed",
    ]
    places = [page.index(words) for words in sentences]
    assert places == sorted(places)
    assert "hx-get" not in page.partition('id="story"')[2]


def test_it_costs_the_same_however_much_happened(viewer):
    (run_id,) = make.start(JOB)
    address, costs = f"/runs/{run_id}?view=story", []
    for _ in range(2):
        make.fail(*make.claimed("card"))
        costs.append(trips_of_page(viewer, address))
        for _ in range(3):
            make.resume(run_id)
            make.fail(*make.claimed("card"))
        make.resume(run_id)
    assert costs[0] == costs[1] < 20
    assert viewer.get(address).text.count("resumed the run") == 8


def test_items_of_a_list_are_left_out_but_those_that_failed(viewer):
    body = {"type": "job", "queue": "card", "retry": {"max_retries": 0}}
    (run_id,) = make.start(make.mapped(body), {"items": [1, 2]})
    make.work()
    right, wrong = sorted(make.claimed("card"), key=lambda step: step.index)
    make.complete(right, output=1)
    make.fail(wrong)
    page = viewer.get(f"/runs/{run_id}?view=story").text
    assert "item 1” failed" in page
    assert "item 0" not in page


def test_who_may_not_read_the_run_reads_no_story(viewer):
    (run_id,) = make.start(JOB)
    FolderGrant.unsafe_all_tenants.all().delete()
    assert viewer.get(f"/runs/{run_id}?view=story").status_code == 404
