"""Tabs, columns, saved searches, previews and verbs for many in the list of runs; one journey in a browser."""

import pytest
from playwright.sync_api import expect

from accounts.models import Membership
from operations.bulk import selected
from operations.bulk import work as bulk_jobs
from runs.commands import bulk
from runs.models import Run, SavedSearch
from runs.reading import counting, unindexed
from tests import factories as make
from tests.factories import GroupFactory, GroupMemberFactory
from tests.inbox.asking import approval, asked, member
from tests.store.watching import watching
from tests.web.axe import faults

pytestmark = pytest.mark.django_db

WAITS = make.graph([{"id": "a", "type": "job", "queue": "pricing"}], [])


@pytest.fixture
def operator(client, ann):
    Membership.objects.for_tenant(make.a_tenant().pk).filter(user=ann).update(role="operator")
    client.force_login(ann)
    return client


def found(client, query: str) -> list[str]:
    return [row["id"] for row in client.get(f"/runs/?{query}").context["runs"]]


def counts(client, query: str = "") -> dict[str, str]:
    context = client.get(f"/runs/counts?{query}", headers={"HX-Request": "true"}).context
    return {tab["key"]: str(tab["count"]) for tab in context["tabs"]} | {
        one["name"]: str(one["count"]) for one in context["searches"]
    }


def test_tabs_find_what_is_mine_what_waits_for_people_and_what_failed(operator):
    task = asked(approval())
    (failed,) = make.start(make.chain("text.clean"), {"text": 1})
    (own,) = make.start(WAITS)
    make.work()
    Run.unsafe_all_tenants.filter(pk=own).update(created_by="ann")
    assert found(operator, "by=me") == found(operator, "by=ann") == [own]
    assert found(operator, "status=people") == [str(task.run_id)]
    assert found(operator, "status=unresolved") == [failed]
    assert counts(operator) == {
        "all": "3",
        "mine": "1",
        "people": "1",
        "unresolved": "1",
        "stuck": "0",
        "open": "2",
        "tests": "0",
    }


def test_counts_are_bounded_and_cost_one_statement(operator, monkeypatch):
    monkeypatch.setattr(counting, "COUNTED", 3)
    costs = []
    for count, told in ((1, "1"), (4, "3+")):
        make.start(WAITS, *({"n": number} for number in range(count)))
        with watching() as seen:
            assert counts(operator)["open"] == told
        costs.append(seen.trips)
    assert costs[0] == costs[1] <= 7


def test_a_count_that_is_a_bound_says_so(operator, monkeypatch):
    make.start(make.chain("text.clean"), *({"text": number} for number in range(3)))
    make.work()
    assert counts(operator)["unresolved"] == "3"
    monkeypatch.setattr(unindexed, "READ_AT_ONCE", 2)
    assert counts(operator)["unresolved"] == "2+"
    page = operator.get("/runs/counts", headers={"HX-Request": "true"}).text
    assert 'class="tally bad-text"' in page
    assert 'title="At least 2">2+</span>' in page
    # That there are 0 or more says nothing, and is not said.
    Run.unsafe_all_tenants.update(status="CANCELLED")
    monkeypatch.setattr(counting, "COUNTED", 0)
    assert "0+" not in operator.get("/runs/counts", headers={"HX-Request": "true"}).text


def test_words_in_the_text_narrow_as_the_fields_do(operator):
    version = make.a_version(WAITS)
    one, two = make.start_version(version, {"text": "Siemens"}, {"text": "other"})
    make.cancel(two)
    name = version.workflow.name
    assert found(operator, f"q=workflow:{name}+status:cancelled") == [two]
    assert found(operator, f"q=siemens+workflow:{name}") == [one]
    page = operator.get("/runs/?q=status:nonsense")
    assert "There is no status “nonsense”" in page.text
    assert page.context["runs"] == []
    assert "Enter a valid date" in operator.get("/runs/?q=since:soon").text


def test_columns_are_kept_for_who_chose_them(operator):
    make.start(WAITS)
    assert ">Version</th>" in operator.get("/runs/").text
    answer = operator.post(
        "/runs/columns?status=open", {"column": ["took", "by", "nonsense"], "way": "scroll"}
    )
    assert answer.url == "/runs/?status=open"
    page = operator.get("/runs/")
    assert [name for name, _ in page.context["headings"]] == ["by", "took"]
    assert page.context["shown"].scrolls
    assert [name for name, _ in operator.get("/runs/?columns=version").context["headings"]] == ["version"]
    operator.cookies["runs_list"] = "x" * 5000
    assert operator.get("/runs/").status_code == 200


def test_a_list_that_loads_more_by_itself_leads_on_without_scripts_too(operator):
    make.start(make.chain("noop"), *({"n": number} for number in range(60)))
    operator.post("/runs/columns", {"column": "status", "way": "scroll"})
    page = operator.get("/runs/")
    assert 'rel="next"' in page.text
    assert "intersect once" in page.text
    assert len(operator.get(page.context["older"]).context["runs"]) == 10


def test_a_search_is_kept_with_its_columns_renamed_and_deleted(operator):
    (run_id,) = make.start(WAITS)
    answer = operator.post("/runs/searches", {"name": " My  open ", "query": "status=open&cursor=x"})
    search = SavedSearch.unsafe_all_tenants.get()
    assert (search.name, search.owner) == ("My open", "ann")
    assert "cursor" not in search.query
    page = operator.get(answer.url)
    assert [row["id"] for row in page.context["runs"]] == [run_id]
    assert page.context["search_now"]["name"] == "My open"
    assert counts(operator)["My open"] == "1"
    operator.post("/runs/searches", {"name": "My open", "query": ""})
    assert SavedSearch.unsafe_all_tenants.count() == 1
    operator.post(f"/runs/searches/{search.pk}", {"name": "Open"})
    search.refresh_from_db()
    assert search.name == "Open"
    operator.post(f"/runs/searches/{search.pk}/delete")
    assert not SavedSearch.unsafe_all_tenants.exists()


def test_a_search_is_shared_with_a_group_and_changed_by_its_owner_alone(operator, client):
    seat = Membership.objects.for_tenant(make.a_tenant().pk).get(user__username="ann")
    group = GroupFactory(name="Legal")
    GroupMemberFactory(group=group, membership=seat)
    operator.post("/runs/searches", {"name": "Ours", "query": "status=failed", "group": "Legal"})
    operator.post("/runs/searches", {"name": "Theirs", "query": "", "group": "Finance"})
    search = SavedSearch.unsafe_all_tenants.get()
    member("bob", "operator", "Legal")
    member("cid", "operator")
    from_bob, from_cid = type(client)(), type(client)()
    from_bob.force_login(make.UserFactory._meta.model.objects.get(username="bob"))
    from_cid.force_login(make.UserFactory._meta.model.objects.get(username="cid"))
    assert "Ours" in counts(from_bob)
    assert "Ours" not in counts(from_cid)
    from_bob.post(f"/runs/searches/{search.pk}", {"name": "Mine"})
    assert from_cid.post(f"/runs/searches/{search.pk}/delete").status_code == 404
    from_bob.post(f"/runs/searches/{search.pk}/delete")
    search.refresh_from_db()
    assert search.name == "Ours"


def test_a_preview_shows_a_run_and_none_of_another_tenant(operator):
    (failed,) = make.start(make.chain("text.clean"), {"text": 1})
    make.work()
    text = operator.get(f"/runs/{failed}/preview").text
    assert "Failed" in text
    assert f'href="/runs/{failed}"' in text
    other = make.start(WAITS, tenant=make.a_tenant("theirs"))[0]
    assert operator.get(f"/runs/{other}/preview").status_code == 404


def test_what_is_done_with_many_is_told_first_then_done_and_refusals_are_told(operator):
    waiting, other = make.start(WAITS)[0], make.start(WAITS)[0]
    (done,) = make.start(make.chain("noop"))
    make.work()
    page = operator.post("/runs/together?status=", {"verb": "cancel", "ids": [waiting, done]})
    assert (page.context["able"], page.context["count"]) == (1, 2)
    assert "The run is already COMPLETED." in page.text
    assert make.run(waiting).status == "RUNNING"
    asked_for = {"verb": "cancel", "runs": page.context["able_ids"], "confirm": "1", "reason": "a typo"}
    answer = operator.post("/runs/together", asked_for, follow=True)
    assert "1 of 1 cancelled." in answer.text
    assert make.run(waiting).status == "CANCELLED"
    again = operator.post("/runs/together", asked_for | {"runs": f"{waiting},{other}"}, follow=True)
    assert "1 of 2 runs cancelled" in again.text
    assert "The run is already CANCELLED." in again.text


def test_all_that_match_are_taken_by_their_filter(operator):
    version = make.a_version(WAITS)
    runs = make.start_version(version, *({"n": number} for number in range(60)))
    make.cancel(runs[0])
    page = operator.post(
        f"/runs/together?workflow={version.workflow.name}&status=open", {"verb": "pause", "all": "1"}
    )
    assert (page.context["count"], page.context["able"]) == (59, 59)
    # What it can't be done with takes no place among those that are taken.
    everything = f"/runs/together?workflow={version.workflow.name}&status="
    cancelled = operator.post(everything, {"verb": "unpause", "all": "1"}, follow=True)
    assert "No run is selected." in cancelled.text
    assert operator.post(everything, {"verb": "cancel", "all": "1"}).context["count"] == 59
    refused = operator.post("/runs/together?q=siemens", {"verb": "pause", "all": "1"}, follow=True)
    assert "Select runs on this page" in refused.text
    assert "No run is selected." in operator.post("/runs/together", {"verb": "pause"}, follow=True).text


def test_more_than_are_taken_at_once_are_taken_by_a_bulk_job_that_only_looks_first(operator, monkeypatch):
    for module in (bulk, selected):
        monkeypatch.setattr(module, "BULK_RUNS", 2)
    version = make.a_version(WAITS)
    runs = make.start_version(version, *({"n": number} for number in range(4)))
    make.cancel(runs[0])
    name = version.workflow.name

    asked = operator.post(
        f"/runs/together?workflow={name}&status=open&q=since:today", {"verb": "pause", "all": "1"}
    )
    bulk_jobs.work(60)
    page = operator.get(asked.url).text
    assert "Pause 3 of 3 runs?" in page
    assert f"Found by workflow:{name} status:open since:today" in page
    assert make.run(runs[1]).status == "RUNNING"
    assert operator.post(f"{asked.url}/go", {"reason": ""}).status_code == 422
    done = operator.post(f"{asked.url}/go", {"reason": "a fix"})
    bulk_jobs.work(60)

    assert "3 of 3 runs paused" in operator.get(done.url).text
    assert {make.run(run).status for run in runs[1:]} == {"PAUSED"}
    assert "Only a finished dry run" in operator.post(f"{done.url}/go", {"reason": "again"}, follow=True).text
    listed = operator.get("/bulk-jobs").text
    assert listed.count(f"workflow:{name}") == 2
    assert "Checked" in listed


def test_who_only_reads_selects_nothing(client, ann):
    client.force_login(ann)
    make.start(WAITS)
    assert 'id="bulk"' not in client.get("/runs/").text
    assert client.post("/runs/together", {"verb": "cancel", "all": "1"}).status_code == 403


def test_home_says_what_needs_whoever_looks(client, ann):
    Membership.objects.for_tenant(make.a_tenant().pk).filter(user=ann).update(role="approver")
    client.force_login(ann)
    assert "Needs you" not in client.get("/").text
    task = asked(approval(candidates={"users": ["ann"]}, due_seconds=3 * 86_400))
    page = client.get("/").text
    assert "Needs you" in page
    assert f'href="/inbox/{task.pk}"' in page
    assert "due in 2 d" in page


def test_keys_select_preview_and_lead_to_cancelling_many(visitor, ann):
    Membership.objects.for_tenant(make.a_tenant().pk).filter(user=ann).update(role="operator")
    runs = make.start_version(make.a_version(WAITS), *({"name": f"Claim {number}"} for number in range(4)))
    page = visitor.page
    visitor.open("/runs/")
    visitor.press("j", "x", "j", "j", "Shift+X")
    expect(page.get_by_text("3 selected")).to_be_visible()
    assert visitor.ticked_when_swapped("runs") == 3
    visitor.press("Space")
    preview = page.get_by_role("complementary", name="Preview")
    expect(preview.get_by_role("link", name="Claim 1")).to_be_visible()
    visitor.press("j")
    expect(preview.get_by_role("link", name="Claim 0")).to_be_visible()
    visitor.press("Escape")
    expect(preview).to_be_hidden()
    assert faults(page) == []
    page.get_by_role("button", name="Cancel…").click()
    page.get_by_label("Reason").fill("a typo")
    page.get_by_role("button", name="Cancel 3 runs").click()
    expect(page.get_by_text("3 of 3 cancelled.")).to_be_visible()
    assert [make.run(run).status for run in runs] == ["RUNNING", *["CANCELLED"] * 3]
    # A word that is being written is offered to its end, on a page whose scripts are there.
    page.wait_for_load_state("load")
    page.get_by_label("Text", exact=True).press_sequentially("status:canc")
    expect(page.locator("#search-offers option")).to_have_attribute("value", "status:cancelled")
    page.get_by_label("Text", exact=True).press("Escape")
    page.get_by_label("Text", exact=True).blur()
    # What comes while somebody reads is announced, and shown when they want it.
    visitor.press("j")
    make.start_version(make.a_version(WAITS), {"name": "Claim 9"})
    page.get_by_role("button", name="Show 1 new run").click()
    expect(page.get_by_role("link", name="Claim 9")).to_be_visible()
