"""Setting a password by a link: who gets one, what ends it, and what nobody learns or takes over by it."""

import re
from datetime import timedelta
from email.message import EmailMessage

import pytest
from django.core.management import call_command
from django.test import Client

from accounts import members, outgoing, passwords, preferences
from accounts.models import FORGOTTEN, INVITED, SENT, AccountMail, ApiToken, User
from accounts.principal import Forbidden
from accounts.queries import session_principal
from accounts.services import check_login
from lib.refusals import Conflict, Missing
from tasks_inbox.duties import account_mails
from tests import factories as make
from tests.people import People
from tests.smtp import mailbox
from tests.timing import clock

__all__ = ["clock"]
pytestmark = pytest.mark.django_db
OURS = {"HTTP_ORIGIN": "http://testserver", "HTTP_SEC_FETCH_SITE": "same-origin"}
NEW = "another long password"
SAID = "Check your e-mail"


@pytest.fixture
def box(monkeypatch):
    with mailbox(monkeypatch) as box:
        yield box


@pytest.fixture
def ann():
    user = make.a_member("ann")
    User.objects.filter(pk=user.pk).update(email="ann@example.org")
    return User.objects.get(pk=user.pk)


@pytest.fixture
def people():
    return People()


def browser():
    return Client(enforce_csrf_checks=True)


def ask(who, **more):
    return Client(**more).post("/password/forgotten", {"who": who})


def text_of(message: EmailMessage) -> str:
    return message.get_body(("plain",)).get_content()


def link_in(message: EmailMessage) -> str:
    return re.search(r"http://127.0.0.1:8000(/password/link/\S+)", text_of(message))[1]


def mailed(box):
    """The path of the link in the newest mail."""
    account_mails.tick(10)
    return link_in(box.messages()[-1])


def set_by(path, new=NEW, again=None):
    return browser().post(path, {"new": new, "again": new if again is None else again}, **OURS)


def test_who_forgot_sets_another_by_mail_and_is_logged_out_elsewhere(box, ann):
    elsewhere = Client()
    elsewhere.force_login(ann)
    assert SAID in ask("ANN").text
    path = mailed(box)
    assert box.subjects() == {"ann": ["Set a new password"]}
    assert "works once, within one hour" in text_of(box.messages()[0])
    assert 'href="http://127.0.0.1:8000/password/link/' in box.messages()[0].get_body(("html",)).get_content()
    assert "For <strong>ann</strong>" in browser().get(path).text
    assert "Your password is set" in set_by(path).text
    assert check_login(username="ann", password=NEW, place="x").pk == ann.pk
    assert elsewhere.get("/").status_code == 302


def test_nobody_learns_who_there_is(box, ann):
    make.a_member("bob")
    pages = [
        re.sub(r'value="\w{64}"', "", ask(who).text) for who in ("ann", "bob", "nobody", "a\x00", "x" * 400)
    ]
    assert len(set(pages)) == 1
    account_mails.tick(10)
    assert list(box.subjects()) == ["ann"]


def test_an_address_finds_whom_it_is_of_and_asking_again_fills_no_mailbox(box, ann):
    ask("Ann@Example.org")
    ask("ann")
    account_mails.tick(10)
    assert box.subjects() == {"ann": ["Set a new password"]}
    assert "for ann." in text_of(box.messages()[0])


def test_who_may_not_log_in_or_belongs_nowhere_gets_none(box, ann):
    make.UserFactory(username="lost", email="lost@example.org")
    User.objects.filter(pk=ann.pk).update(is_active=False)
    ask("ann")
    ask("lost")
    account_mails.tick(10)
    assert box.subjects() == {}


def test_asking_is_slowed_down_and_slows_no_login_down(box, ann):
    answers = [ask("ann").status_code for _ in range(6)]
    assert answers == [200] * 5 + [429]
    refused = ask("ann")
    assert "You have asked for too many links." in refused.text
    assert int(refused.headers["Retry-After"]) > 0
    assert Client().post("/login", {"username": "ann", "password": "a long password"}).status_code == 302


def test_a_link_is_good_once(box, ann):
    ask("ann")
    path = mailed(box)
    set_by(path)
    for page in (browser().get(path), set_by(path, "yet another password")):
        assert page.status_code == 410
        assert "no longer valid" in page.text
    assert User.objects.get(username="ann").check_password(NEW)


def a_login(ann):
    Client().post("/login", {"username": "ann", "password": "a long password"})


def a_change(ann):
    preferences.change_password(session_principal(ann), old="a long password", new="changed meanwhile")


def another_address(ann):
    preferences.change_notifications(session_principal(ann), email="other@example.org")


def an_end(ann):
    User.objects.filter(pk=ann.pk).update(is_active=False)


@pytest.mark.parametrize("meanwhile", [a_login, a_change, another_address, an_end])
def test_a_link_is_dead_once_something_else_happened(ann, meanwhile):
    path = passwords.written(ann, SENT).removeprefix("http://127.0.0.1:8000")
    assert browser().get(path).status_code == 200
    meanwhile(ann)
    assert (browser().get(path).status_code, set_by(path).status_code) == (410, 410)
    assert not User.objects.get(username="ann").check_password(NEW)


@pytest.mark.parametrize(("kind", "seconds"), [(FORGOTTEN, 3_600), (INVITED, 259_200), (SENT, 259_200)])
def test_a_link_has_an_end(ann, clock, kind, seconds):
    token = passwords.written(ann, kind).rpartition("/")[2]
    clock.advance(seconds)
    assert passwords.user_of(token) == ann
    clock.advance(1)
    assert passwords.user_of(token) is None
    with pytest.raises(Missing):
        passwords.set_by_link(token, NEW, place="x")


def test_a_link_is_of_one_person_and_one_kind(ann):
    bob = make.a_member("bob")
    token = passwords.written(ann, FORGOTTEN).rpartition("/")[2]
    others = passwords.written(bob, FORGOTTEN).rpartition("/")[2]
    signed = token.rpartition(".")[2]
    forged = (
        "i" + token[1:],
        f"{others.rpartition('.')[0]}.{signed}",
        f"x.1.{signed}",
        f"f.é.{signed}",
        token + "0",
    )
    assert [passwords.user_of(one) for one in (*forged, "", "f", "f.", "f..", "f.1." * 50)] == [None] * 10


def test_looking_at_a_link_or_sending_its_form_from_elsewhere_changes_nothing(box, ann):
    ask("ann")
    path = mailed(box)
    before = User.objects.values().get(pk=ann.pk)
    page, head = browser().get(path), browser().head(path)
    assert (page.cookies, head.cookies) == ({}, {})
    assert "no-store" in page.headers["Cache-Control"]
    for headers in (
        {},
        {"HTTP_ORIGIN": "https://evil.example"},
        OURS | {"HTTP_SEC_FETCH_SITE": "cross-site"},
    ):
        assert browser().post(path, {"new": NEW, "again": NEW}, **headers).status_code == 403
    assert User.objects.values().get(pk=ann.pk) == before


@pytest.mark.parametrize(
    ("new", "again", "field"),
    [("short", None, "new"), (NEW, "x", "again"), ("a" * 1001, None, "new")],
)
def test_what_is_wrong_is_told_and_the_link_stays_good(box, ann, new, again, field):
    ask("ann")
    path = mailed(box)
    page = set_by(path, new, again)
    assert (page.status_code, f'id="{field}-fault"' in page.text) == (422, True)
    assert set_by(path).status_code == 200


def test_tokens_are_revoked_where_that_is_wished(people):
    token = people.token("viewer")
    user = User.objects.get(username="viewer-of-ours")
    for wished, revoked in ((False, False), (True, True)):
        link = passwords.written(User.objects.get(pk=user.pk), SENT).rpartition("/")[2]
        passwords.set_by_link(link, f"{NEW} {wished}", place="x", revoke_tokens=wished)
        one = ApiToken.objects.for_tenant(people.tenant().pk).get(public_id=token.split("_")[2])
        assert (one.revoked_at is not None) is revoked


def test_without_a_mail_server_the_page_says_so_and_nothing_waits(ann):
    page = Client().get("/password/forgotten").text
    assert "Mail is not set up here" in page
    assert 'name="who"' not in page
    assert ask("ann").status_code == 409
    assert not AccountMail.objects.for_tenant(session_principal(ann).tenant_id).exists()


def test_a_mail_that_no_server_takes_is_tried_again_and_comes_not_too_late(monkeypatch, ann, clock):
    with mailbox(monkeypatch, RCPT="451 later"):
        ask("ann")
        account_mails.tick(10)
    mail = AccountMail.objects.for_tenant(session_principal(ann).tenant_id).get()
    assert mail.error
    assert mail.next_at is not None
    with mailbox(monkeypatch) as box:
        clock.advance(3_700)
        account_mails.tick(10)
        assert box.subjects() == {}
    mail.refresh_from_db()
    assert mail.next_at is None
    assert "too late" in mail.error


def test_a_tick_that_died_sends_it_again_under_the_same_id(box, ann, clock, monkeypatch):
    ask("ann")
    with monkeypatch.context() as dying:
        dying.setattr(outgoing.OUTBOX, "note_sent", lambda id: (_ for _ in ()).throw(SystemExit))
        with pytest.raises(SystemExit):
            account_mails.tick(10)
    assert account_mails.tick(10) == 0
    clock.advance(61)
    account_mails.tick(10)
    first, second = box.messages()
    assert first["Message-ID"] == second["Message-ID"]
    assert account_mails.tick(10) == 0


def test_a_new_member_with_an_address_is_invited_by_mail(box, people):
    boss = people.principal("admin")
    member, password = members.add_member(boss, "zoe", "viewer", email="zoe@example.org")
    assert password is None
    with_password = members.add_member(boss, "yan", "viewer")[1]
    assert check_login(username="yan", password=with_password, place="x").username == "yan"
    path = mailed(box)
    assert box.subjects() == {"zoe": ["You are invited to Handoff"]}
    assert "within 3 days" in text_of(box.messages()[0])
    assert set_by(path).status_code == 200
    assert check_login(username="zoe", password=NEW, place="x") == member.user


def test_an_admin_has_a_link_mailed_to_the_address_of_its_user_alone(box, people):
    boss, vic = people.principal("admin"), people.member("viewer")
    with pytest.raises(Conflict):
        passwords.send_link(boss, vic.username)
    User.objects.filter(pk=vic.pk).update(email="vic@example.org")
    passwords.send_link(boss, vic.username, reason="locked out")
    with pytest.raises(Conflict):
        passwords.make_link(boss, vic.username)
    with pytest.raises(Forbidden):
        passwords.send_link(people.principal("operator"), vic.username)
    with pytest.raises(Missing):
        passwords.send_link(people.principal("admin", "theirs"), vic.username)
    assert set_by(mailed(box)).status_code == 200
    assert list(box.subjects()) == ["vic"]


def test_a_link_to_hand_over_opens_no_login_of_an_admin_or_of_another_tenant(people):
    boss, vic = people.principal("admin"), people.member("viewer")
    second = make.MembershipFactory(user__username="second", tenant=people.tenant(), role="admin")
    shared = people.member("author")
    make.MembershipFactory(user=shared, tenant=people.tenant("theirs"), role="viewer")
    for name in ("admin-of-ours", second.user.username, shared.username):
        with pytest.raises(Forbidden):
            passwords.make_link(boss, name)
    made = passwords.make_link(boss, vic.username)
    assert made.lifetime == timedelta(days=3)
    assert set_by(made.address.removeprefix("http://127.0.0.1:8000")).status_code == 200


def test_nobody_gets_at_an_admins_links_by_changing_their_address(people):
    boss = people.principal("admin")
    make.MembershipFactory(user__username="second", tenant=people.tenant(), role="admin")
    User.objects.update(password="!")
    with pytest.raises(Conflict) as refused:
        members.change_member(boss, "second", email="mine@example.org")
    assert refused.value.code == "admins_address"
    assert members.change_member(boss, "admin-of-ours", email="me@example.org").user.email == "me@example.org"


def test_the_former_address_learns_that_there_is_another(box, people):
    boss, vic = people.principal("admin"), people.member("viewer")
    User.objects.update(password="!")
    members.change_member(boss, vic.username, email="vic@example.org")
    members.change_member(boss, vic.username, email="new@example.org")
    preferences.change_notifications(people.principal("viewer"), email="newer@example.org", mail="nothing")
    account_mails.tick(10)
    subject = "Your e-mail address was changed"
    assert box.subjects() == {"vic": [subject], "new": [subject]}
    assert "changed by admin-of-ours" in text_of(box.messages()[0])
    assert "/password/" not in text_of(box.messages()[0])


def test_on_the_server_a_link_is_printed(ann, capsys):
    call_command("password_link", user="ann")
    assert passwords.user_of(capsys.readouterr().out.strip().rpartition("/")[2]) == ann
