"""`python -m config.supervisor`: what `make up` and `manage.py up` run."""

import asyncio
import errno
import os
import signal
import socket
import sys
import time
from pathlib import Path

from config import environment, start_environment, understanding
from config.supervisor.errors import CannotStart
from config.supervisor.home import Home
from config.supervisor.output import Output
from config.supervisor.packages import held
from config.supervisor.supervise import Supervisor

# What a supervisor killed a moment ago left behind lets go of the port within this time.
_PORT_SECONDS = 3.0


def main() -> int:
    """Run until a signal. Gives the exit code: 0 after a clean stop, 1 when it could not start."""
    problems = understanding.problems()
    output = Output(as_json=not problems and environment.log_format() == environment.JSON)
    try:
        if problems:
            raise CannotStart(" ".join(problems))
        home = Home(environment.home())
        with home.open(), held(environment.BASE_DIR / ".venv", home.folder):
            home.forget_run_file()
            with _listener(environment.port()) as listener:
                asyncio.run(_run(Supervisor(home, environment.port(), listener, output), home, output))
    except CannotStart as problem:
        output.close()
        print(f"Handoff cannot start: {problem}", file=sys.stderr)
        return 1
    output.close()
    return 0


async def _run(supervisor: Supervisor, home: Home, output: Output) -> None:
    stop = asyncio.Event()
    again = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        # `nohup make up` ignores hang-ups and means it.
        if number != signal.SIGHUP or signal.getsignal(number) != signal.SIG_IGN:
            asyncio.get_running_loop().add_signal_handler(number, _note, stop, again)
    output.say(f"Handoff starts in {home.folder}")
    is_first = not _password_file(home).exists()
    starting = asyncio.create_task(supervisor.start())
    stopping = asyncio.create_task(stop.wait())
    try:
        await asyncio.wait({starting, stopping}, return_when=asyncio.FIRST_COMPLETED)
        if starting.done():
            output.say(_welcome(supervisor.url, home, starting.result(), is_first=is_first), stamped=False)
            await stopping
        output.say("Handoff stops")
    finally:
        starting.cancel()
        await _stop(supervisor, again)
    output.say("Handoff has stopped")


async def _stop(supervisor: Supervisor, again: asyncio.Event) -> None:
    """Politely; the second Ctrl-C means at once."""
    polite = asyncio.create_task(supervisor.stop())
    impatient = asyncio.create_task(again.wait())
    await asyncio.wait({polite, impatient}, return_when=asyncio.FIRST_COMPLETED)
    if not polite.done():
        await supervisor.stop(at_once=True)
    impatient.cancel()
    await polite


def _note(stop: asyncio.Event, again: asyncio.Event) -> None:
    (again if stop.is_set() else stop).set()


def _password_file(home: Home) -> Path:
    return home.folder / "admin-password"


def _welcome(url: str, home: Home, seconds: float, *, is_first: bool) -> str:
    """What stands on the terminal when all has started; the password that was made up stands there once."""
    password_file = _password_file(home)
    if os.environ.get("HANDOFF_ADMIN_PASSWORD"):
        login = "admin, with the password in HANDOFF_ADMIN_PASSWORD"
    elif password_file.exists() and not (is_first and environment.log_format() == environment.TEXT):
        # Collected logs are read by many, and terminals are shared.
        login = f"admin, with the password in {password_file}"
    elif password_file.exists():
        login = f"admin / {password_file.read_text().strip()}   (kept in {password_file})"
    else:
        login = "admin, with the password that you set"
    only = (
        "  It observes only: nothing is executed, sent or changed.\n" if start_environment.observes() else ""
    )
    return f"\nHandoff is ready at {url} ({seconds:.1f} s)\n{only}  login: {login}\n  stop:  Ctrl-C\n"


def _listener(port: int) -> socket.socket:
    """Bind the port here and now: taken is known before anything starts, and a restarted web process loses nobody."""
    deadline = time.monotonic() + _PORT_SECONDS
    while True:
        listener = socket.socket()
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind(("127.0.0.1", port))
        except OSError as problem:
            listener.close()
            if problem.errno == errno.EADDRINUSE and time.monotonic() < deadline:
                time.sleep(0.1)
                continue
            reason = "is taken" if problem.errno == errno.EADDRINUSE else f"is refused ({problem.strerror})"
            raise CannotStart(
                f"Port {port} {reason}: stop what uses it, or set HANDOFF_PORT to another."
            ) from None
        return listener


if __name__ == "__main__":
    sys.exit(main())
