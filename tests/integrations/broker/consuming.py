"""What tests read of streams and of the outbox."""

from typing import Any, NamedTuple

from django.test import Client

from integrations.broker.broker import Outcome
from runs.commands.jobs import Job, poll
from runs.models import DispatchOutbox, StepExecution
from tests import factories as make


class Told(NamedTuple):
    """An event, as a consumer finds it."""

    stream: str
    key: str
    headers: dict[str, str]
    value: bytes

    @property
    def job(self) -> str:
        return self.headers["job-id"]


def told(streams: Any, queue: str = "mine", tenant: str = "") -> list[Told]:
    """The events of a queue's stream, taken out."""
    name = f"{tenant}.workflow.jobs.{queue}" if tenant else f"workflow.jobs.{queue}"
    found = []
    for entry, fields in streams.xrange(name):
        streams.xdel(name, entry)
        value, key = fields.pop(b"event"), fields.pop(b"key").decode()
        found.append(Told(name, key, {k.decode(): v.decode() for k, v in fields.items()}, value))
    return found


def rows() -> list[DispatchOutbox]:
    """What is in the outbox."""
    return list(DispatchOutbox.unsafe_all_tenants.order_by("id"))


def step_of(run_id: Any) -> StepExecution:
    """The one step of a run."""
    return StepExecution.unsafe_all_tenants.get(run_id=run_id)


JOB = make.graph([{"id": "a", "type": "job", "queue": "mine", "retry": {"base_seconds": 5, "jitter": 0}}], [])


def polled(queue: str = "mine") -> list[Job]:
    """The jobs that who polls gets."""
    return poll(tenant=make.a_tenant().pk, worker="w", queues=[queue], max_jobs=10)


def signed_in(client: Client, role: str = "operator") -> Client:
    """A browser in which a member of this role has signed in."""
    client.force_login(make.a_member(f"the-{role}", role))
    return client


class Refusing:
    """A broker that says of each event what it is told to."""

    def __init__(self, verdict):
        self.verdict, self.asked = verdict, []

    def publish(self, events):
        self.asked += [one.row for one in events]
        return [Outcome(one.row, self.verdict, "no room") for one in events]

    def close(self):
        pass
