"""Pages are written for whoever reads them: their time zone, how they write, what people and workflows are called."""

import re
from datetime import UTC, datetime, timedelta

import pytest

from accounts.models import User
from runs.models import Run
from runs.reading import queries
from tasks_inbox.actions import absences, comments
from tasks_inbox.models import AwayRule, ManualTask
from tests import factories as make
from tests.inbox.asking import approval, asked, decide, member
from tests.store.watching import trips_of_page
from tests.timing import clock
from workflows.models import Workflow

__all__ = ["clock"]
pytestmark = pytest.mark.django_db

KOLKATA, ANGELES = "Asia/Kolkata", "America/Los_Angeles"


@pytest.fixture
def named(client):
    """Bob of Kolkata, who is logged in; Ann has a name, too."""
    for username, name in (("bob", "Bob Rao"), ("ann", "Ann Größe <b>")):
        who = member(username)
        User.objects.filter(username=username).update(name=name)
    living(KOLKATA, "en-GB")
    client.force_login(make.a_user("bob"))
    return who


def living(zone: str, locale: str = "") -> None:
    User.objects.filter(username="bob").update(time_zone=zone, locale=locale)


def test_the_times_of_a_run_are_where_the_reader_is_and_utc_is_at_hand(client, named):
    (run_id,) = make.start(make.chain("noop"))
    at = datetime(2026, 3, 31, 19, 30, 5, tzinfo=UTC)
    Run.unsafe_all_tenants.filter(pk=run_id).update(created_at=at)
    first = client.get(f"/runs/{run_id}").text
    whole = '<time datetime="2026-03-31T19:30:05+00:00" title="2026-03-31 19:30:05 UTC"'
    assert re.search(re.escape(whole) + r"[^>]*>1 Apr 2026, 01:00:05</time>", first)
    living(ANGELES, "en")
    second = client.get(f"/runs/{run_id}").text
    assert re.search(re.escape(whole) + r"[^>]*>Mar 31, 2026, 12:30:05 PM</time>", second)
    living("")
    assert re.search(
        re.escape(whole) + r"[^>]*>2026-03-31 19:30:05 UTC</time>", client.get(f"/runs/{run_id}").text
    )


def test_without_a_setting_the_browser_says_where_and_how(client, named):
    living("")
    (run_id,) = make.start(make.chain("noop"))
    Run.unsafe_all_tenants.filter(pk=run_id).update(created_at=datetime(2026, 11, 1, 9, 30, tzinfo=UTC))
    client.cookies["zone"] = ANGELES
    page = client.get(f"/runs/{run_id}", headers={"Accept-Language": "de-AT,de;q=0.9"}).text
    # The second half past one of that night: clocks are put back.
    assert ">01.11.2026, 01:30:00</time>" in page
    client.cookies["zone"] = "../../etc/passwd"
    assert ">2026-11-01 09:30:00 UTC</time>" in client.get(f"/runs/{run_id}").text


@pytest.mark.parametrize(
    ("zone", "day", "first", "last"),
    [
        (KOLKATA, "2026-03-08", "2026-03-07T18:30:00", "2026-03-08T18:29:59"),
        # A day of 23 hours and one of 25.
        (ANGELES, "2026-03-08", "2026-03-08T08:00:00", "2026-03-09T06:59:59"),
        (ANGELES, "2026-11-01", "2026-11-01T07:00:00", "2026-11-02T07:59:59"),
        # A day that begins at one o'clock.
        ("America/Asuncion", "2024-10-06", "2024-10-06T04:00:00", "2024-10-07T02:59:59"),
        ("", "2026-03-08", "2026-03-08T00:00:00", "2026-03-08T23:59:59"),
    ],
)
def test_a_day_of_the_filter_is_a_day_where_the_reader_is(client, named, monkeypatch, zone, day, first, last):
    living(zone)
    asked_for = {}

    def runs_of(tenant, **filters):
        asked_for.update(filters)
        return found(tenant, **filters)

    found = queries.runs_of
    monkeypatch.setattr("runs.reading.lists.runs_of", runs_of)
    assert client.get(f"/runs/?since={day}&until={day}").status_code == 200
    begin, end = (datetime.fromisoformat(text).replace(tzinfo=UTC) for text in (first, last))
    assert asked_for["created_after"].astimezone(UTC) == begin
    assert asked_for["created_before"].astimezone(UTC) == end + timedelta(seconds=1)


@pytest.mark.parametrize("zone", [KOLKATA, ANGELES, "Pacific/Kiritimati"])
def test_the_first_and_the_last_day_there_are_can_be_asked_for(client, named, zone):
    living(zone)
    assert client.get("/runs/?since=0001-01-01&until=9999-12-31").status_code == 200
    assert client.get("/runs/?since=9999-12-31&until=0001-01-01").status_code == 200
    assert client.get("/runs/?until=9999-12-30").status_code == 200


def test_workflows_and_people_are_called_as_people_call_them(client, named):
    task = asked(approval(candidates={"users": ["ann", "bob"]}))
    workflow = Workflow.unsafe_all_tenants.get(pk=task.workflow_id)
    Workflow.unsafe_all_tenants.filter(pk=workflow.pk).update(title="Refunds & more")
    Run.unsafe_all_tenants.filter(pk=task.run_id).update(created_by="ann")
    title = f'<span title="{workflow.name}">Refunds &amp; more</span>'
    ann = '<span title="ann">Ann Größe &lt;b&gt;</span>'
    run = client.get(f"/runs/{task.run_id}").text
    assert f"<dd>{ann}</dd>" in run
    assert f"<h1>{title}" in run
    assert "<title>Refunds &amp; more · Handoff</title>" in run
    assert "waits for Ann Größe &lt;b&gt; or Bob Rao to decide" in run
    for path in ("/", "/runs/"):
        assert title in client.get(path).text
    assert ">Bob Rao</a>" in run
    comments.add_comment(member("ann"), task.pk, "Why?")
    assert f"<strong>{ann}</strong>" in client.get(f"/inbox/{task.pk}").text
    decide(member("ann"), task)
    page = client.get(f"/inbox/{task.pk}").text
    assert f"<p>{ann} decided this on" in page
    assert "Asked: " not in page
    found = client.get(f"/find?q={task.run_id}").json()["results"][0]
    assert (found["name"], str(task.run_id) in found["about"]) == ("Refunds & more", True)


def test_names_cost_the_same_for_one_run_as_for_many(client, named):
    version = make.a_version(approval(candidates={"users": ["ann", "bob"]}))
    make.start_version(version, {"amount": 1})
    make.work()
    paths = ("/", "/runs/", "/inbox/")
    few = [trips_of_page(client, path) for path in paths]
    for number in range(8):
        member(f"m{number}")
        User.objects.filter(username=f"m{number}").update(name=f"Member {number}")
        asked(approval(candidates={"users": [f"m{number}", "bob"]}))
    assert (
        "Member 7 or Bob Rao" in client.get(f"/runs/{ManualTask.unsafe_all_tenants.latest('id').run_id}").text
    )
    assert [trips_of_page(client, path) for path in paths] == few


def test_numbers_of_data_are_written_as_the_reader_writes_them(client, named):
    definition = approval(
        facts={"Amount": "{{ input.amount }}", "Year": "{{ input.year }}", "No": "{{ input.no }}"}
    )
    task = asked(definition, amount=12500.5, year=2026, no="10452")
    facts = [("en", "12,500.5"), ("de", "12.500,5"), ("", "12500.5")]
    for locale, amount in facts:
        living(KOLKATA, locale)
        page = client.get(f"/inbox/{task.pk}").text
        said = re.findall(r"<dt>(Amount|Year|No)</dt>\s*<dd[^>]*>(?:\s*<span[^>]*>)?([^<]*)", page)
        assert dict(said) == {"Amount": amount, "Year": "2026", "No": "10452"}


def test_an_absence_is_said_and_shown_in_the_readers_time_zone(client, named):
    form = {"substitute": "ann", "from": "2040-03-01T00:30", "until": "2040-03-02T09:00"}
    assert client.post("/settings/away/add", form).status_code == 302
    rule = AwayRule.objects.for_tenant(named.tenant_id).get()
    assert rule.starts_at == datetime(2040, 2, 29, 19, 0, tzinfo=UTC)
    page = client.get("/settings/away").text
    assert ">1 Mar 2040, 00:30</time>" in page
    assert "In your time zone, Asia/Kolkata." in page
    living(ANGELES)
    missing = client.post(
        "/settings/away/add", form | {"from": "2040-03-11T02:30", "until": "2040-03-12T02:30"}
    )
    assert missing.status_code == 422
    assert "There is no such time on this day" in missing.text
    for odd in ("9999-12-31T23:59", "0001-01-01T00:00", "2040-13-01T00:00", "now"):
        assert client.post("/settings/away/add", form | {"from": odd}).status_code in (409, 422)


def test_an_absence_over_rest_stays_what_it_was(client, named):
    start = datetime(2040, 1, 1, 9, tzinfo=UTC)
    absences.add_rule(member("bob"), "ann", starts_at=start, ends_at=start + timedelta(1))
    text = client.get("/api/v1/away").text
    assert '"from":"2040-01-01T09:00:00Z"' in text


def test_evidence_and_answers_of_the_api_are_the_same_whoever_reads(client, named, clock):
    task = asked(approval(candidates={"users": ["ann", "bob"]}, due_seconds=3600))
    decide(member("ann"), task, comment="Fine.")
    make.work()
    of_run = f"/api/v1/runs/{task.run_id}"
    paths = (
        f"{of_run}/evidence?format=json",
        f"{of_run}/evidence?format=html",
        of_run,
        f"/api/v1/tasks/{task.pk}",
    )

    def taken() -> list[str]:
        client.get(f"/inbox/{task.pk}")
        return [client.get(path).text for path in paths]

    living("")
    before = taken()
    living(KOLKATA, "de")
    assert taken() == before
    assert "2031-01-01 09:00:00 UTC" in before[1]
    assert '"decided_by":"ann"' in before[3]


@pytest.mark.browser
def test_the_browser_says_where_it_is_before_the_first_page_after_the_login(site, chromium, transactional_db):
    make.UserFactory(username="cy", logs_in=True)
    make.MembershipFactory(user__username="cy")
    (run_id,) = make.start(make.chain("noop"))
    Run.unsafe_all_tenants.filter(pk=run_id).update(created_at=datetime(2026, 3, 31, 19, 30, 5, tzinfo=UTC))
    there = chromium.new_context(base_url=site, timezone_id=KOLKATA, locale="en-GB")
    page = there.new_page()
    page.goto(f"/login?next=/runs/{run_id}")
    page.get_by_label("Username").fill("cy")
    page.get_by_label("Password").fill(make.PASSWORD)
    page.get_by_role("button", name="Log in").click()
    page.wait_for_url(f"**/runs/{run_id}")
    assert page.get_by_text("1 Apr 2026, 01:00:05").first.get_attribute("title") == "2026-03-31 19:30:05 UTC"
    there.close()


def test_facts_that_are_usernames_by_their_expression_are_told_as_people(client, named):
    facts = {
        "Asked for by": "{{ run.created_by }}",
        "First": "{{ steps.first.output.by }}",
        "Said": "{{ input.said }}",
        "In a text": "by {{ run.created_by }}",
    }
    first = {"id": "first", "type": "human.approval", "params": {"title": "First?"}}
    ask = {"id": "ask", "type": "human.approval", "params": {"title": "Then?", "facts": facts}}
    version = make.a_version(make.graph([first, ask], ["first>ask"]))
    make.start_version(version, {"said": "ann"}, by="ann")
    make.work()
    decide(member("bob"), ManualTask.unsafe_all_tenants.get(node="first"))
    make.work()
    task = ManualTask.unsafe_all_tenants.get(node="ask")
    page = client.get(f"/inbox/{task.pk}").text
    told = dict(re.findall(r"<dt>([^<]+)</dt><dd>\s*(.*?)\s*</dd>", page, re.DOTALL))
    ann = '<span class="said"><span title="ann">Ann Größe &lt;b&gt;</span></span>'
    assert told["Asked for by"] == ann
    assert told["First"] == '<span class="said"><span title="bob">Bob Rao</span></span>'
    # What is data stays data, though it be somebody's username.
    assert told["Said"] == '<span class="said">ann</span>'
    assert told["In a text"] == '<span class="said">by ann</span>'
