"""The check before publishing: all findings of a draft, or of the version that it has become, in one list."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from accounts.principal import Principal
from accounts.roles import WORKFLOWS_READ, WORKFLOWS_WRITE
from engine.canonical import content_hash
from engine.problems import Problem
from lib.json import Json
from workflows import queries
from workflows.access import guard_workflow
from workflows.checking.check import check
from workflows.checking.drafted import Draft
from workflows.checking.references import named_in
from workflows.models import Workflow, WorkflowVersion
from workflows.readiness.findings import Finding, Mend
from workflows.readiness.in_use import off_triggers, older_runs, triggers_of
from workflows.readiness.names import directory_of, mentions_in, name_findings
from workflows.readiness.others import openings
from workflows.readiness.rights import Rights
from workflows.readiness.services import missing_services
from workflows.readiness.starting import nobody_may_start
from workflows.readiness.steps import steps_of

_TITLES: Final[Mapping[str, str]] = {
    "four_eyes_out_of_reach": "Choose who decides",
    "nobody_may_decide": "Choose who decides",
    "quorum_out_of_reach": "Choose who decides",
    "starts_apart": "Connect it",
    "unknown_workflow": "Choose a workflow",
}
"""The labels of presses that go to a field, by code; others say “Show it”."""
_OTHER_WORKFLOW: Final = frozenset({"unpublished_workflow", "withdrawn_version"})


@dataclass(frozen=True, slots=True)
class Readiness:
    """What was found in the draft of this `revision`, which is or will be the `version` of this number."""

    revision: int
    version: int
    findings: Sequence[Finding]

    @property
    def is_ready(self) -> bool:
        """Whether nothing blocks publishing."""
        return all(one.severity != "error" for one in self.findings)


def check_readiness(reader: Principal, name: str) -> Readiness:
    """What stands between the draft and its use. Raises Missing and Forbidden. The number of statements does not depend
    on the number of steps.
    """
    reader.require(WORKFLOWS_READ)
    guard_workflow(reader, WORKFLOWS_READ, name)
    workflow = queries.get_workflow(reader.tenant_id, name)
    checked = check(workflow.draft_definition, name=name, tenant=reader.tenant_id)
    latest = queries.latest_version(reader.tenant_id, name)
    number = (latest.number or 0) if latest else 0
    is_new = latest is None or checked.native is None or content_hash(checked.native) != latest.content_hash
    subject = _Subject(Rights(reader, workflow), checked.native or {}, checked.problems, number + is_new)
    return Readiness(workflow.draft_revision, subject.version, subject.findings())


def readiness_of(reader: Principal, version: WorkflowVersion, problems: Sequence[Problem]) -> Readiness:
    """As `check_readiness`, of a version that was just published with these problems."""
    workflow = queries.get_workflow(reader.tenant_id, version.workflow.name)
    number = version.number or 0
    subject = _Subject(Rights(reader, workflow), version.definition, problems, number, is_published=True)
    return Readiness(workflow.draft_revision, number, subject.findings())


@dataclass(frozen=True, slots=True)
class _Subject:
    """What is judged: a definition in our own dialect, empty where the draft can't be read as one."""

    rights: Rights
    native: Mapping[str, Json]
    problems: Sequence[Problem]
    version: int
    is_published: bool = False

    def findings(self) -> list[Finding]:
        """Errors first; then by the order in which they are mended: the definition, the installation, its use."""
        steps = list(steps_of(self.native))
        mentions = list(mentions_in(steps))
        directory = directory_of(self.rights.workflow.tenant_id, mentions)
        triggers = triggers_of(self.rights)
        findings = [
            *self._of_problems(),
            *name_findings(self.rights, self._draft(), mentions, directory),
            *missing_services(self.rights, steps),
            *([] if any(one.is_on and one.starts for one in triggers) else [nobody_may_start(self.rights)]),
            *off_triggers(triggers),
            older_runs(self.rights, self.version, is_published=self.is_published),
        ]
        return sorted((one for one in findings if one is not None), key=lambda one: one.severity != "error")

    def _draft(self) -> Draft | None:
        """The draft as fixes change it; None where it is written in another dialect, or is published."""
        drafted: Workflow = self.rights.workflow
        as_written = (
            drafted.draft_definition.items() <= self.native.items() if not self.is_published else False
        )
        draft = Draft(self.native, drafted.name) if as_written else None
        return draft if draft is not None and draft.document is not None else None

    def _of_problems(self) -> list[Finding]:
        places: dict[str, str] = {}
        if any(problem.code in _OTHER_WORKFLOW for problem in self.problems):
            places = {one.field.rpartition(".")[0]: one.workflow for one in named_in(self.native)}
        names = [
            places.get(problem.field.rpartition(".")[0], "") if problem.code in _OTHER_WORKFLOW else ""
            for problem in self.problems
        ]
        opened = openings(self.rights.reader, {name for name in names if name})
        return [
            self._of_problem(problem, opened.get(name))
            for problem, name in zip(self.problems, names, strict=True)
        ]

    def _of_problem(self, problem: Problem, opening: Mend | None) -> Finding:
        title = _TITLES.get(problem.code, "Show it")
        if problem.fix is not None:
            opening = self.rights.mend("fix", problem.fix["title"], WORKFLOWS_WRITE)
        return Finding(
            code=problem.code,
            severity=problem.severity,
            message=problem.message,
            node=problem.node,
            field=problem.field,
            fix=problem.fix,
            validates=True,
            mend=opening or self.rights.mend("field", title, WORKFLOWS_WRITE),
        )
