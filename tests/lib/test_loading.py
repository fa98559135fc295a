"""Nobody looks for garbage while much is made that stays, and later nobody looks through what was loaded."""

import gc

import pytest

from lib.loading import loading, uncollected


@pytest.fixture(autouse=True)
def collected():
    yield
    gc.enable()


def test_nobody_looks_for_garbage_meanwhile_and_what_was_loaded_stays():
    before = gc.get_freeze_count()
    with loading():
        assert not gc.isenabled()
        loaded = [[] for _ in range(100)]
    assert gc.isenabled()
    assert gc.get_freeze_count() >= before + len(loaded)


def test_what_else_is_made_may_become_garbage_later():
    before = gc.get_freeze_count()
    with uncollected():
        assert not gc.isenabled()
    assert gc.isenabled()
    assert gc.get_freeze_count() <= before


@pytest.mark.parametrize("block", [loading, uncollected])
def test_what_fails_leaves_the_collector_on(block):
    with pytest.raises(ImportError), block():
        raise ImportError("gone")
    assert gc.isenabled()
