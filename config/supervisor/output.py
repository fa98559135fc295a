"""What the children say, line by line under their names, without ever waiting for who reads it."""

import asyncio
import contextlib
import json
import os
import queue
import threading
from collections import deque
from datetime import UTC, datetime
from pathlib import Path

from config.limits import LOG_FILE_BYTES, OUTPUT_LINE_BYTES, WAITING_LINES

_WIDTH = 18
# Who refuses and does not end hangs in its own ending: its reason is not kept from who waits.
REFUSAL_SECONDS = 3.0
_CHUNK = 65_536


class Output:
    """Writes to standard output from a thread of its own.

    A reader that stops reading (a full pipe) costs lines, never a stalled supervisor.
    """

    def __init__(self, *, as_json: bool = False) -> None:
        self._as_json = as_json
        self._lines: queue.Queue[bytes | None] = queue.Queue(WAITING_LINES)
        self._thread = threading.Thread(target=self._write, name="output", daemon=True)
        self._thread.start()

    def say(self, line: str, name: str = "", *, stamped: bool = True) -> None:
        """Print `line`, under `name` when a child said it, with the time (UTC) unless it is not `stamped`."""
        if self._as_json:
            text = _as_json(line, name)
        else:
            text = f"{name:<{_WIDTH}}| {line}" if name else line
            if stamped:
                text = f"{_now()} {text}"
        with contextlib.suppress(queue.Full):
            self._lines.put_nowait(text.encode(errors="replace") + b"\n")

    def close(self, seconds: float = 2.0) -> None:
        """Print what is waiting, for at most `seconds`."""
        try:
            self._lines.put(None, timeout=seconds)
        except queue.Full:
            return
        self._thread.join(seconds)

    def _write(self) -> None:
        while (line := self._lines.get()) is not None:
            try:
                os.write(1, line)
            except OSError:
                continue


def _as_json(line: str, name: str) -> str:
    """The line of a child that logs JSON with its name, anything else as the `message` of an object."""
    process = json.dumps(name or "supervisor")
    if line.startswith('{"time": ') and line.endswith("}"):
        return f'{{"process": {process}, {line[1:]}'
    return f'{{"process": {process}, "time": "{_now()}", "message": {json.dumps(line.strip())}}}'


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


class Pump:
    """Carries one child's output over, and remembers its last lines for when it has to be blamed.

    A line that begins with `refusal` is withheld while it is the last one: whoever reads why the child ended says it,
    or calls `print_withheld`. Where the child neither ends nor goes on within REFUSAL_SECONDS it is printed.
    """

    def __init__(
        self, output: Output, name: str, log_file: Path | None = None, *, refusal: str | tuple[()] = ()
    ) -> None:
        self._output, self._name, self._log_file, self._refusal = output, name, log_file, refusal
        self.last_lines: deque[str] = deque(maxlen=50)
        self.withheld = ""

    async def run(self, stream: asyncio.StreamReader, silent_seconds: float | None = None) -> None:
        """Read until the child (and whoever inherited its output) closes it.

        Raises TimeoutError where it says nothing for `silent_seconds`.
        """
        rest = b""
        while chunk := await self._read(stream, silent_seconds):
            *lines, rest = (rest + chunk).split(b"\n")
            if len(rest) > OUTPUT_LINE_BYTES:
                lines, rest = [*lines, rest], b""
            self._say(lines)
        if rest:
            self._say([rest])

    async def _read(self, stream: asyncio.StreamReader, silent_seconds: float | None) -> bytes:
        if self.withheld:
            with contextlib.suppress(TimeoutError):
                return await asyncio.wait_for(stream.read(_CHUNK), REFUSAL_SECONDS)
            self.print_withheld()
        return await asyncio.wait_for(stream.read(_CHUNK), silent_seconds)

    def print_withheld(self) -> None:
        """Print what was withheld, if anything was."""
        if self.withheld:
            self._output.say(self.withheld, self._name)
            self.withheld = ""

    def _say(self, lines: list[bytes]) -> None:
        for line in lines:
            text = line[:OUTPUT_LINE_BYTES].decode(errors="replace").rstrip()
            if text:
                self.last_lines.append(text)
                self._print(text)
        if self._log_file:
            self._keep(self._log_file, lines)

    def _print(self, text: str) -> None:
        if self._log_file:
            return
        self.print_withheld()
        if text.startswith(self._refusal):
            self.withheld = text
        else:
            self._output.say(text, self._name)

    @staticmethod
    def _keep(file: Path, lines: list[bytes]) -> None:
        """Append to the file, which begins anew when it is too long; a full disk must not end the reading."""
        with contextlib.suppress(OSError):
            anew = not file.exists() or file.stat().st_size > LOG_FILE_BYTES
            with file.open("wb" if anew else "ab") as log:
                log.write(b"\n".join([*lines, b""]))
