"""The packages that a running home needs: `.venv`, which `scripts/bootstrap` sometimes makes anew."""

import contextlib
import fcntl
import os
import sys
from collections.abc import Iterator
from pathlib import Path


@contextlib.contextmanager
def held(venv: Path, home: Path) -> Iterator[None]:
    """Where we run from `venv`, keep `scripts/bootstrap` from making it anew, which names `home` and our pid as why.

    What counts is the lock on our file in there, which ends with us, however we end.
    """
    with contextlib.ExitStack() as until_the_end:
        # Packages that we may not change are nothing that whoever started us makes anew.
        with contextlib.suppress(OSError):
            if venv.resolve() == Path(sys.prefix).resolve():
                until_the_end.enter_context(_registered(venv / "handoff-homes", home))
        yield


@contextlib.contextmanager
def _registered(folder: Path, home: Path) -> Iterator[None]:
    folder.mkdir(exist_ok=True)
    for other in folder.glob("[0-9]*"):
        _forget_killed(other)
    path, unseen = folder / str(os.getpid()), folder / f".{os.getpid()}"
    with unseen.open("w") as file:
        # Whoever else starts must not find a file that nobody holds yet, nor wait for us: we may be stopped anywhere.
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        file.write(str(home))
        file.flush()
        unseen.replace(path)
        try:
            yield
        finally:
            path.unlink(missing_ok=True)


def _forget_killed(path: Path) -> None:
    # One that just now ended by itself has nothing left to forget.
    with contextlib.suppress(FileNotFoundError, BlockingIOError), path.open() as file:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        path.unlink()
