"""What things are called on pages: by names that people gave them. Records and programs know them by others.

Whoever makes a page says whose names it will show (`learn`), so that they are asked for once and not row by row.
"""

from collections.abc import Callable, Iterable

from lib.reader import is_read, reader

Find = Callable[[int, set[str]], Iterable[tuple[str, str]]]
"""`find(tenant, keys)` gives those of these keys that there are, each with what it is called."""


class Names:
    """What the things of one `kind` are called; `key_of` says when two of their names are one."""

    def __init__(self, kind: str, find: Find, key_of: Callable[[str], str] = str) -> None:
        self._kind, self._find, self._key_of = kind, find, key_of

    def learn(self, tenant_id: int, names: Iterable[str | None]) -> None:
        """Ask what these are called, in one statement; in none where that is known, or where nobody reads."""
        if not is_read():
            return
        called = reader().called
        unknown = {key for name in names if name and (self._kind, (key := self._key_of(name))) not in called}
        if unknown:
            self.learn_known([*((key, "") for key in unknown), *self._find(tenant_id, unknown)])

    def learn_known(self, names: Iterable[tuple[str, str]]) -> None:
        """What is at hand with what it is called need not be asked for."""
        if is_read():
            reader().called.update(((self._kind, self._key_of(name)), called) for name, called in names)

    def name_of(self, name: str) -> str:
        """What this is called; the name itself where it has no other, or nobody has learned it."""
        return reader().called.get((self._kind, self._key_of(name))) or name
