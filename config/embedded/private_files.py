"""Folders and files that only their owner may read."""

import os
import secrets
from pathlib import Path


def private_folder(path: Path) -> Path:
    """Make `path` (and what is above it) and keep it 0700, also where it was there before. Gives `path`."""
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    if path.stat().st_mode & 0o777 != 0o700:
        path.chmod(0o700)
    return path


def write_private(path: Path, text: str) -> None:
    """Write a file of mode 0600 in one step: a reader sees the old text or the new, never half of it."""
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    draft.unlink(missing_ok=True)
    with open(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)


def kept_secret(path: Path, bytes_of_chance: int = 24) -> str:
    """The secret in `path`; made up and kept there at the first call."""
    if path.exists() and (secret := path.read_text().strip()):
        return secret
    write_private(path, secrets.token_urlsafe(bytes_of_chance) + "\n")
    return path.read_text().strip()
