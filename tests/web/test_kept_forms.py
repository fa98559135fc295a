"""What was typed into a form is there again, whatever was refused; without a browser."""

import re

import pytest
from django.conf import settings
from django.utils import timezone

from tests import factories as make
from tests.web.test_workflow_pages import a_workflow, sent, the
from workflows.models import Workflow

pytestmark = pytest.mark.django_db


@pytest.fixture
def author(client):
    """The client, logged in as an author of the default tenant."""
    user = make.a_member("ben", "author")
    client.force_login(user)
    return client


def archive(name="ours") -> None:
    Workflow.objects.for_tenant(make.a_tenant().pk).filter(name=name).update(archived_at=timezone.now())


def text_of(page: str, name: str) -> str:
    """What a browser shows in the textarea."""
    found = re.search(rf'<textarea[^>]* name="{re.escape(name)}"[^>]*>(.*?)</textarea>', page, re.DOTALL)[1]
    return found.removeprefix("\n")


def test_what_was_typed_stays_where_the_workflow_was_archived_meanwhile(author):
    a_workflow()
    once = re.search(r'name="once" value="([^"]+)"', author.get("/workflows/ours/").text)[1]
    archive()
    answers = [
        author.post("/workflows/ours/pipeline", sent(title="Mine", description="my words")),
        author.post("/workflows/ours/definition", {"revision": "1", "definition": '{"a": "my words"}'}),
        author.post("/workflows/ours/start", {"input_kind": "text", "input": "my words", "once": once}),
    ]
    for answer in answers:
        assert answer.status_code == 422
        assert "The workflow ours is archived." in answer.text
        assert "my words" in re.sub(r"<pre.*?</pre>", "", answer.text)
    assert "data-dirty" in answers[0].text
    assert "data-dirty" in answers[1].text
    assert "in another tab, then save again" in answers[0].text
    assert the().title != "Mine"


def test_a_form_that_nobody_changed_is_not_saved_into_the_archive_either(author):
    a_workflow()
    page = author.get("/workflows/ours/pipeline")
    archive()
    form = page.context["form"]
    posted = sent(title=form.pipeline.title, revision=str(form.revision))
    assert author.post("/workflows/ours/pipeline", posted).status_code == 422


def test_line_breaks_at_the_beginning_stay(author):
    typed = "\n\nDear all,\n"
    definition = make.graph([{"id": "a", "type": "llm.prompt", "params": {"prompt": typed}}], [])
    a_workflow(definition={**definition, "metadata": {"sample_input": {"text": typed}}})
    for path, name in (("pipeline", "s1.params.prompt"), ("", "input"), ("start", "input")):
        page = author.get(f"/workflows/ours/{path}")
        for before in re.findall(r"<textarea[^>]*>(.?)", page.text, re.DOTALL):
            assert before == "\n"
        if path != "start":
            assert text_of(page.text, name) == typed


def test_a_number_that_is_none_stays_as_it_was_typed(author):
    answer = author.post("/workflows/new", sent() | {"s2.params.sentences": "7-2"}, follow=True)
    assert 'value="7-2"' in answer.text
    assert 'type="number"' not in answer.text
    assert (
        "not published"
        in author.post(
            "/workflows/ours/pipeline", sent(do="publish") | {"s2.params.sentences": "7-2"}, follow=True
        ).text
    )


def test_a_definition_that_was_refused_is_guarded(author):
    a_workflow()
    refused = author.post("/workflows/ours/definition", {"revision": "1", "definition": "{"})
    stale = author.post("/workflows/ours/definition", {"revision": "7", "definition": "{}"})
    assert "data-dirty" in refused.text
    assert "data-dirty" in stale.text
    assert "data-dirty" not in author.get("/workflows/ours/definition").text


def test_what_is_new_is_kept_until_it_is_published(author):
    faulty = sent(do="publish", note="faster") | {"s2.params.sentences": "99"}
    page = author.post("/workflows/new", faulty, follow=True)
    assert 'name="note" value="faster"' in page.text
    assert 'name="note" value="faster"' in author.get("/workflows/ours/pipeline").text
    good = sent(do="publish", note="faster", revision="1")
    assert "Published as version 1" in author.post("/workflows/ours/pipeline", good, follow=True).text
    assert 'name="note" value=""' in author.get("/workflows/ours/pipeline").text


def test_what_replaces_a_newer_draft_is_published_if_that_was_asked(author):
    a_workflow()
    Workflow.objects.for_tenant(make.a_tenant().pk).update(draft_revision=2)
    stale = author.post("/workflows/ours/pipeline", sent(do="publish", note="mine", revision="1"))
    assert stale.status_code == 409
    assert 'name="note" value="mine"' in stale.text
    verb = re.search(r'name="do"\s+value="(overwrite:[^"]+)"', stale.text)[1]
    done = author.post("/workflows/ours/pipeline", sent(do=verb, note="mine", revision="1"), follow=True)
    assert "Published as version 2" in done.text


@pytest.mark.parametrize("title", ["🎉", "تقرير"])
def test_a_title_without_letters_for_a_name_gets_one(author, title):
    for name in ("pipeline", "pipeline-2"):
        answer = author.post("/workflows/new", sent(title=title, name=""))
        assert answer.headers["Location"] == f"/workflows/{name}/pipeline"


def test_a_form_of_many_rows_is_taken(author):
    parts = ("name", "description", "examples")
    rows = {f"s1.params.categories[{n}].{part}": "word" for n in range(700) for part in parts}
    posted = sent() | {"step": "s1", "s1.type": "text.tag", "s1.shown": "text.tag"} | rows
    assert author.post("/workflows/new", posted).status_code == 302
    assert len(the().draft_definition["nodes"][0]["params"]["categories"]) == 700


def test_a_text_as_large_as_a_file_may_be_comes_back_with_what_is_wrong(author):
    a_workflow()
    text = "ж" * (4 * 1024 * 1024)
    answer = author.post("/workflows/ours/start", {"input_kind": "text", "input": text})
    assert answer.status_code == 422
    assert text in answer.text


def test_more_than_a_form_may_hold_is_told_on_a_page(author, settings):
    settings.DATA_UPLOAD_MAX_NUMBER_FIELDS = 5
    answer = author.post("/workflows/new", sent())
    assert answer.status_code == 413
    assert "This is too large to be sent at once." in answer.text


def test_the_server_takes_what_pages_let_through():
    assert settings.HANDOFF_MAX_FORM_BYTES >= 3 * 8 * 1024 * 1024


@pytest.mark.parametrize(("path", "form"), [("start", {"input_kind": "text", "input": " "})])
def test_what_is_wrong_is_tied_to_its_field(author, path, form):
    a_workflow()
    page = author.post(f"/workflows/ours/{path}", form).text
    tag = re.search(r'<textarea[^>]* name="input"[^>]*>', page)[0]
    assert 'aria-invalid="true"' in tag
    assert 'aria-describedby="input-fault"' in tag
    assert 'id="input-fault"' in page
