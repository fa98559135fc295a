"""The public engine's own end-to-end runner, unmodified, against a Handoff: one line a scenario, and a table.

    HANDOFF_PUBLIC_ENGINE=/a/checkout/of/rochallor-engine .venv/bin/python -m tests.public_engine.run --sdk python,go

It was written against revision 8d8c0ac of `batnam/rochallor-engine`. It starts a Handoff of its own with an open
tenant, unless `--engine` and `--grpc` name one that runs.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from confluent_kafka import KafkaError, KafkaException
from confluent_kafka.admin import AdminClient, NewTopic

from config.embedded.processes import wait_until
from tests.public_engine import build
from tests.public_engine.serving import Doors, handoff

SOURCES = "HANDOFF_PUBLIC_ENGINE"
SCENARIOS = 18
TRANSPORTS = ("rest", "grpc")
PATIENCE_SECONDS = 900
GROUPS_SECONDS = 120
"""Longer than any session of their consumers."""
_LINE = re.compile(r"\[(PASS|FAIL)] (\w+)/(\w+)/([\w-]+)")
Results = dict[tuple[str, str, str], bool]


def sources() -> Path | None:
    """The folder of the public engine's sources that the environment names; None where it names none."""
    named = os.environ.get(SOURCES)
    folder = Path(named).absolute() if named else None
    return folder if folder and (folder / "e2e" / "runner" / "main.go").is_file() else None


def results(folder: Path, out: Path, sdks: Sequence[str], doors: Doors, transport: str) -> Results:
    """Which scenarios passed, by transport, SDK and name. Raises CannotBuild."""
    command = build.runner(folder, out)
    found: Results = {}
    for sdk in sdks:
        worker = build.WORKERS[sdk](folder, out)
        with working(worker, out / f"worker-{sdk}-{transport}.log", doors, transport):
            text = _run(command, folder, out, sdk, doors, transport)
        found |= {(way, name, one): word == "PASS" for word, way, name, one in _LINE.findall(text)}
    return found


def make_topics(folder: Path, brokers: str) -> None:
    """Make the topics of their workers, as their own set-up does beforehand: clients that find none look again late."""
    text = (folder / "e2e" / "docker-compose-kafka-outbox.yml").read_text()
    [names] = re.findall(r"TOPICS='([^']*)'", text)
    admin = AdminClient({"bootstrap.servers": brokers})
    made = admin.create_topics([NewTopic(name, num_partitions=1) for name in names.split()])
    for topic in made.values():
        try:
            topic.result(60)
        except KafkaException as error:
            if error.args[0].code() != KafkaError.TOPIC_ALREADY_EXISTS:
                raise


def await_empty_groups(brokers: str) -> None:
    """Wait until no consumer is in any group: one that ended without leaving keeps its partitions from the next for as
    long as its session lasts, also where the broker was started anew meanwhile.
    """
    admin = AdminClient({"bootstrap.servers": brokers})

    def are_empty() -> bool:
        names = [one.group_id for one in admin.list_consumer_groups().result(60).valid]
        described = admin.describe_consumer_groups(names).values() if names else ()
        return not any(each.result(60).members for each in described)

    wait_until(are_empty, GROUPS_SECONDS, "consumers to leave their groups")


@contextmanager
def working(command: list[str], log: Path, doors: Doors, transport: str) -> Iterator[None]:
    """A worker of theirs at work."""
    told = {"ENGINE_REST_URL": doors.rest, "ENGINE_GRPC_HOST": doors.grpc, "WORKER_TRANSPORT": transport}
    if doors.kafka:
        await_empty_groups(doors.kafka)
        told |= {"WE_DISPATCH_MODE": "kafka_outbox", "WE_KAFKA_SEED_BROKERS": doors.kafka}
    with log.open("w") as heard:
        worker = subprocess.Popen(command, env={**os.environ, **told}, stdout=heard, stderr=heard)
        try:
            yield
            if worker.poll() is not None:
                raise AssertionError(f"The worker ended: {log.read_text()[-2000:]}")
        finally:
            worker.terminate()
            # One of its steps sleeps for half a minute, and is waited for.
            worker.wait(timeout=60)


def _run(command: list[str], folder: Path, out: Path, sdk: str, doors: Doors, transport: str) -> str:
    logs = out / "logs"
    logs.mkdir(exist_ok=True)
    options = [
        "-engine",
        doors.rest,
        "-grpc-engine",
        doors.grpc,
        "-sdk",
        sdk,
        "-transport",
        transport,
        "-scenarios",
        str(folder / "e2e/scenarios"),
    ]
    told = {"E2E_TIMER_INTERRUPTING": "1", "E2E_AUDIT_LOG_DIR": str(logs)}
    done = subprocess.run(
        [*command, *options],
        env={**os.environ, **told},
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_SECONDS,
    )
    (out / f"runner-{sdk}-{transport}.log").write_text(done.stdout + done.stderr)
    return done.stdout


def table(found: Results) -> str:
    """The results as a table: a line a scenario, a column an SDK."""
    columns = list(dict.fromkeys((way, sdk) for way, sdk, _ in found))
    names = list(dict.fromkeys(name for _, _, name in found))
    heads = [f"{way}/{sdk}" for way, sdk in columns]
    lines = [f"{'scenario':34}" + "".join(f"{head:>13}" for head in heads)]
    words: Mapping[bool | None, str] = {True: "pass", False: "FAIL", None: "-"}
    for name in names:
        marks = [words[found.get((way, sdk, name))] for way, sdk in columns]
        lines.append(f"{name:34}" + "".join(f"{mark:>13}" for mark in marks))
    return "\n".join([*lines, f"{sum(found.values())} of {len(found)} passed"])


def main() -> int:
    """0 where all passed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sdk", default=",".join(build.WORKERS), help="which ones, with commas between them")
    parser.add_argument("--engine", default="", help="the address of a Handoff that runs")
    parser.add_argument("--grpc", default="", help="host:port of its gRPC")
    parser.add_argument(
        "--transport", default=",".join(TRANSPORTS), help="which ones, with commas between them"
    )
    parser.add_argument(
        "--dispatch", default="hints", help="how workers hear of jobs: kafka_outbox has them consume Kafka"
    )
    parser.add_argument("--out", default="", help="where to build; a temporary folder otherwise")
    asked = parser.parse_args()
    folder = sources()
    if folder is None:
        print(f"Set {SOURCES} to a checkout of the public engine.")
        return 2
    with ExitStack() as stack:
        out = Path(asked.out or stack.enter_context(tempfile.TemporaryDirectory())).absolute()
        out.mkdir(parents=True, exist_ok=True)
        home = out / f"home-{asked.dispatch}"
        here = (
            Doors(asked.engine, asked.grpc)
            if asked.engine
            else stack.enter_context(handoff(home, asked.dispatch))
        )
        if here.kafka:
            make_topics(folder, here.kafka)
        found: Results = {}
        try:
            for transport in asked.transport.split(","):
                found |= results(folder, out, asked.sdk.split(","), here, transport)
        except build.CannotBuild as reason:
            print(reason)
            return 2
    print(table(found))
    return 0 if found and all(found.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
