"""Addresses and forms with a NUL character, which no database can hold: they are not there, or refused, and no 500."""

import pytest

from tests import factories as make
from tests.inbox.asking import asked, member

pytestmark = pytest.mark.django_db

NAMED = (
    "/settings/members/{}",
    "/settings/members/{}/remove",
    "/settings/members/{}/groups",
    "/settings/members/{}/active",
    "/settings/members/{}/make-link",
    "/settings/tokens/{}/revoke",
    "/runs/RUN/steps/{}/retry",
    "/runs/RUN/steps/{}/skip",
    "/runs/RUN/steps/{}/rerun",
)
ASKED = (
    "/inbox/open/{}",
    "/password/link/{}",
    "/hooks/{}",
    "/find?q={}",
    "/workflows/?q={}",
    "/settings/members?q={}",
    "/settings/tokens?user={}",
    "/runs/?q={}",
    "/runs/RUN/value?node={}&of=output",
    "/runs/RUN/compare?with={}",
    "/inbox/?q={}",
    "/inbox/?run={}",
    "/login?next={}",
)
FORMS = (
    ("/settings/add-member", ("username", "name", "email", "manager")),
    ("/settings/add-group", ("name", "members")),
    ("/settings/tokens", ("name",)),
    ("/settings/notifications", ("mail", "email")),
    ("/password/forgotten", ("who",)),
    ("/settings/password", ("old", "new", "again")),
    ("/settings/away/add", ("substitute", "note")),
    ("/runs/RUN/cancel", ("reason",)),
    ("/runs/RUN/signal", ("name", "payload")),
    ("/workflows/new", ("name", "title")),
    ("/inbox/TASK/comment", ("text",)),
    ("/inbox/TASK/delegate", ("to", "why")),
    ("/inbox/TASK/escalate", ("up_to", "up_why")),
    ("/inbox/TASK/return", ("back_to", "back_why")),
    ("/inbox/TASK/draft", ("comment",)),
    ("/inbox/TASK/decide", ("outcome", "comment")),
    ("/inbox/bulk/do", ("ids", "action", "assignee")),
    ("/inbox/views/add", ("name", "filter")),
)


@pytest.fixture
def answer(client):
    member("boss", "admin")
    task = asked()
    client.force_login(make.a_user("boss"))
    client.raise_request_exception = False

    def ask(method, path, **form):
        path = path.replace("RUN", str(task.run_id)).replace("TASK", str(task.pk))
        return getattr(client, method)(path, form).status_code

    return ask


@pytest.mark.parametrize("path", NAMED)
@pytest.mark.parametrize("sent", ["%00", "a%00b"])
def test_nothing_has_a_nul_in_its_name(answer, path, sent):
    assert {answer("get", path.format(sent)), answer("post", path.format(sent))} == {404}


@pytest.mark.parametrize("path", ASKED)
def test_a_question_with_a_nul_is_no_fault_of_the_server(answer, path):
    assert answer("get", path.format("%00")) < 500


@pytest.mark.parametrize(("path", "fields"), FORMS)
def test_a_form_with_a_nul_is_no_fault_of_the_server(answer, path, fields):
    for field in fields:
        rest = dict.fromkeys(fields, "x")
        assert answer("post", path, **rest | {field: "a\x00b"}) < 500, field
