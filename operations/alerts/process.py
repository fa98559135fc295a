"""The process that sends: what it is started with, and the end that is made of it where it takes too long."""

import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from steps import outside

COMMAND = (sys.executable, "-m", "operations.alerts.posting")
_ROOT = Path(__file__).resolve().parents[2]
_PASSED_ON = (
    "PATH",
    "LANG",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    outside.ALLOW,
    outside.SMTP_URL,
    outside.MAIL_FROM,
)
# Else `requests` would send passwords that the home of this process has for a host.
_NO_PASSWORDS = {"NETRC": os.devnull}


class Output(NamedTuple):
    """What it wrote until its end, and whether that was made of it as it took too long."""

    text: bytes
    was_ended: bool


def environment() -> dict[str, str]:
    """What it finds in its environment: nothing of ours that it does not need."""
    return {name: os.environ[name] for name in _PASSED_ON if name in os.environ} | _NO_PASSWORDS


def run(document: bytes, seconds: float) -> Output:
    """Have it read this document, for so many seconds at most; gives what it said of each message that it sent."""
    with subprocess.Popen(
        COMMAND,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=_ROOT,
        env=environment(),
    ) as child:
        try:
            return Output(child.communicate(document, timeout=seconds)[0], was_ended=False)
        except subprocess.TimeoutExpired:
            child.kill()
            # What it had written by then was sent.
            return Output(child.communicate()[0], was_ended=True)
