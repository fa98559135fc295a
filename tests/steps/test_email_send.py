"""email.send against a real SMTP server: what arrives, what is refused, and what is tried again."""

import contextlib
import email
import email.policy
import logging
import socket
import ssl
import threading
from dataclasses import dataclass, field

import pytest

from engine.errors import StepError
from lib.mail import SmtpServer as SmtpSettings
from steps import outside
from steps.base import execute
from steps.catalogue import CATALOGUE
from tests.answering import answering
from tests.lib.conftest import CERTIFICATE

MAIL = CATALOGUE["email.send"]


@dataclass
class SmtpServer:
    """Speaks SMTP; `refusals` says which verb or recipient is answered by what."""

    port: int
    refusals: dict[str, str]
    verbs: list[str] = field(default_factory=list)
    messages: list[tuple[list[str], bytes]] = field(default_factory=list)

    def talk(self, connection):
        recipients = []
        with connection.makefile("rwb") as stream:

            def say(line):
                stream.write(line.encode() + b"\r\n")
                stream.flush()

            say(self.refusals.get("CONNECT", "220 hello"))
            while line := stream.readline().decode().strip():
                verb = line.split()[0].upper()
                self.verbs.append(line)
                refusal = self.refusals.get(verb) or next(
                    (said for address, said in self.refusals.items() if verb == "RCPT" and address in line),
                    None,
                )
                if refusal == "hang up":
                    return
                if refusal:
                    say(refusal)
                elif verb == "EHLO":
                    say("250-here\r\n250 AUTH PLAIN")
                elif verb == "AUTH":
                    say("235 welcome")
                elif verb == "DATA":
                    say("354 go on")
                    lines = []
                    while (data := stream.readline()) != b".\r\n":
                        lines.append(data.removeprefix(b"."))
                    self.messages.append((recipients, b"".join(lines)))
                    if after := self.refusals.get("."):
                        if after == "hang up":
                            return
                        say(after)
                    else:
                        say("250 taken")
                else:
                    recipients += [line.split("<")[1].split(">")[0]] if verb == "RCPT" else []
                    say("221 bye" if verb == "QUIT" else "250 fine")


@contextlib.contextmanager
def mail_server(**refusals):
    listener = socket.create_server(("127.0.0.1", 0))
    server = SmtpServer(listener.getsockname()[1], refusals)

    def accept():
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            connection.settimeout(10)
            with contextlib.suppress(OSError), connection:
                server.talk(connection)

    thread = threading.Thread(target=accept)
    thread.start()
    try:
        yield server
    finally:
        with contextlib.suppress(OSError):
            listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        thread.join(10)


@pytest.fixture
def run(monkeypatch):
    def run(server=None, user="", key="r/n", **params):
        if server is not None:
            monkeypatch.setenv("HANDOFF_SMTP_URL", f"smtp://{user}127.0.0.1:{server.port}")
            monkeypatch.setenv("HANDOFF_MAIL_FROM", "handoff@shop.example")
        params = {"to": "anna@example.org", "subject": "Your order", "body": "It is on its way.", **params}
        return execute(MAIL, params, {}, run_id="r", node="n", attempt=1, idempotency_key=key)

    return run


def failing(run, *args, **params):
    with pytest.raises(StepError) as failed:
        run(*args, **params)
    return failed.value


def read(raw):
    return email.message_from_bytes(raw, policy=email.policy.default)


class TestThroughAServer:
    def test_a_mail_arrives_with_all_that_it_needs(self, run):
        with mail_server() as server:
            output = run(
                server, to=["anna@example.org", "bo@example.org"], subject="Grüße", body="Füße\n.\nEnde"
            )
        [(recipients, raw)] = server.messages
        message = read(raw)
        assert recipients == ["anna@example.org", "bo@example.org"]
        assert (message["From"], message["To"]) == (
            "handoff@shop.example",
            "anna@example.org, bo@example.org",
        )
        assert (message["Subject"], message["Message-ID"]) == ("Grüße", output["message_id"])
        assert message.get_content().splitlines() == ["Füße", ".", "Ende"]
        assert message["Date"]
        assert message["Auto-Submitted"] == "auto-generated"
        assert output["sent"] is True

    def test_a_domain_outside_ascii_is_sent_in_ascii(self, run, monkeypatch):
        monkeypatch.setenv("HANDOFF_MAIL_FROM", "handoff@Läden.example")
        to = ["ann@bücher.example", "ann@xn--bcher-kva.example", "bo@straße.example", "anna@example.org"]
        with mail_server() as server:
            monkeypatch.setenv("HANDOFF_SMTP_URL", f"smtp://127.0.0.1:{server.port}")
            output = run(to=to)
        [(recipients, raw)] = server.messages
        assert raw.isascii()
        assert b"=?" not in raw
        assert recipients == ["ann@xn--bcher-kva.example", "bo@xn--strae-oqa.example", "anna@example.org"]
        message = read(raw)
        assert message["From"] == "handoff@xn--lden-loa.example"
        assert {one.addr_spec for one in message["To"].addresses} == {*recipients}
        assert output["message_id"].endswith("@xn--lden-loa.example>")
        assert "mail FROM:<handoff@xn--lden-loa.example>" in server.verbs

    def test_every_attempt_has_the_same_id_and_no_other_step_has(self, run):
        with mail_server() as server:
            ids = [run(server, key=key)["message_id"] for key in ("r/n", "r/n", "r/m")]
        assert ids[0] == ids[1] != ids[2]
        assert ids[0].endswith("@shop.example>")

    def test_the_password_is_sent_to_a_server_of_this_machine(self, run):
        with mail_server() as server:
            run(server, user="me:p%40ss@")
        assert any(verb.startswith("AUTH PLAIN") for verb in server.verbs)

    def test_somebody_who_is_named_twice_gets_one_mail(self, run):
        with mail_server() as server:
            run(server, to=["anna@example.org", "anna@example.org"])
        assert server.messages[0][0] == ["anna@example.org"]


class TestRefusals:
    @pytest.mark.parametrize(
        ("verb", "code"),
        [("MAIL", "550"), ("DATA", "554"), (".", "552"), ("anna", "550"), ("CONNECT", "554")],
    )
    def test_a_no_for_good_is_not_tried_again(self, run, verb, code):
        with mail_server(**{verb: f"{code} no such thing"}) as server:
            error = failing(run, server)
        assert (error.code, error.retryable) == ("MailRefused", False)
        assert f"{code} no such thing" in error.message

    @pytest.mark.parametrize(
        ("verb", "code"),
        [("MAIL", "451"), ("DATA", "421"), (".", "452"), ("anna", "450"), ("CONNECT", "421")],
    )
    def test_a_not_now_is_tried_again(self, run, verb, code):
        with mail_server(**{verb: f"{code} busy"}) as server:
            error = failing(run, server)
        assert (error.code, error.retryable) == ("MailNotSent", True)

    @pytest.mark.parametrize("verb", ["EHLO", "MAIL", "DATA", "."])
    def test_a_connection_that_breaks_is_tried_again(self, run, verb):
        with mail_server(**{verb: "hang up"}) as server:
            error = failing(run, server)
        assert (error.code, error.retryable) == ("MailNotSent", True)

    def test_nobody_there_is_tried_again(self, run):
        with mail_server() as server:
            pass
        assert failing(run, server).retryable

    def test_if_one_recipient_is_refused_nobody_gets_the_mail(self, run):
        with mail_server(bo="550 unknown") as server:
            error = failing(run, server, to=["anna@example.org", "bo@example.org"])
        assert "refused bo@example.org: 550 unknown" in error.message
        assert server.messages == []

    def test_a_wrong_password_is_not_tried_again_and_not_told(self, run):
        with mail_server(AUTH="535 no") as server:
            error = failing(run, server, user="me:s3cret@")
        assert (error.code, error.retryable) == ("MailRefused", False)
        assert "s3cret" not in error.message

    def test_a_goodbye_that_goes_wrong_changes_nothing(self, run):
        with mail_server(QUIT="hang up") as server:
            assert run(server)["message_id"]


class TestEncryption:
    def test_a_server_elsewhere_gets_no_password_without_encryption(self, run, monkeypatch):
        monkeypatch.setattr(SmtpSettings, "is_local", False)
        with mail_server() as server:
            error = failing(run, server, user="me:s3cret@")
        assert (error.code, error.retryable) == ("MailRefused", False)
        assert "offers no encryption" in error.message
        assert not any(verb.startswith("AUTH") for verb in server.verbs)

    def test_a_server_whose_certificate_nobody_vouches_for_gets_no_mail(self, run, monkeypatch):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(CERTIFICATE, CERTIFICATE.with_suffix(".key"))
        with answering(b"220 hello\r\n", tls=context) as server:
            monkeypatch.setenv("HANDOFF_SMTP_URL", f"smtps://127.0.0.1:{server.port}")
            error = failing(run)
        assert (error.code, error.retryable) == ("MailNotSent", True)
        assert "is not trusted: self-signed certificate" in error.message


class TestParams:
    @pytest.mark.parametrize(
        "to",
        [
            "",
            "anna",
            "@example.org",
            "anna@",
            "anna@example.org\r\nBcc: all@example.org",
            "anna@example.org\n",
            "anna@example.org, bo@example.org",
            "Anna <anna@example.org>",
            "anna@exa mple.org",
            "an na@example.org",
            ".anna@example.org",
            "anna@-example.org",
            "anna@example..org",
            "anna@example.org>",
            "änna@example.org",
            "änna@bücher.example",
            "anna@bü cher.example",
            "anna@bü..example",
            "anna@-bü.example",
            "anna@" + "ü" * 64 + ".example",
            "anna@bü\u202e.example",
            "a" * 65 + "@example.org",
            [],
            ["anna@example.org", "bo"],
            ["anna@example.org"] * 51,
            None,
            7,
        ],
        ids=repr,
    )
    def test_what_is_no_address_is_refused(self, run, to):
        error = failing(run, to=to)
        assert (error.code, error.retryable) == ("BadParams", False)
        assert error.details["field"].startswith("to")

    @pytest.mark.parametrize(
        "subject", ["", "a\r\nBcc: all@example.org", "a\nb", "a\x00b", "a\u2028b", "x" * 501]
    )
    def test_a_subject_is_one_line(self, run, subject):
        error = failing(run, subject=subject)
        assert (error.code, error.details["field"]) == ("BadParams", "subject")

    @pytest.mark.parametrize(
        "to",
        [
            *("a.b+c@mail.example.org", "root@localhost", "x_y-z@xn--mller-kva.example"),
            *("ann@bücher.example", "ann@例え.テスト"),
        ],
    )
    def test_these_are_addresses(self, run, to):
        assert run(to=to)["message_id"]


class TestWithoutAServer:
    def test_a_mail_is_logged_and_its_text_passes_for_no_line_of_the_log(self, run, caplog):
        with caplog.at_level(logging.INFO, "handoff.mail"):
            output = run(body="hello\nERROR root: all is lost")
        [record] = caplog.records
        assert "Subject: Your order" in record.message
        assert output["message_id"] in record.message
        assert output["sent"] is False
        assert all(line.startswith("  | ") for line in record.message.splitlines()[1:])

    def test_a_mail_that_may_not_be_logged_fails_for_good_and_is_in_no_log(self, run, monkeypatch, caplog):
        monkeypatch.setattr(outside, "_logs_mail", False)
        with caplog.at_level(logging.INFO, "handoff.mail"):
            error = failing(run)
        assert (error.code, error.retryable, caplog.records) == ("NotConfigured", False, [])
        assert error.message == "No mail server is set up (HANDOFF_SMTP_URL): the mail was not sent."


class TestSettings:
    @pytest.mark.parametrize(
        ("url", "said"),
        [
            ("mail.example.org", "must begin with smtp"),
            ("http://mail.example.org", "must begin with smtp"),
            ("smtp://", "no host"),
            ("smtp://mail.example.org:0", "no port"),
            ("smtp://mail.example.org:smtp", "its port is not a number"),
            ("smtp://me@mail.example.org", "both a user and a password"),
            ("smtp://me:s3cret@mail.example.org/x", "nothing may follow"),
            ("smtp://me:s3cret#1@mail.example.org", "its port is not a number"),
        ],
    )
    def test_a_url_that_cannot_be_meant_is_said_in_one_line_without_its_password(
        self, monkeypatch, url, said
    ):
        monkeypatch.setenv("HANDOFF_SMTP_URL", url)
        with pytest.raises(outside.BadSetting, match="HANDOFF_SMTP_URL: ") as refused:
            outside.check()
        assert said in str(refused.value)
        assert "s3cret" not in str(refused.value)

    @pytest.mark.parametrize("sender", ["handoff", "Handoff <handoff@example.org>", "a@b\nc@d"])
    def test_so_is_a_sender(self, monkeypatch, sender):
        monkeypatch.setenv("HANDOFF_MAIL_FROM", sender)
        with pytest.raises(outside.BadSetting, match="HANDOFF_MAIL_FROM"):
            outside.check()

    def test_the_user_is_the_sender_where_it_is_an_address(self, monkeypatch):
        monkeypatch.setenv("HANDOFF_SMTP_URL", "smtps://me%40example.org:pw@mail.example.org")
        mail = outside.mail()
        assert (mail.sender, mail.server.port, mail.server.tls) == ("me@example.org", 465, True)
        assert "pw" not in repr(mail).replace("password", "")

    def test_a_step_says_what_is_wrong(self, run, monkeypatch):
        monkeypatch.setenv("HANDOFF_SMTP_URL", "nonsense")
        error = failing(run)
        assert (error.code, error.retryable) == ("NotConfigured", False)
