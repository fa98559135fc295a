"""Much of what stays at once: the garbage collector would go through all of it again and again, and find nothing."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def uncollected() -> Iterator[None]:
    """In this block nobody looks for garbage; what becomes garbage meanwhile is found later."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


@contextmanager
def loading() -> Iterator[None]:
    """Imports in this block take three quarters of their time. What is loaded lives for ever: nobody ever looks through
    it, and so never copies its pages from who forked this process.
    """
    with uncollected():
        try:
            yield
        finally:
            gc.freeze()
