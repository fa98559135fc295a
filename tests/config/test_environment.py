"""How addresses are read."""

import base64
from hashlib import sha256

import pytest

from config import dispatch_environment, environment, grpc_environment, hardness
from config.channel_layers import broker_url
from config.supervisor.home import Home


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("redis://:pw@127.0.0.1:6379/2", "redis://:pw@127.0.0.1:6379/2"),
        ("unix:///run/r.sock?db=3&password=p%40w", "redis+socket://:p%40w@/run/r.sock?virtual_host=3"),
        ("unix://:pw@/run/r.sock", "redis+socket://:pw@/run/r.sock?virtual_host=0"),
    ],
)
def test_a_redis_url_is_spelled_for_celery(url, expected):
    assert broker_url(url) == expected


def test_a_database_url_may_name_a_socket_folder():
    described = environment.database_of("postgresql://me:p%2Fw@/db?host=/run/pg&port=5433&sslmode=disable")
    assert described["OPTIONS"]["sslmode"] == "disable"
    assert (
        described.items()
        >= {"NAME": "db", "USER": "me", "PASSWORD": "p/w", "HOST": "/run/pg", "PORT": "5433"}.items()
    )


def test_only_the_web_process_shares_connections_and_it_keeps_the_other_options():
    database = environment.database_of("postgresql://me@h/db?sslmode=require")
    web = environment.connected_as("web", database)["OPTIONS"]
    assert web["sslmode"] == "require"
    assert web["shared_connections"] == 10
    assert "shared_connections" not in environment.connected_as("worker", database)["OPTIONS"]


@pytest.mark.parametrize("process", ["web", "worker", "beat"])
def test_a_statement_of_a_process_that_serves_has_an_end(process):
    options = environment.connected_as(process, environment.database_of("postgresql://me@h/db"))["OPTIONS"]
    assert "-c statement_timeout=30s" in options["options"]
    assert "-c idle_in_transaction_session_timeout=5s" in options["options"]
    assert options["longest_wait"] == 32


def test_a_command_may_take_its_time():
    options = environment.connected_as("", environment.database_of("postgresql://me@h/db"))["OPTIONS"]
    assert "statement_timeout" not in options["options"]
    assert "longest_wait" not in options


@pytest.mark.parametrize(
    ("given", "meant"), [("on", True), ("OFF", False), ("1", True), ("no", False), ("", True)]
)
def test_a_switch_is_on_or_off(monkeypatch, given, meant):
    monkeypatch.setenv("HANDOFF_HINTS", given)
    assert environment.switch("HANDOFF_HINTS", default=True) is meant
    assert environment.problems() == []


def test_values_that_mean_nothing_are_a_line_each(monkeypatch):
    monkeypatch.setenv("HANDOFF_HINTS", "maybe")
    monkeypatch.setenv("HANDOFF_PORT", "eighty")
    assert environment.problems() == [
        "HANDOFF_PORT must be a number from 1 to 65535, not 'eighty'.",
        "HANDOFF_HINTS must be on or off, not 'maybe'.",
    ]


def test_a_process_without_a_home_has_no_facts(monkeypatch, tmp_path):
    monkeypatch.setenv("HANDOFF_HOME", str(tmp_path / "nothing"))
    assert environment.run_facts() == {}


def test_the_number_of_blocking_threads_is_read_strictly(monkeypatch):
    monkeypatch.delenv("HANDOFF_BLOCKING_THREADS", raising=False)
    assert environment.blocking_threads() == 32
    monkeypatch.setenv("HANDOFF_BLOCKING_THREADS", "200")
    assert environment.blocking_threads() == 200


@pytest.mark.parametrize("said", ["0", "-1", "1001", "8.0", "many", " 8", "٣"])
def test_what_is_no_number_of_threads_is_refused(monkeypatch, said):
    monkeypatch.setenv("HANDOFF_BLOCKING_THREADS", said)
    with pytest.raises(environment.BadEnvironment, match="must be a number from 1 to 1000"):
        environment.blocking_threads()


@pytest.mark.parametrize("divided", [",", " , ", "\n"])
def test_master_keys_are_base64_of_either_spelling_the_current_one_first(monkeypatch, divided):
    one, two = sha256(b"one").digest(), b"\xff" * 32
    texts = [base64.b64encode(one).decode(), base64.urlsafe_b64encode(two).decode().rstrip("=")]
    monkeypatch.setenv("HANDOFF_MASTER_KEY", divided.join(texts))
    assert environment.master_keys() == (one, two)
    assert environment.problems() == []


@pytest.mark.parametrize(
    "key",
    [
        bytes(32),
        b"\xff" * 32,
        b"a" * 32,
        b"ab" * 16,
        b"secretkey"[:8] * 4,
        bytes(range(32)),
        bytes(range(64, 0, -2)),
    ],
)
def test_a_master_key_that_is_not_random_is_refused_unless_it_is_being_replaced(monkeypatch, key):
    text = base64.b64encode(key).decode()
    monkeypatch.setenv("HANDOFF_MASTER_KEY", text)
    [problem] = environment.problems()
    assert "is not random" in problem
    assert text not in problem
    good = sha256(b"good").digest()
    monkeypatch.setenv("HANDOFF_MASTER_KEY", f"{base64.b64encode(good).decode()},{text}")
    assert environment.master_keys() == (good, key)


def test_a_random_master_key_is_never_taken_for_another():
    assert not any(hardness.is_guessable(sha256(b"%d" % number).digest()) for number in range(10_000))


@pytest.mark.parametrize("given", ["secret", "A" * 42, "A" * 44, "ä" * 43, f"{'A' * 43},x"])
def test_a_master_key_that_is_none_is_a_line_that_does_not_repeat_it(monkeypatch, given):
    monkeypatch.setenv("HANDOFF_MASTER_KEY", given)
    [problem] = environment.problems()
    assert problem.startswith("HANDOFF_MASTER_KEY")
    assert given not in problem


def test_the_master_key_is_kept_in_the_home(monkeypatch, tmp_path):
    monkeypatch.setenv("HANDOFF_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("HANDOFF_MASTER_KEY", raising=False)
    assert environment.master_keys() == ()
    home = Home(tmp_path / "home")
    with home.open():
        home.keep_secrets()
    [key] = environment.master_keys()
    assert len(key) == 32
    assert (tmp_path / "home" / "master-key").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("given", ["https://handoff.example.org", "http://10.0.0.1:8000/", "http://[::1]:80"])
def test_where_people_reach_handoff_is_an_address_without_a_path(monkeypatch, given):
    monkeypatch.setenv("HANDOFF_URL", given)
    assert environment.url() == given.rstrip("/")
    assert environment.problems() == []


@pytest.mark.parametrize(
    "given",
    [
        "handoff.example.org",
        "ftp://x",
        "https://",
        "https://x/inbox",
        "https://x?a",
        "https://me@x",
        "http://x:0",
        "http://x:y",
    ],
)
def test_anything_else_is_a_line_that_says_so(monkeypatch, given):
    monkeypatch.setenv("HANDOFF_URL", given)
    [problem] = environment.problems()
    assert problem.startswith("HANDOFF_URL must be an address")


def test_trusted_proxies_are_networks(monkeypatch):
    monkeypatch.setenv("HANDOFF_TRUSTED_PROXIES", "10.1.2.0/24, ::1/128 192.0.2.7")
    assert list(map(str, environment.trusted_proxies())) == ["10.1.2.0/24", "::1/128", "192.0.2.7/32"]
    monkeypatch.setenv("HANDOFF_TRUSTED_PROXIES", "10.1.2.3/24")
    assert environment.problems() == [
        "HANDOFF_TRUSTED_PROXIES must be networks such as 10.1.2.0/24, not '10.1.2.3/24'."
    ]


@pytest.mark.parametrize("said", ["short", "with spaces in a long one", "ü" * 20, "with\ttabs-in-a-long-one"])
def test_a_weak_token_for_the_metrics_is_refused_and_not_repeated(monkeypatch, said):
    monkeypatch.setenv("HANDOFF_METRICS_TOKEN", said)
    [problem] = environment.problems()
    assert problem.startswith("HANDOFF_METRICS_TOKEN")
    assert said not in problem


def test_each_start_begins_to_count_anew(tmp_path):
    counts = Home(tmp_path).empty_counts()
    (counts / "counter_1.db").write_bytes(b"left")
    (counts / "notes.txt").write_text("somebody's")
    assert Home(tmp_path).empty_counts() == counts
    assert [path.name for path in counts.iterdir()] == ["notes.txt"]
    assert counts.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize(
    ("named", "meant", "made_of"),
    [
        ({}, "hints", ("hints", "")),
        ({"HANDOFF_DISPATCH": ""}, "hints", ("hints", "")),
        ({"HANDOFF_DISPATCH": "hints"}, "hints", ("hints", "")),
        ({"HANDOFF_DISPATCH": " Polling "}, "polling", ("polling", "")),
        ({"WE_DISPATCH_MODE": "polling"}, "polling", ("polling", "")),
        ({"HANDOFF_DISPATCH": "redis_outbox"}, "redis_outbox", ("polling", "redis")),
        ({"WE_DISPATCH_MODE": "kafka_outbox"}, "kafka_outbox", ("polling", "kafka")),
        ({"HANDOFF_DISPATCH": "hints", "WE_DISPATCH_MODE": "polling"}, "hints", ("hints", "")),
    ],
)
def test_how_workers_hear_of_work(monkeypatch, tmp_path, named, meant, made_of):
    monkeypatch.setenv("HANDOFF_HOME", str(tmp_path))
    for name in dispatch_environment.VARIABLES:
        monkeypatch.delenv(name, raising=False)
    for name, value in named.items():
        monkeypatch.setenv(name, value)
    assert dispatch_environment.mode() == meant
    assert (dispatch_environment.way(), dispatch_environment.broker()) == made_of
    assert dispatch_environment.is_said() is any(named.values())


def test_commands_beside_a_handoff_that_runs_do_as_it_does(monkeypatch, tmp_path):
    monkeypatch.setenv("HANDOFF_HOME", str(tmp_path))
    monkeypatch.delenv("HANDOFF_DISPATCH", raising=False)
    (tmp_path / "run.json").write_text('{"dispatch": "polling"}')
    assert dispatch_environment.mode() == "polling"
    monkeypatch.setenv("HANDOFF_DISPATCH", "pigeons")
    [problem] = dispatch_environment.problems()
    assert problem == "HANDOFF_DISPATCH must be hints, polling, redis_outbox or kafka_outbox, not 'pigeons'."


@pytest.mark.parametrize(
    ("variable", "given"),
    [
        ("HANDOFF_GRPC_PORT", "-1"),
        ("HANDOFF_GRPC_PORT", "65536"),
        ("HANDOFF_GRPC_PORT", "many"),
        ("HANDOFF_GRPC_HOST", "localhost"),
        ("HANDOFF_GRPC_CERT", "/nowhere/cert.pem"),
        ("HANDOFF_GRPC_REFLECTION", "maybe"),
    ],
)
def test_what_grpc_can_not_be_told_is_a_line(monkeypatch, variable, given):
    monkeypatch.setenv(variable, given)
    [problem] = grpc_environment.problems()
    assert problem.startswith(variable)


def test_grpc_is_off_unless_it_is_told_a_port(monkeypatch):
    assert grpc_environment.port() is None
    monkeypatch.setenv("HANDOFF_GRPC_PORT", "off")
    assert grpc_environment.port() is None
    monkeypatch.setenv("HANDOFF_GRPC_PORT", "9090")
    assert (grpc_environment.port(), grpc_environment.host()) == (9090, "127.0.0.1")
    assert not grpc_environment.is_open()
    monkeypatch.setenv("HANDOFF_GRPC_HOST", "0.0.0.0")
    assert grpc_environment.is_open()
    assert grpc_environment.problems() == []


@pytest.mark.parametrize(
    ("variable", "read", "default", "most"),
    [
        ("HANDOFF_TREE_DEPTH", environment.tree_depth, 20, 100),
        ("HANDOFF_TREE_OPEN_RUNS", environment.tree_open_runs, 1_000, 100_000),
        ("HANDOFF_TREE_RUNS", environment.tree_runs, 1_000_000, 100_000_000),
    ],
)
def test_limits_of_trees_are_positive_numbers(monkeypatch, variable, read, default, most):
    monkeypatch.delenv(variable, raising=False)
    assert read() == default
    monkeypatch.setenv(variable, "7")
    assert read() == 7
    for value in ("0", "-1", "x", "1.5", str(most + 1)):
        monkeypatch.setenv(variable, value)
        with pytest.raises(environment.BadEnvironment, match=f"{variable} must be a number from 1 to {most}"):
            read()
