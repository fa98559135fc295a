"""Blobs as files of a folder, which all hosts that work on one database share."""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from secrets import token_hex

from lib.blobs.errors import CHANGED, MISSING, BlobAway, BlobChanged, BlobMissing


class FolderBlobs:
    """`folder/first/second/…`: a file for each key, made by a rename, so that it is whole or not there."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def put(self, key: str, raw: bytes) -> None:
        """Write beside, have it on the disk, rename, and have that on the disk, too. Raises BlobAway."""
        path = self._folder / key
        try:
            if path.is_file() and path.stat().st_size == len(raw):
                # Whoever made it may not have come to this yet.
                _sync(path.parent)
                return
            self._make(path.parent)
            beside = path.with_name(f"{path.name}.{token_hex(8)}.tmp")
            try:
                with beside.open("xb") as file:
                    file.write(raw)
                    file.flush()
                    os.fsync(file.fileno())
                beside.rename(path)
            except BaseException:
                beside.unlink(missing_ok=True)
                raise
            _sync(path.parent)
        except OSError as error:
            raise self._away(error) from error

    def _make(self, folder: Path) -> None:
        """Make a folder for us alone, and have its names on the disk."""
        if folder.is_dir():
            return
        if folder != self._folder:
            self._make(folder.parent)
        folder.mkdir(mode=0o700, parents=folder == self._folder, exist_ok=True)
        _sync(folder.parent)

    def get(self, key: str, most: int) -> bytes:
        """Read a file. Raises BlobMissing, BlobChanged and BlobAway."""
        try:
            with (self._folder / key).open("rb") as file:
                raw = file.read(most + 1)
        except FileNotFoundError:
            if not self._folder.is_dir():
                raise BlobAway(f"The folder of payloads {self._folder} doesn't exist.") from None
            raise BlobMissing(MISSING.format(key=key)) from None
        except OSError as error:
            raise self._away(error) from error
        if len(raw) > most:
            raise BlobChanged(CHANGED.format(key=key))
        return raw

    def keys(self, prefix: str) -> Iterator[str]:
        """Every file below a first part. Raises BlobAway."""
        try:
            for folder, _, names in os.walk(self._folder / prefix):
                within = Path(folder).relative_to(self._folder)
                for name in names:
                    yield str(within / name)
        except OSError as error:
            raise self._away(error) from error

    def prefixes(self) -> list[str]:
        """The folders of the folder. Raises BlobAway."""
        try:
            return sorted(one.name for one in os.scandir(self._folder) if one.is_dir(follow_symlinks=False))
        except FileNotFoundError:
            return []
        except OSError as error:
            raise self._away(error) from error

    def delete(self, keys: Iterable[str]) -> None:
        """Remove files, and the folders that are empty then. Raises BlobAway."""
        try:
            for key in keys:
                path = self._folder / key
                path.unlink(missing_ok=True)
                self._remove_empty(path.parent)
        except OSError as error:
            raise self._away(error) from error

    def _remove_empty(self, folder: Path) -> None:
        while folder != self._folder:
            try:
                folder.rmdir()
            except OSError:
                return
            folder = folder.parent

    def _away(self, error: OSError) -> BlobAway:
        return BlobAway(f"The folder of payloads {self._folder} can't be used: {error.strerror or error}.")


def _sync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
