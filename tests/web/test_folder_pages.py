"""Folders by form, workflows moved between them, and what those see whom they let start and no more."""

import pytest

from accounts import folders
from accounts.folders import Grant
from accounts.models import Folder
from lib.refusals import Invalid
from tests import factories as make
from tests.inbox.asking import member
from workflows.models import Workflow
from workflows.versions import lifecycle

pytestmark = pytest.mark.django_db


@pytest.fixture
def boss(client):
    """An admin who is logged in."""
    who = member("boss", "admin")
    client.force_login(make.a_user("boss"))
    return who


def granted(tenant, key):
    (row,) = folders.folder_rows(tenant, [Folder.objects.for_tenant(tenant).get(key=key)])
    return row["grants"]


def test_a_folder_is_made_changed_and_deleted(client, boss):
    name = "Legal: étoile"
    make.GroupFactory(name=name)
    sent = {
        "name": "Hiring",
        "to": ["role:author", f"group:{name}", "role:viewer"],
        "may role:author": ["read", "edit"],
        f"may group:{name}": ["start"],
    }
    assert client.post("/settings/add-folder", sent).status_code == 302
    assert granted(boss.tenant_id, "hiring") == [
        {"group": name, "may": ["start"]},
        {"role": "author", "may": ["read", "edit"]},
    ]
    page = client.get("/settings/folders").text
    assert "Hiring" in page
    assert name in page
    again = client.post("/settings/add-folder", sent | {"name": "HIRING"})
    assert again.status_code == 409
    assert again.context["form"]["name"]["error"] == "A folder HIRING already exists."
    folder = Folder.objects.for_tenant(boss.tenant_id).get(key="hiring")
    here = f"/settings/folders/{folder.pk}"
    assert client.get(here).text.count(" checked") == 3
    assert client.post(here, {"name": "", "to": []}).status_code == 422
    assert client.post(here, {"name": "Hiring", "to": ["role:author"]}).status_code == 302
    assert granted(boss.tenant_id, "hiring") == []
    assert client.post(f"{here}/delete").status_code == 302
    assert client.get(here).status_code == 404


@pytest.mark.parametrize(
    "mark", ["role:admin", "role:worker", "group:nobody", "group:no\0body", "x", "role:author:x"]
)
def test_nothing_is_granted_to_whom_there_is_not(client, boss, mark):
    answer = client.post("/settings/add-folder", {"name": "Odd", "to": [mark], f"may {mark}": ["read"]})
    assert answer.status_code == 422
    assert not Folder.objects.for_tenant(boss.tenant_id).filter(key="odd").exists()


def test_a_folder_with_workflows_and_the_one_where_new_ones_go_stay(client, boss):
    folder = make.FolderFactory(name="Full")
    make.a_workflow("in_it", make.chain("noop"))
    Workflow.objects.for_tenant(boss.tenant_id).update(folder=folder)
    refused = client.post(f"/settings/folders/{folder.pk}/delete")
    assert refused.status_code == 409
    assert "1 workflow lies in Full" in refused.text
    default = folders.default_folder(boss.tenant_id)
    assert client.post(f"/settings/folders/{default.pk}/delete").status_code == 409


def test_to_look_at_folders_makes_none(client, boss):
    Folder.unsafe_all_tenants.all().delete()
    assert client.get("/settings/folders").status_code == 200
    assert not Folder.unsafe_all_tenants.exists()


def test_only_who_manages_members_sees_folders(client):
    member("ann", "author")
    client.force_login(make.a_user("ann"))
    assert client.get("/settings/folders").status_code == 403
    assert "/settings/folders" not in client.get("/settings/members").text


def test_a_workflow_is_moved_by_who_manages_members_alone(client, boss):
    name = make.a_version(make.chain("noop")).workflow.name
    here, opened = f"/workflows/{name}/", make.FolderFactory(name="Opened")
    folders.change_folder(boss, opened.pk, grants=[Grant(("edit", "publish"), "author")])
    member("ann", "author")
    # Where they may publish they would publish it, and move it back.
    client.force_login(make.a_user("ann"))
    assert "Move to another folder" not in client.get(here).text
    assert client.post(f"{here}move", {"folder": "opened"}).status_code == 403
    assert folder_of(name) == "General"
    client.force_login(make.a_user("boss"))
    assert "Move to another folder" in client.get(here).text
    for wrong in ("nowhere", "\x00"):
        client.post(f"{here}move", {"folder": wrong})
        assert folder_of(name) == "General"
    client.post(f"{here}move", {"folder": "opened"})
    assert folder_of(name) == "Opened"


def folder_of(name):
    return Workflow.unsafe_all_tenants.select_related("folder").get(name=name).folder.name


def test_who_may_start_and_not_read_starts_and_comes_to_their_request(client):
    boss = member("boss", "admin")
    name = make.a_version(make.chain("noop")).workflow.name
    folder = make.FolderFactory(name="Requests")
    folders.change_folder(boss, folder.pk, grants=[Grant(("start",), "author")])
    Workflow.objects.for_tenant(boss.tenant_id).filter(name=name).update(folder=folder)
    member("ann", "author")
    client.force_login(make.a_user("ann"))
    home = client.get("/").text
    assert f"/workflows/{name}/start" in home
    assert f'"/workflows/{name}/"' not in home
    assert f'"/workflows/{name}/"' not in client.get(f"/workflows/{name}/start").text
    sent = {"input_kind": "json", "input": "{}", "business_key": "k-1"}
    started = client.post(f"/workflows/{name}/start", sent, follow=True)
    assert started.redirect_chain[0][0].startswith("/requests/")
    assert started.status_code == 200
    assert "is started" in started.text
    assert client.get(f"/workflows/{name}/").status_code == 404
    assert client.get("/runs/").context["runs"] == []


def test_pages_say_why_they_are_empty_to_those_whom_no_folder_lets_in(client):
    boss = member("boss", "admin")
    make.a_version(make.chain("noop"))
    member("eve", "viewer")
    folders.change_folder(boss, folders.default_folder(boss.tenant_id).pk, grants=[])
    client.force_login(make.a_user("eve"))
    for path in ("/", "/workflows/", "/runs/"):
        page = client.get(path)
        assert page.status_code == 200
        assert "Ask an admin" in page.text, path


@pytest.mark.parametrize("does", ["create", "move"])
def test_a_folder_that_is_deleted_meanwhile_is_told_of(boss, monkeypatch, does):
    folder = folders.create_folder(boss, "Hiring", [])
    lifecycle.create_workflow(boss, name="ours")
    found = lifecycle.folder_named

    def named(*args):
        place = found(*args)
        folders.delete_folder(boss, folder.pk)
        return place

    monkeypatch.setattr(lifecycle, "folder_named", named)
    name, act = {
        "create": ("theirs", lifecycle.create_workflow),
        "move": ("ours", lifecycle.update_workflow),
    }[does]
    with pytest.raises(Invalid, match="deleted meanwhile"):
        act(boss, name=name, folder="Hiring")
    assert not Workflow.objects.for_tenant(boss.tenant_id).exclude(folder__is_default=True).exists()
