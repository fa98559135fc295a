"""Runs are found wherever they stand: by who started them and by fields of their input; a bounded answer says so."""

import pytest

from accounts.models import Membership
from runs.maintenance import input_index as duty
from runs.models import InputField, InputIndex, Run
from runs.reading import input_index, search, unindexed
from tests import factories as make
from tests.factories import VersionFactory

pytestmark = pytest.mark.django_db

WAITS = make.graph([{"id": "a", "type": "job", "queue": "pricing"}], [])
FIELDS = {
    "country": {"type": "string", "x-searchable": True},
    "amount": {"type": "number", "x-searchable": True},
    "lines": {
        "type": "array",
        "items": {"type": "object", "properties": {"sku": {"type": "string", "x-searchable": True}}},
    },
    "note": {"type": "string"},
}
MARKED = {**WAITS, "input_schema": {"type": "object", "properties": FIELDS}}


@pytest.fixture
def operator(client, ann):
    Membership.objects.for_tenant(make.a_tenant().pk).filter(user=ann).update(role="operator")
    client.force_login(ann)
    return client


@pytest.fixture
def narrow(monkeypatch):
    """Of what no index has only the newest two runs are read."""
    monkeypatch.setattr(search, "RUNS_A_PAGE", 2)
    monkeypatch.setattr(unindexed, "READ_AT_ONCE", 2)
    monkeypatch.setattr(search, "READ_AT_ONCE", 2)


@pytest.fixture
def at_once(monkeypatch):
    """Runs are indexed as soon as they were started."""
    monkeypatch.setattr(duty, "LAG", -duty.LAG)


def found(client, query):
    return [row["id"] for row in client.get(f"/runs/?{query}").context["runs"]]


def index():
    while duty.index():
        pass


def marked(*given):
    version = make.a_version(MARKED)
    return version.workflow.name, make.start_version(version, *given)


def test_what_somebody_started_is_found_behind_any_number_of_newer_runs(operator, narrow):
    runs = make.start(WAITS, *({"n": number} for number in range(6)))
    Run.unsafe_all_tenants.filter(pk=runs[0]).update(created_by="ann")
    assert found(operator, "by=me") == found(operator, "q=by:ann") == [runs[0]]
    answer = operator.get("/api/v1/runs?by=ann").json()
    assert [run["id"] for run in answer["results"]] == [runs[0]]
    assert "searched" not in answer


def test_an_empty_page_of_a_part_of_the_runs_leads_on_until_all_were_searched(operator, narrow):
    runs = make.start(WAITS, *({"n": number} for number in range(6)))
    page = operator.get("/runs/?q=input.n:0")
    assert "No run matches" not in page.text
    assert "2 runs were searched here, back to" in page.text
    assert "Search older runs" in page.text
    address, seen = "/api/v1/runs?query=input.n:0", []
    while address:
        answer = operator.get(address).json()
        seen += [run["id"] for run in answer["results"]]
        assert answer["searched"]["complete"] is (answer["next"] is None)
        assert answer["searched"]["rows"] == answer["searched"]["runs"]
        address = answer["next"]
    assert seen == [runs[0]]


@pytest.mark.parametrize(
    ("word", "places"),
    [
        ("input.country:DE", [0]),
        ("input.amount:100", [1]),
        ("input.amount>100", [2]),
        ("input.amount>=100", [2, 1]),
        ("input.lines.sku:B7", [2]),
        ("input.country:DE input.amount:7", [0]),
        ("input.country:DE input.amount:8", []),
        ("input.country:XX", []),
    ],
)
def test_searchable_fields_are_found_in_all_runs_of_a_workflow(operator, narrow, at_once, word, places):
    name, runs = marked(
        {"country": "DE", "amount": 7},
        {"country": "FR", "amount": 100.0, "note": "DE"},
        {"country": "FR", "amount": 250, "lines": [{"sku": "A1"}, {"sku": "B7"}]},
        *({"country": "IT", "amount": 1} for _ in range(4)),
    )
    index()
    answer = operator.get("/api/v1/runs", {"query": f"{word} workflow:{name}"}).json()
    assert [run["id"] for run in answer["results"]] == [runs[place] for place in places]
    assert (answer["next"], answer["searched"]) == (
        None,
        {"complete": True} | ({"since": answer["searched"]["since"]} if places else {}),
    )
    # Without the workflow others may have such a field, too: what is found comes first, and the answer leads on.
    answer = operator.get("/api/v1/runs", {"query": word}).json()
    assert [run["id"] for run in answer["results"]] == [runs[place] for place in places]
    assert answer["searched"]["complete"] is False
    if not places:
        assert "No run matches" in operator.get("/runs/", {"q": f"{word} workflow:{name}"}).text


def test_runs_from_before_the_mark_are_indexed_and_until_then_the_answer_is_a_bound(
    operator, narrow, at_once, monkeypatch
):
    version = make.a_version(WAITS)
    name = version.workflow.name
    runs = make.start_version(version, *({"country": "DE" if n == 0 else "FR"} for n in range(7)))
    VersionFactory(workflow=version.workflow, number=2, definition=MARKED)
    monkeypatch.setattr(duty, "BATCH", 2)
    query = {"query": f"input.country:DE workflow:{name}"}
    assert operator.get("/api/v1/runs", query).json()["searched"]["complete"] is False
    duty.index(seconds=-1)
    assert not InputIndex.unsafe_all_tenants.exists()
    index()
    answer = operator.get("/api/v1/runs", query).json()
    assert [run["id"] for run in answer["results"]] == [runs[0]]
    assert answer["searched"]["complete"] is True
    assert InputField.unsafe_all_tenants.count() == 7


def test_what_was_started_a_moment_ago_is_found_without_the_index(operator, narrow, monkeypatch):
    name, runs = marked(*({"country": "FR"} for _ in range(3)))
    index()
    newer = make.start_version(make.run(runs[0]).version, {"country": "DE"})
    query = {"query": f"input.country:DE workflow:{name}"}
    answer = operator.get("/api/v1/runs", query).json()
    assert ([run["id"] for run in answer["results"]], answer["searched"]["complete"]) == (newer, True)
    # More of them than are tested one by one: the answer is a bound again.
    monkeypatch.setattr(input_index, "INDEX_NEWS", 2)
    assert operator.get("/api/v1/runs", query).json()["searched"]["complete"] is False


def test_the_index_is_of_one_tenant(operator, at_once):
    make.start_version(make.a_version(MARKED, tenant=make.a_tenant("theirs")), {"country": "DE"})
    index()
    assert InputField.unsafe_all_tenants.count() == 1
    assert operator.get("/api/v1/runs", {"query": "input.country:DE"}).json()["results"] == []


def test_workflows_without_searchable_fields_are_not_indexed(at_once):
    make.start(WAITS, {"country": "DE"})
    assert duty.index() == 0
    assert not InputField.unsafe_all_tenants.exists()
