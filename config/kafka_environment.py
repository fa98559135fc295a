"""Where Kafka is and who we are there, as the environment says it (docs/dispatch.md; R-177).

Each variable is called as the public engine's, too: `HANDOFF_KAFKA_…` or `WE_KAFKA_…`.
"""

import os
import re
from importlib.util import find_spec
from ipaddress import ip_address
from typing import NamedTuple

from config import dispatch_environment, environment
from config.limits import BROKER_ADDRESSES, KAFKA_VALUE_CHARACTERS

PLAINTEXT, SASL_SCRAM_TLS = "plaintext", "sasl_scram_tls"
EMBEDDED = "embedded"
BROKERS = "HANDOFF_KAFKA_SEED_BROKERS"
_OWN, _THEIRS = "HANDOFF_KAFKA_", "WE_KAFKA_"
_MECHANISMS = ("SCRAM-SHA-256", "SCRAM-SHA-512")
_BROKER = re.compile(r"(?:[A-Za-z0-9][A-Za-z0-9._-]{0,252}|\[[0-9A-Fa-f:.]{2,45}\]):([1-9][0-9]{0,4})")
# They mean something with SASL and TLS only.
_SECURE = ("SASL_MECHANISM", "SASL_USERNAME", "SASL_PASSWORD", "TLS_CA_PATH")


class Kafka(NamedTuple):
    """How Kafka is reached; `client` as librdkafka calls it."""

    client: dict[str, str]
    partitions: int
    makes_topics: bool
    max_bytes: int


def is_used() -> bool:
    """Whether jobs are dispatched through Kafka. Raises BadEnvironment."""
    return dispatch_environment.broker() == dispatch_environment.KAFKA


def is_embedded() -> bool:
    """Whether `up` starts a Kafka of its own (`HANDOFF_KAFKA=embedded`). Raises BadEnvironment."""
    value = os.environ.get("HANDOFF_KAFKA", "").strip().lower()
    if value not in ("", EMBEDDED):
        raise environment.BadEnvironment(f"HANDOFF_KAFKA must be {EMBEDDED}, or unset, not {value[:20]!r}.")
    return value == EMBEDDED


def brokers() -> str:
    """Where Kafka is, by commas: from the environment, else what `up` has started in this home; empty where neither
    says it. Raises BadEnvironment.
    """
    name, text = _said("SEED_BROKERS")
    addresses = [each for each in text.replace(",", " ").split() if each]
    for each in addresses:
        match = _BROKER.fullmatch(each)
        if not match or int(match[1]) > 65_535:
            raise environment.BadEnvironment(
                f"{name} must be addresses such as kafka-1.example.org:9092, separated by commas, not {each[:40]!r}."
            )
    if len(addresses) > BROKER_ADDRESSES:
        raise environment.BadEnvironment(f"{name} may have {BROKER_ADDRESSES} addresses.")
    return ",".join(addresses) or str(environment.run_facts().get("kafka_brokers") or "")


def client() -> dict[str, str]:
    """How to connect, as librdkafka calls it; nowhere while a Kafka of our own does not run.

    Raises BadEnvironment where anything that it takes is missing.
    """
    options = {"bootstrap.servers": brokers(), "client.id": "handoff", **_security()}
    if not options["bootstrap.servers"] and not is_embedded():
        raise environment.BadEnvironment(f"Set {BROKERS}, or HANDOFF_KAFKA={EMBEDDED} to try it out.")
    return options


def _security() -> dict[str, str]:
    name, text = _said("TRANSPORT")
    transport = text.lower() or PLAINTEXT
    if transport not in (PLAINTEXT, SASL_SCRAM_TLS):
        raise environment.BadEnvironment(
            f"{name} must be {PLAINTEXT} or {SASL_SCRAM_TLS}, not {transport[:20]!r}."
        )
    if (server := _said("TLS_SERVER_NAME"))[1]:
        raise environment.BadEnvironment(
            f"{server[0]} is not supported: brokers' certificates have to name the hosts of {BROKERS}."
        )
    if transport == PLAINTEXT:
        for each in _SECURE:
            if (setting := _said(each))[1]:
                raise environment.BadEnvironment(
                    f"{setting[0]} has no effect without {name}={SASL_SCRAM_TLS}: set that, or unset it."
                )
        return {"security.protocol": "PLAINTEXT"}
    return _scram(name)


def _scram(transport: str) -> dict[str, str]:
    values = {}
    for each in ("SASL_USERNAME", "SASL_PASSWORD"):
        name, values[each] = _said(each)
        if not values[each]:
            raise environment.BadEnvironment(f"{transport}={SASL_SCRAM_TLS} needs {name}, too.")
        if len(values[each]) > KAFKA_VALUE_CHARACTERS or not values[each].isprintable():
            # Nothing of a secret is repeated.
            raise environment.BadEnvironment(
                f"{name} must be at most {KAFKA_VALUE_CHARACTERS} printable characters."
            )
    name, text = _said("SASL_MECHANISM")
    mechanism = text.upper() or _MECHANISMS[-1]
    if mechanism not in _MECHANISMS:
        raise environment.BadEnvironment(
            f"{name} must be {' or '.join(_MECHANISMS)}, not {mechanism[:20]!r}."
        )
    name, ca = _said("TLS_CA_PATH")
    if ca and not (os.path.isfile(ca) and os.access(ca, os.R_OK)):
        raise environment.BadEnvironment(f"{name} must be a file that can be read, not {ca[:80]!r}.")
    return {
        "security.protocol": "SASL_SSL",
        "sasl.mechanism": mechanism,
        "sasl.username": values["SASL_USERNAME"],
        "sasl.password": values["SASL_PASSWORD"],
        "ssl.endpoint.identification.algorithm": "https",
        **({"ssl.ca.location": ca} if ca else {}),
    }


def partitions() -> int:
    """How many partitions a topic is made with (`HANDOFF_KAFKA_PARTITIONS`, default 6). Raises BadEnvironment."""
    return environment.whole("HANDOFF_KAFKA_PARTITIONS", 6, 1, 1_000)


def makes_topics() -> bool:
    """Whether topics that are missing are made (`HANDOFF_KAFKA_CREATE_TOPICS`, default on). Raises BadEnvironment."""
    return environment.switch("HANDOFF_KAFKA_CREATE_TOPICS", default=True)


def max_bytes() -> int:
    """How large an event may be (`HANDOFF_KAFKA_MAX_BYTES`, default 1,000,000: brokers take a little more).

    Raises BadEnvironment.
    """
    return environment.whole("HANDOFF_KAFKA_MAX_BYTES", 1_000_000, 1_000, 100_000_000)


def kafka() -> Kafka:
    """All that the relay needs. Raises BadEnvironment."""
    return Kafka(client(), partitions(), makes_topics(), max_bytes())


def is_open() -> bool:
    """Whether jobs can be read in transit: nothing is encrypted, and it leaves this machine. Raises BadEnvironment."""
    options = client()
    addresses = filter(None, options["bootstrap.servers"].split(","))
    hosts = [each.rpartition(":")[0].strip("[]") for each in addresses]
    return options["security.protocol"] == "PLAINTEXT" and not all(map(_is_loopback, hosts))


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def problems() -> list[str]:
    """A line for each variable that cannot be understood, and for a client that is missing; empty when all is well.

    Without Kafka nothing is asked.
    """
    try:
        if not is_used():
            return _idle()
    except environment.BadEnvironment:
        # Said by `dispatch_environment.problems`.
        return []
    messages = []
    for read in (_own_or_theirs, partitions, makes_topics, max_bytes):
        try:
            read()
        except environment.BadEnvironment as problem:
            messages.append(str(problem))
    if find_spec("confluent_kafka") is None:
        messages.append(
            "Kafka's client is not installed: pip install 'handoff[kafka]', or confluent-kafka itself."
        )
    return messages


def _idle() -> list[str]:
    """Who asks for a Kafka of their own wants it used."""
    if os.environ.get("HANDOFF_KAFKA", "").strip():
        return ["HANDOFF_KAFKA has no effect without HANDOFF_DISPATCH=kafka_outbox: set that, or unset it."]
    return []


def _own_or_theirs() -> None:
    """Brokers of somebody's, or those that `up` starts: not both."""
    if not is_embedded():
        client()
    elif names := [_said(each)[0] for each in ("SEED_BROKERS", "TRANSPORT", *_SECURE) if _said(each)[1]]:
        raise environment.BadEnvironment(f"{names[0]} and HANDOFF_KAFKA={EMBEDDED} exclude each other.")


def _said(name: str) -> tuple[str, str]:
    """What a variable is called, and what it says: ours, else theirs; empty for neither."""
    for prefix in (_OWN, _THEIRS):
        if value := os.environ.get(prefix + name, "").strip():
            return prefix + name, value
    return _OWN + name, ""
