"""Threads of a test see settings at any moment, also while it sets one."""

import sys
import threading

from django.conf import settings
from django.test import override_settings


def test_a_thread_sees_settings_while_another_sets_one():
    is_over, failed = threading.Event(), []

    def reads():
        while not is_over.is_set() and not failed:
            try:
                settings.HANDOFF_UNDO_SECONDS  # noqa: B018
            except AttributeError as error:
                failed.append(error)

    interval, reader = sys.getswitchinterval(), threading.Thread(target=reads)
    sys.setswitchinterval(1e-6)
    try:
        reader.start()
        for _ in range(2_000):
            with override_settings(DEBUG=False):
                pass
    finally:
        sys.setswitchinterval(interval)
        is_over.set()
        reader.join()
    assert failed == []
