"""For whom a page is made: by their settings, otherwise by what their browser says, however odd that is."""

import pytest
from django.test import RequestFactory
from django.utils import timezone

from accounts import people
from accounts.models import User
from accounts.reading import ZONE_COOKIE, reader_of, reading
from lib.reader import NOBODY, Reader, is_read, reader, reading_as
from tests import factories as make
from tests.store.watching import watching
from workflows import titles
from workflows.models import Workflow


def seen(user=None, *, cookie: str | None = None, language: str | None = None) -> tuple[str, str]:
    """Zone and locale for which a page would be made."""
    request = RequestFactory().get("/", headers={"Accept-Language": language} if language is not None else {})
    if cookie is not None:
        request.COOKIES[ZONE_COOKIE] = cookie
    with reading(request, user) as one:
        return one.zone, one.locale.tag


def a_user(time_zone: str = "", locale: str = "") -> User:
    return User(username="ann", time_zone=time_zone, locale=locale)


def test_the_setting_comes_before_the_browser():
    asked = {"cookie": "America/Los_Angeles", "language": "fr-CA,fr;q=0.9"}
    assert seen(a_user("Asia/Kolkata", "de"), **asked) == ("Asia/Kolkata", "de")
    assert seen(a_user(), **asked) == ("America/Los_Angeles", "fr")
    assert seen(None, **asked) == ("America/Los_Angeles", "fr")
    assert seen(a_user()) == ("", "")


def test_a_setting_that_this_machine_does_not_know_is_as_none():
    assert seen(a_user("Mars/Olympus", "xx"), cookie="Asia/Kolkata", language="de") == ("Asia/Kolkata", "de")
    assert reader_of(a_user("Mars/Olympus", "xx")) == Reader()


@pytest.mark.parametrize(
    "cookie", ["", "x", "../../etc/passwd", "Europe/Berlin; DROP", "\x00", "é", "A" * 4000]
)
def test_a_cookie_that_is_no_time_zone_is_left_out(cookie):
    assert seen(cookie=cookie) == ("", "")


@pytest.mark.parametrize(
    ("language", "locale"),
    [
        ("ja,de;q=0.5,en;q=0.4", "de"),
        ("en-US,en;q=0.9", "en"),
        ("de;q=0,nl", "nl"),
        ("*", ""),
        ("", ""),
        (";;;,,,q=1", ""),
        ("de" * 20_000, ""),
        (",".join(["ja"] * 5_000), ""),
        ("\x00\xff", ""),
    ],
)
def test_the_first_language_that_is_known_is_taken(language, locale):
    assert seen(language=language) == ("", locale)


@pytest.mark.django_db
def test_names_are_asked_for_once_and_of_ones_own_tenant_alone():
    tenant, other = make.a_tenant(), make.TenantFactory(slug="other")
    for username, name in (("ann", "Ann Lee"), ("bob", ""), ("old", "Olga Dahl")):
        make.MembershipFactory(tenant=tenant, user__username=username, user__name=name)
    make.MembershipFactory(tenant=other, user__username="eve", user__name="Eve Elsewhere")
    User.objects.filter(username="old").update(is_active=False)
    with reading_as(Reader()):
        with watching() as seen:
            people.learn(tenant.pk, ["ann", "ANN", "bob", "old", "eve", "gone", None, ""])
            assert len(seen.named) == 1
            people.learn(tenant.pk, ["ann", "eve", "gone"])
        assert seen.trips == 1
        names = [people.name_of(name) for name in ("ann", "ANN", "bob", "old", "eve", "gone", "unasked")]
    assert names == ["Ann Lee", "Ann Lee", "bob", "Olga Dahl", "eve", "gone", "unasked"]
    with watching() as seen:
        people.learn(tenant.pk, ["ann"])
    assert seen.trips == 0
    assert people.name_of("ann") == "ann"
    assert NOBODY.called == {}


@pytest.mark.django_db
def test_titles_are_asked_for_once_and_of_ones_own_tenant_alone():
    version = make.a_version(make.chain("noop"))
    name, tenant, theirs = version.workflow.name, version.tenant_id, make.a_tenant("theirs").pk
    Workflow.unsafe_all_tenants.filter(pk=version.workflow_id).update(title="Refunds")
    with reading_as(Reader()):
        with watching() as seen:
            titles.learn(theirs, [name])
        assert seen.trips == 1
        assert titles.title_of(name) == name
    with reading_as(Reader()):
        with watching() as seen:
            titles.learn(tenant, [name, name, "gone"])
            titles.learn(tenant, [name, "gone"])
        assert seen.trips == 1
        assert (titles.title_of(name), titles.title_of("gone")) == ("Refunds", "gone")
    titles.learn_titles([(name, "Refunds")])
    assert titles.title_of(name) == name


@pytest.mark.django_db
def test_a_page_leaves_nobodys_time_zone_behind_also_where_it_refuses(client):
    ann = make.a_member("ann", "viewer")
    User.objects.filter(pk=ann.pk).update(time_zone="Asia/Kolkata", locale="de")
    client.force_login(ann)
    before = timezone.get_current_timezone_name()
    assert client.get("/").status_code == 200
    assert client.get("/runs/00000000-0000-0000-0000-000000000000").status_code == 404
    assert (is_read(), reader(), timezone.get_current_timezone_name()) == (False, NOBODY, before)
