"""`python -m config.nursery`: loads all of Handoff once, then forks web, workers and beat from it.

Loading takes seconds of CPU and eight processes need it: forked, all of them together start as fast as one alone,
a killed worker is back at once, and the loaded code is in memory once. Nothing here may open a connection or
start a thread before the fork. Whoever reads the environment must do so when it works, not when it is imported:
HANDOFF_PROCESS and HANDOFF_WORKER_QUEUE are set after the fork.

Orders come through HANDOFF_CONTROL_FD, one at a time, as JSON with file descriptors (output, ready, ...);
reports go back as JSON lines.
"""

import contextlib
import json
import os
import selectors
import signal
import socket
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any

from django.conf import settings
from django.core.management import execute_from_command_line
from django.urls import get_resolver

from config import dispatch_environment, environment, loads
from config.embedded.processes import child_setup, name_process
from lib import pulse
from lib.loading import loading

_MOST_DESCRIPTORS = 8
_BEAT_SECONDS = 1.0
# What the processes would import each for itself; the first one sets Django up.
_HEAVY = ("config.asgi", "config.web", "steps.catalogue")
_CELERYS = (
    "celery.apps.beat",
    "celery.apps.worker",
    "celery.bin.celery",
    "celery.concurrency.solo",
    "celery.worker.consumer",
    "celery.worker.components",
    "celery.worker.control",
    "celery.worker.strategy",
    "kombu.transport.redis",
)


def _connected() -> None:
    # The settings were read before anybody knew which process this would be.
    database = settings.DATABASES["default"]
    database.update(environment.connected_as(os.environ["HANDOFF_PROCESS"], database))


def _refuse() -> None:
    # Web and Celery's processes do so by themselves, however they are started.
    import_module("config.belonging").refuse()


def _web(arguments: Sequence[str]) -> None:
    _connected()
    application = import_module("config.asgi").application
    listener = int(os.environ["HANDOFF_LISTEN_FD"])
    import_module("config.web").serve(application, listener, loads.Loads.of(os.environ))


def _grpc(arguments: Sequence[str]) -> None:
    _connected()
    _refuse()
    # Loaded by the process that needs it alone: gRPC has threads of its own, and most Handoffs do without.
    import_module("integrations.grpc.server").serve()


def _celery(arguments: Sequence[str]) -> None:
    _connected()
    import_module("config.celery").app.start(argv=list(arguments))


def _worker(arguments: Sequence[str]) -> None:
    _connected()
    _refuse()
    import_module("config.worker").work()


def _relay(arguments: Sequence[str]) -> None:
    _connected()
    _refuse()
    # Brokers' packages are loaded by nobody else.
    import_module("integrations.broker.relay").serve()


def _manage(arguments: Sequence[str]) -> None:
    execute_from_command_line(["manage.py", *arguments])


_ENTRIES: Mapping[str, Callable[[Sequence[str]], None]] = {
    "web": _web,
    "grpc": _grpc,
    "celery": _celery,
    "worker": _worker,
    "relay": _relay,
    "manage": _manage,
}


class Nursery:
    """Forks on orders from `control`, and reports who was born and who has died."""

    def __init__(self, control: socket.socket) -> None:
        self._control = control
        self._wake, self._waker = socket.socketpair()
        for each in (self._wake, self._waker):
            each.setblocking(False)
        self._alive: set[int] = set()

    def run(self) -> None:
        """Serve until the supervisor is gone; nobody outlives it."""
        signal.set_wakeup_fd(self._waker.fileno(), warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        with selectors.DefaultSelector() as selector:
            selector.register(self._control, selectors.EVENT_READ)
            selector.register(self._wake, selectors.EVENT_READ)
            served = True
            while served:
                pulse.beat()
                for key, _ in selector.select(_BEAT_SECONDS):
                    if key.fileobj is self._control:
                        served = self._serve()
                    else:
                        self._wake.recv(4096)
                self._reap()
        for pid in self._alive:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def _serve(self) -> bool:
        """Carry out one order; False when the supervisor has closed its end."""
        line, descriptors, _, _ = socket.recv_fds(self._control, 65_536, _MOST_DESCRIPTORS)
        if not line:
            return False
        order = json.loads(line)
        setup = child_setup(signal.SIGKILL)
        pid = os.fork()
        if pid == 0:
            self._be_born(order, descriptors, setup)
        for descriptor in descriptors:
            os.close(descriptor)
        self._alive.add(pid)
        self._tell({"born": pid})
        return True

    def _be_born(self, order: dict[str, Any], descriptors: Sequence[int], setup: Callable[[], None]) -> None:
        """In the child: become a process of its own and never come back."""
        code = 1
        try:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            for own in (self._control, self._wake, self._waker):
                own.close()
            os.setsid()
            setup()
            _wire(order, descriptors)
            _ENTRIES[order["command"][0]](order["command"][1:])
            code = 0
        except SystemExit as leaving:
            code = leaving.code if isinstance(leaving.code, int) else int(leaving.code is not None)
        except BaseException:
            traceback.print_exc()
        finally:
            with contextlib.suppress(OSError, ValueError):
                sys.stdout.flush()
                sys.stderr.flush()
            os._exit(code)

    def _reap(self) -> None:
        for pid in list(self._alive):
            ended, status = os.waitpid(pid, os.WNOHANG)
            if ended:
                self._alive.discard(pid)
                self._tell({"died": pid, "code": os.waitstatus_to_exitcode(status)})

    def _tell(self, answer: Mapping[str, object]) -> None:
        with contextlib.suppress(BrokenPipeError):
            self._control.sendall(json.dumps(answer).encode() + b"\n")


def _wire(order: Mapping[str, Any], descriptors: Sequence[int]) -> None:
    """Output to the supervisor, the environment of this process, and its name for `ps`."""
    output, ready, *rest = descriptors
    os.dup2(output, 1)
    os.dup2(output, 2)
    os.close(output)
    os.environ.update(order["environment"])
    pulse.adopt(ready)
    # Of a web process; passing them gave them other numbers.
    for variable, descriptor in zip(("HANDOFF_LISTEN_FD", loads.DESCRIPTOR), rest, strict=False):
        os.environ[variable] = str(descriptor)
    name_process(order["name"])


def load() -> None:
    """Import what the processes will need, down to the URLs and the steps.

    The tasks are left to each worker: their modules know which process they are in (a worker's identity is random).
    What is loaded is never looked through for garbage, so that its pages stay shared by all processes.
    """
    with loading():
        for module in _HEAVY:
            import_module(module)
        if settings.HANDOFF_DISPATCH == dispatch_environment.HINTS:
            _load_celery()
        else:
            import_module("config.worker")
        _ = get_resolver().url_patterns


def _load_celery() -> None:
    for module in _CELERYS:
        import_module(module)
    app = import_module("config.celery").app
    app.finalize()
    app.connection_for_write().transport  # noqa: B018 (imports kombu's Redis transport; connects nothing)


if __name__ == "__main__":
    load()
    control = socket.socket(fileno=int(os.environ.pop("HANDOFF_CONTROL_FD")))
    Nursery(control).run()
