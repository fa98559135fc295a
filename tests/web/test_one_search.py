"""One grammar for runs, tasks, requests and the palette; what can't be read is refused with what may be meant."""

from urllib.parse import quote

import pytest
from django.http import QueryDict

from accounts.models import Membership
from runs.commands.starts import NewRun, Terms, start_runs
from runs.models import DeadLetter, Run, SavedSearch
from runs.reading.filters import FilterForm
from tasks_inbox.models import InboxView
from tests import factories as make
from tests.inbox.asking import approval, asked, member, task_of

pytestmark = pytest.mark.django_db

WAITS = make.graph([{"id": "a", "type": "job", "queue": "pricing"}], [])


@pytest.fixture
def operator(client, ann):
    Membership.objects.for_tenant(make.a_tenant().pk).filter(user=ann).update(role="operator")
    ann.name = "Ann Lee"
    ann.save()
    client.force_login(ann)
    return client


def found(client, query):
    return [row["id"] for row in client.get("/runs/", {"q": query}).context["runs"]]


def over_rest(client, path, **params):
    answer = client.get(f"/api/v1/{path}", params)
    assert answer.status_code == 200, answer.text
    return [row["id"] for row in answer.json()["results"]]


@pytest.fixture
def runs(operator):
    """Five runs: one is Ann's and waits, one failed, one is cancelled, one has the key `A "1"`, one completed."""
    version = make.a_version(WAITS)
    terms = Terms(tenant=version.tenant_id, version=version.pk, by="test")
    items = [NewRun({"n": 1}), NewRun({"n": 2}), NewRun({"n": 3}, 'A "1"')]
    own, cancelled, keyed = (started.id for started in start_runs(terms, items))
    Run.unsafe_all_tenants.filter(pk=own).update(created_by="ann")
    make.cancel(cancelled)
    (failed,) = make.start(make.chain("text.clean"), {"text": 1})
    (done,) = make.start(make.chain("noop"))
    make.work()
    return {"own": own, "cancelled": cancelled, "keyed": keyed, "failed": failed, "done": done}


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("status:failed or status:cancelled", ["failed", "cancelled"]),
        ("status:FAILED OR status:completed", ["done", "failed"]),
        ("-status:completed", ["failed", "keyed", "cancelled", "own"]),
        ("not by:test", ["own"]),
        ("not by:me status:open", ["keyed"]),
        ('by:"ann lee"', ["own"]),
        ("by:me or status:failed", ["failed", "own"]),
        ('key:"A \\"1\\""', ["keyed"]),
        ("input.n:1 or input.n:3", ["keyed", "own"]),
        ("-input.n:1 status:open", ["keyed"]),
        ("status:open -status:open", []),
        ("status:open status:failed", []),
        ("status:unresolved or by:me", ["failed", "own"]),
    ],
)
def test_runs_are_found_by_not_or_quotes_and_full_names(operator, runs, text, names):
    expected = sorted((runs[name] for name in names), reverse=True)
    assert found(operator, text) == expected
    for name in ("query", "q", "filter"):
        assert over_rest(operator, "runs", **{name: text}) == expected


def test_an_unknown_field_is_refused_with_a_suggestion_at_every_door(operator):
    asked()
    for path in ("runs", "tasks", "requests"):
        for name in ("query", "q", "filter"):
            answer = operator.get(f"/api/v1/{path}", {name: "worfklow:a"})
            assert answer.status_code == 400, (path, name)
            assert answer.json()["error"]["field"] == name
            assert "Did you mean workflow:a?" in answer.json()["error"]["message"]
    pages = ("/runs/?q=", "/runs/?query=", "/inbox/?filter=", "/inbox/?query=", "/requests/?query=")
    for address in (*pages, "/operations/dead-letters?query="):
        page = operator.get(f"{address}worfklow:a", follow=True).text
        assert "Did you mean workflow:a?" in page, address


def test_tasks_are_found_by_not_or_quotes_keys_and_full_names(operator, ann):
    member("ann", "operator")
    version = make.a_version(approval())
    terms = Terms(tenant=version.tenant_id, version=version.pk, by="test")
    started = start_runs(
        terms, [NewRun({"amount": 1}, 'K "7"'), NewRun({"amount": 2}), NewRun({"amount": 3})]
    )
    make.work()
    one, two, three = (str(task_of(run.id).pk) for run in started)
    type(task_of(started[1].id)).unsafe_all_tenants.filter(pk=two).update(assignee="ann")
    for text, ids in {
        'key:"K \\"7\\""': [one],
        '"K "': [one],
        '"Refund 1" or "Refund 3"': [three, one],
        'not assignee:"Ann Lee"': [three, one],
        'assignee:"ann lee"': [two],
        "is:claimed or key:nothing": [two],
        '-"Refund 2" -"Refund 3"': [one],
    }.items():
        for name in ("query", "q", "filter"):
            assert over_rest(operator, "tasks", **{name: text}) == ids, (text, name)


def test_requests_are_found_by_the_same_words_but_not_by_what_a_run_does(operator, ann):
    version = make.a_version(WAITS)
    terms = Terms(tenant=version.tenant_id, version=version.pk, by="ann", requested_by=ann.pk)
    one, two = (run.id for run in start_runs(terms, [NewRun({"n": 1}, "REQ-1"), NewRun({"n": 2}, "REQ-2")]))
    make.start(WAITS, {"n": 1})
    for name in ("query", "q", "filter"):
        assert over_rest(operator, "requests", **{name: "key:REQ-1 or input.n:2"}) == [two, one]
        assert over_rest(operator, "requests", **{name: "req -input.n:2"}) == [one]
    page = operator.get("/requests/?query=req-2")
    assert [row["id"] for row in page.context["rows"]] == [two]
    assert "No request matches" in operator.get("/requests/?query=key:none&show=all").text
    assert operator.get("/api/v1/requests", {"query": "step:a"}).status_code == 400


def test_searches_that_can_no_longer_be_read_are_shown_with_the_error(operator):
    operator.post("/runs/searches", {"name": "Old", "query": "status=open"})
    SavedSearch.unsafe_all_tenants.update(query="q=colour:red")
    page = operator.get("/runs/")
    assert "Old" in page.text
    assert "There is no field “colour”" in page.text
    assert (
        "There is no field “colour”"
        in operator.get(f"/runs/?{SavedSearch.unsafe_all_tenants.get().query}").text
    )
    (row,) = operator.get("/api/v1/run-searches").json()["results"]
    assert "There is no field “colour”" in row["fault"]

    assert operator.post(
        "/inbox/views/add", {"name": "Past", "view": "teams", "filter": "is:open", "sort": "sla"}
    )
    InboxView.unsafe_all_tenants.update(filter="colour:red")
    assert "There is no field “colour”" in operator.get("/inbox/views").text
    (row,) = operator.get("/api/v1/inbox-views").json()["results"]
    assert ("There is no field “colour”" in row["fault"], row["count"]) == (True, 0)


def test_the_palette_finds_keys_tasks_requests_and_people(operator, ann):
    version = make.a_version(approval(title="Pay the bill?"))
    terms = Terms(tenant=version.tenant_id, version=version.pk, by="ann", requested_by=ann.pk)
    (run,) = start_runs(terms, [NewRun({"amount": 1}, "Bill-9")])
    make.work()
    task = task_of(run.id)

    def urls(text):
        return [row["url"] for row in operator.get("/find", {"query": text}).json()["results"]]

    assert urls("Bill-9")[:2] == [f"/runs/{run.id}", f"/requests/{run.id}"]
    assert urls("bill-9") == urls("Bill-9")
    assert f"/inbox/{task.pk}" in urls("the bill")
    assert f"/inbox/{task.pk}" in urls("Bill-")
    assert urls("Ann Lee") == ["/runs/?q=by%3Aann"]
    assert urls("status:failed") == ["/runs/?q=status%3Afailed"]
    (row,) = operator.get(f"/find?q={quote('stauts:failed')}").json()["results"]
    assert "Did you mean status:failed?" in row["about"]


def test_dead_letters_are_found_by_the_same_grammar(operator):
    one, two = make.chain("text.clean"), make.chain("text.clean", "noop")
    (first,), (second,) = make.start(one, {"text": 1}), make.start(two, {"text": 1})
    make.work()
    name = make.run(first).version.workflow.name
    code = DeadLetter.unsafe_all_tenants.get(run_id=first).error["code"]
    for text, runs in {
        f"workflow:{name}": [first],
        f"-workflow:{name}": [second],
        f"workflow:{name} or code:{code}": [second, first],
        "step:nowhere": [],
        "key:none": [],
    }.items():
        for param in ("query", "q", "filter"):
            rows = operator.get("/api/v1/dead-letters", {param: text}).json()["results"]
            assert [row["run_id"] for row in rows] == runs, text
        page = operator.get("/operations/dead-letters", {"query": text})
        assert [str(row["letter"].run_id) for row in page.context["letters"]] == runs, text
    assert "Did you mean workflow:a?" in operator.get("/operations/dead-letters?query=worfklow:a").text
    assert operator.get("/api/v1/dead-letters?q=boom").json()["error"]["field"] == "q"


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({"q": r' key:"A  \"1\"" '}, r'key:"A  \"1\""'),
        ({"by": 'Ann "A" Lee', "q": "a"}, r'by:"Ann \"A\" Lee" a'),
        ({"workflow": "a", "q": ""}, "workflow:a"),
    ],
)
def test_a_search_of_many_runs_is_the_text_that_finds_them(fields, text):
    data = QueryDict(mutable=True)
    data.update(fields)
    assert FilterForm(data).searched() == text


def test_spaces_in_quotes_count_in_the_inbox_and_its_saved_views(operator):
    text = r'key:"A  \"1\""'
    answer = operator.post(
        "/api/v1/inbox-views", {"name": "A  1", "filter": text}, content_type="application/json"
    )
    assert (answer.json()["name"], answer.json()["filter"]) == ("A 1", text), answer.text
    assert operator.get("/inbox/", {"filter": text}).context["place"].text == text
