"""A process of its own that sends messages to channels, by Apprise and by mail: `python -m operations.alerts.posting`.

It takes a document on its standard input and answers with one. Whoever starts it ends it when it takes too long. Of
Apprise it loads the plug-ins named here and no other; all that they send goes through the egress gate, whatever a name
resolves to and wherever somebody redirects.
"""

import json
import logging
import os
import sys
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from email.message import EmailMessage
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import requests
from apprise import NotifyBase, NotifyType
from apprise.plugins.custom_json import NotifyJSON
from apprise.plugins.pagerduty import NotifyPagerDuty
from apprise.plugins.workflows import NotifyWorkflows
from requests import sessions
from requests.adapters import BaseAdapter
from requests.structures import CaseInsensitiveDict

from lib.egress import Egress, EgressError, EgressRefused, EgressRules
from lib.mail import MailError
from lib.mail import send as send_mail
from operations.alerts.limits import ANSWER_BYTES, ERROR_CHARACTERS
from steps import outside

SECONDS = 10.0
"""How long a receiver has for its whole answer."""
_MAIL_SECONDS = 5.0
_BESIDE = 10
_OURS = frozenset({"host", "content-length", "transfer-encoding", "connection", "accept-encoding"})
_TYPES = {"critical": NotifyType.FAILURE, "warning": NotifyType.WARNING, "info": NotifyType.INFO}
_LEVELS = {"critical": "critical", "warning": "warning", "info": "info"}
_LEFT_OUT = {"version": "", "title": "", "type": "", "attachments": ""}
Message = Mapping[str, Any]

_came = threading.local()


class Gate(BaseAdapter):
    """What `requests` sends by, here: the egress gate."""

    egress = Egress(EgressRules())

    def send(self, request: requests.PreparedRequest, *_: Any, **__: Any) -> requests.Response:
        """The answer to a request. Raises ConnectionError where there is none, and leaves what happened for `_sent`."""
        body = request.body.encode() if isinstance(request.body, str) else request.body
        if not isinstance(body, bytes):
            raise requests.RequestException("only what is whole is sent")
        headers = {name: str(value) for name, value in request.headers.items() if name.lower() not in _OURS}
        try:
            answer = self.egress.request(
                str(request.method),
                str(request.url),
                headers=headers,
                content=body,
                timeout_seconds=SECONDS,
                max_bytes=ANSWER_BYTES,
            )
        except EgressRefused as error:
            allow = f" HANDOFF_EGRESS_ALLOW={error.allowance} would let it pass." if error.allowance else ""
            _came.error = f"{error.message}{allow}"
            raise requests.ConnectionError(error.message) from None
        except EgressError as error:
            _came.error = error.message
            raise requests.ConnectionError(error.message) from None
        response = requests.Response()
        response.status_code, response.url, response.request = answer.status, answer.url, request
        response.headers = CaseInsensitiveDict(answer.headers)
        response._content = answer.body
        if not 200 <= answer.status < 300:
            _came.error = f"The receiver answered {answer.status}."
        return response

    def close(self) -> None:
        """Nothing is kept open."""


class CannotSend(Exception):
    """Another attempt would do no better; the message says why."""


def post(message: Message) -> dict[str, Any]:
    """Send a message; gives its id, what went wrong ("": nothing) and whether it is of no use to try again."""
    _came.error = ""
    try:
        error, for_good = _SENDERS[message["kind"]](message), False
    except CannotSend as refused:
        error, for_good = str(refused), True
    except Exception as broken:
        # What a plug-in raises is no reason to send nothing else; it may hold the address, which may be a secret.
        error, for_good = f"It could not be sent: {type(broken).__name__}.", False
    return {"id": message["id"], "error": error[:ERROR_CHARACTERS], "for_good": for_good}


def _by(plugin: NotifyBase, message: Message, body: str, title: str = "") -> str:
    kind = NotifyType.SUCCESS if message["event"] == "resolved" else _TYPES[message["severity"]]
    if plugin.notify(body=body, title=title, notify_type=kind):
        return ""
    return _came.error or "The receiver did not accept it."


def _slack(message: Message) -> str:
    text = f"*{message['subject']}*\n{message['body']}"
    for sign, entity in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;")):
        text = text.replace(sign, entity)
    return _by(_json(message["address"], {**_LEFT_OUT, "message": "text"}), message, text)


def _webhook(message: Message) -> str:
    own = {
        name: str(message[name]) for name in ("event", "alert", "rule", "severity", "status", "link", "key")
    }
    plugin = _json(message["address"], {**own, "id": message["message"], "version": "", "attachments": ""})
    return _by(plugin, message, message["body"], message["subject"])


def _json(address: str, payload: Mapping[str, str]) -> NotifyJSON:
    parts = urlsplit(address)
    return NotifyJSON(
        host=parts.hostname or "",
        port=parts.port,
        secure=parts.scheme == "https",
        fullpath=parts.path or "/",
        params=dict(parse_qsl(parts.query, keep_blank_values=True)),
        payload=dict(payload),
        redirect="no",
    )


def _teams(message: Message) -> str:
    arguments = NotifyWorkflows.parse_native_url(message["address"])
    if not arguments:
        raise CannotSend("This is not the address of a Teams workflow.")
    plugin = NotifyWorkflows(**arguments | {"redirect": "no", "include_image": False})
    return _by(plugin, message, message["body"], message["subject"])


def _pagerduty(message: Message) -> str:
    region, _, key = message["address"].rpartition(":")
    over = message["event"] == "resolved"
    plugin = NotifyPagerDuty(
        # Events need no key but the integration's own.
        apikey="none",
        integrationkey=key,
        source="handoff",
        component=message["rule"] or "test",
        include_image=False,
        click=message["link"] or None,
        details={"details": message["body"]},
        region_name=region or "us",
        severity=_LEVELS[message["severity"]],
        action="resolve" if over else "trigger",
        dedup=message["key"],
        redirect="no",
    )
    return _by(plugin, message, message["subject"])


def _mail(message: Message) -> str:
    try:
        mail = outside.mail()
    except outside.BadSetting as error:
        raise CannotSend(str(error)) from None
    if mail.server is None:
        raise CannotSend(f"No mail server is configured ({outside.SMTP_URL}).")
    to = message["address"].split(",")
    letter = EmailMessage()
    letter["Subject"] = f"[Handoff] {message['subject']}"
    letter["From"], letter["To"] = mail.sender, ", ".join(to)
    letter["Message-ID"] = f"<{message['message']}@{mail.sender.rpartition('@')[2]}>"
    letter["Auto-Submitted"] = "auto-generated"
    letter.set_content(message["body"] + "\n")
    try:
        send_mail(
            replace(mail.server, timeout_seconds=_MAIL_SECONDS), letter, sender=mail.sender, recipients=to
        )
    except MailError as error:
        if not error.transient:
            raise CannotSend(error.without(*to)) from None
        return error.without(*to)
    return ""


_SENDERS: Mapping[str, Callable[[Message], str]] = {
    "slack": _slack,
    "webhook": _webhook,
    "teams": _teams,
    "pagerduty": _pagerduty,
    "mail": _mail,
}


def main() -> None:
    """Read `{own: [[host, port]], messages: […]}`, send these, some beside one another, write what came of each."""
    # Apprise logs addresses, which may be secrets.
    logging.disable(logging.CRITICAL)
    request = json.load(sys.stdin)
    outside.protect((host, port) for host, port in request["own"])
    Gate.egress = outside.egress()
    sessions.HTTPAdapter = Gate  # type: ignore[attr-defined, assignment]
    with ThreadPoolExecutor(_BESIDE) as pool:
        for outcome in pool.map(post, request["messages"]):
            sys.stdout.write(json.dumps(outcome) + "\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
    # A name that is being resolved can't be interrupted, and nobody waits for it.
    os._exit(0)
