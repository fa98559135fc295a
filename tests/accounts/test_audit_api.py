"""`GET /audit`: pages, filters and exports, for who manages members; of their own tenant alone."""

import json

import pytest

from accounts import audit
from accounts.audit import chain, reading
from accounts.audit.reading import Filters
from tests.people import People

pytestmark = pytest.mark.django_db

URL = "/api/v1/audit"


@pytest.fixture
def people():
    return People()


@pytest.fixture
def noted(people):
    """Three records of ours and one of theirs, chained."""
    ours, theirs = people.principal("admin"), people.principal("admin", "theirs")
    audit.change(ours, "member.add", "ann", after={"role": "viewer"}, reason="asked")
    audit.change(ours, "member.change", "ann", before={"role": "viewer"}, after={"role": "admin"})
    audit.change(ours, "folder.create", "Finance")
    audit.change(theirs, "member.add", "eve")
    chain.link()
    return people.client("admin")


def targets(answer) -> list[str]:
    return [f"{row['act']} {row['target']}" for row in answer.json()["results"]]


def test_records_are_shown_newest_first(noted):
    answer = noted.get(URL)
    assert targets(answer) == ["folder.create Finance", "member.change ann", "member.add ann"]
    row = answer.json()["results"][1]
    assert (row["by"], row["via"], row["door"], row["seq"]) == ("admin-of-ours", "token", "server", 2)
    assert (row["before"], row["after"], row["count"]) == ({"role": "viewer"}, {"role": "admin"}, 1)
    assert len(row["digest"]) == 64


def test_pages_are_of_so_many(noted):
    first = noted.get(URL, {"limit": 2}).json()
    assert [row["target"] for row in noted.get(first["next"]).json()["results"]] == ["ann"]


@pytest.mark.parametrize(
    ("filters", "found"),
    [
        ({"act": "member.add"}, ["member.add ann"]),
        ({"act": "member.*"}, ["member.change ann", "member.add ann"]),
        ({"act": "member"}, []),
        ({"act": "*"}, ["folder.create Finance", "member.change ann", "member.add ann"]),
        ({"target": "Finance"}, ["folder.create Finance"]),
        ({"target": "eve"}, []),
        ({"by": "admin-of-ours", "act": "folder.*"}, ["folder.create Finance"]),
        ({"by": "admin-of-theirs"}, []),
        ({"until": "2020-01-01T00:00:00Z"}, []),
        ({"since": "2020-01-01T00:00:00Z", "target": "ann"}, ["member.change ann", "member.add ann"]),
    ],
)
def test_filters(noted, filters, found):
    assert targets(noted.get(URL, filters)) == found


@pytest.mark.parametrize(
    ("filters", "field"),
    [
        ({"since": "yesterday"}, "since"),
        ({"format": "xml"}, "format"),
        ({"who": "x"}, "who"),
        ({"cursor": "x"}, "cursor"),
        ({"act": "x\x00"}, "act"),
        ({"target": "x" * 400}, "target"),
    ],
)
def test_bad_parameters_name_the_field(noted, filters, field):
    answer = noted.get(URL, filters)
    assert (answer.status_code, answer.json()["error"]["field"]) == (400, field)


def test_an_export_is_lines_in_the_order_of_the_chain_and_goes_on_where_it_ended(noted):
    answer = noted.get(URL, {"format": "jsonl"})
    assert answer["Content-Type"] == "application/x-ndjson"
    rows = [json.loads(line) for line in answer.content.splitlines()]
    assert [(row["seq"], row["target"]) for row in rows] == [(1, "ann"), (2, "ann"), (3, "Finance")]
    chain.link()
    following = noted.get(answer["Link"].removeprefix("<").partition(">")[0])
    (export,) = [json.loads(line) for line in following.content.splitlines()]
    assert (export["act"], export["after"]) == ("audit.export", {"format": "jsonl", "records": 3})


def test_what_is_written_while_an_export_runs_comes_with_the_next_one(noted, people):
    audit.change(people.principal("admin"), "member.remove", "ann")
    before = noted.get(URL, {"format": "jsonl"})
    assert b"member.remove" not in before.content
    chain.link()
    assert b"member.remove" in noted.get(before["Link"][1:].partition(">")[0]).content


def test_cef_escapes_what_would_be_a_field_or_a_line(people):
    admin = people.principal("admin")
    audit.change(admin, "test|act", "a=b\\c\nCEF:0|x", reason="one\r\ntwo\u2028three=four")
    chain.link()
    answer = people.client("admin").get(URL, {"format": "cef"})
    (line,) = answer.content.decode().split("\n")[:-1]
    assert line.startswith("CEF:0|Handoff|Handoff|1|test\\|act|test\\|act|3|rt=")
    assert " cs1=a\\=b\\\\c\\nCEF:0|x " in line
    assert " reason=one\\ntwo\\nthree\\=four " in line
    assert line.isprintable()


def test_who_manages_no_members_reads_nothing(people, noted):
    for role in ("viewer", "author", "operator", "approver", "requester"):
        assert people.client(role).get(URL).status_code == 403


def test_a_page_costs_as_many_statements_however_many_records_it_has(noted, django_assert_max_num_queries):
    filters, tenant = Filters(), People().tenant().pk
    with django_assert_max_num_queries(1):
        assert len(reading.rows(reading.records_of(tenant, filters))) == 3
    with django_assert_max_num_queries(1):
        assert len(reading.rows(link.record for link in reading.links_of(tenant, filters))) == 3


def test_a_change_by_rest_says_by_which_door_and_from_which_address(people):
    client = people.client("admin")
    made = client.post("/api/v1/groups", {"name": "Finance"}, REMOTE_ADDR="192.0.2.7")
    assert made.status_code == 201
    (row,) = client.get(URL, {"target": "Finance"}).json()["results"]
    assert (row["act"], row["door"], row["address"], row["via"]) == (
        "group.create",
        "rest",
        "192.0.2.7",
        "token",
    )
    assert row["token"] is not None
