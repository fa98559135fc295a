"""Stores of blobs: the same promises in a folder and in a bucket."""

import os

import pytest

from lib.blobs import BadBlobStore, BlobAway, BlobChanged, BlobMissing, opened, s3
from tests.buckets import BUCKET, bucket

KEY = "20260101/7/0198c0de-0000-7000-8000-000000000000/" + "ab" * 32


@pytest.fixture(params=["folder", "bucket"])
def store(request, tmp_path, monkeypatch):
    if request.param == "folder":
        yield opened((tmp_path / "a folder" / "blobs").as_uri())
        return
    with bucket(monkeypatch):
        yield opened(f"s3://{BUCKET}/of/handoff")


def test_what_is_put_is_got(store):
    store.put(KEY, b"one")
    store.put(KEY, b"one")
    assert store.get(KEY, 3) == b"one"


def test_what_is_not_there_is_missing_and_what_is_too_long_has_changed(store):
    with pytest.raises(BlobMissing):
        store.put("20260101/x", b"") or store.get(KEY, 10)
    store.put(KEY, b"one and more")
    with pytest.raises(BlobChanged):
        store.get(KEY, 3)


def test_keys_are_listed_by_their_first_part_and_deleted(store):
    keys = {f"2026010{day}/7/{part}" for day in (1, 2) for part in "abcde"}
    for key in keys:
        store.put(key, b"x")
    assert store.prefixes() == ["20260101", "20260102"]
    first = {*store.keys("20260101")}
    assert first == {key for key in keys if key.startswith("20260101")}
    store.delete(first)
    store.delete(first)
    assert (store.prefixes(), [*store.keys("20260101")]) == (["20260102"], [])


def test_before_anything_was_kept_there_are_no_keys(store):
    assert (store.prefixes(), [*store.keys("20260101")]) == ([], [])


def test_a_file_is_ours_alone_and_is_there_whole_or_not_at_all(tmp_path, monkeypatch):
    store = opened((tmp_path / "blobs").as_uri())
    store.put(KEY, b"one")
    assert (tmp_path / "blobs").stat().st_mode & 0o077 == 0
    monkeypatch.setattr(os, "fsync", lambda _: (_ for _ in ()).throw(OSError(28, "No space left on device")))
    with pytest.raises(BlobAway, match="No space left on device"):
        store.put(f"{KEY[:-1]}c", b"two")
    assert [*store.keys("20260101")] == [KEY]


def test_a_folder_that_is_not_there_is_away_and_its_payloads_are_not_missing(tmp_path):
    with pytest.raises(BlobAway, match="doesn't exist"):
        opened((tmp_path / "unmounted").as_uri()).get(KEY, 3)


@pytest.mark.parametrize("status", [403, 500, 503])
def test_a_bucket_that_refuses_is_away(monkeypatch, status):
    with bucket(monkeypatch) as ours:
        store = opened(f"s3://{BUCKET}")
        store.put(KEY, b"one")
        ours.fails = status
        for act in (
            lambda: store.put(KEY, b"one"),
            lambda: store.get(f"{KEY[:-1]}c", 3),
            lambda: [*store.keys("20260101")],
            store.prefixes,
        ):
            with pytest.raises(BlobAway, match=BUCKET):
                act()
        ours.fails = None
        assert store.get(KEY, 3) == b"one"


def test_a_bucket_is_asked_once_for_what_is_read_again(monkeypatch):
    with bucket(monkeypatch) as ours:
        store = opened(f"s3://{BUCKET}")
        monkeypatch.setattr(s3, "_RECENT_BYTES", 8)
        for name in ("a", "b", "c"):
            store.put(f"20260101/{name}", b"four")
            assert store.get(f"20260101/{name}", 4) == b"four"
        ours.objects.clear()
        assert [store.get(f"20260101/{name}", 4) for name in ("b", "c")] == [b"four"] * 2
        with pytest.raises(BlobMissing):
            store.get("20260101/a", 4)


def test_a_bucket_that_nobody_serves_is_away(monkeypatch):
    with bucket(monkeypatch):
        store = opened(f"s3://{BUCKET}")
    with pytest.raises(BlobAway):
        store.get(KEY, 3)


@pytest.mark.parametrize("url", ["", "/a/folder", "file://host/folder", "file:///", "s3:///x", "http://x/y"])
def test_what_is_no_store_is_refused(url):
    with pytest.raises(BadBlobStore, match="s3://a-bucket/prefix"):
        opened(url)
