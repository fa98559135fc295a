"""A thread that watches over what this one does, for as long as that takes."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def meanwhile(watch: Callable[[threading.Event], None], name: str) -> Iterator[None]:
    """Run `watch` in a thread called `name` while the block runs. Its event is set when the block is over.

    `watch` returns then: no thread is left behind the block, since processes may be forked from this one.
    """
    over = threading.Event()
    thread = threading.Thread(target=watch, args=(over,), name=name, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
