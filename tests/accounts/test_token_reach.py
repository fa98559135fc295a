"""The queues and folders that a token is limited to: chosen when it is made, changed later, never widened by itself."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from rest_framework.test import APIClient

from accounts.folders import default_folder
from accounts.models import ApiToken, Folder
from accounts.principal import JobReach
from accounts.services import authenticate_token, ensure_admin
from tests import factories as make
from tests.people import People

URL = "/api/v1/tokens"
LIMITS = {"queues": ["card", "pay*"], "folders": ["General"]}


@pytest.fixture
def people(db):
    return People()


@pytest.fixture
def api(people):
    return people.client("admin")


def made(api, **more):
    answer = api.post(URL, {"name": "nightly", "role": "worker", **more})
    assert answer.status_code == 201, answer.json()
    return answer.json()


def with_token(text):
    client = APIClient()
    client.default_format = "json"
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {text}")
    return client


@pytest.mark.parametrize(
    ("own", "queue", "takes"),
    [
        (None, "a", True),
        (("card",), "card", True),
        (("card",), "Card", False),
        (("card",), "cards", False),
        (("pay*",), "pay", True),
        (("pay*",), "pay.eu", True),
        (("pay*",), "pa", False),
        (("*",), "anything", True),
        (("a_b*",), "axb", False),
        (("a%*",), "abc", False),
        (("a.b:c-d*",), "a.b:c-d", True),
        (("a[*",), "a[0]", True),
        ((), "a", False),
    ],
)
def test_a_star_stands_at_the_end_and_nothing_else_is_a_pattern(own, queue, takes):
    assert JobReach(own).takes(queue) is takes


def test_a_job_of_no_folder_is_in_none():
    assert JobReach().holds("a", None)
    assert not JobReach(folders=(1,)).holds("a", None)


@pytest.mark.parametrize("role", ["worker", "admin"])
def test_a_new_one_that_takes_jobs_needs_a_choice(api, role):
    answer = api.post(URL, {"name": "nightly", "role": role})
    assert (answer.status_code, answer.json()["error"]["field"]) == (400, "queues")
    shown = made(api, role=role, queues=["*"])
    assert (shown["queues"], shown["folders"], shown["takes_jobs"]) == (["*"], ["*"], True)
    assert authenticate_token(shown["token"]).jobs == JobReach()


def test_one_that_takes_none_needs_none(api):
    shown = made(api, role="viewer")
    assert (shown["queues"], shown["folders"], shown["takes_jobs"]) == (None, None, False)
    assert made(api, role="admin", scopes=["runs:read"])["queues"] is None


def test_it_shows_what_was_chosen_and_its_folders_by_their_names_of_now(people, api):
    shown = made(api, **LIMITS)
    assert (shown["queues"], shown["folders"]) == (["card", "pay*"], ["General"])
    folder = default_folder(people.tenant().pk)
    assert authenticate_token(shown["token"]).jobs == JobReach(("card", "pay*"), (folder.pk,))
    Folder.objects.for_tenant(people.tenant().pk).filter(pk=folder.pk).update(name="Renamed", key="renamed")
    assert api.get(f"{URL}/{shown['id']}").json()["folders"] == ["Renamed"]


def test_of_a_folder_that_was_deleted_nothing_is_left(people, api):
    folder = make.FolderFactory(tenant=people.tenant(), name="Gone")
    shown = made(api, queues=["*"], folders=["gone"])
    assert api.delete(f"/api/v1/folders/{folder.pk}").status_code == 204
    assert api.get(f"{URL}/{shown['id']}").json()["folders"] == []
    assert authenticate_token(shown["token"]).jobs == JobReach(None, (folder.pk,))


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"queues": []}, "queues"),
        ({"queues": ["a*b"]}, "queues[0]"),
        ({"queues": ["a", "**"]}, "queues[1]"),
        ({"queues": ["a" * 257]}, "queues[0]"),
        ({"queues": [" "]}, "queues[0]"),
        ({"queues": "card"}, "queues"),
        ({"queues": [7]}, "queues[0]"),
        ({"folders": []}, "folders"),
        ({"folders": ["Nowhere"]}, "folders[0]"),
        ({"folders": ["General", "x" * 151]}, "folders[1]"),
        ({"queues": [f"q{number}" for number in range(51)]}, "queues"),
    ],
)
def test_what_is_no_queue_or_folder_is_refused(api, wrong, field):
    answer = api.post(URL, {"name": "x", "role": "worker", **wrong})
    assert (answer.status_code, answer.json()["error"]["field"]) == (400, field)


def test_another_tenants_folder_is_none(people, api):
    make.FolderFactory(tenant=people.tenant("theirs"), name="Theirs")
    answer = api.post(URL, {"name": "x", "role": "worker", "folders": ["Theirs"]})
    assert answer.json()["error"]["code"] == "no_folder"


def test_a_folder_that_nobody_lets_them_see_is_none(people):
    make.FolderFactory(tenant=people.tenant(), name="Secret")
    body = {"name": "x", "role": "viewer", "folders": ["Secret"]}
    answer = people.client("viewer").post(URL, body)
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "no_folder")


# Tokens made, changed or rotated by a token.


def test_one_that_is_made_with_it_has_its_limits(api):
    limited = with_token(made(api, role="admin", **LIMITS)["token"])
    inside = made(limited, role="admin")
    assert (inside["queues"], inside["folders"]) == (["card", "pay*"], ["General"])
    assert made(limited, queues=["pay.eu*"])["queues"] == ["pay.eu*"]
    for wider in ({"queues": ["*"]}, {"queues": ["pa*"]}, {"queues": ["cards"]}, {"folders": ["*"]}):
        answer = limited.post(URL, {"name": "x", "role": "worker", **wider})
        assert (answer.status_code, answer.json()["error"]["field"]) == (403, next(iter(wider)))


def test_it_can_not_widen_itself_or_another(api):
    mine, free = made(api, role="admin", **LIMITS), made(api, queues=["*"])
    limited = with_token(mine["token"])
    for token in (mine, free):
        answer = limited.patch(f"{URL}/{token['id']}", {"queues": ["*"]})
        assert (answer.status_code, answer.json()["error"]["field"]) == (403, "queues")
    assert limited.post(f"{URL}/{free['id']}/rotate", {}).status_code == 403


def test_rotated_it_keeps_them(api):
    rotated = api.post(f"{URL}/{made(api, **LIMITS)['id']}/rotate", {}).json()
    assert (rotated["queues"], rotated["folders"]) == (["card", "pay*"], ["General"])


def test_it_is_changed_from_its_next_call_on_and_what_is_left_out_stays(api):
    token = made(api, queues=["*"])
    changed = api.patch(f"{URL}/{token['id']}", {"queues": ["card"]})
    assert (changed.status_code, changed.json()["queues"]) == (200, ["card"])
    assert authenticate_token(token["token"]).jobs == JobReach(("card",))
    assert api.patch(f"{URL}/{token['id']}", {"folders": ["General"]}).json()["queues"] == ["card"]
    assert api.patch(f"{URL}/{token['id']}", {"folders": ["*"]}).json()["folders"] == ["*"]
    api.delete(f"{URL}/{token['id']}")
    assert api.patch(f"{URL}/{token['id']}", {"queues": ["card"]}).status_code == 409


def test_somebody_elses_is_not_there(people, api):
    token = made(api, **LIMITS)
    answer = people.client("viewer").patch(f"{URL}/{token['id']}", {"queues": ["*"]})
    assert answer.status_code == 404


def test_one_from_before_goes_on_with_all(people):
    token = ApiToken.unsafe_all_tenants.get(public_id=people.principal("worker").token)
    assert (token.queues, token.folders) == (None, None)
    assert people.principal("worker").jobs == JobReach()


def test_folders_limit_all_that_a_token_reaches(people, api):
    other = make.FolderFactory(tenant=people.tenant(), name="Other")
    principal = authenticate_token(made(api, role="admin", queues=["*"], folders=["Other"])["token"])
    assert not principal.reach.is_everywhere
    assert principal.reach.folders("read") == [other.pk]
    viewer = make.MembershipFactory(tenant=people.tenant(), user__username="vic", role="viewer").user
    assert people.principal("viewer").reach.within([other.pk]).folders("read") == []
    assert viewer.username == "vic"


# The command.


def command(*arguments):
    out = StringIO()
    call_command("create_token", "--user", "admin", *arguments, stdout=out)
    return authenticate_token(out.getvalue().strip()).jobs


def test_the_command_needs_a_choice_for_what_takes_jobs(db):
    ensure_admin("a long password")
    for role in (["--role", "worker"], []):
        with pytest.raises(CommandError, match="--queue"):
            command(*role)
    assert command("--role", "viewer") == JobReach()
    assert command("--role", "worker", "--queue", "*") == JobReach()
    assert command("--queue", "card", "--queue", "pay*").queues == ("card", "pay*")
    [folder] = command("--role", "worker", "--folder", "general").folders
    assert folder == Folder.unsafe_all_tenants.get().pk
    with pytest.raises(CommandError, match="no folder Nowhere"):
        command("--role", "worker", "--folder", "Nowhere")
    with pytest.raises(CommandError, match="Choose"):
        command("--service", "--name", "s", "--role", "worker")
    assert command("--service", "--name", "s", "--role", "worker", "--queue", "a").queues == ("a",)


# The pages.

PAGE = "/settings/tokens"


@pytest.fixture
def admin(people, client):
    client.force_login(people.member("admin"))
    return client


def form(**more):
    return {"name": "nightly", "role": "worker", "days": "30", "queues": "card, pay*", "folders": "*"} | more


def test_the_page_makes_one_with_limits_and_shows_them(people, admin):
    assert admin.post(PAGE, form(folders=["General"])).status_code == 201
    token = ApiToken.unsafe_all_tenants.get()
    assert (token.queues, token.folders) == (["card", "pay*"], [default_folder(people.tenant().pk).pk])
    page = admin.get(PAGE).content.decode()
    assert "card, pay*" in page
    assert "in General" in page
    assert '<span class="bad-text">all queues</span>' not in page


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"queues": ""}, "Enter queues, or * for all."),
        ({"folders": []}, "Choose folders, or all."),
        ({"queues": "a*b"}, "is not a queue"),
        ({"folders": ["Nowhere"]}, "There is no folder Nowhere."),
    ],
)
def test_the_page_asks_for_both_and_keeps_what_was_typed(admin, wrong, words):
    answer = admin.post(PAGE, form(**wrong))
    page = answer.content.decode()
    assert answer.status_code == 422
    assert words in page
    assert 'value="nightly"' in page
    assert wrong.get("queues", "card, pay*") in page
    assert ApiToken.unsafe_all_tenants.count() == 0


def test_the_page_asks_nothing_of_what_takes_no_jobs(admin):
    assert admin.post(PAGE, form(role="viewer", queues="", folders=[])).status_code == 201


def test_the_page_marks_one_from_before_and_changes_it(people, admin):
    principal = people.principal("worker")
    page = admin.get(PAGE).content.decode()
    assert '<span class="bad-text">all queues</span>' in page
    address = f"{PAGE}/{principal.token}"
    assert "It takes the jobs of all queues" in admin.get(address).content.decode()
    assert admin.post(address, {"queues": "", "folders": "*"}).status_code == 422
    assert admin.post(address, {"queues": "card", "folders": "General"}).status_code == 302
    assert people.principal("worker").jobs.queues == ("card",)
    shown = admin.get(address).content.decode()
    assert "It takes the jobs of all queues" not in shown
    assert 'value="General" checked' in shown
