"""A message to a webhook, from its raw bytes to what it causes (R-132; docs/security.md, "Webhooks")."""

import logging
import re
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256

from django.db import transaction

from accounts.sealed import ring_of
from engine.canonical import canonical_bytes
from engine.catalogue import Json
from lib.refusals import Conflict, Gone, Invalid, Missing, NotAllowed, NotProven, Unprocessable
from lib.sealing import Hidden, Place
from lib.standard_webhooks import NotSigned, is_id, verify
from lib.strict_json import JsonTooLarge
from lib.trace_context import Trace, of_headers
from runs.commands.named_starts import start_workflow
from runs.commands.signals import NewSignal, send_signals
from runs.commands.starts import NewRun
from runs.kernel.refused import RunRefused
from runs.models import StartedFrom
from runs.reading import queries
from triggers.webhooks import rights, store
from triggers.webhooks.limits import BODY_BYTES
from triggers.webhooks.mapping import Meaning, meaning
from triggers.webhooks.presets import PRESETS
from triggers.webhooks.presets.base import Content, Credentials, Incoming, Preset, Reply, SecretSource
from triggers.webhooks.reading import body_of, scope_of
from triggers.webhooks.store import FoundWebhook

log = logging.getLogger(__name__)

# A run with the key was started between the look for it and the start, which is once in a blue moon.
_TRIES = 3
_TOKEN = re.compile(r"[A-Za-z0-9_-]{22}")


@dataclass(frozen=True, slots=True)
class Delivered:
    """What became of a message; a repetition does nothing."""

    duplicate: bool
    run_id: str | None = None
    created: bool = False
    signal_id: str | None = None
    input_mismatch: bool = False
    """Whether the run was there already, and had been started with another input."""
    kept: bool | None = None
    """Of a signal: whether it is kept, since no step waits for it."""

    def answer(self) -> dict[str, Json]:
        """As the sender is told."""
        values = {
            "run_id": self.run_id,
            "signal_id": self.signal_id,
            "input_mismatch": self.input_mismatch or None,
            "kept": self.kept,
        }
        present = {name: value for name, value in values.items() if value is not None}
        return {"duplicate": self.duplicate} | present | ({} if self.duplicate else {"created": self.created})


@dataclass(frozen=True, slots=True)
class Message:
    """A message that has an id, and the SHA-256 of its body, however that was spelled."""

    id: str
    body: bytes


class WrongMethod(Exception):
    """The webhook takes only POST."""


class _TakenMeanwhile(Exception):
    """Another start was first with the business key."""


def secret_place(tenant_id: int, webhook: str, number: int) -> Place:
    """Where a webhook's secret is sealed for."""
    return Place(tenant_id, f"webhook/{webhook}", "secret", number)


def setting_place(tenant_id: int, webhook: str, name: str) -> Place:
    """Where a secret setting of a webhook is sealed for."""
    return Place(tenant_id, f"webhook/{webhook}", name)


def deliver(token: str, incoming: Incoming) -> Delivered | Reply:
    """Do what a message asks for, once; or the reply to a request that is none, such as a challenge.

    Raises WrongMethod, Missing for an unknown token, Gone, NotProven, JsonTooLarge and BadJson, Unprocessable where
    mapping or workflow can't take the body, Conflict where no open run takes it, Unavailable where the sender's own
    service is needed and away; and then nothing is kept, so that the sender may send it again. Raises NotAllowed where
    whoever it acts for may not do that any more, which is kept, and may be sent again, too.
    """
    hook = store.find_webhook(token) if _TOKEN.fullmatch(token) else None
    if hook is None:
        raise Missing("There is no such webhook.")
    if not hook.enabled:
        raise Gone("This webhook is switched off.", code="webhook_disabled")
    preset = PRESETS[hook.preset] if hook.preset else None
    if incoming.method == "GET" and (preset is None or not preset.takes_get):
        raise WrongMethod
    if len(incoming.raw) > BODY_BYTES:
        raise JsonTooLarge(f"the body is larger than the {BODY_BYTES:,} bytes that are allowed here")
    if preset is None:
        message_id = _verified(hook, incoming)
        body = body_of(incoming)
        digest = sha256(canonical_bytes(body)).digest()
    else:
        content = _accepted(preset, hook, incoming)
        if isinstance(content, Reply):
            return content
        # Senders change details of a message that they repeat, such as how often they tried.
        body, message_id, digest = content.body, content.id, sha256(content.id.encode()).digest()
    message = Message(message_id, digest) if message_id is not None else None
    done = _delivered(hook, incoming, body, message or Message("", digest))
    return preset.reply if preset and preset.reply else done


def _delivered(hook: FoundWebhook, incoming: Incoming, body: Json, message: Message) -> Delivered:
    """What became of a verified message; one with an empty id is no repetition of any other."""
    known = message if message.id else None
    if known is not None and _is_repeated(hook, known):
        return Delivered(duplicate=True)
    _require_rights(hook, message)
    # Before there is any transaction: an expression may take its time.
    intent = meaning(hook.action, hook.mapping, scope_of(incoming, body), message.id or None)
    done = _done_once(hook, intent, known, of_headers(incoming.headers))
    if hook.has_refused and not done.duplicate:
        store.clear_refusals(hook.id)
    return done


def _accepted(preset: Preset, hook: FoundWebhook, incoming: Incoming) -> Content | Reply:
    secrets = [secret.reveal() for secret in _secrets(hook)]
    ring = ring_of(hook.tenant_id)
    settings = dict(hook.settings)
    for name in preset.secret_settings:
        place = setting_place(hook.tenant_id, hook.id, name)
        settings[name] = ring.open(bytes.fromhex(settings[name]), place).reveal().decode()
    try:
        return preset.accept(incoming, Credentials(secrets, settings, hook.now))
    except NotSigned as error:
        if not secrets and preset.secret is not SecretSource.NONE:
            text = f"This webhook has no secret of {preset.title} yet: enter it on its page."
            raise NotProven(text, code="no_secret") from None
        raise NotProven(error.message, code=error.code) from None


def _secrets(hook: FoundWebhook) -> list[Hidden]:
    ring = ring_of(hook.tenant_id)
    return [
        ring.open(bytes.fromhex(sealed), secret_place(hook.tenant_id, hook.id, number))
        for number, sealed in hook.secrets
    ]


def _require_rights(hook: FoundWebhook, message: Message) -> None:
    """Let pass what whoever the webhook acts for may do now. The sender is not told who that is, nor why."""
    if reason := rights.why_not(hook):
        store.refuse_delivery(hook.tenant_id, hook.id, message.id, message.body, reason)
        log.warning("A message to the webhook %s was refused: %s", hook.name, reason)
        text = "The person this webhook acts for may no longer do this: nothing was done. Its owners see why."
        raise NotAllowed(text, code="maker_not_allowed")


def _is_repeated(hook: FoundWebhook, message: Message) -> bool:
    """Whether the webhook took this message before. Raises Conflict where that one had another body."""
    is_same = store.delivered(hook.id, message.id, message.body)
    if is_same is False:
        text = "A message with this id was already accepted with another body: nothing was done."
        raise Conflict(text, code="message_mismatch", field="webhook-id")
    return is_same is True


def _verified(hook: FoundWebhook, incoming: Incoming) -> str | None:
    """The message's id, when it was signed; of an unsigned one, where those are let in, it may be missing."""
    headers = incoming.headers
    message_id, signatures = headers.get("webhook-id", ""), headers.get("webhook-signature", "")
    if hook.allow_unsigned and not signatures:
        if message_id and not is_id(message_id):
            raise Invalid("This has up to 200 printable characters, and no full stop.", field="webhook-id")
        return message_id or None
    try:
        verify(
            (secret.reveal() for secret in _secrets(hook)),
            message_id=message_id,
            timestamp=headers.get("webhook-timestamp", ""),
            signatures=signatures,
            body=incoming.raw,
            now=hook.now,
        )
    except NotSigned as error:
        raise NotProven(error.message, code=error.code) from None
    return message_id


def _done_once(
    hook: FoundWebhook, intent: Meaning, message: Message | None, trace: Trace | None
) -> Delivered:
    """What is meant and the note that the message was taken are one transaction: both are kept, or neither.

    The note comes first. Who sends the same at the same moment waits for it, holding nothing that anybody else needs,
    and then does nothing.
    """
    for _ in range(_TRIES):
        try:
            with suppress(_TakenMeanwhile), transaction.atomic():
                if message is not None and not store.insert_delivery(
                    hook.tenant_id, hook.id, message.id, message.body
                ):
                    return Delivered(duplicate=_is_repeated(hook, message))
                if intent.signal:
                    return _signalled(hook, intent, intent.signal, trace)
                return _started(hook, intent, trace)
        except RunRefused as refusal:
            raise refusal.as_refusal(Unprocessable) from refusal
    raise Conflict("Runs with this business key are changing; send it again.", code="conflict")


def _signalled(hook: FoundWebhook, intent: Meaning, signal: NewSignal, trace: Trace | None) -> Delivered:
    run = queries.run_with_key(hook.tenant_id, hook.workflow, intent.business_key or "")
    if run is None and intent.starts:
        start = _started(hook, intent, trace)
        if not start.created:
            # The start has locked the key, which a resume locks behind its run: to lock the run behind the key could
            # be a deadlock. From the beginning, then; the run is there now.
            raise _TakenMeanwhile
        return Delivered(False, start.run_id, True, signal.signal_id, kept=True)
    if run is None:
        message = f"No run of {hook.workflow} has the business key {intent.business_key!r}."
        raise Conflict(message, code="no_run", field="mapping.business_key")
    (sent,) = send_signals(hook.tenant_id, [(run, signal)], by=name_in_history(hook.name))
    return Delivered(not sent.is_new, run, False, signal.signal_id, kept=sent.is_kept)


def _started(hook: FoundWebhook, intent: Meaning, trace: Trace | None) -> Delivered:
    item = NewRun(intent.input, intent.business_key, signal=intent.signal, trace=trace)
    by = name_in_history(hook.name)
    (start,) = start_workflow(
        hook.tenant_id,
        hook.workflow,
        [item],
        by=by,
        started_from=StartedFrom.WEBHOOK,
        acts_for=hook.acts_for,
    )
    return Delivered(False, start.id, start.created, input_mismatch=start.input_mismatch)


def name_in_history(webhook: str) -> str:
    """By which name what a webhook of this name does stands in history."""
    return f"webhook {webhook}"
