"""Importing much code at once."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def loading() -> Iterator[None]:
    """Imports in this block take three quarters of their time: next to nothing becomes garbage meanwhile, and each look
    for it goes through more than the one before. What is loaded lives for ever: no later look goes through it, either.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()
