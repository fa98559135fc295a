"""How many connections each of several web processes has, in memory that they share: who has fewest takes the next."""

import mmap
import os
import tempfile
from collections.abc import Mapping

NUMBER, COUNT, DESCRIPTOR = "HANDOFF_WEB_NUMBER", "HANDOFF_WEB_COUNT", "HANDOFF_LOADS_FD"
"""Environment of a web process: which one it is, of how many, and the file whose memory they share."""
_BYTES, _ENDLESS = 4, 2**32 - 1


def file_size(count: int) -> int:
    """Bytes that the file of `count` processes has, all of them 0 at first."""
    return max(count * _BYTES, mmap.PAGESIZE)


class Loads:
    """The connections of process `number` of `count`, beside the others' in the file `descriptor`."""

    def __init__(self, descriptor: int, number: int, count: int) -> None:
        memory = mmap.mmap(descriptor, file_size(count))
        self._all = memoryview(memory).cast("I")[:count]
        self._number = number
        self.note(0)

    @classmethod
    def of(cls, environment: Mapping[str, str]) -> "Loads | None":
        """Those of the process with this environment; None for one that has the socket for itself."""
        if int(environment.get(COUNT, "1")) == 1:
            return None
        return cls(int(environment[DESCRIPTOR]), int(environment[NUMBER]), int(environment[COUNT]))

    def note(self, connections: int) -> None:
        """So many are open in this process now."""
        self._all[self._number] = connections

    def leave(self) -> None:
        """This process takes none any more: nobody shall wait for it."""
        self.note(_ENDLESS)

    def has_more_than_another(self) -> bool:
        """Whether another process has fewer; what that one noted last counts."""
        return min(self._all) < self._all[self._number]


def shared_file(count: int) -> int:
    """The descriptor of a new file for so many processes, without a name: it is gone with the last of them."""
    with tempfile.TemporaryFile() as file:
        file.truncate(file_size(count))
        return os.dup(file.fileno())
