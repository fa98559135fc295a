"""Two starts with one uploaded file: one run uses it (docs/files.md, "Start with a file")."""

import contextlib

from runs.commands.starts import NewRun, Terms, start_runs
from runs.files.models import FileUse, StoredFile
from runs.files.uploads import upload
from runs.kernel.refused import RunRefused
from tests import factories as make
from tests.inbox.asking import member
from tests.races.staging import Actor, holding

RECEIPT = {"type": "object", "properties": {"receipt": {"type": "string", "format": "file"}}}


def test_of_starts_with_one_file_one_begins_and_the_others_name_the_field(rounds):
    ann = member("ann", "operator")
    version = make.a_version(make.chain("noop", input_schema=RECEIPT))
    for _ in rounds:
        file = upload(ann, name="a.txt", content=b"text")["id"]
        refusals = []

        def start(file=file, refusals=refusals):
            terms = Terms(ann.tenant_id, version.pk, ann.username)
            with contextlib.suppress(RunRefused):
                try:
                    return start_runs(terms, [NewRun({"receipt": file})])[0]
                except RunRefused as refusal:
                    refusals.append((refusal.code, refusal.field))
                    raise
            return None

        with holding(start, before="insert_runs") as first:
            others = [Actor(start) for _ in range(3)]
            for actor in others:
                actor.until_blocked()
        runs = [first.end(), *(actor.end() for actor in others)]
        assert sum(run is not None for run in runs) == 1
        assert refusals == [("file_used", "input.receipt")] * 3
        assert FileUse.unsafe_all_tenants.filter(file_id=file).count() == 1
        assert StoredFile.unsafe_all_tenants.get(pk=file).expires_at is None
