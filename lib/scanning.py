"""Having a program look at a file before it is kept: it gets the bytes on stdin, and refuses by its exit status."""

import logging
import shlex
import subprocess

log = logging.getLogger(__name__)

SECONDS = 60


def is_clean(command: str, content: bytes) -> bool:
    """Whether the command lets these bytes pass; one that can't be run, or takes too long, lets nothing pass."""
    try:
        result = subprocess.run(
            shlex.split(command), input=content, capture_output=True, timeout=SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        log.error("a file could not be scanned: %s", type(error).__name__)
        return False
    if result.returncode:
        log.warning(
            "the scan refused a file: status %s, %r",
            result.returncode,
            (result.stdout or result.stderr)[:500],
        )
    return result.returncode == 0
