"""`manage.py print_workflow` and `publish_workflow`: definitions as Python, out and in."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from accounts.queries import command_principal
from accounts.services import ensure_admin
from tests.definitions import chain
from workflows import queries
from workflows.versions import lifecycle

pytestmark = pytest.mark.django_db

TWO = """
from handoff.definition import Workflow

from neighbour import SENTENCES

first = Workflow("first")
first.step("clean", "text.clean") >> first.step("short", "text.summarize", {"sentences": SENTENCES})
again = first
second = Workflow("second")
second.step("a", "noop")

if __name__ == "__main__":
    raise SystemExit("this is no program")
"""


@pytest.fixture
def admin():
    ensure_admin("a long password")
    return command_principal("admin", "default")


def said(*arguments, **options):
    out, err = StringIO(), StringIO()
    call_command(*map(str, arguments), stdout=out, stderr=err, **options)
    return out.getvalue(), err.getvalue()


def refused(*arguments):
    out, err = StringIO(), StringIO()
    with pytest.raises(CommandError) as failure:
        call_command(*map(str, arguments), stdout=out, stderr=err)
    assert failure.value.returncode == 2
    assert out.getvalue() == ""
    return str(failure.value), err.getvalue()


@pytest.fixture
def file(tmp_path):
    (tmp_path / "neighbour.py").write_text("SENTENCES = 2\n")

    def write(source):
        path = tmp_path / "flows.py"
        path.write_text(source)
        return path

    return write


def latest(name):
    tenant = command_principal("admin", "default").tenant_id
    return queries.latest_version(tenant, name)


def test_what_a_file_makes_is_published(admin, file):
    out, err = said("publish_workflow", file(TWO), note="by hand")
    assert (out, err) == ("first: published as version 1\nsecond: published as version 1\n", "")
    assert latest("first").note == "by hand"
    assert [node["params"] for node in latest("first").definition["nodes"][1:]] == [{"sentences": 2}]
    out, _ = said("publish_workflow", file(TWO))
    assert out == "first: is already version 1\nsecond: is already version 1\n"


def test_what_is_printed_is_published_as_the_same_version(admin, file):
    lifecycle.import_definition(admin, chain("flow", length=2))
    lifecycle.publish(admin, "flow")
    source, _ = said("print_workflow", "flow")
    assert source.startswith("from handoff.definition import Workflow\n")
    assert said("publish_workflow", file(source))[0] == "flow: is already version 1\n"


def test_a_draft_and_another_version_are_printed_when_they_are_asked_for(admin):
    for length in (1, 2):
        lifecycle.import_definition(admin, chain("flow", length=length))
        lifecycle.publish(admin, "flow")
    lifecycle.import_definition(admin, chain("flow", length=3))
    asked = {(): 2, ("--number", "1"): 1, ("--draft",): 3}
    assert {more: said("print_workflow", "flow", *more)[0].count(".step(") for more in asked} == asked
    assert said("print_workflow", "flow", "--format", "yaml")[0].startswith("name: flow\n")
    assert refused("print_workflow", "gone")[0] == "There is no workflow gone."


def test_a_draft_is_saved_and_nothing_published(admin, file):
    wrong = 'from handoff.definition import Workflow\nw = Workflow("w")\nw.step("a", "no.such")\n'
    out, err = said("publish_workflow", file(wrong), "--draft")
    assert out == "w: saved as the draft\n"
    assert "error in w: flows.py:3: step a: " in err
    assert latest("w") is None


def test_nothing_is_saved_where_one_of_them_is_wrong(admin, file):
    wrong = f'{TWO}\nsecond.step("a", "no.such", {{}}) >> second.step("c", "text.tag", {{"x": 1}})\n'
    told, err = refused("publish_workflow", file(wrong))
    assert told == "Nothing was saved."
    assert "error in second: flows.py:15: step a: `a` is also the id of nodes[0]" in err
    assert "error in second: flows.py:15: step c: `nodes[2].params.x` is not known" in err
    assert queries.find_workflow(admin.tenant_id, "first") is None


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("x = 1", "makes no workflow"),
        ('from handoff.definition import Workflow\nWorkflow("w").build()', "The workflow `w` has 1 problem:"),
    ],
)
def test_a_file_without_a_workflow_is_refused(admin, file, source, words):
    assert words in refused("publish_workflow", file(source))[0]


def test_a_file_that_is_not_there_is_refused(admin, tmp_path):
    assert "There is no file" in refused("publish_workflow", tmp_path / "none.py")[0]


def test_who_may_not_publish_can_not_by_a_file_either(admin, file):
    assert "nobody" in refused("publish_workflow", file(TWO), "--user", "nobody")[0]
