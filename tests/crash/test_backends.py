"""Who goes on after a crash waits for the locks of the process that died."""

import threading

import pytest
from django.db import connection, transaction

from config.embedded.processes import EmbeddedError
from tests.crash.backends import await_ends

pytestmark = pytest.mark.django_db(transaction=True)


def test_the_transactions_of_others_are_waited_for_and_named():
    is_open, ends = threading.Event(), threading.Event()

    def hold():
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SELECT 'held'")
            is_open.set()
            ends.wait(10)
        connection.close()

    other = threading.Thread(target=hold)
    other.start()
    try:
        assert is_open.wait(10)
        with pytest.raises(EmbeddedError, match=r"idle in transaction.*held"):
            await_ends(0.1)
    finally:
        ends.set()
    await_ends()
    other.join()
