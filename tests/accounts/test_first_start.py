"""The commands that let the first person and the first program in."""

import os
import stat
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from accounts.models import ApiToken, Folder, Membership, Tenant, User
from accounts.services import authenticate_token

pytestmark = pytest.mark.django_db


@pytest.fixture
def home(tmp_path, settings, monkeypatch):
    monkeypatch.delenv("HANDOFF_ADMIN_PASSWORD", raising=False)
    settings.HANDOFF_HOME = tmp_path / "home"
    return settings.HANDOFF_HOME


def test_the_first_start_makes_the_tenant_the_admin_and_a_private_password(home):
    call_command("first_start", stderr=StringIO())
    path = home / "admin-password"
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
    user = User.objects.get(username="admin")
    assert user.check_password(path.read_text().strip())
    member = Membership.objects.for_tenant(Tenant.objects.get(slug="default").pk).get(user=user)
    assert member.role == "admin"
    assert Folder.unsafe_all_tenants.get().is_default


def test_a_second_start_changes_nothing(home):
    call_command("first_start", stderr=StringIO())
    before = User.objects.get(username="admin").password, (home / "admin-password").read_text()
    call_command("first_start", stderr=StringIO())
    assert (User.objects.get(username="admin").password, (home / "admin-password").read_text()) == before
    assert User.objects.count() == Tenant.objects.count() == 1


def test_the_password_of_the_environment_goes_first(home, monkeypatch):
    monkeypatch.setenv("HANDOFF_ADMIN_PASSWORD", "chosen by me")
    call_command("first_start", stderr=StringIO())
    assert User.objects.get(username="admin").check_password("chosen by me")
    assert not (home / "admin-password").exists()


def test_a_password_given_later_becomes_the_admins(home, monkeypatch):
    call_command("first_start", stderr=StringIO())
    monkeypatch.setenv("HANDOFF_ADMIN_PASSWORD", "another one")
    call_command("first_start", stderr=StringIO())
    assert User.objects.get(username="admin").check_password("another one")


def test_the_password_that_lies_in_the_home_is_used(home):
    home.mkdir()
    (home / "admin-password").write_text("from the supervisor\n")
    call_command("first_start", stderr=StringIO())
    assert User.objects.get(username="admin").check_password("from the supervisor")


def test_an_empty_password_file_is_refused(home):
    home.mkdir()
    (home / "admin-password").write_text("\n")
    with pytest.raises(CommandError, match="empty"):
        call_command("first_start", stderr=StringIO())


def test_create_token_prints_a_token_and_nothing_else(home):
    call_command("first_start", stderr=StringIO())
    out = StringIO()
    call_command("create_token", "--user", "admin", "--role", "viewer", "--days", "3", stdout=out)
    (line,) = out.getvalue().splitlines()
    assert authenticate_token(line).role == "viewer"
    token = ApiToken.unsafe_all_tenants.get()
    assert (token.expires_at - token.created_at).days == 3


def test_create_token_makes_one_of_a_service(home):
    call_command("first_start", stderr=StringIO())
    out = StringIO()
    call_command(
        "create_token", "--user", "admin", "--service", "--name", "nightly", "--role", "viewer", stdout=out
    )
    principal = authenticate_token(out.getvalue().strip())
    assert (principal.role, ApiToken.unsafe_all_tenants.get().user.is_service) == ("viewer", True)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--user", "admin", "--service"], "Enter what it is for"),
        (["--user", "nobody"], "no user nobody"),
        (["--user", "admin", "--tenant", "elsewhere"], "no tenant elsewhere"),
        (["--user", "admin", "--days", "0", "--queue", "*"], "1 to 3650 days"),
        (
            ["--user", "admin", "--name", "x" * 5_000, "--queue", "*"],
            "^A token's name has at most 200 characters.$",
        ),
    ],
)
def test_create_token_says_what_is_wrong(home, arguments, words):
    call_command("first_start", stderr=StringIO())
    with pytest.raises(CommandError, match=words):
        call_command("create_token", *arguments, stdout=StringIO())
