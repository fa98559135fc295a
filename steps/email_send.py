"""email.send: a plain text mail; without a mail server it fails, or where mail may be logged is written to the log."""

import hashlib
import logging
from collections.abc import Sequence
from email.message import EmailMessage
from email.utils import formatdate
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, field_validator
from pydantic_core import PydanticCustomError

from engine.catalogue import Json
from engine.errors import StepError
from lib.mail import MailError, send
from lib.media import clean_name
from steps import outside
from steps.addresses import is_address
from steps.base import Params, StepContext, StepType, widget
from steps.files import FileInfo, read
from steps.limits import (
    MAIL_ATTACHMENT_BYTES,
    MAIL_ATTACHMENTS,
    MAIL_RECIPIENTS,
    MAIL_TEXT_CHARACTERS,
)
from steps.log_lines import one_line

log = logging.getLogger("handoff.mail")


def _as_list(value: object) -> object:
    return [value] if isinstance(value, str) else value


class Attachment(Params):
    """A file of the run, under another name."""

    file: str = Field(title="File", description="The id of a file of the run.")
    filename: str | None = Field(None, max_length=255, title="File name", description="Another name for it.")


def _as_attachments(value: object) -> object:
    """A list without what is empty, such as a file that was optional."""
    values = value if isinstance(value, list) else [value]
    return [{"file": one} if isinstance(one, str) else one for one in values if one not in (None, "")]


class MailParams(Params):
    """To whom, and what."""

    to: Annotated[list[str], BeforeValidator(_as_list, json_schema_input_type=str | list[str])] = Field(
        min_length=1,
        max_length=MAIL_RECIPIENTS,
        title="To",
        description="An address, or a list of up to 50.",
        json_schema_extra=widget("list"),
    )
    subject: str = Field(
        min_length=1,
        max_length=500,
        title="Subject",
        description="What it is about, in one line.",
        json_schema_extra=widget("text"),
    )
    body: str = Field(max_length=MAIL_TEXT_CHARACTERS, title="Text", description="The text of the message.")
    attachments: Annotated[
        list[Attachment],
        BeforeValidator(_as_attachments, json_schema_input_type=str | list[str | Attachment]),
    ] = Field(
        default_factory=list,
        max_length=MAIL_ATTACHMENTS,
        title="Attachments",
        description="Ids of files of the run, or objects with `file` and `filename`; up to 20 MiB together.",
        json_schema_extra=widget("code"),
    )

    @field_validator("to")
    @classmethod
    def _addresses(cls, to: list[str]) -> list[str]:
        for address in to:
            if not is_address(address):
                raise PydanticCustomError(
                    "no_address",
                    "must be addresses such as anna@example.org; {given} is not one",
                    {"given": repr(address[:80])},
                )
        return list(dict.fromkeys(to))

    @field_validator("subject")
    @classmethod
    def _one_line(cls, subject: str) -> str:
        # What follows a line break would be read as a header.
        if not subject.isprintable():
            raise PydanticCustomError("no_line", "may not have line breaks or other control characters")
        return subject


class Sent(BaseModel):
    """The Message-ID, the same for every attempt at a step; `sent`: whether a mail server has taken the mail."""

    model_config = ConfigDict(extra="forbid")

    message_id: str = Field(examples=["<sample@handoff.invalid>"])
    sent: bool = True


def run(context: StepContext) -> Json:
    """`{message_id, sent}`. Raises StepError: MailNotSent (retried), MailRefused, NotConfigured, FileNotFound."""
    params: MailParams = context.params
    try:
        mail = outside.mail()
    except outside.BadSetting as error:
        raise StepError("NotConfigured", str(error)) from None
    names = [(one.file, f"attachments[{place}]") for place, one in enumerate(params.attachments)]
    files = read(context.files, names, most_bytes=MAIL_ATTACHMENT_BYTES)
    message = written(params, mail.sender, context.idempotency_key, files)
    if mail.server is None and not outside.logs_mail():
        message_text = f"No mail server is set up ({outside.SMTP_URL}): the mail was not sent."
        raise StepError("NotConfigured", message_text)
    if mail.server is None:
        log.info("%s", _shown(message, params))
        context.log(
            "Not sent: no mail server is set up, so the mail is only in the log of this process", "warning"
        )
        return {"message_id": message["Message-ID"], "sent": False}
    many = f"{len(params.to)} recipient{'s' if len(params.to) > 1 else ''}"
    with one_line(context, f"A mail for {many} to {mail.server.host}:{mail.server.port}") as outcome:
        try:
            send(mail.server, message, sender=mail.sender, recipients=params.to)
        except MailError as error:
            code = "MailNotSent" if error.transient else "MailRefused"
            raise StepError(code, error.message, retryable=error.transient) from None
        outcome.words = "taken"
    return {"message_id": message["Message-ID"], "sent": True}


def written(
    params: MailParams, sender: str, idempotency_key: str, files: Sequence[tuple[FileInfo, bytes]] = ()
) -> EmailMessage:
    """The message. Its id comes from the key: mail servers and readers know a second attempt by it."""
    message = EmailMessage()
    message["From"] = sender
    message["To"] = ", ".join(params.to)
    message["Subject"] = params.subject
    message["Date"] = formatdate()
    digest = hashlib.sha256(idempotency_key.encode()).hexdigest()[:32]
    message["Message-ID"] = f"<{digest}@{sender.rpartition('@')[2]}>"
    # Out-of-office replies to a machine help nobody.
    message["Auto-Submitted"] = "auto-generated"
    message.set_content(params.body)
    for attachment, (info, content) in zip(params.attachments, files, strict=True):
        maintype, _, subtype = info.media_type.partition("/")
        name = clean_name(attachment.filename or info.name)
        message.add_attachment(content, maintype=maintype, subtype=subtype, filename=name)
    return message


def _shown(message: EmailMessage, params: MailParams) -> str:
    """The message for the log, its text indented so that it can't pass for lines of the log."""
    head = [f"No mail server is configured ({outside.SMTP_URL}); this mail is only shown here."]
    head += [f"{name}: {message[name]}" for name in ("From", "To", "Subject", "Message-ID")]
    head += [f"Attachment: {part.get_filename()}" for part in message.iter_attachments()]
    return "\n  | ".join([*head, "", *params.body.splitlines()])


def notice_of(output: Json) -> str | None:
    """Whether a mail was not sent, in a sentence."""
    is_unsent = isinstance(output, dict) and output.get("sent") is False
    return f"Nothing was sent: no mail server is set up ({outside.SMTP_URL})." if is_unsent else None


EMAIL_SEND = StepType(
    name="email.send",
    kind="blocking",
    title="Send an e-mail",
    help="Sends a plain text mail, with files of the run, to one or more addresses.",
    keywords="mail e-mail email notify notification message send tell smtp",
    icon="mail",
    group="integration",
    example={
        "params": {"to": "anna@example.org", "subject": "Your order", "body": "It is on its way."},
        "input": {},
    },
    params_model=MailParams,
    output_model=Sent,
    run=run,
    has_side_effects=True,
    needs="mail",
    notice_of=notice_of,
)
