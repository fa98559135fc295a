"""API tokens: what is kept, who they let in, and for how long."""

from datetime import timedelta

import pytest
from django.db.models.functions import Now

from accounts import token_format
from accounts.models import ApiToken, Membership, User
from accounts.principal import Forbidden
from accounts.roles import MEMBER_ROLES, SCOPES, SCOPES_OF_ROLE, TOKEN_ROLES
from accounts.services import BadToken, authenticate_token, create_token, revoke_token
from lib import named_sql
from lib.refusals import Invalid, Missing
from tests import factories as make

pytestmark = pytest.mark.django_db


@pytest.fixture
def tenant():
    return make.a_tenant("acme")


def member(tenant, role, username=None):
    return make.MembershipFactory(tenant=tenant, user__username=username or role, role=role).user


def change(**values):
    ApiToken.unsafe_all_tenants.update(**values)


def test_a_token_has_the_written_form_and_a_checksum():
    new = token_format.new_token("local")
    assert token_format.public_id_of(new.text) == new.public_id
    assert new.text.startswith(f"ho_local_{new.public_id}_")
    wrong = new.text[:-1] + ("a" if new.text[-1] != "a" else "b")
    assert token_format.public_id_of(wrong) is None
    assert token_format.public_id_of(new.text + "\n") is None


def test_only_the_hash_and_a_prefix_are_kept(tenant):
    token, text = create_token(user=member(tenant, "admin"), tenant=tenant)
    token.refresh_from_db()
    assert bytes(token.secret_sha256) == token_format.digest(text)
    assert text.startswith(token.prefix)
    assert len(token.prefix) < len(text) - 40


def test_a_token_acts_as_its_user_in_its_tenant(tenant):
    user = member(tenant, "author")
    _, text = create_token(user=user, tenant=tenant)
    principal = authenticate_token(text)
    assert (principal.tenant_id, principal.user_id, principal.via) == (tenant.pk, user.pk, "token")
    assert principal.scopes == SCOPES_OF_ROLE["author"]


def test_a_token_of_an_admin_holds_every_scope_a_workers_included(tenant):
    _, text = create_token(user=member(tenant, "admin"), tenant=tenant)
    assert authenticate_token(text).scopes == SCOPES


def test_a_token_may_hold_fewer_scopes_than_its_role(tenant):
    _, text = create_token(user=member(tenant, "admin"), tenant=tenant, scopes=frozenset({"runs:read"}))
    principal = authenticate_token(text)
    principal.require("runs:read")
    with pytest.raises(Forbidden):
        principal.require("runs:start")


@pytest.mark.parametrize("own", MEMBER_ROLES)
@pytest.mark.parametrize("wanted", TOKEN_ROLES)
def test_nobody_makes_a_token_that_is_more_than_they_are(tenant, own, wanted):
    user = member(tenant, own)
    if SCOPES_OF_ROLE[wanted] <= SCOPES_OF_ROLE[own]:
        assert authenticate_token(create_token(user=user, tenant=tenant, role=wanted)[1]).role == wanted
    else:
        with pytest.raises(Forbidden):
            create_token(user=user, tenant=tenant, role=wanted)


def test_an_unknown_role_or_scope_is_refused(tenant):
    user = member(tenant, "admin")
    with pytest.raises(Invalid, match="no role king"):
        create_token(user=user, tenant=tenant, role="king")
    with pytest.raises(Invalid, match="no scope all"):
        create_token(user=user, tenant=tenant, scopes=frozenset({"all"}))


def test_a_user_gets_no_token_for_a_tenant_of_others(tenant):
    other = make.a_tenant("other")
    with pytest.raises(Missing):
        create_token(user=member(tenant, "admin"), tenant=other)


def test_a_token_follows_its_users_role_down(tenant):
    user = member(tenant, "admin")
    _, text = create_token(user=user, tenant=tenant)
    Membership.objects.for_tenant(tenant.pk).update(role="viewer")
    assert authenticate_token(text).scopes == SCOPES_OF_ROLE["viewer"]


def _expire(tenant, user):
    change(expires_at=Now() - timedelta(seconds=1))


def _revoke(tenant, user):
    revoke_token(tenant.pk, ApiToken.unsafe_all_tenants.get().public_id)


def _deactivate(tenant, user):
    User.objects.filter(pk=user.pk).update(is_active=False)


def _leave(tenant, user):
    Membership.objects.for_tenant(tenant.pk).delete()


@pytest.mark.parametrize("end", [_expire, _revoke, _deactivate, _leave])
def test_a_token_ends(tenant, end):
    user = member(tenant, "admin")
    _, text = create_token(user=user, tenant=tenant)
    authenticate_token(text)
    end(tenant, user)
    with pytest.raises(BadToken):
        authenticate_token(text)


@pytest.mark.parametrize("text", ["", "x", "ho_", "Bearer", "ho_local_" + "a" * 62, "\x00", "é" * 80])
def test_what_is_no_token_never_reaches_the_database(text, monkeypatch):
    statements = []
    monkeypatch.setattr(named_sql, "watchers", [statements.append])
    with pytest.raises(BadToken):
        authenticate_token(text)
    assert statements == []


def test_a_token_with_a_known_id_and_another_secret_is_refused(tenant, monkeypatch):
    token, _ = create_token(user=member(tenant, "admin"), tenant=tenant)
    forged = token_format.new_token("local")
    monkeypatch.setattr(token_format, "public_id_of", lambda text: token.public_id)
    with pytest.raises(BadToken):
        authenticate_token(forged.text)


def test_its_use_is_noted_at_most_once_a_minute(tenant, monkeypatch):
    _, text = create_token(user=member(tenant, "admin"), tenant=tenant)
    statements = []
    monkeypatch.setattr(named_sql, "watchers", [statements.append])
    authenticate_token(text)
    first = ApiToken.unsafe_all_tenants.get().last_used_at
    authenticate_token(text)
    assert statements == ["find_token", "note_use", "find_token"]
    assert ApiToken.unsafe_all_tenants.get().last_used_at == first
    change(last_used_at=first - timedelta(minutes=2))
    authenticate_token(text)
    assert ApiToken.unsafe_all_tenants.get().last_used_at >= first


def test_a_token_is_revoked_within_its_tenant_only(tenant):
    token, text = create_token(user=member(tenant, "admin"), tenant=tenant)
    other = make.a_tenant("other")
    with pytest.raises(Missing):
        revoke_token(other.pk, token.public_id)
    assert authenticate_token(text)
    revoke_token(tenant.pk, token.public_id)
    revoke_token(tenant.pk, token.public_id)
