"""What has the name of a secret is masked wherever people look at values, and no form writes a mask back."""

import json
import re

import pytest
from django.test import Client

from lib.masking import MASK
from runs.models import Run
from tests import factories as make
from tests.schedules import a_schedule

pytestmark = pytest.mark.django_db

SECRET = "sesame-sesame"
GIVEN = {
    "order": "A-17",
    "password": SECRET,
    "login": {"api_key": f"{SECRET}-2", "user": "ann"},
    "others": [{"name": "bo", "token": f"{SECRET}-3"}, {"name": "cy", "token": f"{SECRET}-4"}],
}
FAILS = make.graph([{"id": "clean", "type": "text.clean", "title": "Clean it", "retry": "none"}], [])
SCHEMA = {
    "type": "object",
    "properties": {
        "order": {"type": "string"},
        "password": {"type": "string", "minLength": 8},
        "others": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"name": {"type": "string"}, "token": {"type": "string"}},
            },
        },
    },
    "required": ["order", "password"],
}


@pytest.fixture
def admin() -> Client:
    client = Client()
    client.force_login(make.a_member("admin", "admin"))
    return client


def a_run(definition=FAILS, given=GIVEN) -> str:
    run_id = make.start(definition, given)[0]
    make.work()
    return run_id


def shown_in(page: str) -> str:
    """What stands in the box for JSON of a form."""
    text = re.search(r'<textarea id="(?:value|input)"[^>]*>\s*(.*?)</textarea>', page, re.DOTALL)[1]
    return text.replace("&quot;", '"')


def inputs() -> list:
    return list(Run.unsafe_all_tenants.order_by("created_at").values_list("input", flat=True))


def test_pages_of_a_run_mask_what_has_the_name_of_a_secret_and_rest_does_not(admin):
    definition = make.graph(
        [{"id": "set", "type": "noop", "set": {"card_token": "{{ input.password }}"}}], []
    )
    run_id = a_run(definition)
    pages = [
        f"/runs/{run_id}",
        f"/runs/{run_id}?view=timeline&node=set",
        f"/runs/{run_id}/value?of=input",
        f"/runs/{run_id}/value?of=input&page=1",
        f"/runs/{run_id}/value?of=input&field=password",
        f"/runs/{run_id}/value?of=output&node=set",
    ]
    for page in pages:
        answer = admin.get(page)
        assert answer.status_code == 200, page
        assert SECRET not in answer.text, page
        assert MASK in answer.text, page
    assert admin.get(f"/api/v1/runs/{run_id}").json()["input"] == GIVEN


def test_two_runs_are_different_in_a_secret_and_nobody_sees_in_what(admin):
    other = GIVEN | {"password": "another-one", "login": {"api_key": "x" * 600}, "order": "A-18"}
    version = make.a_version(make.chain("noop"))
    left, right = make.start_version(version, GIVEN, other)
    make.work()
    page = admin.get(f"/runs/{left}/compare/{right}").text
    assert SECRET not in page
    assert "another-one" not in page
    assert "xxxx" not in page
    assert "A-18" in page
    assert "<code>password</code>" in page
    changes = admin.get(f"/api/v1/runs/{left}/compare/{right}").json()["input"]["changes"]
    assert [SECRET, "another-one"] in [[one["left"], one["right"]] for one in changes]


def test_a_step_that_is_tried_again_with_an_edited_input_has_its_true_secrets(admin):
    run_id = a_run()
    path = f"/runs/{run_id}/steps/clean/retry"
    page = admin.get(path).text
    assert SECRET not in page
    value = json.loads(shown_in(page))
    assert value["password"] == value["login"]["api_key"] == MASK
    assert f"Masked values ({MASK}) are kept." in page
    assert admin.post(path, {"value": json.dumps(value | {"order": "A-18"})}).status_code == 302
    assert make.steps(run_id)["clean"].input == GIVEN | {"order": "A-18"}


def test_a_step_whose_masked_input_is_left_as_it_is_keeps_its_own(admin):
    run_id = a_run()
    path = f"/runs/{run_id}/steps/clean/retry"
    assert admin.post(path, {"value": shown_in(admin.get(path).text)}).status_code == 302
    make.work()
    assert make.steps(run_id)["clean"].input in (None, GIVEN)
    assert all("digest" not in (event.payload or {}) for event in make.events(run_id, "STEP_RETRIED"))
    assert make.run(run_id).status == "FAILED"


def test_a_mask_in_a_list_that_was_changed_is_asked_for(admin):
    run_id = a_run()
    path = f"/runs/{run_id}/steps/clean/retry"
    value = json.loads(shown_in(admin.get(path).text))
    answer = admin.post(path, {"value": json.dumps(value | {"others": value["others"][1:]})})
    assert answer.status_code == 422
    assert "others[0].token is masked, and its value is not known here: enter it." in answer.text
    assert SECRET not in answer.text
    value["others"] = [{"name": "cy", "token": "typed-anew"}]
    assert admin.post(path, {"value": json.dumps(value)}).status_code == 302
    assert make.steps(run_id)["clean"].input == GIVEN | {"others": value["others"]}


def test_a_run_from_a_step_has_the_true_secrets(admin):
    run_id = a_run()
    path = f"/runs/{run_id}/steps/clean/rerun"
    value = json.loads(shown_in(admin.get(path).text))
    answer = admin.post(path, {"value": json.dumps(value | {"order": "A-18"})})
    assert answer.status_code == 302
    new = answer.url.removeprefix("/runs/")
    step = admin.get(f"/api/v1/runs/{new}").json()["steps"][0]
    assert step["input"] == GIVEN | {"order": "A-18"}


def test_a_run_that_is_started_once_more_has_the_true_secrets(admin):
    run_id = a_run()
    path = f"/runs/{run_id}/again"
    page = admin.get(path).text
    assert SECRET not in page
    value = json.dumps(json.loads(shown_in(page)) | {"order": "A-18"})
    answer = admin.post(path, {"input_kind": "json", "input": value})
    assert answer.status_code == 302, answer.text
    assert inputs() == [GIVEN, GIVEN | {"order": "A-18"}]


def test_fields_of_a_run_that_is_started_once_more_have_masks_that_stand_for_what_was(admin):
    given = {name: GIVEN[name] for name in ("order", "password", "others")}
    run_id = a_run(make.chain("noop", input_schema=SCHEMA), given)
    path = f"/runs/{run_id}/again"
    page = admin.get(path).text
    assert SECRET not in page
    typed = {"input_kind": "form", "input.order": "", "input.password": MASK}
    typed |= {f"input.others[{n}].name": name for n, name in enumerate(("bo", "cy"))}
    typed |= {f"input.others[{n}].token": MASK for n in range(2)} | {"input.others": ""}
    answer = admin.post(path, typed)
    assert answer.status_code == 422
    assert SECRET not in answer.text
    assert "too short" not in answer.text
    assert admin.post(path, typed | {"input.order": "A-18"}).status_code == 302
    assert inputs() == [given, given | {"order": "A-18"}]
    fewer = {name: text for name, text in typed.items() if "[1]" not in name} | {"input.order": "A-19"}
    answer = admin.post(path, fewer)
    assert answer.status_code == 422
    assert "This is masked, and its value is not known here: enter it." in answer.text
    assert len(inputs()) == 2


def test_a_form_that_is_filled_in_as_last_time_asks_for_secrets(admin):
    version = make.a_version(make.chain("noop", input_schema=SCHEMA))
    path = f"/workflows/{version.workflow.name}/start"
    typed = {"input_kind": "form", "input.order": "A-17", "input.password": SECRET}
    assert admin.post(path, typed).status_code == 302
    page = admin.get(f"{path}?from=last").text
    assert SECRET not in page
    assert MASK in page
    answer = admin.post(path, typed | {"input.password": MASK})
    assert answer.status_code == 422
    assert "This is masked" in answer.text
    assert len(inputs()) == 1


def test_a_schedule_that_is_changed_keeps_its_secrets(admin):
    schedule = a_schedule(make.a_version(make.chain("noop")), input=GIVEN)
    assert SECRET not in admin.get(f"/schedules/{schedule.pk}").text
    page = admin.get(f"/schedules/{schedule.pk}/edit").text
    assert SECRET not in page
    values = dict(re.findall(r'<input[^>]* name="([^"]+)"[^>]*? value="([^"]*)"', page))
    values |= {"how": "minutes", "minutes": "5", "overlap": "skip", "workflow": schedule.workflow.name}
    values |= {"name": "nightly", "timezone": "UTC", "catchup": "0", "jitter": "0"}
    values["input"] = json.dumps(json.loads(shown_in(page)) | {"order": "A-18"})
    answer = admin.post(f"/schedules/{schedule.pk}/edit", values)
    assert answer.status_code == 302, answer.text
    schedule.refresh_from_db()
    assert schedule.input == GIVEN | {"order": "A-18"}
