"""Payloads that are kept beside the database, for the crash points (`test_crash_points.py`)."""

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from django.test import override_settings

from tests import factories as make
from tests.crash import victim

Work = tuple[Callable[..., None], tuple[Any, ...]]

FOLDER = Path(tempfile.gettempdir()) / "large-payloads"
HANDED_ON = make.graph(["a", "b"], ["a>b"])


def beside(folder: str) -> override_settings:
    """What is larger than 200 bytes is kept in this folder."""
    return override_settings(HANDOFF_BLOBS=folder, HANDOFF_BLOB_BYTES=200)


def drain_beside(folder: str) -> None:
    """Work until all is quiet."""
    with beside(folder):
        victim.drain()


def handed_on() -> Work:
    """A run whose steps give what they are given, which is large."""
    with beside(FOLDER.as_uri()):
        make.start(HANDED_ON, {"text": "long " * 60})
    return drain_beside, (FOLDER.as_uri(),)
