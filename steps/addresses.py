"""What an e-mail address looks like."""

import re

from lib.mail import ascii_address
from steps.limits import MAIL_ADDRESS_CHARACTERS

_LOCAL = re.compile(r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*")
_LABEL = r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
_DOMAIN = re.compile(rf"{_LABEL}(?:\.{_LABEL})*")


def is_address(text: str) -> bool:
    """Whether `text` is one bare address, `local@domain`, which needs no quoting in a header.

    The domain may be internationalized (IDNA): mail is sent to its ASCII form.
    """
    if len(text) > MAIL_ADDRESS_CHARACTERS:
        return False
    text = ascii_address(text)
    local, _, domain = text.rpartition("@")
    short = len(text) <= MAIL_ADDRESS_CHARACTERS and len(local) <= 64
    return short and bool(_LOCAL.fullmatch(local)) and bool(_DOMAIN.fullmatch(domain))
