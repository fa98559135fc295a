"""Who reads which bulk job: the same at every door, for each kind of job and each reader."""

from dataclasses import dataclass

import pytest
from django.test import Client
from rest_framework.test import APIClient

from accounts.models import Folder, Membership
from accounts.principal import JobReach
from accounts.roles import (
    DEAD_LETTERS_READ,
    RUNS_OPERATE,
    RUNS_READ,
    SCOPES_OF_ROLE,
    TASKS_DECIDE,
    TASKS_READ,
)
from accounts.services import create_token
from operations.bulk import service, work
from operations.bulk.letters import begin_letters
from operations.bulk.models import BulkJob
from operations.bulk.tasks import begin_tasks
from tasks_inbox.actions.bulk import CLAIM, BulkCommand
from tests import factories as make
from tests.inbox.asking import approval
from tests.people import People

pytestmark = pytest.mark.django_db

WAITS = [{"id": "b", "type": "signal", "params": {"name": "paid"}}]
SECRET = "the secret reason"
KINDS = ("workflow", "runs", "letters", "tasks")


@pytest.fixture
def people():
    return People()


@pytest.fixture
def jobs(people):
    """A job of each kind, dry runs that the operator of the tenant has begun, over runs of the folder *General*."""
    tenant, who = people.tenant(), people.principal("operator")
    make.FolderFactory(tenant=tenant, name="Elsewhere")
    (waits,) = make.start(make.graph(WAITS, []), {}, tenant=tenant)
    make.start(make.graph([{"id": "a", "retry": "none"}], []), {}, tenant=tenant)
    make.fail(*make.claimed())
    make.start(approval(), {"amount": 1}, tenant=tenant)
    make.work()
    name = make.run(waits).version.workflow.name
    begun = {
        "workflow": service.begin_verb(who, "pause", f"workflow:{name}", dry_run=True, reason=SECRET),
        "runs": service.begin_verb(who, "pause", "status:open", dry_run=True, reason=SECRET),
        "letters": begin_letters(who, "retry", dry_run=True, reason=SECRET)[0],
        "tasks": begin_tasks(who, BulkCommand(CLAIM, reason=SECRET), "", dry_run=True),
    }
    work.work(60)
    assert all(job.total for job in begun.values())
    return begun


@dataclass(frozen=True)
class Reader:
    """Somebody of a role, who began the jobs if `began`; by a token of these scopes or of a folder, or in a browser
    as well. `reads`: the jobs that they may read.
    """

    role: str
    reads: tuple[str, ...]
    began: bool = False
    tenant: str = "ours"
    scopes: frozenset[str] | None = None
    folder: str | None = None

    @property
    def held(self):
        """The scopes that they hold."""
        return SCOPES_OF_ROLE[self.role] & (self.scopes or SCOPES_OF_ROLE[self.role])


READERS = {
    "who began them": Reader("operator", KINDS, began=True),
    "another operator": Reader("operator", ("workflow",)),
    "an author": Reader("author", ("workflow",)),
    "a viewer": Reader("viewer", ("workflow",)),
    "an approver": Reader("approver", ("workflow",)),
    "a requester": Reader("requester", ()),
    "an admin": Reader("admin", KINDS),
    "an admin of others": Reader("admin", (), tenant="theirs"),
    "who began them and is a viewer now": Reader("viewer", KINDS, began=True),
    "an admin by a token for runs": Reader("admin", ("workflow", "runs"), scopes=frozenset({RUNS_READ})),
    "an admin by a token for letters": Reader(
        "admin", ("workflow", "runs", "letters"), scopes=frozenset({RUNS_READ, DEAD_LETTERS_READ})
    ),
    "an admin by a token for tasks": Reader(
        "admin", ("workflow", "runs", "tasks"), scopes=frozenset({RUNS_READ, TASKS_READ})
    ),
    "an admin by a token that decides": Reader("admin", (), scopes=frozenset({TASKS_DECIDE})),
    "who began them by a token that decides": Reader(
        "operator", ("tasks",), began=True, scopes=frozenset({TASKS_DECIDE})
    ),
    "who began them by a token that reads runs": Reader(
        "operator", ("workflow", "runs"), began=True, scopes=frozenset({RUNS_READ})
    ),
    "who began them by a token that operates": Reader(
        "operator", ("workflow", "runs", "letters"), began=True, scopes=frozenset({RUNS_READ, RUNS_OPERATE})
    ),
    "who began them by a token of their folder": Reader("operator", KINDS, began=True, folder="General"),
    "who began them by a token of another folder": Reader("operator", (), began=True, folder="Elsewhere"),
}


@pytest.fixture(params=READERS)
def reader(request):
    return READERS[request.param]


@pytest.fixture
def clients(people, jobs, reader):
    """Over REST, and in a browser for who needs no special token."""
    tenant = people.tenant(reader.tenant)
    user = people.member("operator") if reader.began else people.member(reader.role, reader.tenant)
    if reader == READERS["another operator"]:
        user = make.MembershipFactory(user__username="otto", tenant=tenant, role="operator").user
    Membership.unsafe_all_tenants.filter(user=user).update(role=reader.role)
    folders = {one.name: one.pk for one in Folder.unsafe_all_tenants.filter(tenant=tenant)}
    limits = {"jobs": JobReach(folders=(folders[reader.folder],))} if reader.folder else {}
    scopes = {"scopes": reader.scopes} if reader.scopes else {}
    _, text = create_token(user=user, tenant=tenant, role=reader.role, **scopes, **limits)
    rest, browser = APIClient(), Client()
    rest.credentials(HTTP_AUTHORIZATION=f"Bearer {text}")
    browser.force_login(user)
    return rest, None if scopes or limits else browser


def test_a_job_is_read_by_one_rule_at_every_door(clients, jobs, reader):
    rest, browser = clients
    for kind, job in jobs.items():
        doors = [(rest, f"/api/v1/bulk-jobs/{job.pk}"), (rest, f"/api/v1/tasks/bulk-jobs/{job.pk}")]
        if browser:
            pages = (f"/bulk-jobs/{job.pk}", f"/inbox/bulk-jobs/{job.pk}")
            doors += [(browser, f"{place}{end}") for place in pages for end in ("", "?format=csv")]
        for client, address in doors:
            of_tasks = "/tasks/" in address or "/inbox/" in address
            opens = kind in reader.reads and (TASKS_DECIDE if of_tasks else RUNS_READ) in reader.held
            opens = opens and (kind == "tasks" or not of_tasks)
            answer = client.get(address)
            assert (answer.status_code == 200) == opens, (kind, address)
            assert opens or answer.status_code in (403, 404), (kind, address)
            if "csv" not in address:
                assert (SECRET in answer.content.decode()) == opens, (kind, address)


def test_lists_name_the_jobs_that_open(clients, jobs, reader):
    rest, browser = clients
    answers = [rest.get("/api/v1/bulk-jobs"), *([browser.get("/bulk-jobs")] if browser else [])]
    for kind, job in jobs.items():
        may = kind in reader.reads and RUNS_READ in reader.held
        for answer in answers:
            assert (str(job.pk) in answer.content.decode()) == may, kind


def test_nobody_goes_on_with_or_stops_what_they_may_not_read(clients, jobs, reader):
    rest, browser = clients
    for job in (job for kind, job in jobs.items() if kind not in reader.reads):
        doors = [(rest, f"/api/v1/{below}bulk-jobs/{job.pk}/cancel") for below in ("", "tasks/")]
        doors += [(rest, f"/api/v1/tasks/bulk-jobs/{job.pk}/go")]
        if browser:
            pages = (f"/bulk-jobs/{job.pk}", f"/inbox/bulk-jobs/{job.pk}")
            doors += [(browser, f"{place}/{verb}") for place in pages for verb in ("go", "stop")]
        for client, address in doors:
            for body in ({}, {"reason": "why"}):
                answer = client.post(address, body)
                assert answer.status_code in (403, 404), address
                assert SECRET not in answer.content.decode()
    assert BulkJob.unsafe_all_tenants.count() == len(jobs)


def test_each_kind_of_job_has_readers_and_others():
    for kind in KINDS:
        assert {kind in one.reads for one in READERS.values()} == {True, False}
