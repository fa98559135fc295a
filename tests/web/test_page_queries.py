"""What pages cost, without a browser: as many statements for many rows as for few."""

import pytest
from django.db import OperationalError, connection

from accounts.models import Membership
from runs.reading import queries
from tests import factories as make
from tests.store.watching import trips_of_page

pytestmark = pytest.mark.django_db


def test_the_list_costs_the_same_for_one_run_as_for_fifty(client, ann):
    client.force_login(ann)
    version = make.a_version(make.chain("noop", "noop", "noop"))
    make.start_version(version, {"n": 0})
    make.work()
    few = trips_of_page(client, "/runs/")
    make.start_version(version, *({"n": number} for number in range(60)))
    make.work()
    assert client.get("/runs/").text.count("<tr id=") == 50
    assert trips_of_page(client, "/runs/") == few <= 11


def test_home_costs_the_same_with_nothing_and_with_a_lot(client, ann):
    client.force_login(ann)
    make.a_version(make.chain("noop"))
    few = trips_of_page(client, "/")
    for _ in range(10):
        version = make.a_version(make.chain("noop", "text.clean"))
        make.start_version(version, *({"n": number} for number in range(5)))
    make.work()
    make.start_version(version, *({"n": number} for number in range(5)))
    assert client.get("/").text.count("<tr data-run=") == 3 * 5
    assert trips_of_page(client, "/") <= few + 3 <= 14


def test_a_run_costs_the_same_for_one_step_as_for_fifty(client, ann):
    client.force_login(ann)
    short = make.start(make.chain("noop", "noop"))[0]
    long = make.start(make.chain(*["noop"] * 26))[0]
    make.work()
    assert trips_of_page(client, f"/runs/{short}") == trips_of_page(client, f"/runs/{long}") <= 12


def test_the_pages_of_workflows_cost_the_same_for_two_steps_and_for_twenty(client, ann):
    Membership.objects.for_tenant(make.a_tenant().pk).filter(user=ann).update(role="author")
    client.force_login(ann)
    few, many = [make.a_version(make.chain(*["text.clean"] * count)).workflow for count in (2, 20)]
    for page, at_most in (("", 11), ("edit", 7), ("definition", 8), ("versions", 9)):
        costs = [trips_of_page(client, f"/workflows/{one.name}/{page}") for one in (few, many)]
        assert costs[0] == costs[1] <= at_most, page
    for path, at_most in (("new", 5), ("import", 5), ("examples", 8)):
        assert trips_of_page(client, f"/workflows/{path}") <= at_most, path


def test_a_page_says_that_the_database_is_away_without_asking_it(client, ann, monkeypatch):
    client.force_login(ann)
    client.raise_request_exception = False

    def gone(*_, **__):
        raise OperationalError("connection refused")

    monkeypatch.setattr(connection, "cursor", gone)
    for path in ("/", "/runs/"):
        answer = client.get(path)
        assert (answer.status_code, answer.headers["Retry-After"]) == (503, "1")
        assert "The database is not available." in answer.text
        assert "Log out" not in answer.text


def test_the_page_of_our_own_errors_needs_no_database(client, ann, monkeypatch):
    client.force_login(ann)
    client.raise_request_exception = False
    monkeypatch.setattr(queries, "at_a_glance", lambda *_: 1 / 0)
    answer = client.get("/")
    assert (answer.status_code, "Something went wrong on our side." in answer.text) == (500, True)
    assert "Log out" not in answer.text
