"""While code is loaded nobody looks for garbage, and later nobody looks through what was loaded."""

import gc

import pytest

from lib.loading import loading


@pytest.fixture(autouse=True)
def thawed():
    yield
    gc.enable()


def test_nobody_looks_for_garbage_meanwhile_and_what_is_there_then_stays():
    before = gc.get_freeze_count()
    with loading():
        assert not gc.isenabled()
        loaded = [[] for _ in range(100)]
    assert gc.isenabled()
    assert gc.get_freeze_count() >= before + len(loaded)


def test_what_cannot_be_loaded_leaves_the_collector_on():
    with pytest.raises(ImportError), loading():
        raise ImportError("gone")
    assert gc.isenabled()
