"""The pages of workflows, without a browser: what they show, take and cost, and who may."""

import re

import pytest
from django.utils.html import escape

from tests import factories as make
from tests.api.authorisation_matrix import MATRIX, address
from tests.inbox.asking import member
from tests.store.watching import trips_of_page
from workflows.models import Workflow, WorkflowVersion
from workflows.versions import lifecycle

pytestmark = pytest.mark.django_db

# What operators do is proven in `tests/api/test_authorisation.py`: authors are none.
PAGES = [
    name
    for name, route in MATRIX.items()
    if name.startswith("workflow") and route.page and "runs:operate" not in route.methods.values()
]
CHAIN = make.chain("text.clean", "text.summarize")


@pytest.fixture
def author(client):
    """The client, logged in as an author of the default tenant."""
    user = make.a_member("ben", "author")
    client.force_login(user)
    return client


def a_workflow(name="ours", *, definition=CHAIN, tenant=None) -> Workflow:
    """A workflow of this name with a published version."""
    made = make.a_version(definition, tenant=tenant).workflow
    Workflow.objects.for_tenant(made.tenant_id).filter(pk=made.pk).update(
        name=name, draft_definition={**definition, "name": name}
    )
    return Workflow.objects.for_tenant(made.tenant_id).get(pk=made.pk)


def the(name="ours") -> Workflow:
    return Workflow.objects.for_tenant(make.a_tenant().pk).get(name=name)


def sent(**changes):
    """The form of a pipeline of two steps."""
    form = {
        "title": "Ours",
        "name": "ours",
        "description": "",
        "revision": "1",
        "step": ["s1", "s2"],
        "s1.type": "text.clean",
        "s1.shown": "text.clean",
        "s1.params.strip_html": "on",
        "s1.params.fix_encoding": "on",
        "s2.type": "text.summarize",
        "s2.shown": "text.summarize",
        "s2.params.sentences": "5",
        "do": "save",
    }
    return form | changes


def test_the_list_shows_what_there_is_and_finds_by_description(author):
    a_workflow("alpha")
    Workflow.objects.for_tenant(make.a_tenant().pk).update(title="First", description="about frogs")
    a_workflow("beta")
    text = author.get("/workflows/?q=frogs").text
    assert "First" in text
    assert "about frogs" in text
    assert "version 1" in text
    assert "beta" not in text
    assert re.search(r">2<span", text)
    assert "Nothing has" in author.get("/workflows/?q=toads").text


def test_the_list_costs_the_same_for_one_as_for_fifty_and_has_pages(author):
    a_workflow("w0")
    few = trips_of_page(author, "/workflows/")
    for number in range(1, 55):
        a_workflow(f"w{number}")
    assert trips_of_page(author, "/workflows/") == few <= 7
    assert author.get("/workflows/").text.count('class="what"') == 50
    assert author.get("/workflows/?page=2").text.count('class="what"') == 5


def test_an_archived_workflow_leaves_the_list_and_can_come_back(author):
    a_workflow()
    assert author.post("/workflows/ours/archive").headers["Location"] == "/workflows/"
    assert "No workflow yet" in author.get("/workflows/").text
    assert "This workflow is archived" in author.get("/workflows/ours/").text
    author.post("/workflows/ours/archive", {"undo": "1"})
    assert the().archived_at is None


@pytest.mark.parametrize("named", [{}, {"name": "ours"}])
def test_a_draft_that_was_just_published_is_as_published(author, named):
    publisher = member("ada", "admin")
    definition = {"nodes": [{"id": "a", "type": "noop"}], "edges": [], **named}
    lifecycle.create_workflow(publisher, name="ours", definition=definition)
    lifecycle.publish(publisher, "ours")
    page = author.get("/workflows/ours/").text
    assert ("As published" in page, "The draft differs" in page) == (True, False)
    changed = {**definition, "nodes": [{"id": "b", "type": "noop"}]}
    lifecycle.save_draft(publisher, "ours", definition=changed, expected_revision=1)
    page = author.get("/workflows/ours/").text
    assert ("As published" in page, "The draft differs from version 1." in page) == (False, True)


def test_a_pipeline_is_saved_and_shown_again(author):
    assert author.get("/workflows/new").status_code == 200
    answer = author.post("/workflows/new", sent(name="", title="Täglich"))
    assert answer.headers["Location"] == "/workflows/taeglich/pipeline"
    draft = the("taeglich").draft_definition
    assert draft == {
        "name": "taeglich",
        "title": "Täglich",
        "nodes": [
            {"id": "clean", "type": "text.clean"},
            {"id": "summarize", "type": "text.summarize", "params": {"sentences": 5}},
        ],
        "edges": [{"from": "clean", "to": "summarize"}],
    }
    assert 'value="5"' in author.get("/workflows/taeglich/pipeline").text


def test_publishing_saves_first_and_says_what_became_of_it(author):
    answer = author.post("/workflows/new", sent(do="publish", note="first"), follow=True)
    assert answer.redirect_chain == [("/workflows/ours/", 302)]
    assert "Published as version 1." in answer.text
    version = WorkflowVersion.objects.for_tenant(make.a_tenant().pk).get()
    assert version.note == "first"
    again = sent(do="publish") | {"s1.id": "clean", "s2.id": "summarize"}
    assert (
        "There are no changes since version 1, which stays"
        in author.post("/workflows/ours/pipeline", again, follow=True).text
    )


def test_problems_stand_at_their_fields_and_the_draft_is_kept(author):
    answer = author.post("/workflows/new", sent(do="publish") | {"s2.params.sentences": "99"}, follow=True)
    assert answer.redirect_chain == [("/workflows/ours/pipeline", 302)]
    assert "Saved as a draft, but not published" in answer.text
    assert (
        'aria-describedby="field-s2.params.sentences-help field-s2.params.sentences-fault" aria-invalid="true"'
        in answer.text
    )
    assert 'href="#field-s2.params.sentences"' in answer.text


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"title": " "}, "Give it a title."),
        ({"name": "a b"}, "A name has 1 to 256"),
        ({"name": "taken"}, "A workflow taken already exists."),
        ({"name": "import"}, "be the name of a workflow"),
    ],
)
def test_what_stands_against_saving_is_said_and_nothing_typed_is_lost(author, changes, said):
    a_workflow("taken")
    answer = author.post("/workflows/new", sent(description="my words") | changes)
    assert answer.status_code == 422
    assert said in answer.text
    assert "my words" in answer.text
    assert 'value="5"' in answer.text


def test_a_stale_save_overwrites_nothing_and_keeps_what_was_typed(author):
    a_workflow()
    theirs = make.chain("text.keywords", name="ours")
    make_draft = Workflow.objects.for_tenant(make.a_tenant().pk)
    make_draft.update(draft_definition=theirs, draft_revision=2)

    answer = author.post("/workflows/ours/pipeline", sent(title="Mine"))
    assert answer.status_code == 409
    assert "Nothing was saved: the draft was changed meanwhile" in answer.text
    assert 'value="Mine"' in answer.text
    assert 'name="revision" value="1"' in answer.text
    assert the().draft_definition == theirs

    answer = author.post("/workflows/ours/pipeline", sent(title="Mine", do="publish"))
    assert answer.status_code == 409
    author.post("/workflows/ours/pipeline", sent(title="Mine", do="overwrite:2"))
    assert the().title == "Mine"


@pytest.mark.parametrize("action", ["up:s2", "down:s1"])
def test_the_buttons_work_without_a_script_and_save_nothing(author, action):
    text = author.post("/workflows/new", sent(do=action)).text
    shown = text[: text.index("<template")]
    assert re.findall(r'name="step" value="(\w+)"', shown) == ["s2", "s1"]
    assert 'value="5"' in shown
    assert not Workflow.objects.for_tenant(make.a_tenant().pk).exists()


def test_steps_come_and_go_without_a_script(author):
    text = author.post("/workflows/new", sent(do="add:text.tag")).text
    assert re.findall(r'name="step" value="(\w+)"', text[: text.index("<template")]) == ["s1", "s2", "s3"]
    text = author.post("/workflows/new", sent(do="remove:s1")).text
    assert re.findall(r'name="step" value="(\w+)"', text[: text.index("<template")]) == ["s2"]


@pytest.mark.parametrize("steps", [1, 5])
def test_a_pipeline_of_too_few_or_too_many_steps_stays_a_draft_with_the_reason(author, settings, steps):
    step = {"s2.type": "text.clean", "s2.shown": "text.clean"}
    more = {key.replace("s2", f"s{place}"): kind for place in range(2, 6) for key, kind in step.items()}
    form = sent(do="publish", step=[f"s{place}" for place in range(1, steps + 1)]) | more
    said = f"A text pipeline has 2 to 4 steps; this one has {steps}."
    answer = author.post("/workflows/new", form, follow=True)
    assert f"Saved as a draft, but not published: {said}" in answer.text
    assert said in author.get("/workflows/ours/pipeline").text
    document = {"document": f'{{"name": "b", "configuration": {["clean"] * steps}}}'.replace("'", '"')}
    assert said in author.post("/workflows/import", document).text
    settings.HANDOFF_PIPELINE_STEPS = (1, 5)
    assert said not in author.get("/workflows/ours/pipeline").text
    draft = the().draft_revision
    answer = author.post("/workflows/ours/pipeline", form | {"revision": str(draft)}, follow=True)
    assert "Published as version 1" in answer.text


def test_what_is_no_pipeline_offers_the_canvas_instead(author):
    a_workflow(definition=make.chain("text.clean", "job"))
    text = author.get("/workflows/ours/pipeline").text
    assert "more than a chain of text steps" in text
    assert 'href="/workflows/ours/edit"' in text
    assert author.get("/workflows/ours/edit").status_code == 200


def test_the_builder_offers_the_form_where_it_can_show_the_draft(author):
    a_workflow()
    a_workflow("other", definition=make.chain("text.clean", "job"))
    assert '"pipeline": "/workflows/ours/pipeline"' in author.get("/workflows/ours/edit").text
    assert '"pipeline": null' in author.get("/workflows/other/edit").text
    author.post("/workflows/ours/archive")
    assert '"pipeline": null' in author.get("/workflows/ours/edit").text


def test_versions_are_listed_and_become_the_draft_again(author):
    a_workflow()
    Workflow.objects.for_tenant(make.a_tenant().pk).update(
        draft_definition=make.chain("text.tag", name="ours"), draft_revision=4
    )
    assert "Version 1" in author.get("/workflows/ours/versions").text
    assert trips_of_page(author, "/workflows/ours/versions") <= 9
    author.post("/workflows/ours/versions/1/edit", {"revision": "3"})
    assert the().draft_definition["nodes"][0]["type"] == "text.tag"
    answer = author.post("/workflows/ours/versions/1/edit", {"revision": "4"})
    assert answer.headers["Location"] == "/workflows/ours/edit"
    assert the().draft_definition["nodes"][0]["type"] == "text.clean"


def test_the_draft_is_edited_as_json_with_its_problems_by_line(author):
    a_workflow()
    answer = author.post(
        "/workflows/ours/definition",
        {"revision": "1", "definition": '{"name": "ours", "nodes": [{"id": "a", "type": "text.cleam"}]}'},
        follow=True,
    )
    assert "There is no step type" in answer.text
    assert re.search(r'data-line="\d+">Line [5-7]<', answer.text)
    assert trips_of_page(author, "/workflows/ours/definition") <= 8


@pytest.mark.parametrize(
    ("text", "revision", "status", "said"),
    [
        ("{", "1", 422, "be stored as JSON"),
        ("[]", "1", 422, "it begins with {"),
        ('{"a": 1, "a": 2}', "1", 422, "be stored as JSON"),
        ("{}", "7", 409, "the draft was changed meanwhile"),
    ],
)
def test_json_that_is_not_saved_stays_in_its_box(author, text, revision, status, said):
    a_workflow()
    answer = author.post("/workflows/ours/definition", {"revision": revision, "definition": text})
    assert answer.status_code == status
    assert said in answer.text
    assert the().draft_revision == 1
    assert f">\n{escape(text)}</textarea>" in answer.text


def test_a_definition_is_taken_away_as_a_file(author):
    a_workflow()
    answer = author.get("/workflows/ours/definition.json?version=1")
    assert answer.headers["Content-Disposition"] == 'attachment; filename="ours-v1.json"'
    assert answer.json()["nodes"] == CHAIN["nodes"]
    assert author.get("/workflows/ours/definition.json?version=9").status_code == 404


def test_a_copy_has_a_name_of_its_own(author):
    a_workflow()
    for name in ("ours-copy", "ours-copy-2"):
        assert author.post("/workflows/ours/duplicate").headers["Location"] == f"/workflows/{name}/edit"
        assert the(name).draft_definition["nodes"] == CHAIN["nodes"]


def test_a_viewer_reads_and_changes_nothing(client, ann):
    a_workflow()
    client.force_login(ann)
    text = client.get("/workflows/ours/").text
    assert "/workflows/ours/edit" not in text
    assert "<textarea" not in client.get("/workflows/ours/definition").text
    for name in PAGES:
        for method, scope in MATRIX[name].methods.items():
            if scope not in ("workflows:read", "runs:read"):
                answer = client.generic(method, address(name))
                assert answer.status_code == 403, (name, method)


def test_what_belongs_to_another_tenant_is_not_there(author):
    a_workflow(tenant=make.a_tenant("theirs"))
    for name in PAGES:
        for method in MATRIX[name].methods:
            if "/ours" in MATRIX[name].path:
                assert author.generic(method, address(name)).status_code == 404, (name, method)


def shown(answer) -> dict[str, str]:
    """What the report of an import has its button send."""
    return dict(re.findall(r'type="hidden" name="(seen|revision)" value="([^"]*)"', answer.text))


@pytest.mark.parametrize("changes", [{"document": '{"name": "b", "steps": ["text.tag"]}'}, {"name": "c"}])
def test_only_what_was_shown_is_imported(author, changes):
    document = {"document": '{"name": "a", "steps": ["text.clean"]}'}
    seen = shown(author.post("/workflows/import", document))
    answer = author.post("/workflows/import", document | seen | changes | {"import": "yes"})
    assert "has changed since you looked" in answer.text
    assert not Workflow.objects.for_tenant(make.a_tenant().pk).exists()
    assert (
        author.post("/workflows/import", document | changes | {"import": "yes"} | shown(answer)).status_code
        == 302
    )


def test_the_name_that_is_given_wins_over_that_in_the_document(author):
    document = {"document": '{"name": "new", "steps": ["text.clean"]}'}
    refused = author.post("/workflows/import", document)
    assert refused.status_code == 422
    assert "new can&#x27;t be the name of a workflow" in refused.text
    seen = author.post("/workflows/import", document | {"name": "newer"})
    assert "<code>newer</code>" in seen.text
    author.post("/workflows/import", document | {"name": "newer", "import": "yes"} | shown(seen))
    assert the("newer").draft_definition["name"] == "newer"


def test_an_import_says_what_it_would_do_and_then_does_it(author):
    a_workflow()
    document = '{"name": "ours", "steps": ["text.clean", "text.keywords"]}'
    seen = author.post("/workflows/import", {"document": document})
    assert "This is a list of steps." in seen.text
    assert "It would replace the draft of" in seen.text
    assert "keywords" in seen.text
    assert the().draft_revision == 1
    author.post("/workflows/import", {"document": document, "import": "yes", **shown(seen)})
    assert [node["type"] for node in the().draft_definition["nodes"]] == ["text.clean", "text.keywords"]
    assert "nothing would change" in author.post("/workflows/import", {"document": document}).text


def test_an_import_overwrites_nothing_that_its_reader_has_not_seen(author):
    a_workflow()
    document = '{"name": "ours", "steps": ["text.keywords"]}'
    seen = shown(author.post("/workflows/import", {"document": document}))
    sent = {"document": document, "import": "yes", **seen, "revision": "0"}
    answer = author.post("/workflows/import", sent)
    assert answer.status_code == 422
    assert "changed since you read it" in answer.text
    assert the().draft_revision == 1


@pytest.mark.parametrize(
    ("document", "said"),
    [
        ("{", "Nothing was imported"),
        ('{"a": 1}', "it has no nodes, steps"),
        ('{"steps": ["text.clean"]}', "no name for the workflow"),
    ],
)
def test_what_is_no_workflow_is_told_and_stays_in_its_box(author, document, said):
    answer = author.post("/workflows/import", {"document": document})
    assert answer.status_code == 422
    assert said in answer.text
    assert escape(document) in answer.text


def test_a_document_without_a_name_is_given_one(author):
    document = {"document": '{"steps": ["text.clean"]}', "name": "mine"}
    seen = author.post("/workflows/import", document)
    assert "a new workflow, <code>mine</code>" in seen.text
    answer = author.post("/workflows/import", document | {"import": "yes", **shown(seen)})
    assert answer.headers["Location"] == "/workflows/mine/"
    assert the("mine").draft_definition["nodes"] == [{"id": "clean", "type": "text.clean"}]
