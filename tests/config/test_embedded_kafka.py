"""The embedded Kafka where something is missing: one line says what to do."""

import os
import stat

import pytest

from config.embedded import kafka
from config.embedded.kafka import Kafka
from config.embedded.processes import EmbeddedError


@pytest.fixture
def programs(monkeypatch, tmp_path):
    """An empty folder that is all there is of PATH; nothing was fetched yet. Gives a way to put programs there."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("JAVA_HOME", raising=False)

    def put(name, text):
        file = folder / name
        file.write_text(f"#!/bin/sh\n{text}\n")
        file.chmod(0o700)

    return put


def test_without_java_it_says_so(programs, tmp_path):
    with pytest.raises(EmbeddedError, match="install Java 17"):
        Kafka(tmp_path / "kafka").prepare()


def test_without_maven_it_says_so(programs, tmp_path):
    programs("java", "exit 0")
    with pytest.raises(EmbeddedError, match="install Maven"):
        Kafka(tmp_path / "kafka").prepare()
    assert not kafka.is_fetched()


def test_what_maven_says_is_told_in_a_line_and_nothing_half_fetched_stays(programs, tmp_path):
    programs("java", "exit 0")
    programs("mvn", "echo '[ERROR] no such repository'; echo '[ERROR] more of it'; exit 1")
    with pytest.raises(EmbeddedError) as refused:
        Kafka(tmp_path / "kafka").prepare()
    assert str(refused.value) == "Maven could not fetch Kafka's jars: no such repository"
    assert os.listdir(tmp_path / "cache" / "handoff") == []


def test_a_java_that_is_too_old_is_told_in_a_line(programs, tmp_path):
    programs("java", "echo 'UnsupportedClassVersionError' >&2; exit 1")
    kafka._jars().mkdir(parents=True)
    with pytest.raises(EmbeddedError) as refused:
        Kafka(tmp_path / "kafka").prepare()
    assert str(refused.value).endswith("(it needs Java 17): UnsupportedClassVersionError")
    assert not (tmp_path / "kafka" / "data").exists()


def test_its_folder_is_its_owners_alone(programs, tmp_path):
    programs(
        "java", 'PATH=/usr/bin:/bin; eval "c=\\${$#}"; mkdir "$(sed -n s/^log.dirs=//p "${c#--config=}")"'
    )
    kafka._jars().mkdir(parents=True)
    node = Kafka(tmp_path / "kafka")
    node.prepare()
    port = node.port
    node.prepare()
    assert node.port == port
    assert stat.S_IMODE(node.folder.stat().st_mode) == 0o700
    assert f"listeners=PLAINTEXT://127.0.0.1:{port}," in (node.folder / "server.properties").read_text()
    assert not node.is_ready()
