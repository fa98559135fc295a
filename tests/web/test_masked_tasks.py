"""What has the name of a secret is masked in the forms of tasks, and no form writes a mask back."""

import pytest

from lib.masking import MASK
from tasks_inbox.models import TaskDraft
from tests import factories as make
from tests.inbox.asking import again, approval, asked, member
from tests.web.test_task_forms import LIVE

pytestmark = pytest.mark.django_db

SECRET = "sesame-sesame"
FORM = {
    "type": "object",
    "required": ["account"],
    "properties": {
        "account": {"type": "string"},
        "password": {"type": "string", "minLength": 8, "default": SECRET},
        "login": {
            "type": "object",
            "properties": {"api_key": {"type": "string", "default": f"{SECRET}-2"}},
        },
        "others": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"name": {"type": "string"}, "token": {"type": "string"}},
            },
        },
    },
}
TYPED = {"data.account": "DE12", "data.password": MASK, "data.login": "", "data.login.api_key": MASK}
DECIDED = TYPED | {"outcome": "approved"}
TRUE = {"account": "DE12", "password": SECRET, "login": {"api_key": f"{SECRET}-2"}}
ROW = {
    "data.others": "",
    "data.others[0]": "",
    "data.others[0].name": "bo",
    "data.others[0].token": f"{SECRET}-3",
}


@pytest.fixture
def task(client):
    """A task with such a form, asked of whoever is logged in."""
    client.force_login(make.a_user("bob"))
    member("bob")
    return asked(approval(form=FORM))


def decided(task):
    assert again(task).status == "COMPLETED"
    return again(task).data


def test_defaults_are_masked_and_decided_with_as_they_are(client, task):
    page = client.get(f"/inbox/{task.pk}").text
    assert SECRET not in page
    assert f'name="data.password" value="{MASK}"' in page
    assert SECRET not in client.post(f"/inbox/{task.pk}/form", TYPED | {"checked": "yes"}, **LIVE).text
    assert client.post(f"/inbox/{task.pk}/decide", DECIDED).status_code == 302
    assert decided(task) == TRUE
    shown = client.get(f"/inbox/{task.pk}").text
    assert SECRET not in shown
    assert "DE12" in shown


def test_what_was_typed_is_masked_when_the_page_comes_again_and_is_decided_with(client, task):
    mine = {"password": f"{SECRET}-own", "others": [{"name": "bo", "token": f"{SECRET}-3"}]}
    typed = TYPED | ROW | {"data.password": mine["password"]}
    assert "Draft saved" in client.post(f"/inbox/{task.pk}/draft", typed, **LIVE).text
    assert TaskDraft.unsafe_all_tenants.get().data == TRUE | mine
    page = client.get(f"/inbox/{task.pk}").text
    assert SECRET not in page
    # As the page has it, and once more: what is masked is kept as it was.
    masks = TYPED | ROW | {"data.others[0].token": MASK, "data.account": "DE13"}
    client.post(f"/inbox/{task.pk}/draft", masks, **LIVE)
    assert TaskDraft.unsafe_all_tenants.get().data == TRUE | mine | {"account": "DE13"}
    assert client.post(f"/inbox/{task.pk}/decide", masks | {"outcome": "approved"}).status_code == 302
    assert decided(task) == TRUE | mine | {"account": "DE13"}


def test_a_mask_of_which_nobody_knows_what_is_behind_it_is_asked_for(client, task):
    row = ROW | {"data.others[0].token": MASK}
    client.post(f"/inbox/{task.pk}/draft", TYPED | row, **LIVE)
    answer = client.post(f"/inbox/{task.pk}/decide", DECIDED | row)
    assert answer.status_code == 422
    assert answer.text.count("This is masked, and its value is not known here: enter it.") == 1
    assert again(task).status == "OPEN"
    assert client.post(f"/inbox/{task.pk}/decide", DECIDED | ROW).status_code == 302
    assert decided(task) == TRUE | {"others": [{"name": "bo", "token": f"{SECRET}-3"}]}
